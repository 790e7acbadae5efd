"""The commands: each file is one sub-command of `broodmind` (see `main`)."""
