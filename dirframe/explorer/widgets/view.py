"""The explorer's view: widgets bound to the state, without logic or requests."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

import ipywidgets as w

from dirframe.errors import DirframeError
from dirframe.explorer import html
from dirframe.explorer.chart_image import render_chart
from dirframe.explorer.load import error_message
from dirframe.explorer.widgets import controls, table
from dirframe.explorer.widgets.bindings import (
    AUTO_WIDTH,
    boxed,
    html_output,
    labelled_widget,
    run_busy,
    with_class,
)
from dirframe.explorer.widgets.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from dirframe.explorer.chart_image import ChartImage
    from dirframe.explorer.state import State

#: Images kept, for what is undone or chosen again.
_IMAGES = 16
_STYLES = [("text", "text"), ("BibTeX", "bibtex")]


def in_this_thread() -> Callable[[Callable[[], None]], None]:
    """Return a dispatcher to the event loop of this thread, or a direct call without a loop."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return lambda action: action()

    def hand_over(action: Callable[[], None]) -> None:
        loop.call_soon_threadsafe(action)

    return hand_over


class View:
    """The widgets of an explorer.

    Parameters
    ----------
    state : State
        The state that they show and change.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self._picture: ChartImage | None = None
        self._is_due = False  # the chart is to be drawn, when all else is shown
        self._images: deque[tuple[Any, ChartImage]] = deque(maxlen=_IMAGES)
        self._loaded: pd.DataFrame | None = None
        self._changed: list[Callable[[], None]] = []
        self._chart = with_class(w.HTML(layout=AUTO_WIDTH | {"margin": "0"}), "df-chart")
        self._results = boxed("df-results", self._made_results(), w.VBox)
        parts = [
            w.HTML(html.style() + f"<h2>{html.title(state)}</h2>"),
            self._page(),
            *([controls.ask(state)] if state.directory else []),
            html_output(
                "df-said",
                state,
                ["message", "severity"],
                lambda: html.message(state.message, state.severity),
            ),
            self._results,
        ]
        self.widget = boxed("dirframe-explorer", parts, w.VBox)
        state.observe(self._draw_soon, ["shown", "chart", "exclude", "by", "is_dark"])
        state.observe(self._notify, ["page", "page_size", "columns"])
        self._draw()

    @property
    def picture(self) -> ChartImage | None:
        """The chart; None if there is none."""
        if self._is_due:
            self._draw()
        return self._picture

    def when_changed(self, callback: Callable[[], None]) -> None:
        """Register a callback for changes of the view."""
        self._changed.append(callback)

    def _page(self) -> Page:
        page = Page()

        def follow(change: Any) -> None:
            self.state.dispatch(lambda: self.state.set_trait(change["name"], change["new"]))

        def restore(change: Any) -> None:
            self.state.dispatch(lambda: self.state.restore_view(change["new"]))

        page.observe(follow, ["is_dark", "width"])
        page.observe(restore, "link")
        return page

    def _made_results(self) -> list[Any]:
        state = self.state
        records = [
            html_output("df-count", state, ["shown"], lambda: f"<h3>{html.words(state)}</h3>"),
            html_output(
                "df-working", state, ["is_working"], lambda: html.busy(is_working=state.is_working)
            ),
            *table.records(state),
            controls.columns(state),
        ]
        code = [
            w.HTML("<h3>Code <span class='df-quiet'>that gives what is shown</span></h3>"),
            html_output("df-code", state, ["code"], lambda: html.preformatted(state.code, "Code")),
        ]
        cite = [
            w.HTML("<h3>Citation</h3>"),
            labelled_widget(w.Dropdown, "As", state, "style", options=_STYLES),
            html_output(
                "df-citation",
                state,
                ["citation"],
                lambda: html.preformatted(state.citation, "Citation"),
            ),
        ]
        write = [w.HTML("<h3>Export</h3>"), controls.export(state)]
        view = [w.HTML("<h3>View</h3>"), controls.view(state)]
        right = [boxed("df-panel", part, w.VBox) for part in (cite, write, view)]
        chart = [controls.chart(state), self._chart]
        return [
            controls.filtering(state),
            controls.facets(state),
            boxed("df-two", [boxed("df-panel", records, w.VBox), boxed("df-panel", chart, w.VBox)]),
            boxed("df-two", [boxed("df-panel", code, w.VBox), boxed("df-stack", right, w.VBox)]),
        ]

    def _draw_soon(self, _: Any) -> None:
        """Draw the chart after the changes that are quicker to show, once for all of them."""

        def draw() -> None:
            if self._is_due:
                run_busy(self.state, self._draw)

        if not self._is_due:
            self._is_due = True
            self.state.dispatch(draw)

    def _draw(self) -> None:
        self._is_due = False
        shown = self.state.shown
        if (loaded := shown.loaded if shown else None) is not self._loaded:
            self._loaded = loaded
            self._images.clear()
        self._results.layout.display = None if shown else "none"
        self._picture, text = None, ""
        if shown is not None:
            try:
                self._picture = self._image(shown.frame)
                text = html.image(self._picture)
            except Exception as error:  # noqa: BLE001  # show a message instead of a traceback
                self.state.error = error
                severity = "info" if isinstance(error, DirframeError) else "error"
                text = html.message(error_message(error), severity)
        self._chart.value = text
        self._notify()

    def _image(self, frame: pd.DataFrame) -> ChartImage:
        state = self.state
        # The order of the records is not seen in a chart.
        drawn = (state.filters, state.chart, state.chart_options, state.is_dark)
        for key, image in self._images:
            if key == drawn:
                return image
        image = render_chart(frame, state.chart, state.chart_options, is_dark=state.is_dark)
        self._images.append((drawn, image))
        return image

    def _notify(self, _: Any = None) -> None:
        for callback in self._changed:
            callback()
