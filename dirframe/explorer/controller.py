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
from dirframe.explorer.load import LoadRequest, LoadResult, error_message, fetch, price
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from dirframe.client.directory import Directory

    Dispatch = Callable[[Callable[[], None]], None]
    _Act = Callable[[LoadRequest, Directory, Callable[[int, int], None]], LoadResult]

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
    came = tr.Int(0)
    total = tr.Int(0)
    message = tr.Unicode()
    severity = tr.Enum(("info", "success", "warning", "error"), "info")
    quota_left = tr.Int(None, allow_none=True)

    def __init__(
        self,
        directory: Directory | None,
        dispatch: Dispatch = run_now,
    ) -> None:
        super().__init__()
        self.directory = directory
        self.error: Exception | None = None
        self.dispatch = dispatch
        self._stop = threading.Event()
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
    def _begin_a_question(self, _: Any) -> None:
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
        self._run("load", self._fetch, run_now)

    def start_load(self) -> None:
        """Load the records in a background thread."""
        self._in_a_thread("load", self._fetch)

    def show_price(self, *, exact: bool = False) -> None:
        """Show the cost of the load, `exact` as in `plan`, and wait for the result."""
        self._run("price", partial(self._price, exact=exact), run_now)

    def start_price(self, *, exact: bool = False) -> None:
        """Show the cost of the load in a background thread."""
        self._in_a_thread("price", partial(self._price, exact=exact))

    def cancel(self) -> None:
        """Cancel the load after the current page; the loaded records are shown."""
        self._stop.set()  # immediately, even while a cell is running
        self.dispatch(self._say_that_it_stops)

    def _say_that_it_stops(self) -> None:
        if self.busy == "load":
            self.say(LoadResult(message="Stopping after the pages on their way …", severity="info"))

    def join(self) -> None:
        """Wait for the background thread, if any."""
        if self._thread is not None:
            self._thread.join()

    def say(self, outcome: LoadResult) -> None:
        """Show a result as a message."""
        self.error = outcome.error
        self.severity = outcome.severity
        self.message = outcome.message

    def take(self, frame: pd.DataFrame, source: DataSource) -> None:
        """Show a loaded frame; implemented by the explorer's state."""
        raise NotImplementedError

    def kept(self) -> str:
        """Describe the records still shown after a failed load."""
        raise NotImplementedError

    def _in_a_thread(self, task: str, action: _Act) -> None:
        self._run(task, action, self.dispatch, threading.Thread)

    def _run(
        self,
        task: str,
        action: _Act,
        dispatch: Dispatch,
        thread: type[threading.Thread] | None = None,
    ) -> None:
        directory = self.directory
        if self.busy or directory is None:
            return
        self._stop.clear()
        self.came, self.total = 0, 0
        request = self.ask()

        def on_progress(loaded: int, total: int) -> None:
            dispatch(lambda: self._count(loaded, total))

        self._begin(
            task,
            lambda: action(request, directory, on_progress),
            lambda outcome: self._arrived(request, directory, outcome),
            dispatch,
            thread,
        )

    def _begin(
        self,
        task: str,
        action: Callable[[], LoadResult],
        arrived: Callable[[LoadResult], None],
        dispatch: Dispatch,
        thread: type[threading.Thread] | None,
    ) -> None:
        """Run an action, in a thread if one is given, and hand over its result."""
        self.busy = task

        def run() -> None:
            outcome = action()
            dispatch(lambda: arrived(outcome))

        if thread is None:
            run()
        else:
            self._thread = thread(target=run, name="dirframe explorer", daemon=True)
            self._thread.start()

    def _fetch(
        self, request: LoadRequest, directory: Directory, on_progress: Callable[[int, int], None]
    ) -> LoadResult:
        return fetch(request, directory, told=on_progress, stopped=self._stop.is_set)

    def _price(
        self, request: LoadRequest, directory: Directory, _: object, *, exact: bool
    ) -> LoadResult:
        return price(request, directory, exact=exact)

    def _count(self, loaded: int, total: int) -> None:
        self.total = total or loaded
        self.came = min(loaded, self.total)

    def _arrived(self, request: LoadRequest, directory: Directory, outcome: LoadResult) -> None:
        try:
            if outcome.frame is not None:
                source = DataSource(
                    collection=request.collection,
                    asked=request,
                    directory=client_expression(directory.settings),
                    incomplete=outcome.message if outcome.error else "",
                )
                self.take(outcome.frame, source)
                self._count(len(outcome.frame), self.total if outcome.error else 0)
            elif self.busy == "load" and (note := self.kept()):
                outcome = replace(outcome, message=f"{outcome.message} {note}")
            self.say(outcome)
            self._count_quota()
        except Exception as error:  # noqa: BLE001  # the view shows messages, not tracebacks
            self.say(LoadResult(message=error_message(error), severity="error", error=error))
        finally:
            self.busy = ""

    def _count_quota(self) -> None:
        if self.directory is not None:
            self.quota_left = self.directory.session.quota.remaining()
