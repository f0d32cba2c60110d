"""Select projects and accounts by what they are."""
