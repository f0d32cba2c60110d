"""The explorer's controls, each bound to a trait of its state."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets as w

from dirframe.errors import MissingExtraError
from dirframe.explorer import choices, html
from dirframe.explorer.widgets.bindings import (
    AUTO_WIDTH,
    bind_trait,
    boxed,
    button,
    html_output,
    labelled_widget,
    select_widget,
    update_on,
    with_class,
)
from dirframe.filters.conditions import CHOICES, MISSING, years
from dirframe.filters.select import Filters

if TYPE_CHECKING:
    from dirframe.explorer.facets import Bar
    from dirframe.explorer.state import State

_COLLECTIONS = [("Projects", "projects"), ("Accounts", "accounts")]
_ACTIVITIES = [("active and dormant", "all"), ("active", "active"), ("dormant", "dormant")]
_EXPORTED = [("the records shown", "records"), ("the statistic behind the chart", "statistic")]
_LISTED = 300  # options of a list that a browser renders without delay
_MOST = 10_000_000


def ask(state: State) -> Any:
    """Return the controls for the query, its price, the load and the quota."""

    def sorts() -> list[tuple[str, str]]:
        return [("default", ""), *((name, name) for name in state.sorts)]

    collection = labelled_widget(
        w.Dropdown, "Collection", state, "collection", options=_COLLECTIONS
    )

    def enable() -> None:
        collection.disabled = bool(state.busy)  # what comes is of the collection asked for

    update_on(state, ["busy"], enable)
    query = [
        collection,
        labelled_widget(w.Text, "Query (empty: all)", state, "query"),
        select_widget(w.Dropdown, "Sort", state, "sort", options=sorts, when=["collection"]),
        labelled_widget(
            w.BoundedIntText, "At most (0: all)", state, "max_items", name="df-cap", max=_MOST
        ),
        _details(state),
        _buttons(state),
    ]

    def progress() -> str:
        return html.bar(state.loaded, state.total, running=state.busy == "load")

    bars = [
        html_output(
            "df-quota", state, ["quota_left"], lambda: html.gauge(state.quota_left, state.quota)
        ),
        html_output("df-progress", state, ["loaded", "total", "busy"], progress),
    ]
    rows = [boxed("df-row df-ask", query), boxed("df-row df-bars", bars)]
    return boxed("df-asking", rows, w.VBox)


def _details(state: State) -> Any:
    tip = "Ask for the own page of each project that comes without its analysis: one request each"
    checkbox = labelled_widget(w.Checkbox, "Own pages", state, "details", indent=False, tooltip=tip)

    def enable() -> None:
        checkbox.disabled = state.collection != "projects"

    update_on(state, ["collection"], enable)
    return checkbox


def _buttons(state: State) -> Any:
    tip = "What the load will cost, for one request"
    price = button("df-price", "Price", state, state.start_price, tip=tip)
    exact_price = button(
        "df-exact-price",
        "Exact price",
        state,
        partial(state.start_price, exact=True),
        tip="Ask for the pages of the collection, which say whose own page is needed; "
        "the load then has them in the cache",
    )
    tip = "Load the records"
    load = button("df-load", "Load", state, state.start_load, tip=tip, kind="primary")
    tip = "Stop the load and keep the loaded records"
    cancel = button("df-cancel", "Cancel", state, state.cancel, tip=tip, is_immediate=True)

    def enable() -> None:
        price.disabled = load.disabled = bool(state.busy)
        # Without own pages, every price is exact.
        needs_details = state.details and state.collection == "projects"
        exact_price.disabled = bool(state.busy) or not needs_details
        cancel.disabled = state.busy != "load"

    update_on(state, ["busy", "details", "collection"], enable)
    return boxed("df-buttons", [price, exact_price, load, cancel])


def filtering(state: State) -> Any:
    """Return the filters; those whose columns the records lack are hidden."""
    search = labelled_widget(w.Text, "Search (Enter)", state, "search")
    search.continuous_update = False  # each search draws the chart anew
    lists = {name: _listed(state, name, choices.FACETS[CHOICES[name]]) for name in CHOICES}
    activity = labelled_widget(w.Dropdown, "Activity", state, "activity", options=_ACTIVITIES)
    widgets = {"search": search, **lists, "activity": activity}

    def show() -> None:
        offered = Filters.offered(state.shown.loaded) if state.shown else set()
        for name, widget in widgets.items():
            widget.layout.display = None if name in offered else "none"

    update_on(state, ["shown"], show)
    everything = button("df-all", "Show all", state, state.show_all, tip="Take all filters away")
    fields = [search, *lists.values(), *_measures(state), *_years(state), activity, everything]
    return boxed("df-row df-filters", fields)


def _listed(state: State, trait: str, label: str) -> Any:
    column = CHOICES[trait]

    def entries() -> list[tuple[str, Any]]:
        bars = state.bars(column) if column in state.choice_filters else []
        return [
            (_counted(bar), bar.value)
            for number, bar in enumerate(bars)
            if number < _LISTED or bar.is_missing or state.is_chosen(column, bar.value)
        ]

    return select_widget(
        w.SelectMultiple, label, state, trait, options=entries, when=["shown"], rows=4
    )


def _counted(bar: Bar) -> str:
    name = bar.title if bar.value in {None, bar.title} else bar.value
    return f"{name} ({bar.count:,}){f' {bar.title}' if name != bar.title else ''}"


def _measures(state: State) -> list[Any]:
    """Return the choice of a column of numbers and the list of its ranges."""

    def measures() -> list[tuple[str, str]]:
        if state.shown is None:
            return []
        resource = state.shown.resource
        return [(choices.heading(name, resource), name) for name in state.shown.facets.measures]

    measure = select_widget(
        w.Dropdown, "Number", state, "measure", options=measures, when=["shown"]
    )
    spans = w.SelectMultiple(description="Its range", rows=4, layout=AUTO_WIDTH)

    def follow() -> None:
        for widget in (measure, spans):
            widget.layout.display = None if state.measure else "none"
        bars = state.bars(state.measure) if state.measure else []
        entries = tuple((f"{bar.title} ({bar.count:,})", bar.value) for bar in bars)
        if spans.options != entries:
            spans.value = ()
            spans.options = entries
        spans.value = [bar.value for bar in bars if state.is_chosen(state.measure, bar.value)]

    def convert(chosen: tuple[Any, ...]) -> dict[str, Any]:
        return state.with_range(state.measure, chosen)

    bind_trait([spans], state, "ranges", follow=follow, value=convert, when=["shown", "measure"])
    return [measure, with_class(spans, "df-range")]


def _years(state: State) -> list[Any]:
    first = w.Dropdown(description="Created from", layout=AUTO_WIDTH)
    last = w.Dropdown(description="Created to", layout=AUTO_WIDTH)

    def follow() -> None:
        span = years(state.shown.loaded) if state.shown else None
        for dropdown, number in ((first, 0), (last, -1)):
            dropdown.layout.display = "none" if span is None or span[0] == span[1] else None
            if span is not None:
                chosen = span if state.years in {(), MISSING} else state.years
                entries = tuple(range(span[0], span[1] + 1))
                if dropdown.options != entries:
                    dropdown.options = entries
                dropdown.value = min(max(chosen[number], span[0]), span[1])

    def between(_: int) -> tuple[int, ...]:
        return tuple(sorted((first.value, last.value)))

    bind_trait([first, last], state, "years", follow=follow, value=between, when=["shown"])
    return [with_class(first, "df-since"), with_class(last, "df-until")]


def facets(state: State) -> Any:
    """Return the bars to click and to drag across, or how to get them."""
    try:
        from dirframe.explorer.widgets.facets import FacetChart
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "plotly":
            raise
        missing = MissingExtraError("plotly", purpose="A chart to click")
        return with_class(
            w.HTML(f"<span class='df-quiet'>{escape(str(missing))}</span>"), "df-plain"
        )
    box = boxed("df-facets", [])

    def draw() -> None:
        charts = box.children
        if state.shown is not None and not (charts and charts[0].draw()):
            box.children = [FacetChart(state)]
            for chart in charts:
                chart.close()

    update_on(state, ["shown", "is_dark", "width"], draw)
    return box


def columns(state: State) -> Any:
    """Return the list of the table's columns and its search."""

    def entries() -> list[tuple[str, str]]:
        if state.shown is None:
            return []
        words = state.column_search.casefold().split()
        names = choices.columns(state.shown.loaded)
        headings = [(choices.heading(name, state.shown.resource), name) for name in names]
        return [
            (heading, name)
            for heading, name in headings
            if all(word in f"{heading} {name}".casefold() for word in words)
        ]

    def with_hidden(chosen: tuple[str, ...]) -> tuple[str, ...]:
        """Add the chosen columns that the search hides."""
        if state.shown is None:
            return chosen
        names = {*state.columns, *chosen} - ({name for _, name in entries()} - {*chosen})
        return tuple(name for name in choices.columns(state.shown.loaded) if name in names)

    listed = select_widget(
        w.SelectMultiple,
        "Columns of the table",
        state,
        "columns",
        options=entries,
        when=["shown", "column_search"],
        convert=with_hidden,
        rows=6,
    )
    search = labelled_widget(w.Text, "Search the columns", state, "column_search")
    return boxed("df-row df-picker", [search, listed])


