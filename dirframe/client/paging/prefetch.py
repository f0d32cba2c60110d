"""Fetch pages concurrently and yield them in order."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


T = TypeVar("T")
Key = TypeVar("Key")


def fetch_ahead(
    fetch: Callable[[Key], T],
    get_cached: Callable[[Key], T | None],
    numbers: Iterable[Key],
    workers: int,
    *,
    is_slow: Callable[[], bool] = lambda: True,
) -> Iterator[tuple[Key, T]]:
    """Yield each number with its page; the order does not depend on the number of threads.

    Parameters
    ----------
    fetch
        Fetches a page; runs in a worker thread if `workers` is more than 1.
    get_cached
        Returns a page that need not be fetched, or None; runs in this thread.
    numbers
        Page numbers or other identifiers, in order. Consumed as late as possible.
    workers
        Number of pages fetched concurrently.
    is_slow
        Returns whether pages have to be waited for. Threads are started with the first page for
        which it is true: pages that come at once are fetched in this thread.
    """
    ahead: deque[tuple[Key, T | Future[T]]] = deque()
    pool: ThreadPoolExecutor | None = None
    try:
        for number in numbers:
            page = get_cached(number)
            if page is None and (workers == 1 or (pool is None and not is_slow())):
                page = fetch(number)
            if page is not None:
                ahead.append((number, page))
            else:
                pool = pool or ThreadPoolExecutor(workers, thread_name_prefix="dirframe")
                ahead.append((number, pool.submit(fetch, number)))
            if pool is None or len(ahead) >= 4 * workers:
                yield _result(*ahead.popleft())
        while ahead:
            yield _result(*ahead.popleft())
    finally:
        if pool is not None:
            # Requests in flight still reach the cache; those not sent cost nothing.
            pool.shutdown(wait=True, cancel_futures=True)


def _result(number: Key, page: T | Future[T]) -> tuple[Key, T]:
    return number, page.result() if isinstance(page, Future) else page
