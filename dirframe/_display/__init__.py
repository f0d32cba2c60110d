"""Rendering of values and tables as text and HTML."""