def chart(state: State) -> Any:
    """Return the controls for the chart, its exclusions and its strata."""
    choice = select_widget(
        w.Dropdown,
        "Chart",
        state,
        "chart",
        name="df-chart-choice",
        options=lambda: [(words, name) for name, words in state.charts.items()],
        when=["shown"],
    )
    divided = select_widget(
        w.Dropdown,
        "A panel for each",
        state,
        "by",
        options=lambda: [("–", ""), *((_words(name), name) for name in state.strata)],
        when=["shown"],
    )
    left_out = select_widget(
        w.SelectMultiple,
        "Leave out of the chart",
        state,
        "exclude",
        options=lambda: [(_words(name), name) for name in state.rules],
        when=["shown"],
        rows=4,
    )
    return boxed("df-row df-drawing", [boxed("df-stack", [choice, divided], w.VBox), left_out])


def _words(name: str) -> str:
    return name.replace("_", " ")


def export(state: State) -> Any:
    """Return the controls for the export."""
    write = button("df-export", "Export", state, state.start_export, tip="Write the file")

    def enable() -> None:
        write.disabled = bool(state.busy)

    update_on(state, ["busy"], enable)
    fields = [
        labelled_widget(w.Text, "File", state, "path"),
        labelled_widget(w.Dropdown, "Of", state, "exported", options=_EXPORTED),
        labelled_widget(w.Checkbox, "Overwrite", state, "overwrite", indent=False),
        write,
    ]
    return boxed("df-row df-write", fields)


def view(state: State) -> Any:
    """Return the controls to save the view and to restore one, and its link."""
    save = button("df-save-view", "Save", state, state.save_view, tip="Write the view to the file")
    restore = button(
        "df-restore-view", "Restore", state, state.restore_view, tip="Show the view of the file"
    )
    name = labelled_widget(w.Text, "File, or link to a view", state, "view")
    link = html_output("df-link", state, ["code", "shown"], lambda: html.link(state))
    return boxed("df-viewing", [boxed("df-row df-write", [name, save, restore]), link], w.VBox)
