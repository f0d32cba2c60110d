"""A progress bar in the terminal and in the notebook, or whatever else is to be told."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

__all__ = ["Progress", "ProgressCallback"]

#: A function that is told how many records came, and of how many.
ProgressCallback: TypeAlias = "Callable[[int, int], None]"


class Progress:
    """Count records as they come.

    Parameters
    ----------
    unit
        What is counted.
    shown
        Whether to show a bar at all, or a function that is told instead: how many records
        came, pages that were asked for again included, and of how many.
    """

    def __init__(self, unit: str, *, shown: bool | ProgressCallback) -> None:
        self._unit = unit
        self._shown = shown
        self._came = 0
        self._bar: Any = None

    def advance(self, count: int, total: int) -> None:
        """Note that so many more came, of so many in all."""
        self._came += count
        if callable(self._shown):
            self._shown(self._came, total)
            return
        if not self._shown:
            return
        if self._bar is None:
            # Without a terminal (a pipe, a log) there is no bar; a notebook has no terminal
            # either, but someone who looks.
            in_notebook = _in_notebook()
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


def _in_notebook() -> bool:
    # That ipykernel is loaded says nothing: who runs notebooks has it too, such as nbmake.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and "IPKernelApp" in shell.config


def _bar_class(in_notebook: bool) -> Any:
    # tqdm.auto warns in a notebook that has no widgets; a bar of text is no reason to.
    if in_notebook and find_spec("ipywidgets") is not None:
        from tqdm.auto import tqdm as bar_with_widgets

        return bar_with_widgets
    from tqdm.std import tqdm

    return tqdm
