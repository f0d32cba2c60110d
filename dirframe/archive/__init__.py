"""Archives: a whole collection kept on disk as it came, over days, and read again."""
