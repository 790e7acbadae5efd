"""The rules of Battle for Macragge, a file per chapter."""
