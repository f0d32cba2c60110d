"""The application over the current store, which another store can replace while it serves."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from dirframe.service.store.store import Store


@dataclass
class _Generation:
    """A store, the application over it, and the number of requests that it is answering."""

    store: Store
    app: WSGIApplication
    users: int = 0


class LiveApplication:
    """A WSGI application over a store that can be replaced.

    Each request is answered from one store; a replaced store is closed when the last request that
    reads it has been answered.

    Parameters
    ----------
    create
        Creates the application over a store.
    store
        The first store.
    discard
        Called with a replaced store that no request reads any more.
    """

    def __init__(
        self,
        create: Callable[[Store], WSGIApplication],
        store: Store,
        *,
        discard: Callable[[Store], None],
    ) -> None:
        self._create = create
        self._discard = discard
        self._lock = threading.Lock()
        self._current = _Generation(store, create(store))

    @property
    def store(self) -> Store:
        """The store from which the next request is answered."""
        return self._current.store

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request from the store that is current now."""
        with self._lock:
            generation = self._current
            generation.users += 1
        try:
            return generation.app(environ, start_response)  # the whole body is in memory
        finally:
            with self._lock:
                generation.users -= 1
                is_last = generation.users == 0 and generation is not self._current
            if is_last:
                self._discard(generation.store)

    def replace(self, store: Store) -> None:
        """Answer all further requests from another store."""
        generation = _Generation(store, self._create(store))
        with self._lock:
            previous, self._current = self._current, generation
            is_idle = previous.users == 0
        if is_idle:
            self._discard(previous.store)

    def close(self) -> None:
        """Close the current store."""
        self._current.store.close()
