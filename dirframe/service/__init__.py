"""The directory itself: the mirror of the client, sharing only the schema with it."""
