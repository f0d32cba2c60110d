"""Explore accounts and projects interactively in a notebook, with code that reproduces the view.

The logic is in modules without widgets, the state in traitlets; the widgets only bind to it.
"""
