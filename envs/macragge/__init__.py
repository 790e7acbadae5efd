"""Battle for Macragge."""
