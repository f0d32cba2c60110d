"""A report on frames as one HTML page."""
