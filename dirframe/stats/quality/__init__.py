"""Frames as a whole: summary, comparison, flags, sensitivity."""
