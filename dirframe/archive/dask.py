"""Map a function over the workers of a Dask cluster, or in this process."""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from dirframe import __version__
from dirframe.errors import ArchiveError, DirframeError, InvalidInputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from distributed import Client

    from dirframe.archive.parquet import MapFunction


#: Shares per worker: a lost worker loses only one of its shares, and others can take the rest.
_SHARES = 4


@dataclass(frozen=True, slots=True)
class Executor:
    """Runs the work: `map` applies a function, and `shares` is the useful minimum of parts."""

    map: MapFunction
    shares: int


@contextmanager
def open_executor(client: Client | str | None) -> Iterator[Executor]:
    """Yield an executor: this process, or the workers of a cluster.

    Parameters
    ----------
    client
        A Dask client, the address of its scheduler, or None for this process.

    Raises
    ------
    ArchiveError
        If no scheduler answers at the address, or a worker has another dirframe or none.
    InvalidInputError
        If `client` is none of these.
    MissingExtraError
        If Dask is not installed.
    """
    if client is None:
        yield Executor(map, 1)
        return
    try:
        import distributed
    except ImportError:
        raise MissingExtraError(
            "distributed", extra="engines", purpose="Work on a Dask cluster"
        ) from None
    if isinstance(client, distributed.Client) and not client.asynchronous:
        yield _executor(client)
        return
    if not isinstance(client, str):
        raise InvalidInputError(
            "client must be a distributed.Client that is not asynchronous, or the address of a "
            f"scheduler such as tcp://10.0.0.1:8786; got a {type(client).__name__}."
        )
    try:
        connect: Any = distributed.Client  # untyped
        connected = connect(client, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ArchiveError(
            f"No scheduler of Dask responds at {client} ({error}). Nothing was written."
        ) from error
    with connected:
        yield _executor(connected)


def _executor(client: Any) -> Executor:
    # Standard library only: a task that a worker cannot unpickle would be retried for ever.
    versions = client.run(version, "dirframe", on_error="return")
    for worker, installed in versions.items():
        if installed != __version__:
            what = f"dirframe {installed}" if isinstance(installed, str) else "no dirframe"
            raise ArchiveError(
                f"The worker {worker} has {what}, and here is {__version__}. Nothing was written: "
                "install the same there."
            )
    threads = sum(client.nthreads().values())

    def map_on_workers(work: Callable[[Any], Any], items: Iterable[Any], /) -> Iterator[Any]:
        """Process some items ahead; the items of a lost worker are processed by others."""
        ahead: deque[Any] = deque()
        try:
            for item in items:
                ahead.append(client.submit(work, item, pure=False))
                if len(ahead) > _SHARES * max(sum(client.nthreads().values()), 1):
                    yield _result(ahead.popleft())
            while ahead:
                yield _result(ahead.popleft())
        finally:
            client.cancel(list(ahead))

    return Executor(map_on_workers, _SHARES * max(threads, 1))


def _result(future: Any) -> Any:
    try:
        return future.result()
    except Exception as error:
        # Dask's connection errors are OSErrors too, without an errno.
        if isinstance(error, DirframeError) or getattr(error, "errno", None):
            raise
        raise ArchiveError(
            f"The workers failed ({type(error).__name__}: {error}). Nothing was written; "
            "the archive is unchanged."
        ) from error
