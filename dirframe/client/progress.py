"""Show how far a load is, as a bar or by a callback."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: A callback that receives the number of records so far and the total.
ProgressCallback: TypeAlias = "Callable[[int, int], None]"


@contextmanager
def progress_of(unit: str, shown: bool | ProgressCallback) -> Iterator[ProgressCallback]:
    """Yield what to call with the numbers of further records and of all: a bar, or a callback."""
    loaded, bar = 0, None

    def advance(count: int, total: int) -> None:
        nonlocal loaded, bar
        before, loaded = loaded, loaded + count
        if total:  # a last page may hold more than were asked for
            before, loaded = min(before, total), min(loaded, total)
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
