"""Explore accounts and projects interactively in a notebook, with code that reproduces the view."""

import dirframe.plot  # noqa: F401  # before Matplotlib: it says what to do if that has no folder
