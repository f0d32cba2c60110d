"""A progress bar in the terminal and in the notebook, and none where nobody looks.

What stays out: what is counted.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Progress"]


class Progress:
    """Count records as they come.

    Parameters
    ----------
    unit
        What is counted.
    shown
        Whether to show a bar at all.
    """

    def __init__(self, unit: str, *, shown: bool) -> None:
        self._unit = unit
        self._shown = shown
        self._bar: Any = None

    def advance(self, count: int, total: int) -> None:
        """Note that so many more came, of so many in all."""
        if not self._shown:
            return
        if self._bar is None:
            # Without a terminal (a pipe, a log) there is no bar; a notebook has no terminal
            # either, but someone who looks.
            in_notebook = "ipykernel" in sys.modules
            self._bar = _bar_class(in_notebook)(
                total=total or None, unit=f" {self._unit}", disable=False if in_notebook else None
            )
        self._bar.total = total or None
        self._bar.update(count)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()


def _bar_class(in_notebook: bool) -> Any:
    # tqdm.auto warns in a notebook that has no widgets; a bar of text is no reason to.
    if in_notebook and find_spec("ipywidgets") is not None:
        from tqdm.auto import tqdm as bar_with_widgets

        return bar_with_widgets
    from tqdm.std import tqdm

    return tqdm
