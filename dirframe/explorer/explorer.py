"""The explorer: a widget whose controls are its state."""

from __future__ import annotations

import asyncio
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from html import escape
from os.path import lexists
from pathlib import Path
from typing import Any

import ipywidgets as w
import pandas as pd

import dirframe
from dirframe._display import label, quantity
from dirframe.charts import CHARTS
from dirframe.errors import DirframeError, DirframeWarning, InvalidInputError
from dirframe.explorer import view
from dirframe.explorer.code import chart_call, load_lines, select_lines, sort
from dirframe.explorer.filters import ANY_ACTIVITY, ANY_YEAR, VALUES, Filters
from dirframe.explorer.request import Request
from dirframe.explorer.words import WITH_ANALYSES, error_words, quota_words, warning_words
from dirframe.schema import COLLECTIONS, RESOURCES
from dirframe.stats.records import require_records

_AUTO = {"width": "auto"}  # the style sheet sets the width
_HIDDEN = {"display": "none"}
_PAUSE = 0.2  # seconds from the press of a button to its action
#: The ways to say what is loaded, with the controls of each.
_WAYS = {
    "all, or a query": ("collection", "query", "sort", "max_items", "details"),
    "random sample": ("collection", "query", "sample", "seed", "details"),
    "named projects": ("projects", "details"),
    "organization": ("organization", "details"),
}
_ALL, _SAMPLE, _NAMED, _ORGANIZATION = _WAYS


