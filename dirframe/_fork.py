"""Leave what is open to the parent when a process forks."""

# Two processes on one socket get each other's responses, an epoll object is one for both, and SQLite
# must not even close a file that the parent has open.

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from weakref import WeakMethod

if TYPE_CHECKING:
    from collections.abc import Callable

_methods: set[WeakMethod[Any]] = set()
_inherited: list[object] = []


def call_after_fork(leave: Callable[[], object]) -> None:
    """Call a method in each forked process, as long as its object lives.

    Parameters
    ----------
    leave : callable
        A bound method. It begins anew, and returns what must not be collected in the forked process.
    """
    _methods.add(WeakMethod(leave, _methods.discard))


def _after_fork() -> None:
    for method in list(_methods):
        leave = method()
        if leave is not None:
            _inherited.append(leave())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
