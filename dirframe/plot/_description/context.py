"""Options that hold for the charts within a ``with`` block."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextvars import ContextVar

T = TypeVar("T")


@contextmanager
def bound(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Give a context variable a value within the block."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
