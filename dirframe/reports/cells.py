"""Tables and charts for report cells, with reproducible bytes and text alternatives."""

from __future__ import annotations

import io
import sys
import warnings
from contextlib import contextmanager
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from dirframe import provenance
from dirframe._display.markdown import escape_markdown
from dirframe._display.report import ReportMixin
from dirframe.charts import STATISTICS
from dirframe.clean import unify_countries
from dirframe.errors import ColumnsNotSentError, MissingColumnsError
from dirframe.plot import style
from dirframe.plot._drawing.axes import detach_words, empty_reasons
from dirframe.reports.kernel_inputs import report_options
from dirframe.reports.passages import Block, Passage
from dirframe.reports.selection import options_for
from dirframe.schema import RESOURCES
from dirframe.stats.quality.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from matplotlib.figure import Figure

#: Columns added by `with_countries`.
_COUNTRY_COLUMNS = {"country_alpha_2", "country_name"}
_UNDATED = {"Date": None, "Creator": None}


_TABLES, _FIGURES = count(1), count(1)


class Table(ReportMixin):
    """Tables with a caption above and their source below, numbered when first displayed.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        The tables by caption.
    notes : tuple of str
        What is said below them.
    heading : str
        What is said above them.
    """

    def __init__(
        self, tables: Mapping[str, pd.DataFrame], notes: tuple[str, ...] = (), heading: str = ""
    ) -> None:
        self.tables = tables
        self.notes = notes
        self.heading = heading

    @cached_property
    def captions(self) -> list[str]:
        """Captions with their numbers."""
        return [f"Table {next(_TABLES)}. {caption}" for caption in self.tables]

    def _heading(self) -> str:
        return self.heading

    def _sections(self) -> Iterable[tuple[str, pd.DataFrame]]:
        return zip(self.captions, self.tables.values(), strict=True)

    def _notes(self) -> Iterable[str]:
        return self.notes


class Chart:
    """A numbered figure: an SVG without title and notes, which are its caption.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure; it is closed.
    caption : str
        The caption of a figure without a title.
    name : str
        The function that drew it.
    """

    def __init__(self, figure: Figure, caption: str = "", name: str = "") -> None:
        title, notes = detach_words(figure)
        stream = io.StringIO()
        # Text as paths, since a reader may lack the fonts. The salt makes the ids reproducible.
        with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "dirframe"}):
            figure.savefig(stream, format="svg", bbox_inches="tight", metadata=_UNDATED)
        plt.close(figure)
        self.svg = stream.getvalue()
        self.caption = title or caption or "Chart"
        self.note = " ".join([*([f"{name}."] if name else []), *notes])

    @cached_property
    def number(self) -> int:
        """Number in the report, assigned when it is first displayed."""
        return next(_FIGURES)

    def __repr__(self) -> str:
        return f"Figure {self.number}. {self.caption}\n{self.note}"

    def _repr_markdown_(self) -> str:
        caption = f"**Figure {self.number}. {escape_markdown(self.caption)}**"
        return f"{caption}\n\n{escape_markdown(self.note)}"

    def _ipython_display_(self) -> None:
        from IPython.display import display

        # Two outputs, since a notebook shows one representation of each. An HTML page has both in
        # one element, and therefore leaves out the second.
        text = self._repr_markdown_()
        plain = repr(self)
        metadata = {"alt": f"Chart: {self.caption}", "caption": text}
        picture = {"image/svg+xml": self.svg, "text/plain": plain}
        display(picture, raw=True, metadata=metadata)  # type: ignore[no-untyped-call]  # IPython
        display(
            {"text/markdown": text, "text/plain": plain}, raw=True, metadata={"is_caption": True}
        )  # type: ignore[no-untyped-call]  # IPython


@contextmanager
def _warnings_as_text() -> Iterator[None]:
    """Print warnings without file and line, which name folders of the author to every reader."""
    with warnings.catch_warnings(record=True) as caught:
        yield
    for warning in caught:
        sys.stderr.write(f"{warning.category.__name__}: {warning.message}\n")


@_warnings_as_text()
def show(function: Callable[..., Any], frame: pd.DataFrame, **options: Any) -> object:
    """Show a statistic, a summary or a chart of a frame in a report.

    Parameters
    ----------
    function : callable
        `dirframe.summary`, or a function of `dirframe.stats` or `dirframe.plot`.
    frame : pandas.DataFrame
        Its input.
    **options : object
        Its options. The selection given to `dirframe.report` (`exclude`, `max_age`, `by`) is added
        where the function takes it and the frame has the columns.

    Returns
    -------
    Table, Chart or Passage
        The result, numbered; or a line of text if there is none: the frame lacks a column of the
        interface that the function needs, or no record has a value in it.

    Raises
    ------
    InvalidInputError
        As raised by the function for any other reason.

    Examples
    --------
    >>> from dirframe import stats
    >>> show(stats.language_share, pd.DataFrame({"id": ["1"]}))
    stats.language_share is not shown: The frame has no column analysis_main_language_name, ...
    """
    name = f"{function.__module__.split('.')[1]}.{function.__name__}"
    try:
        with style():
            options = options_for(function, frame, report_options(), options)
            result = function(frame, **options)
    except (ColumnsNotSentError, MissingColumnsError) as error:
        columns = _COUNTRY_COLUMNS.union(*(resource.by_column for resource in RESOURCES.values()))
        if columns.isdisjoint(error.columns):
            raise
        return _not_shown(name, str(error))
    summary = (function.__doc__ or "").partition("\n")[0].rstrip(".")
    if isinstance(result, Axes) and (figure := result.get_figure(root=True)):
        return _chart(figure, name, summary)
    if isinstance(result, Summary):
        return _summary_tables(result, frame)
    if isinstance(result, pd.DataFrame):
        spec = STATISTICS.get(function.__name__)
        return _table(result, name, (spec.title or spec.table_title) if spec else summary)
    return result


def _chart(figure: Figure, name: str, caption: str) -> Chart | Passage:
    if reasons := empty_reasons(figure):
        plt.close(figure)
        return _not_shown(name, "; ".join(reasons))
    return Chart(figure, caption, name)


def _table(table: pd.DataFrame, name: str, caption: str) -> Table | Passage:
    record, source = provenance.get_provenance(table), provenance.caption(table)
    if record["base"] and not record["base"]["records"]:
        return _not_shown(name, source)
    return Table({caption or name: table}, (f"{name}. {source}",))


def _summary_tables(overview: Summary, frame: pd.DataFrame) -> Table:
    resource = provenance.resource_of(frame)
    whose = f" of the {resource.collection}" if resource else ""
    tables = {f"Columns{whose}": overview.fields, f"Reasons to beware{whose}": overview.bias}
    return Table(tables, (overview.source,), overview.title)


def _not_shown(name: str, reason: str) -> Passage:
    return Passage(((Block.TEXT, f"{name} is not shown: {reason.rstrip('.')}."),))


def with_countries(accounts: pd.DataFrame) -> pd.DataFrame:
    """Unify the countries of accounts if that was not done before.

    Parameters
    ----------
    accounts : pandas.DataFrame
        Accounts as returned by a loader.

    Returns
    -------
    pandas.DataFrame
        The accounts with ``country_alpha_2`` (str), ``country_name`` (str) and the other columns
        of `dirframe.unify_countries`; the same frame if it has no ``country_code``.

    Examples
    --------
    >>> list(with_countries(pd.DataFrame({"country_code": ["Germany"]}))["country_alpha_2"])
    ['DE']
    """
    if "country_alpha_2" in accounts or "country_code" not in accounts:
        return accounts
    return unify_countries(accounts)
