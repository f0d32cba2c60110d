"""New figures: those of pyplot, or some that it does not know."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from dirframe.plot._description.context import bound

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

_is_unmanaged: ContextVar[bool] = ContextVar("_is_unmanaged", default=False)


def new_figure(**options: Any) -> Figure:
    """Return a new figure; `options` are those of `matplotlib.figure.Figure`."""
    return Figure(**options) if _is_unmanaged.get() else plt.figure(**options)


def unmanaged_figures() -> AbstractContextManager[None]:
    """Keep the figures of the context from pyplot.

    A kernel shows the figures of pyplot after each message of a widget, and in a thread of its own
    if the front end asks for that: a figure that is still being drawn would be broken.
    """
    return bound(_is_unmanaged, True)
