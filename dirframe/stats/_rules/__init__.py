"""Rules that find known bad data."""
