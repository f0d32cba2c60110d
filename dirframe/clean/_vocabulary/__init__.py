"""Vocabulary of country names: words and codes."""
