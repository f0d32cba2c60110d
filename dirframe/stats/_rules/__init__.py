"""Rules that detect known bad data."""
