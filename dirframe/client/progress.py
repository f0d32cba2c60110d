"""Show the progress of a load: a bar, or a callback."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

#: A callback that receives the number of records so far and the total.
ProgressCallback: TypeAlias = "Callable[[int, int], None]"

#: A function that receives the number of further records and the total.
Advance: TypeAlias = "Callable[[int, int], None]"


@contextmanager
def progress_of(unit: str, shown: bool | ProgressCallback) -> Iterator[Advance]:
    """Yield what to call with the number of further records and the total."""
    loaded, bar = 0, None

    def advance(number: int, total: int) -> None:
        nonlocal loaded, bar
        before = loaded
        # A last page may hold more than were asked for.
        loaded = min(loaded + number, total or sys.maxsize)
        if callable(shown):
            shown(loaded, total)
        elif shown:
            if bar is None:
                from tqdm.auto import tqdm

                # None: in notebooks and terminals, but not in a pipe or a log.
                bar = tqdm(total=total or None, unit=f" {unit}", disable=None)
            bar.total = total or None
            bar.update(loaded - before)

    try:
        yield advance
    finally:
        if bar is not None:
            bar.close()
