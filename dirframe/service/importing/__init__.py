"""What becomes a directory's records: XML files and tables, checked and converted."""
