"""Explore accounts and projects interactively in a notebook, with code that reproduces the view."""
