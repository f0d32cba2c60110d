"""Build the tables of country names."""
