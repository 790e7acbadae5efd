"""The rules of Overkill, one file per chapter of the ledger."""
