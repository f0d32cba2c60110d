"""The directory's records: import, storage, search."""
