"""The progress of a load: a bar where somebody looks, or a callback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dirframe.client.query import ProgressCallback

if TYPE_CHECKING:
    from tqdm.std import tqdm


@contextmanager
def progress_of(unit: str, shown: bool | ProgressCallback) -> Iterator[ProgressCallback]:
    """Yield what to call with the numbers of further records and of all: a bar, or a callback."""
    loaded, bar = 0, None

    def advance(count: int, total: int) -> None:
        nonlocal loaded, bar
        # A last page may hold more than were asked for.
        before, loaded = loaded, min(loaded + count, total or sys.maxsize)
        if callable(shown):
            shown(loaded, total)
        elif shown:
            if bar is None:
                bar = _open_bar(total or None, f" {unit}")
            bar.total = total or None
            bar.update(loaded - before)

    try:
        yield advance
    finally:
        if bar is not None:
            bar.close()


def _open_bar(total: int | None, unit: str) -> tqdm[Any]:
    """Open a bar in a terminal or a notebook; in a pipe or a log it shows nothing."""
    if not _is_in_kernel():
        from tqdm.std import tqdm

        return tqdm(total=total, unit=unit, disable=None)
    if find_spec("ipywidgets"):
        from tqdm.notebook import tqdm as widget

        return widget(total=total, unit=unit)
    # `tqdm.auto` would warn and show none. The standard errors of a notebook look like a warning.
    from tqdm.std import tqdm

    return tqdm(total=total, unit=unit, file=sys.stdout)


def _is_in_kernel() -> bool:
    """Return whether this code runs in the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")
