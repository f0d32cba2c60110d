"""Faults over real HTTP: our own service, disturbed on purpose, and what the client makes of it."""
