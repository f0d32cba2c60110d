"""Client: from a directory's XML to typed frames."""
