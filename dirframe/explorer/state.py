"""State of the explorer as observable traits, without kernel or widgets."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import traitlets as tr

from dirframe.charts import CHARTS
from dirframe.citation import cite
from dirframe.client.directory import Directory
from dirframe.errors import InvalidInputError
from dirframe.explorer import choices
from dirframe.explorer.code import DataSource, ViewState, to_python
from dirframe.explorer.controller import LoadController, run_now
from dirframe.explorer.export import ExportRequest, write
from dirframe.explorer.facets import Facets
from dirframe.explorer.load import LoadResult, with_countries
from dirframe.filters.conditions import (
    ACTIVITIES,
    CHOICES,
    COUNTRY,
    CREATED,
    MISSING,
    month_shown,
    years,
)
from dirframe.filters.select import Filters
from dirframe.schema import RESOURCES
from dirframe.stats._options.strata import known_strata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pandas as pd

    from dirframe.citation import Style
    from dirframe.explorer.controller import Dispatch
    from dirframe.explorer.facets import Bar
    from dirframe.schema import Resource

__all__ = ["State", "VisibleRecords"]


_FILTERS = ("search", *CHOICES, "years", "activity", "ranges")

#: Default export paths.
_PATHS = {resource.name: f"{resource.collection}.csv" for resource in RESOURCES.values()}


@dataclass(frozen=True, eq=False, kw_only=True)
class VisibleRecords:
    """The records that pass the filters, in the order chosen, and all that were loaded.

    Parameters
    ----------
    frame : pandas.DataFrame
        The records that pass the filters.
    loaded : pandas.DataFrame
        All loaded records.
    resource : Resource
        Their resource.
    facets : Facets
        The values of their columns with counts.
    """

    frame: pd.DataFrame
    loaded: pd.DataFrame
    resource: Resource
    facets: Facets


def _hull(spans: Sequence[Any]) -> tuple[Any, ...]:
    """Return the range from the first to the last; missing values are in none but their own."""
    present = sorted(span for span in spans if span != MISSING)
    return (present[0][0], present[-1][1]) if present else tuple(spans[:1] and MISSING)


class State(LoadController):
    """The user's choices, and the records, code and citation derived from them.

    Parameters
    ----------
    source : Directory or pandas.DataFrame
        A directory to load from, or a frame of accounts or projects.
    dispatch : callable
        Calls functions from other threads in the thread of the observers.
    """

    shown = tr.Instance(VisibleRecords, allow_none=True)
    search = tr.Unicode()  # empty: all
    languages = tr.Tuple()  # empty: all
    countries = tr.Tuple()  # empty: all
    licenses = tr.Tuple()  # empty: all
    tags = tr.Tuple()  # empty: all
    years = tr.Tuple()  # empty: all
    ranges = tr.Dict()  # by column: the first number and the one to stay below
    activity = tr.Enum(ACTIVITIES, "all")

    measure = tr.Unicode()  # column of numbers whose ranges are listed; empty: none is there
    columns = tr.Tuple()
    column_search = tr.Unicode()  # what the list of columns offers; empty: all
    order_by = tr.Unicode()  # empty: the directory's order
    descending = tr.Bool(default_value=False)
    page = tr.Int(1, min=1)
    page_size = tr.Enum(choices.PAGE_SIZES, choices.PAGE_SIZES[0])

    chart = tr.Unicode()
    exclude = tr.Tuple()  # rules of dirframe.flags; empty: no record is excluded from the chart
    by = tr.Unicode()  # empty: no strata
    style = tr.Enum(("text", "bibtex", "csl"), "text")
    citation = tr.Unicode()
    code = tr.Unicode()

    path = tr.Unicode(_PATHS["project"])
    exported = tr.Enum(("records", "statistic"), "records")
    overwrite = tr.Bool(default_value=False)

    is_working = tr.Bool(default_value=False)  # a choice is being applied
    is_dark = tr.Bool(default_value=False)  # the page is
    width = tr.Int(1200)  # pixels that the page has for it

    def __init__(
        self,
        source: Directory | pd.DataFrame,
        dispatch: Callable[[Callable[[], None]], None] = run_now,
    ) -> None:
        super().__init__(source if isinstance(source, Directory) else None, dispatch)
        self._source = DataSource(collection="projects")
        self._unified = False
        self._resource: Resource | None = None  # of the last records, also if they were cleared
        self._settling = (
            False  # set while several traits change together; derived state is updated afterwards
        )
        self.observe(self._filter, [*_FILTERS, "order_by", "descending"])
        self.observe(self._turn_back, "page_size")
        self.observe(self._clear, "collection")
        self.observe(
            self._describe,
            ["columns", "page", "page_size", "chart", "exclude", "by", "style"],
        )
        if not isinstance(source, Directory):
            resource = choices.resource_of(source)
            self.take(source, DataSource(collection=resource.collection))

    def take(self, frame: pd.DataFrame, source: DataSource) -> None:
        """Show all records of a frame."""
        resource = choices.resource_of(frame)
        loaded = with_countries(frame)
        self._source = source
        self._unified = COUNTRY in loaded and (source.asked is not None or loaded is not frame)
        available = choices.columns(loaded)
        is_other = self._resource not in {None, resource}
        self._resource = resource
        with self._together():
            self._drop_filters()
            if is_other or not self.columns or not set(self.columns) <= set(available):
                self.columns = choices.usual_columns(loaded, resource)
            if self.chart not in (charts := choices.charts(resource)):
                self.chart = next(iter(charts))
            self.exclude = tuple(r for r in self.exclude if r in choices.rules(loaded))
            if self.by not in known_strata(loaded):
                self.by = ""
            if self.path in _PATHS.values():
                self.path = _PATHS[resource.name]
            if self.order_by not in choices.sortable(loaded):
                self.order_by, self.descending = "", False
            facets = Facets(loaded)
            if self.measure not in facets.measures:
                self.measure = next(iter(facets.measures), "")
            self.shown = VisibleRecords(
                frame=loaded, loaded=loaded, resource=resource, facets=facets
            )
            self._select()
        self._describe()

    def _clear(self, _: Any) -> None:
        """Show nothing while another collection is asked for than was loaded."""
        if self.directory is not None:
            self.shown, self.code, self.citation = None, "", ""

    @property
    def has_variable(self) -> bool:
        """Whether the code begins with a load or with a variable of the user."""
        return self._source.asked is not None or bool(self._source.variable)

    def name_frame(self, variable: str) -> None:
        """Name the frame that was given as in the user's code; nothing after a load."""
        if self._source.asked is None and variable:
            self._source = replace(self._source, variable=variable)
            self._describe()

    def kept(self) -> str:
        """Describe the records still shown after a failed load."""
        if self.shown is None:
            return ""
        count, noun = len(self.shown.loaded), self.shown.resource.collection
        return f"The {count:,} {noun} that were loaded before are still shown."

    @tr.validate("columns", "order_by", "chart", "exclude", "by")
    def _there(self, proposal: Any) -> Any:
        """Reject values that the loaded records do not offer; before a load, accept any."""
        value, trait = proposal["value"], proposal["trait"].name
        if self.shown is None or not value:
            return value
        loaded = self.shown.loaded
        allowed = {
            "chart": self.charts,
            "columns": choices.columns(loaded),
            "order_by": choices.sortable(loaded),
            "exclude": choices.rules(loaded),
            "by": known_strata(loaded),
        }[trait]
        for name in value if isinstance(value, tuple) else (value,):
            if name not in allowed:
                raise InvalidInputError(
                    f"{trait} has {name!r}; choose from {', '.join(map(repr, allowed))}."
                )
        return value

    @tr.validate("years")
    def _first_and_last(self, proposal: Any) -> Any:
        span = proposal["value"]
        is_span = len(span) == 2 and all(isinstance(year, int) for year in span)
        if span and span != MISSING and not is_span:
            raise InvalidInputError(
                f"years is {span!r}; give the first and the last, such as (2008, 2010), or () for "
                "all."
            )
        return span

    @property
    def filters(self) -> Filters:
        """The current filters; the full range of years is no filter."""
        everything = years(self.shown.loaded) if self.shown else None
        span = () if tuple(self.years) in {(), everything} else self.years
        return Filters(
            search=" ".join(self.search.split()),
            **{name: getattr(self, name) for name in CHOICES},
            years=(span[0], span[1]) if span else None,
            activity=self.activity,
            ranges=dict(self.ranges),
        )

    def show_all(self) -> None:
        """Clear all filters."""
        with self._together():
            self._drop_filters()
        self._filter()

    def _drop_filters(self) -> None:
        for name in _FILTERS:
            self.set_trait(name, self.trait_defaults(name))

    def bars(self, column: str) -> list[Bar]:
        """Count the records by value of a column, as far as the other filters let them pass."""
        return self.shown.facets.bars(column, self.filters.active()) if self.shown else []

    def chosen(self, column: str) -> tuple[Any, ...] | None:
        """Return the values or the range that the filter of a column has; None if it has none."""
        if column in self.choice_filters:
            return getattr(self, self.choice_filters[column]) or None
        return (self.years or None) if column == CREATED else self.ranges.get(column)

    def choose(self, column: str, values: Sequence[Any]) -> None:
        """Filter by values of a column as `bars` has them; a range is from the first to the last.

        The same choice again, or no values, takes the filter away.
        """
        chosen: tuple[Any, ...] = tuple(values)
        if column in self.choice_filters:
            trait = self.choice_filters[column]
            self.set_trait(trait, () if chosen == getattr(self, trait) else chosen)
        elif column == CREATED:
            years = _hull(chosen)
            self.years = () if years == self.years else years
        else:
            ranges = self.with_range(column, chosen)
            self.ranges = self.with_range(column, ()) if ranges == self.ranges else ranges

    def with_range(self, column: str, spans: Sequence[Any]) -> dict[str, Any]:
        """Return the ranges with that of a column from the first to the last of these, if any."""
        others = {name: span for name, span in self.ranges.items() if name != column}
        return others | ({column: _hull(spans)} if spans else {})

    def is_chosen(self, column: str, value: Any) -> bool:
        """Return whether the filter of a column lets a value, or part of a range, pass."""
        chosen = self.chosen(column)
        if chosen is None or column in self.choice_filters or MISSING in (value, chosen):
            return chosen is not None and (value in chosen or value == chosen)
        is_year = column == CREATED  # whose last one is included
        (first, below), (begin, end) = chosen, value
        return (first is None or first < end + is_year) and (
            below is None or begin < below + is_year
        )

    def toggle(self, column: str, value: Any) -> None:
        """Add a value to the filter of a column, or take it away; a range replaces the other."""
        if column in self.choice_filters:
            chosen = self.chosen(column) or ()
            others = [other for other in chosen if other != value]
            self.choose(column, others if value in chosen else [*others, value])
        else:
            self.choose(column, [value])

    def profile(self, column: str) -> tuple[list[Bar], float]:
        """Return bars of a column of the records shown, and the share of them without a value."""
        if self.shown is None:
            return [], 0.0
        facets = self.shown.facets
        return facets.profile(column, facets.conditions.all_of(self.filters.active()))

    @property
    def choice_filters(self) -> dict[str, str]:
        """The filters by values of a column, by column."""
        facets = self.shown.facets.choices if self.shown else {}
        return {column: name for name, column in facets.items()}

    def _filter(self, change: Any = None) -> None:
        if self.shown is None or self._settling:
            return
        try:
            with self._together():
                self._select()
        except InvalidInputError:
            if change is not None:
                with self._together():
                    self.set_trait(change["name"], change["old"])
            raise
        self._describe()

    def _select(self) -> None:
        """Apply filters and order to the loaded records."""
        if self.shown is None:
            return
        shown = self.shown
        frame = self._in_order(self.filters.apply(shown.loaded, shown.facets.conditions))
        self.page = 1
        self.shown = replace(shown, frame=frame)

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Change several traits and notify observers when they are consistent."""
        self._settling = True
        try:
            with self.hold_trait_notifications():
                yield
        finally:
            self._settling = False

    # -- the table -------------------------------------------------------------------------

    @property
    def pages(self) -> int:
        """Number of pages of the table, at least one."""
        count = len(self.shown.frame) if self.shown else 0
        return max(-(-count // self.page_size), 1)

    @property
    def rows(self) -> pd.DataFrame | None:
        """The records on the current page of the table; None before a load."""
        if self.shown is None:
            return None
        begin, end = self._window()
        return self.shown.frame[list(self.columns)].iloc[begin:end]

    def order(self, column: str) -> None:
        """Sort by a column; if it is the sort column, sort descending, then as loaded."""
        is_next = self.order_by == column
        with self._together():
            self.order_by = "" if is_next and self.descending else column
            self.descending = is_next and not self.descending
        self._filter()

    def _in_order(self, frame: pd.DataFrame) -> pd.DataFrame:
        if not self.order_by:
            return frame
        key = choices.sort_key(frame, self.order_by)
        return frame.sort_values(
            self.order_by,
            ascending=not self.descending,
            kind="stable",
            key=choices.SORT_KEYS.get(key),
        )

    def _window(self) -> tuple[int, int]:
        begin = (min(self.page, self.pages) - 1) * self.page_size
        return begin, begin + self.page_size

    def _turn_back(self, _: Any) -> None:
        self.page = 1

    # -- chart, citation, code -------------------------------------------------------------

    @property
    def charts(self) -> dict[str, str]:
        """The charts for the loaded records, with their titles."""
        return choices.charts(self.shown.resource) if self.shown else {}

    @property
    def chart_options(self) -> dict[str, Any]:
        """Options of the chart."""
        if not self.shown:
            return {}
        return self._as_of() | self._selection()

    @property
    def strata(self) -> tuple[str, ...]:
        """Strata available for the charts."""
        return known_strata(self.shown.loaded) if self.shown else ()

    @property
    def rules(self) -> tuple[str, ...]:
        """Rules by which records can be excluded from the chart."""
        return choices.rules(self.shown.loaded) if self.shown else ()

    def _selection(self) -> dict[str, Any]:
        chosen: dict[str, Any] = {"exclude": list(self.exclude)} if self.exclude else {}
        return chosen | ({"by": self.by} if self.by else {})

    def _as_of(self) -> dict[str, Any]:
        if self.shown is None or "as_of" not in CHARTS[self.chart].options:
            return {}
        # From all loaded records, like the filter: dormant projects alone would count as active.
        month = month_shown(self.shown.loaded)
        return {} if month is None else {"as_of": f"{month:%Y-%m-%d}"}

    def _describe(self, _: Any = None) -> None:
        if self.shown is None or self._settling:
            return
        begin, end = self._window()
        screen = ViewState(
            filters=self.filters,
            countries=self._unified,
            columns=self.columns,
            order_by=self.order_by,
            order_key=choices.sort_key(self.shown.frame, self.order_by),
            descending=self.descending,
            begin=begin,
            end=end,
            count=len(self.shown.frame),
            chart=self.chart,
            options=self.chart_options,
            style=self.style,
        )
        self.code = to_python(self._source, screen)
        try:
            self.citation = str(cite(self.shown.frame, style=cast("Style", self.style)))
        except InvalidInputError as error:
            self.citation = str(error)

    # -- the file --------------------------------------------------------------------------

    def export(self) -> None:
        """Export the records shown, or the statistic of the chart, and wait for the file."""
        self._export(run_now)

    def start_export(self) -> None:
        """Export in a background thread."""
        self._export(self.dispatch, threading.Thread)

    def _export(self, dispatch: Dispatch, thread: type[threading.Thread] | None = None) -> None:
        if self.busy:
            return
        if self.shown is None:
            self.say(LoadResult(message="There is nothing to export yet.", severity="error"))
            return
        is_statistic = self.exported == "statistic"
        request = ExportRequest(
            frame=self.shown.frame,
            path=self.path.strip(),
            overwrite=self.overwrite,
            statistic=CHARTS[self.chart].statistic or self.chart if is_statistic else "",
            options=self.chart_options,
            noun="rows" if is_statistic else self.shown.resource.collection,
        )
        self.say(LoadResult(message=f"Writing {request.path} …", severity="info"))
        self._begin("export", partial(write, request), self._exported, dispatch, thread)

    def _exported(self, outcome: LoadResult) -> None:
        self.say(outcome)
        self.busy = ""
