"""Progress bar for terminals and notebooks, or a progress callback."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable


#: A callback that receives the number of records so far and the total.
ProgressCallback: TypeAlias = "Callable[[int, int], None]"


class Progress:
    """Report the number of records as they arrive.

    Parameters
    ----------
    unit
        Name of the counted records.
    shown
        Whether to show a bar, or a callback that is called instead with the number of records so
        far and the total.
    """

    def __init__(self, unit: str, *, shown: bool | ProgressCallback) -> None:
        self._unit = unit
        self._shown = shown
        self._loaded = 0
        self._bar: Any = None

    def advance(self, count: int, total: int) -> None:
        """Add a number of records, of a total; a last page may hold more than were asked for."""
        before, self._loaded = self._loaded, self._loaded + count
        if total:
            before, self._loaded = min(before, total), min(self._loaded, total)
        if callable(self._shown):
            self._shown(self._loaded, total)
            return
        if not self._shown:
            return
        if self._bar is None:
            # Without a terminal (a pipe, a log) there is no bar. A notebook has no terminal
            # either, but shows a bar.
            in_notebook = _in_notebook()
            self._bar = _bar_class(in_notebook)(
                total=total or None, unit=f" {self._unit}", disable=False if in_notebook else None
            )
        self._bar.total = total or None
        self._bar.update(self._loaded - before)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _in_notebook() -> bool:
    # A loaded ipykernel is not sufficient: tools that run notebooks, such as nbmake, load it too.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and "IPKernelApp" in shell.config


def _bar_class(in_notebook: bool) -> Any:
    # tqdm.auto warns in a notebook without widgets; the text bar does not need them.
    if in_notebook and find_spec("ipywidgets") is not None:
        from tqdm.auto import tqdm as bar_with_widgets

        return bar_with_widgets
    from tqdm.std import tqdm

    return tqdm
