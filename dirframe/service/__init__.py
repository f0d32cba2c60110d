"""The embedded directory service. It shares only the schema with the client."""
