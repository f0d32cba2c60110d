"""Load records for the explorer; results and errors are returned as `LoadResult`."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from dirframe.clean import unify_countries
from dirframe.client.http.redaction import scrub
from dirframe.client.loaders import load_accounts, load_projects
from dirframe.client.plan import plan
from dirframe.errors import DirframeError, DirframeWarning, IncompleteCollectionError
from dirframe.filters.conditions import COUNTRY

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from dirframe.client.collection import ProgressCallback
    from dirframe.client.directory import Directory

Severity = Literal["info", "success", "warning", "error"]

#: Seconds between two progress reports: reports for every page would block the browser.
_PAUSE = 0.1


@dataclass(frozen=True, kw_only=True)
class LoadRequest:
    """Arguments of a load, as the loaders take them.

    Parameters
    ----------
    collection : {"projects", "accounts"}
        The collection to load.
    query, sort : str or None
        As in the loaders.
    max_items : int or None
        As in the loaders.
    details : bool
        As in `load_projects`; accounts have no details.
    """

    collection: str
    query: str | None = None
    sort: str | None = None
    max_items: int | None = None
    details: bool = False

    def options(self) -> dict[str, Any]:
        """Return the given arguments by name."""
        arguments = {"query": self.query, "sort": self.sort, "max_items": self.max_items}
        details = {"details": True} if self.details and self.collection == "projects" else {}
        return {name: value for name, value in arguments.items() if value is not None} | details


@dataclass(frozen=True, eq=False)
class LoadResult:
    """Result of a load, a price query or an export."""

    message: str
    severity: Severity
    frame: pd.DataFrame | None = None
    error: Exception | None = None


def fetch(
    request: LoadRequest,
    directory: Directory,
    on_progress: ProgressCallback,
    *,
    is_cancelled: Callable[[], bool],
) -> LoadResult:
    """Load records; errors are returned, not raised.

    Parameters
    ----------
    request
        The request.
    directory
        The directory to load from.
    on_progress
        Called with the numbers of loaded and available records; not for every page.
    is_cancelled
        Called after every page; returns whether to stop the load.

    Returns
    -------
    LoadResult
        The frame, also if the load was stopped or is incomplete, and a message.
    """
    load = load_projects if request.collection == "projects" else load_accounts
    last_report = 0.0

    def report(loaded: int, total: int) -> None:
        nonlocal last_report
        if is_cancelled():
            raise StopIteration
        if time.monotonic() - last_report >= _PAUSE:
            last_report = time.monotonic()
            on_progress(loaded, total)

    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DirframeWarning)
            frame = load(directory=directory, progress=report, **request.options())
    except IncompleteCollectionError as error:
        return LoadResult(str(error), "warning", with_countries(error.frame), error)
    except Exception as error:  # noqa: BLE001  # the view shows sentences, never a traceback
        return error_result(error, directory)
    return success_result(
        f"{len(frame):,} {request.collection} loaded.", caught, with_countries(frame)
    )


def success_result(
    done: str, caught: list[warnings.WarningMessage], frame: pd.DataFrame | None = None
) -> LoadResult:
    """Return a result for a completed action, with the warnings raised during it."""
    warned = [
        str(warning.message) for warning in caught if issubclass(warning.category, DirframeWarning)
    ]
    return LoadResult(" ".join([done, *warned]), "warning" if warned else "success", frame)


def price(request: LoadRequest, directory: Directory, *, exact: bool = False) -> LoadResult:
    """Return the cost of a load, `exact` as in `plan`; errors are returned, not raised."""
    try:
        estimate = plan(
            "projects" if request.collection == "projects" else "accounts",
            directory=directory,
            **request.options(),
        )
    except Exception as error:  # noqa: BLE001  # the view shows sentences, never a traceback
        return error_result(error, directory)
    return LoadResult(str(estimate), "warning" if estimate.fits is False else "info")


def with_countries(frame: pd.DataFrame) -> pd.DataFrame:
    """Return accounts with unified countries, and other frames unchanged."""
    if "country_code" not in frame or COUNTRY in frame:
        return frame
    return unify_countries(frame)


def error_result(error: Exception, directory: Directory | None = None) -> LoadResult:
    """Return a result for a failed action, without the API key of the directory."""
    secret = directory.settings.api_key.reveal() if directory else ""
    return LoadResult(error_message(error, secret=secret), "error", error=error)


def error_message(error: Exception, *, secret: str = "") -> str:
    """Format an error for the user without secrets; mark foreign errors as unexpected."""
    if isinstance(error, DirframeError):
        return str(error)
    text = scrub(" ".join(str(error).split()), secret)
    return (
        f"This was not expected: {text or 'no more is known'} ({type(error).__name__}). "
        "The whole error is in explorer.state.error."
    )
