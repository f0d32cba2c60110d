"""State of the explorer as observable traits, without kernel or widgets."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import traitlets as tr

from dirframe.charts import CHARTS
from dirframe.citation import cite
from dirframe.client.directory import Directory
from dirframe.errors import DirframeError, InvalidInputError
from dirframe.explorer import choices, saved_view
from dirframe.explorer.code import DataSource, to_python
from dirframe.explorer.controller import run_now
from dirframe.explorer.export import write
from dirframe.explorer.facets import Facets
from dirframe.explorer.filter_state import FilterState, VisibleRecords
from dirframe.explorer.load import LoadResult, with_countries
from dirframe.filters.conditions import COUNTRY, month_shown
from dirframe.schema import RESOURCES
from dirframe.stats._options.strata import known_strata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pandas as pd

    from dirframe.citation import Style
    from dirframe.explorer.controller import Dispatch
    from dirframe.schema import Resource


#: Default export paths.
_PATHS = {resource.name: f"{resource.collection}.csv" for resource in RESOURCES.values()}


class State(FilterState):
    """The user's choices, and the records, code and citation derived from them.

    Parameters
    ----------
    source : Directory or pandas.DataFrame
        A directory to load from, or a frame of accounts or projects.
    dispatch : callable
        Calls functions from other threads in the thread of the observers.
    """

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
    style = tr.Enum(("text", "bibtex"), "text")
    citation = tr.Unicode()
    code = tr.Unicode()

    path = tr.Unicode(_PATHS["project"])
    exported = tr.Enum(("records", "statistic"), "records")
    overwrite = tr.Bool(default_value=False)

    view = tr.Unicode("view.json")  # file of a saved view, or its text or link

    is_working = tr.Bool(default_value=False)  # a choice is being applied
    is_dark = tr.Bool(default_value=False)  # the page is
    width = tr.Int(1200)  # pixels that the page has for it

    def __init__(self, source: Directory | pd.DataFrame, dispatch: Dispatch = run_now) -> None:
        super().__init__(source if isinstance(source, Directory) else None, dispatch)
        self._source = DataSource(collection="projects")
        self._resource: Resource | None = None  # of the last records, also if they were cleared
        self._pending: Mapping[str, Any] = {}  # a view to show when the records are loaded
        # Set while several traits change together; derived state is updated afterwards.
        self._is_batch = False
        self.observe(self._filter, [*choices.FILTERS, "order_by", "descending"])
        self.observe(lambda _: self.set_trait("page", 1), "page_size")
        self.observe(self._clear, "collection")
        self.observe(
            self._describe,
            ["columns", "page", "page_size", "chart", "exclude", "by", "style"],
        )
        if not isinstance(source, Directory):
            resource = choices.resource_of(source)
            self.show_frame(source, DataSource(collection=resource.collection))

    def show_frame(self, frame: pd.DataFrame, source: DataSource) -> None:
        """Show all records of a frame."""
        resource = choices.resource_of(frame)
        loaded = with_countries(frame)
        is_unified = COUNTRY in loaded and (source.request is not None or loaded is not frame)
        self._source = replace(source, is_unified=is_unified)
        available = choices.columns(loaded)
        is_other = self._resource not in {None, resource}
        self._resource = resource
        with self._batch():
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
        if self._pending:
            view, self._pending = self._pending, {}
            self.apply_view(view)

    def apply_view(self, view: Mapping[str, Any]) -> None:
        """Set several traits at once; before a load, when the records are there.

        Raises
        ------
        InvalidInputError
            If the records lack something that a trait names; nothing is changed then.
        """
        if self.shown is None:
            self._pending = dict(view)
            return
        before = {name: getattr(self, name) for name in view}
        try:
            self._set(view)
        except (InvalidInputError, tr.TraitError) as error:
            self._set(before)
            raise InvalidInputError(f"The view does not fit the records: {error}") from error

    def _set(self, view: Mapping[str, Any]) -> None:
        with self._batch():
            for name, value in view.items():
                self.set_trait(name, value)
        self._filter()
        self.page = min(view.get("page", 1), self.pages)

    def _clear(self, _: Any) -> None:
        """Show nothing while another collection is asked for than was loaded."""
        if self.directory is not None:
            self.shown, self.code, self.citation = None, "", ""

    @property
    def has_variable(self) -> bool:
        """Whether the code begins with a load or with a variable of the user."""
        return self._source.request is not None or bool(self._source.variable)

    def name_frame(self, variable: str) -> None:
        """Name the frame that was given as in the user's code; nothing after a load."""
        if self._source.request is None and variable:
            self._source = replace(self._source, variable=variable)
            self._describe()

    def previous_records(self) -> str:
        """Describe the records still shown after a failed load."""
        if self.shown is None:
            return ""
        count, noun = len(self.shown.loaded), self.shown.resource.collection
        return f"The {count:,} {noun} that were loaded before are still shown."

    @tr.validate("columns", "order_by", "chart", "exclude", "by", "measure")
    def _check_choice(self, proposal: Any) -> Any:
        """Reject values that the loaded records do not offer; before a load, accept any."""
        value, trait = proposal["value"], proposal["trait"].name
        if self.shown is None or not (value or trait == "chart"):
            return value
        loaded = self.shown.loaded
        allowed = {
            "chart": self.charts,
            "columns": choices.columns(loaded),
            "order_by": choices.sortable(loaded),
            "exclude": choices.rules(loaded),
            "by": known_strata(loaded),
            "measure": self.shown.facets.measures,
        }[trait]
        for name in value if isinstance(value, tuple) else (value,):
            if name not in allowed:
                raise InvalidInputError(
                    f"{trait} has {name!r}; choose from {', '.join(map(repr, allowed))}."
                )
        return value

    def show_all(self) -> None:
        """Clear all filters."""
        with self._batch():
            self._drop_filters()
        self._filter()

    def _filter(self, change: Any = None) -> None:
        if self.shown is None or self._is_batch:
            return
        try:
            with self._batch():
                self._select()
        except InvalidInputError:
            if change is not None:
                with self._batch():
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
    def _batch(self) -> Iterator[None]:
        """Change several traits and notify observers when they are consistent."""
        self._is_batch = True
        try:
            with self.hold_trait_notifications():
                yield
        finally:
            self._is_batch = False

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
        begin, end = self.row_range
        return self.shown.frame[list(self.columns)].iloc[begin:end]

    def order(self, column: str) -> None:
        """Sort by a column; if it is the sort column, sort descending, then as loaded."""
        is_next = self.order_by == column
        with self._batch():
            self.order_by = "" if is_next and self.descending else column
            self.descending = is_next and not self.descending
        self._filter()

    def _in_order(self, frame: pd.DataFrame) -> pd.DataFrame:
        if not self.order_by:
            return frame
        key = choices.SORT_KEYS.get(self.order_key)
        return frame.sort_values(
            self.order_by, ascending=not self.descending, kind="stable", key=key
        )

    @property
    def order_key(self) -> str:
        """Expression of the sort key; empty to sort by the values themselves."""
        return choices.sort_key(self.shown.loaded, self.order_by) if self.shown else ""

    @property
    def row_range(self) -> tuple[int, int]:
        """First row of the current page of the table, and the one after its last."""
        begin = (min(self.page, self.pages) - 1) * self.page_size
        return begin, begin + self.page_size

    # -- chart, citation, code -------------------------------------------------------------

    @property
    def charts(self) -> dict[str, str]:
        """The charts for the loaded records, with their titles."""
        return choices.charts(self.shown.resource) if self.shown else {}

    @property
    def chart_options(self) -> dict[str, Any]:
        """Options of the chart."""
        if self.shown is None:
            return {}
        options: dict[str, Any] = {}
        if "as_of" in CHARTS[self.chart].options:
            # From all loaded records, like the filter: dormant projects alone would count as active.
            with suppress(InvalidInputError):  # dates as text, which the chart itself refuses
                if month := month_shown(self.shown.loaded):
                    options["as_of"] = f"{month:%Y-%m-%d}"
        if self.exclude:
            options["exclude"] = list(self.exclude)
        if self.by:
            options["by"] = self.by
        return options

    @property
    def strata(self) -> tuple[str, ...]:
        """Strata available for the charts."""
        return known_strata(self.shown.loaded) if self.shown else ()

    @property
    def rules(self) -> tuple[str, ...]:
        """Rules by which records can be excluded from the chart."""
        return choices.rules(self.shown.loaded) if self.shown else ()

    def _describe(self, _: Any = None) -> None:
        if self.shown is None or self._is_batch:
            return
        style = self.style
        try:
            self.citation = str(cite(self.shown.frame, style=cast("Style", style)))
        except InvalidInputError as error:
            self.citation, style = str(error), ""
        self.code = to_python(self, self._source, style)

    # -- the view --------------------------------------------------------------------------

    def save_view(self) -> None:
        """Write the view to the file that `view` names."""
        self._try(lambda: f"The view is in {saved_view.save(self, self.view)}.")

    def restore_view(self, view: str = "") -> None:
        """Show a view: a file, text or link; left out: that of `view`."""

        def restore() -> str:
            saved_view.restore(self, saved_view.read(view or self.view))
            return "The view is restored." if self.shown else "Load, and the view is restored."

        self._try(restore)

    def _try(self, action: Callable[[], str]) -> None:
        """Show the message that an action returns, or its error."""
        try:
            result = LoadResult(action(), "success")
        except (DirframeError, OSError) as error:
            result = LoadResult(str(error), "error", error=error)
        self.show_message(result)

    # -- the file --------------------------------------------------------------------------

    def export(self) -> None:
        """Export the records shown, or the statistic of the chart, and wait for the file."""
        self._export()

    def start_export(self) -> None:
        """Export in a background thread."""
        self._export(in_background=True)

    def _export(self, *, in_background: bool = False) -> None:
        if self.busy:
            return
        if self.shown is None:
            self.show_message(LoadResult("There is nothing to export yet.", "error"))
            return
        is_statistic, path = self.exported == "statistic", self.path.strip()
        action = partial(
            write,
            self.shown.frame,
            path,
            overwrite=self.overwrite,
            statistic=CHARTS[self.chart].statistic or self.chart if is_statistic else "",
            options=self.chart_options,
            noun="rows" if is_statistic else self.shown.resource.collection,
        )
        self.show_message(LoadResult(f"Writing {path} …", "info"))
        self._run("export", action, self._on_exported, in_background=in_background)

    def _on_exported(self, result: LoadResult) -> None:
        self.show_message(result)
        self.busy = ""
