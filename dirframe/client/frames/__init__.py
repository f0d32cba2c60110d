"""Columns of text to typed DataFrames."""
