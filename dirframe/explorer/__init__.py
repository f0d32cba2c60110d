"""The explorer: accounts and projects with the mouse, and the lines that do the same.

`filters`, `choices`, `code` and `loading` decide without any widget; `state` holds what a
person has chosen, in traitlets; `view` binds widgets to it and decides nothing.
"""