class Explorer(w.VBox):  # type: ignore[misc]  # ipywidgets ships no types
    """Explore accounts or projects in a notebook: load, filter, chart, cite, export.

    Displayed as the last line of a cell. Only the buttons *Estimate* and *Load* send requests; the
    stop button of the kernel ends a load, and received pages stay in the cache. Filters, search
    and order act on everything shown: chart, table, code, citation and files. Each filter counts
    the records that the other filters let pass. The name of a column in code is the tooltip of its
    heading. A saved notebook keeps the chart and its count.

    Parameters
    ----------
    source : Directory or pandas.DataFrame, optional
        A directory to load from, or a frame of accounts or projects. Default: the directory
        configured in the environment.

    Attributes
    ----------
    frame : pandas.DataFrame or None
        The records shown, in the order chosen; None before a load.
    code : str
        Code that gives these records as ``shown``, with their chart and citation, without a key.
    error : Exception or None
        The error of the last action.
    collection, query, sort, max_items, sample, seed, projects, organization, details : \
    ipywidgets.Widget
        What to load, as in `load_projects` and `load_accounts`; `max_items` or `sample` 0 is all,
        and `projects` has ids or short names with commas between.
    way : ipywidgets.Widget
        Which of these are shown; another way empties those that are not.
    search, languages, countries, licenses, tags, first_year, last_year, activity : ipywidgets.Widget
        The filters, as in `select`: set ``value``.
    chart, order_by, descending, page, style, path, overwrite : ipywidgets.Widget
        A name in `dirframe.plot`, the column to sort by, the page of the table, the style of the
        citation, and the file.

    Raises
    ------
    ConfigurationError, InvalidInputError
        If there is no directory; `source` is none.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     explorer = dirframe.Explorer(directory)
    ...     explorer.max_items.value = 200
    ...     explorer.load()
    >>> explorer.languages.value = ("Java",)
    >>> explorer
    <Explorer: 32 of 200 projects>
    """

    _ask: Any = None  # as long as there are no controls, and if there is no directory for them

    def __init__(self, source: dirframe.Directory | pd.DataFrame | None = None) -> None:
        self.source: Any = dirframe.Directory() if source is None else source
        name = "" if isinstance(source, dirframe.Directory | None) else _collection_of(source)
        self.frame: pd.DataFrame | None = None
        self._loaded: Any = None
        self.code = ""
        self.error: Exception | None = None
        self._beyond_quota: Request | None = None  # the last that needs more than today's quota
        self._thread, self._loop = threading.get_ident(), None
        with suppress(RuntimeError):
            self._loop = asyncio.get_running_loop()
        self._is_quiet = False
        self._chosen: dict[Any, Any] = {}
        self._display: Any = None
        super().__init__(self._controls())
        self.add_class("dirframe-explorer")
        if isinstance(source, pd.DataFrame):
            self._show(source, name, [f"{name} = explorer.source"])
        self._say_quota()

    def _controls(self) -> list[Any]:
        """Make the controls, and return the parts of the page."""
        self._browser = view.Browser(layout=_HIDDEN)
        self._browser.observe(self._on_browser, ["width", "is_dark"])
        outputs = (
            *("message", "quota", "count", "picture", "table", "code"),
            *("written", "citation"),
        )
        self._out = {name: w.HTML(layout=_AUTO).add_class(f"df-at-{name}") for name in outputs}
        self._ask = self._controls_of_a_load()
        self._controls_of_the_records()
        self._controls_of_files()

        names = ("search", *VALUES, "first_year", "last_year", "activity")
        self._filters = {name: getattr(self, name) for name in names}
        self._unfiltered = {name: control.value for name, control in self._filters.items()}
        others = (self.chart, self.order_by, self.descending, self.page, self.style)
        choices = (*self._filters.values(), *others)
        for control in choices:
            control.observe(self._on_choice, "value")
        # A choice among the old records would be one among the new when a load has ended.
        self._disabled_in_action = (*self._buttons, *choices)

        self._results = self._results_box()
        self._results.layout.display = "none"
        is_directory = isinstance(self.source, dirframe.Directory)
        return [
            w.HTML(view.STYLE, layout=_HIDDEN),
            self._browser,
            *([self._ask] if is_directory else []),
            _box("status", self._out["message"], self._out["quota"]),
            self._results,
        ]

    def _controls_of_a_load(self) -> Any:
        """Make the controls that say what to load, and return their box."""
        self.way = _control(w.Dropdown, "What", options=list(_WAYS))
        self.collection = _control(w.Dropdown, "Collection", options=["projects", "accounts"])
        self.query = _control(w.Text, "Query (empty: all)").add_class("df-wide")
        self.sort = _control(w.Dropdown, "Sort", options=_sorts("projects"))
        self.max_items = _control(w.BoundedIntText, "At most (0: all)", max=10_000_000)
        self.sample = _control(w.BoundedIntText, "Sample size", max=10_000_000)
        self.seed = _control(w.BoundedIntText, "Seed", max=10_000_000)
        self.projects = _control(w.Text, "Ids or short names, with commas").add_class("df-wide")
        self.organization = _control(w.Text, "Organization").add_class("df-wide")
        self.details = _control(w.Checkbox, WITH_ANALYSES, indent=False)
        self.details.tooltip = "One more request for each project that comes without its analysis"
        estimate = self._button("Estimate", "What the load costs", self.estimate)
        load = self._button("Load", "The kernel's stop button stops it", self.load)
        load.button_style = "primary"
        self._buttons = [estimate, load]
        self.way.observe(self._on_way, "value")
        self.collection.observe(self._on_collection, "value")
        self._ways_of_controls = {
            self.sample: _SAMPLE,
            self.projects: _NAMED,
            self.organization: _ORGANIZATION,
        }
        for control in self._ways_of_controls:
            control.observe(self._on_filled, "value")
        self._request_controls = {
            "collection": self.collection,
            "query": self.query,
            "sort": self.sort,
            "max_items": self.max_items,
            "sample": self.sample,
            "seed": self.seed,
            "projects": self.projects,
            "organization": self.organization,
            "details": self.details,
        }
        self._empty_request = {name: c.value for name, c in self._request_controls.items()}
        self._show_way()
        buttons = _box("buttons", estimate, load)
        return _box("ask", self.way, *self._request_controls.values(), buttons)

    def _controls_of_the_records(self) -> None:
        """Make the filters, and the controls of chart and table."""
        self.search = _control(w.Text, "Search (Enter)", continuous_update=False)
        self.search.add_class("df-wide")
        self.languages = _control(w.SelectMultiple, "Main language")
        self.countries = _control(w.SelectMultiple, "Country")
        self.licenses = _control(w.SelectMultiple, "Licence").add_class("df-wide")
        self.tags = _control(w.SelectMultiple, "Tag")
        self.first_year = _control(w.Dropdown, "Created from", options=[ANY_YEAR])
        self.last_year = _control(w.Dropdown, "Created to", options=[ANY_YEAR])
        self.activity = _control(w.Dropdown, "Activity", options=[ANY_ACTIVITY])
        self.chart = _control(w.Dropdown, "Chart")
        self.order_by = _control(w.Dropdown, "Order by", options=[("as loaded", "")])
        self.descending = _control(w.Checkbox, "Descending", indent=False)
        self.page = _control(w.BoundedIntText, "Page", value=1, min=1, max=1)
        self._previous = self._button("Previous", "The records before", self._turn_back)
        self._next = self._button("Next", "The records after", self._turn)
        self._clear = self._button("Clear filters", "Show all records", self.show_all)
        self._buttons += [self._previous, self._next, self._clear]

    def _controls_of_files(self) -> None:
        """Make the controls of citation and files."""
        self.style = _control(w.Dropdown, "Citation", options=["text", "bibtex", "apa"])
        self.path = _control(w.Text, "File").add_class("df-wide")
        self.overwrite = _control(w.Checkbox, "Overwrite", indent=False)
        self._export = self._button("Export", "Write the records shown to the file", self.export)
        tip = "Write the chart shown to the file: .png, .svg or .pdf, else .png"
        self._save_chart = self._button("Save chart", tip, self.save_chart)
        self._buttons += [self._export, self._save_chart]

    def _results_box(self) -> Any:
        """Return all that is shown of the records."""
        out = self._out
        filters = _box(
            "filters",
            out["count"],
            self._clear,
            self.search,
            self.languages,
            self.countries,
            self.tags,
            self.licenses,
            self.first_year,
            self.last_year,
            self.activity,
        )
        turning = _box("buttons", self._previous, self._next)
        writing = _box("buttons", self._export, self._save_chart)
        return _box(
            "results",
            _box("main", filters, _box("drawn", self.chart, out["picture"])),
            _box("order", self.order_by, self.descending, self.page, turning),
            out["table"],
            _box("write", self.path, self.overwrite, writing),
            out["written"],
            out["code"],
            _box("cited", self.style),
            out["citation"],
        )

    def _button(self, label: str, tip: str, action: Callable[[], None]) -> Any:
        def press() -> None:
            with suppress(KeyboardInterrupt, Exception):  # it is shown
                action()

        def on_click(_: object) -> None:
            if self._loop is None:
                press()
            else:  # what was typed before the press may come later, by another thread
                self._loop.call_soon_threadsafe(self._loop.call_later, _PAUSE, press)

        button = w.Button(description=label, tooltip=tip, layout=_AUTO)
        button.on_click(on_click)
        return button

    def _on_collection(self, _: object) -> None:
        self.sort.options = _sorts(self.collection.value)
        self.details.disabled = self.collection.value != "projects"

    def _on_way(self, _: object) -> None:
        """Empty the controls of other ways, and show those of this one."""
        for name, control in self._request_controls.items():
            if name not in _WAYS[self.way.value]:
                control.value = self._empty_request[name]
        self._show_way()

    def _on_filled(self, change: Any) -> None:
        """Show the way of a control that was filled in code."""
        if change.new:
            self.way.value = self._ways_of_controls[change.owner]

    def _show_way(self) -> None:
        for name, control in self._request_controls.items():
            control.layout.display = None if name in _WAYS[self.way.value] else "none"

    def _on_browser(self, _: object) -> None:
        """Draw the chart again for another width or theme."""
        if self.frame is not None:
            self._run(self._draw)

    # -- load ------------------------------------------------------------------------------

    def estimate(self) -> None:
        """Show what the load costs, as `dirframe.plan` estimates it."""
        request = self._request()
        with self._acting("message", "Asking for the first page …") as answer:
            price = request.plan(self.source)
            answer.text = str(price)
            answer.is_warning = price.fits is False

    def load(self) -> None:
        """Load the records and show them; if it fails, those shown before stay.

        A load that needs more requests than are left today begins when it is asked for again.
        """
        request = self._request()
        name = request.collection
        lines = load_lines(request, self.source)

        def on_progress(loaded: int, total: int) -> None:
            self._say("message", f"{loaded:,} of {quantity(total, 'record')} …")

        with self._acting("message", "Loading …") as answer:
            try:
                with warnings.catch_warnings():
                    if self._beyond_quota != request:
                        warnings.simplefilter("error", dirframe.OverQuotaWarning)
                    frame = request.load(self.source, on_progress)
            except dirframe.OverQuotaWarning as warning:
                self._beyond_quota = request
                answer.text = quota_words(warning, self.source.quota())
                answer.is_warning = True
                return
            except dirframe.IncompleteCollectionError as error:
                comment = f"# what was shown is not complete: {' '.join(error.message.split())}"
                self._show(error.frame, name, [comment, *lines])
                raise
            self._show(frame, name, lines)
            answer.text = f"{quantity(len(frame), *_words_of(name))} loaded."

    def export(self) -> None:
        """Write the records shown to the file."""
        with self._acting("written", "Writing …") as answer:
            frame = self._shown_frame()
            path = self._target(self.path.value)
            dirframe.export(frame, path, overwrite=self.overwrite.value)
            written = quantity(len(frame), *_words_of(self._name))
            answer.text = f"{written} written to {path}."

    def save_chart(self) -> None:
        """Write the chart shown to the file, whose suffix becomes .png unless it is a picture's."""
        with self._acting("written", "Writing …") as answer:
            frame = self._shown_frame()
            path = Path(self.path.value.strip())
            if path.suffix.lower() not in {".png", ".svg", ".pdf"} and path.name:
                path = path.with_suffix(".png")
            path = self._target(str(path))
            view.save_chart(frame, self.chart.value, path, overwrite=self.overwrite.value)
            answer.text = f"The chart is in {path}."

    def _shown_frame(self) -> pd.DataFrame:
        if self.frame is None:
            raise InvalidInputError("There is nothing to write yet: press Load first.")
        return self.frame

    def _target(self, text: str) -> Path:
        """Return the file to write; raise if there is one, or it has no name."""
        path = Path(text.strip()).expanduser()
        if not path.name:
            raise InvalidInputError("File is empty: name one, such as projects.csv.")
        if lexists(path) and not self.overwrite.value:
            raise InvalidInputError(f"{path} is there already. Tick Overwrite, or change File.")
        return path

    def show_all(self) -> None:
        """Take all filters away."""
        with self._quietly():
            for name, value in self._unfiltered.items():
                self._filters[name].value = value
        if self._loaded is not None:
            self._refresh()

    def _turn(self) -> None:
        self.page.value = min(self.page.value + 1, self.page.max)

    def _turn_back(self) -> None:
        self.page.value = max(self.page.value - 1, 1)

    def _request(self) -> Request:
        """Return what the controls ask for."""
        is_of_projects = bool(self.projects.value.strip() or self.organization.value.strip())
        return Request(
            collection="projects" if is_of_projects else self.collection.value,
            query=self.query.value,
            sort=self.sort.value,
            max_items=self.max_items.value,
            sample=self.sample.value,
            seed=self.seed.value,
            projects=tuple(self.projects.value.replace(",", " ").split()),
            organization=self.organization.value.strip(),
            details=self.details.value,
        )

    @contextmanager
    def _acting(self, where: str, doing: str) -> Iterator[_Answer]:
        """Show the answer to an action of the user with its warnings, or why it fails."""
        answer = _Answer()
        self.error = None
        self._say(where, doing)
        for control in self._disabled_in_action:
            control.disabled = True
        is_main = threading.current_thread() is threading.main_thread()
        # The kernel's stop button raises KeyboardInterrupt, as it does while a cell runs.
        before = signal.signal(signal.SIGINT, signal.default_int_handler) if is_main else None
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", DirframeWarning)
                yield answer
            warned = [c.message for c in caught if isinstance(c.message, DirframeWarning)]
            texts = [answer.text, *map(warning_words, warned)]
            severity = "warning" if warned or answer.is_warning else "success"
            self._say(where, " ".join(filter(None, texts)), severity)
        except KeyboardInterrupt:
            self._say(
                where,
                "Stopped. Received pages are in the cache: press Load again for the rest.",
                "warning",
            )
            raise
        except Exception as error:
            self.error = error
            self._say(where, error_words(error), "error")
            raise
        finally:
            if is_main:
                signal.signal(signal.SIGINT, before)
            for control in self._disabled_in_action:
                control.disabled = False
            self._enable_turning()
            self._say_quota()

    def _say(self, where: str, text: str, severity: str = "info") -> None:
        self._out[where].value = view.message(text, severity)

    def _say_quota(self) -> None:
        if isinstance(self.source, dirframe.Directory):
            quota = self.source.quota()
            left = f"{quota.left:,} of {quantity(quota.limit, 'request')} left today"
            self._out["quota"].value = f"{escape(self.source.name)}: {left}"

    # -- the records shown -----------------------------------------------------------------

    def _show(self, frame: pd.DataFrame, name: str, lines: list[str]) -> None:
        """Show all records of a frame, which some lines of code give."""
        from dirframe.clean.countries import with_countries

        loaded = with_countries(frame)
        if loaded is not frame:
            lines = [*lines, f"{name} = dirframe.unify_countries({name})"]
        self._loaded, self._name, self._lines = loaded, name, ["import dirframe", "", *lines]
        self._counts = Filters(loaded)
        with self._quietly():
            charts = [(c.title, n) for n, c in CHARTS.items() if c.collection in {"", name}]
            _offer(self.chart, charts)
            _offer(self.order_by, [("as loaded", ""), *view.sortable(loaded)])
            if self.path.value in {"", "projects.csv", "accounts.csv"}:
                self.path.value = f"{name}.csv"
        self.show_all()
        self._results.layout.display = None

    def _choices(self) -> dict[str, Any]:
        """Return the filters in use as the arguments of `select`."""
        choices: dict[str, Any] = {}
        words = " ".join(self.search.value.split())
        if words:
            choices["search"] = words
        for name in VALUES:
            chosen = getattr(self, name).value
            if chosen:
                choices[name] = list(chosen)
        first = self.first_year.value or None
        last = self.last_year.value or None
        if first and last:
            first, last = min(first, last), max(first, last)
        if first or last:
            choices["years"] = (first, last)
        if self.activity.value != "all":
            choices["activity"] = self.activity.value
        return choices

    def _refresh(self) -> None:
        """Show the records that the controls choose: one truth for all that is shown."""
        self._say("written", "")
        choices = self._choices()
        frame = self._select(choices) if choices else self._loaded
        lines = [*self._lines, "", *select_lines(self._name, choices)]
        if column := self.order_by.value:
            frame, line = sort(frame, column, descending=self.descending.value)
            lines.append(line)
        self.frame = frame
        self._out["count"].value = f'<b role="status">{self._size()}</b>'
        options = self._counts.options(choices)
        with self._quietly():
            for name, control in self._filters.items():
                control.layout.display = None if name in options else "none"
                if name in options and name != "search":
                    _offer(control, options[name])
            self.page.max = view.pages(frame)
            self.page.value = 1
            self.page.description = f"Page (of {self.page.max:,})"
        self._show_page()
        if self._draw():
            options = view.chart_options(self.chart.value)
            lines += ["", f"ax = {chart_call(self.chart.value, options)}"]
        try:
            citation = str(dirframe.cite(frame, style=self.style.value))
            lines.append(f"print(dirframe.cite(shown, style={self.style.value!r}))")
        except InvalidInputError as error:
            citation = str(error)
        self.code = "\n".join(lines)
        self._out["code"].value = view.code(self.code, "Code")
        self._out["citation"].value = view.code(citation, "Citation")
        if self._display is not None:
            self._display.update(self._static(), raw=True)

    def _select(self, choices: dict[str, Any]) -> pd.DataFrame:
        """Return the records that pass the filters, of which each was applied once to all records.

        What is active depends on all records, so that this filter is applied to them again.
        """
        candidates = self._loaded
        if "activity" not in choices:
            candidates = candidates[self._counts.passing(choices)]
        return dirframe.select(candidates, **choices)

    def _show_page(self) -> None:
        """Show a page of the table."""
        self._out["table"].value = view.table(self._shown_frame(), self.page.value)
        self._enable_turning()

    def _enable_turning(self) -> None:
        self._previous.disabled = self.page.value <= 1
        self._next.disabled = self.page.value >= self.page.max

    def _draw(self) -> bool:
        """Draw the chart; return whether it can be drawn."""
        try:
            self._out["picture"].value = view.chart(
                self._shown_frame(),
                self.chart.value,
                width=self._browser.width,
                is_dark=self._browser.is_dark,
            )
        except Exception as error:  # noqa: BLE001  # the rest is shown all the same
            self.error = None if isinstance(error, DirframeError) else error
            self._out["picture"].value = view.message(error_words(error), "info")
            return False
        return True

    def _size(self) -> str:
        if self.frame is None:
            return "nothing loaded yet"
        count, total = len(self.frame), len(self._loaded)
        loaded = quantity(total, *_words_of(self._name))
        return loaded if count == total else f"{count:,} of {loaded}"

    # -- the page --------------------------------------------------------------------------

    def _on_choice(self, change: Any) -> None:
        is_own = self._is_quiet and threading.get_ident() == self._thread
        if self.frame is not None and not is_own:
            self._chosen[change.owner] = change.new
            self._run(self._follow)

    def _follow(self) -> None:
        """Show what was chosen; a refresh may have set the control back meanwhile."""
        chosen, self._chosen = self._chosen, {}
        with self._quietly():
            for control, value in chosen.items():
                control.value = value
        if set(chosen) == {self.page}:
            self._show_page()
        elif chosen:
            self._refresh()

    def _run(self, action: Callable[[], object]) -> None:
        """Run an action in the thread of the cells, where the stop button works.

        A kernel may handle the messages of widgets in a thread of its own.
        """
        if self._loop is None or threading.get_ident() == self._thread:
            action()
        else:
            self._loop.call_soon_threadsafe(action)

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Set controls without acting on it."""
        self._is_quiet = True
        try:
            yield
        finally:
            self._is_quiet = False

    def _static(self) -> dict[str, str]:
        """Return what a saved notebook shows without a kernel: the count and the chart."""
        picture = self._out["picture"].value
        text = f"{view.STYLE}<div class='dirframe-static'><p>{self._size()}</p>{picture}</div>"
        return {"text/html": text, "text/plain": repr(self)}

    def close(self) -> None:
        """Close the explorer and all its controls, so that its records need no memory any longer."""
        if self._ask is not None:
            for part in (self._ask, *self.children):
                _close(part)
            self.layout.close()
        super().close()

    def _ipython_display_(self) -> None:
        """Display the static view, and the widget, which hides it while there is a kernel."""
        from IPython import display as ipython

        display: Any = ipython.display  # it has no annotations
        self._display = display(self._static(), raw=True, display_id=True)
        display(self._repr_mimebundle_() | {"text/plain": ""}, raw=True)

    def __repr__(self) -> str:
        return f"<Explorer: {self._size()}>"


class _Answer:
    """What is said after an action."""

    text = ""
    is_warning = False


def _control(kind: Any, label: str, **options: Any) -> Any:
    return kind(description=label, layout=_AUTO, **options)


def _box(name: str, *children: Any) -> Any:
    return w.Box(children).add_class(f"df-{name}")


def _close(control: Any) -> None:
    """Close a control and all in it: ipywidgets keeps each until it is closed."""
    for child in getattr(control, "children", ()):
        _close(child)
    if control.has_trait("style"):
        control.style.close()
    control.layout.close()
    control.close()


def _offer(control: Any, options: list[tuple[str, Any]]) -> None:
    """Set the options of a control, which keeps its value if it is still one of them."""
    value, values = control.value, [value for _, value in options]
    with control.hold_sync():
        control.options = options
        if isinstance(value, tuple):
            control.value = tuple(one for one in value if one in values)
        else:
            control.value = value if value in values else values[0]


def _words_of(collection: str) -> tuple[str, str]:
    """Return the singular and the plural noun for the records of a collection."""
    return COLLECTIONS[collection].words


def _sorts(collection: str) -> list[tuple[str, str]]:
    resource = RESOURCES[collection.removesuffix("s")]
    options = [("default", "")]
    for name in (*resource.sorts, *resource.other_sorts):
        words = label(name.removesuffix("_reverse"))
        options.append((f"{words}, descending" if name.endswith("_reverse") else words, name))
    return options


def _collection_of(frame: Any) -> str:
    """Return "accounts" or "projects"; refuse what is no frame of them."""
    if isinstance(frame, pd.DataFrame) and all(isinstance(name, str) for name in frame):
        resource = dirframe.provenance.resource_of(require_records(frame))
        if resource and resource.name in RESOURCES:
            return resource.collection
    raise InvalidInputError(
        f"The explorer was given {type(frame).__name__}; it takes a dirframe.Directory, a frame "
        "of load_accounts() or load_projects(), or nothing: the directory of the environment."
    )
