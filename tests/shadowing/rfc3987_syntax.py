"""Stands for a package that is not installed."""

raise ImportError("The tests leave out rfc3987_syntax.")
