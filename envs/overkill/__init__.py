"""Deathwatch: Overkill: eleven Space Marines against a Genestealer Cult, nine missions and the campaign."""
