"""Run price queries and loads for the explorer, and report their progress and results.

Results and clicks pass through `dispatch`: a kernel handles clicks in one thread and runs cells in
another, and only one of them may change the state.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import traitlets as tr

from dirframe.explorer.code import DataSource, client_expression
from dirframe.explorer.load import LoadRequest, LoadResult, error_result, fetch, price
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from dirframe.client.collection import ProgressCallback
    from dirframe.client.directory import Directory

    Dispatch = Callable[[Callable[[], None]], None]
    _Action = Callable[[LoadRequest, Directory, ProgressCallback], LoadResult]

_BY_COLLECTION = {resource.collection: resource for resource in RESOURCES.values()}


def run_now(action: Callable[[], None]) -> None:
    """Call a function immediately in this thread."""
    action()


class LoadController(tr.HasTraits):
    """Query settings, and the progress and result of a load.

    Parameters
    ----------
    directory : Directory or None
        The directory to load from; None if there is nothing to load.
    dispatch : callable
        Calls functions from other threads in the thread of the observers.
    """

    collection = tr.Enum(("projects", "accounts"), "projects")
    query = tr.Unicode()
    sort = tr.Unicode()  # empty: the directory's default
    max_items = tr.Int(0, min=0)  # 0: all
    details = tr.Bool(default_value=False)  # projects only

    busy = tr.Enum(("", "price", "load", "export"), "")
    loaded = tr.Int(0)  # records so far
    total = tr.Int(0)
    message = tr.Unicode()
    severity = tr.Enum(("info", "success", "warning", "error"), "info")
    quota_left = tr.Int(None, allow_none=True)

    def __init__(self, directory: Directory | None, dispatch: Dispatch = run_now) -> None:
        super().__init__()
        self.directory = directory
        self.error: Exception | None = None
        self.dispatch = dispatch
        self._cancelled = threading.Event()
        self._fetch = partial(fetch, is_cancelled=self._cancelled.is_set)
        self._thread: threading.Thread | None = None
        self._count_quota()

    @property
    def sorts(self) -> tuple[str, ...]:
        """Sort values of the collection."""
        resource = _BY_COLLECTION[self.collection]
        return (*resource.sorts, *resource.other_sorts)

    @property
    def quota(self) -> int:
        """Daily quota in requests; 0 without a directory."""
        return self.directory.settings.daily_quota if self.directory else 0

    @tr.observe("collection")
    def _check_sort(self, _: Any) -> None:
        if self.sort not in self.sorts:
            self.sort = ""

    def ask(self) -> LoadRequest:
        """Return the request for the current settings."""
        return LoadRequest(
            collection=self.collection,
            query=self.query.strip() or None,
            sort=self.sort or None,
            max_items=self.max_items or None,
            details=self.details,
        )

    def load(self) -> None:
        """Load the records and wait for the result."""
        self._query("load", self._fetch)

    def start_load(self) -> None:
        """Load the records in a background thread."""
        self._query("load", self._fetch, in_background=True)

    def show_price(self, *, exact: bool = False) -> None:
        """Show the cost of the load, `exact` as in `plan`, and wait for the result."""
        self._show_price(exact=exact)

    def start_price(self, *, exact: bool = False) -> None:
        """Show the cost of the load in a background thread."""
        self._show_price(exact=exact, in_background=True)

    def cancel(self) -> None:
        """Cancel the load after the current page; the loaded records are shown."""
        self._cancelled.set()  # immediately, even while a cell is running
        self.dispatch(self._announce_cancel)

    def _announce_cancel(self) -> None:
        if self.busy == "load":
            self.show_message(LoadResult("Stopping after the pages on their way …", "info"))

    def join(self) -> None:
        """Wait for the background thread, if any."""
        if self._thread is not None:
            self._thread.join()

    def show_message(self, result: LoadResult) -> None:
        """Show the message of a result."""
        self.error = result.error
        self.severity = result.severity
        self.message = result.message

    def show_frame(self, frame: pd.DataFrame, source: DataSource) -> None:
        """Show a loaded frame; implemented by the explorer's state."""
        raise NotImplementedError

    def previous_records(self) -> str:
        """Describe the records still shown after a failed load."""
        raise NotImplementedError

    def _show_price(self, *, exact: bool, in_background: bool = False) -> None:
        def action(request: LoadRequest, directory: Directory, _: object) -> LoadResult:
            return price(request, directory, exact=exact)

        self._query("price", action, in_background=in_background)

    def _query(self, task: str, action: _Action, *, in_background: bool = False) -> None:
        directory = self.directory
        if self.busy or directory is None:
            return
        self._cancelled.clear()
        self.loaded, self.total = 0, 0
        request = self.ask()
        dispatch = self.dispatch if in_background else run_now

        def on_progress(loaded: int, total: int) -> None:
            dispatch(lambda: self._count(loaded, total))

        self._run(
            task,
            lambda: action(request, directory, on_progress),
            lambda result: self._on_result(request, directory, result),
            in_background=in_background,
        )

    def _run(
        self,
        task: str,
        action: Callable[[], LoadResult],
        on_result: Callable[[LoadResult], None],
        *,
        in_background: bool,
    ) -> None:
        """Run an action and handle its result."""
        self.busy = task

        def run() -> None:
            result = action()
            dispatch = self.dispatch if in_background else run_now
            dispatch(lambda: on_result(result))

        if in_background:
            self._thread = threading.Thread(target=run, name="dirframe explorer", daemon=True)
            self._thread.start()
        else:
            run()

    def _count(self, loaded: int, total: int) -> None:
        self.total = total or loaded
        self.loaded = min(loaded, self.total)

    def _on_result(self, request: LoadRequest, directory: Directory, result: LoadResult) -> None:
        try:
            if result.frame is not None:
                source = DataSource(
                    collection=request.collection,
                    request=request,
                    directory=client_expression(directory.settings),
                    incomplete=result.message if result.error else "",
                )
                self.show_frame(result.frame, source)
                self._count(len(result.frame), self.total if result.error else 0)
            elif self.busy == "load" and (note := self.previous_records()):
                result = replace(result, message=f"{result.message} {note}")
            self.show_message(result)
            self._count_quota()
        except Exception as error:  # noqa: BLE001  # the view shows messages, not tracebacks
            self.show_message(error_result(error))
        finally:
            self.busy = ""

    def _count_quota(self) -> None:
        if self.directory is not None:
            self.quota_left = self.directory.session.quota.remaining()
