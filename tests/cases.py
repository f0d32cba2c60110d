"""Which cases of a parametrised test `make test` runs; `make test-slow` runs the others."""

import pytest


def slow_except(cases, fast):
    """Return all cases; those that are not fast are marked as slow."""
    marked = []
    for case in cases:
        values = case if isinstance(case, tuple) else (case,)
        is_fast = case in fast
        marked.append(case if is_fast else pytest.param(*values, marks=pytest.mark.slow))
    return marked
