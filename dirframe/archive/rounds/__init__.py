"""The rounds of a harvest: all pages, changes, removed records, and own pages of records."""
