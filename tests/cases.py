"""Cases of tests: which `make test` runs and which `make test-slow` alone, and how each call ends."""

import pytest

from dirframe.errors import DirframeError


def slow_except(cases, fast):
    """Return all cases; those that are not fast are marked as slow."""
    marked = []
    for case in cases:
        values = case if isinstance(case, tuple) else (case,)
        is_fast = case in fast
        marked.append(case if is_fast else pytest.param(*values, marks=pytest.mark.slow))
    return marked


def raised(function, *arguments, **options):
    """Return the error of dirframe that a call raises, to compare those of many calls; None if it raises none."""
    try:
        function(*arguments, **options)
    except DirframeError as error:
        return error
    return None
