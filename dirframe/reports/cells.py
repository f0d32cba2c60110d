"""Tables and charts for report cells, with reproducible bytes and text alternatives."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from dirframe import provenance
from dirframe._display.report import ReportMixin
from dirframe.clean import unify_countries
from dirframe.errors import MissingColumnsError
from dirframe.plot import style
from dirframe.plot._drawing.axes import words
from dirframe.reports.kernel_inputs import selected
from dirframe.reports.passages import Passage
from dirframe.reports.selection import options_for
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from matplotlib.figure import Figure

__all__ = ["Chart", "Table", "show", "with_countries"]

#: Columns added by `with_countries`.
_OF_COUNTRIES = {"country_alpha_2", "country_name"}
_UNDATED = {"Date": None, "Creator": None}


class Table(ReportMixin):
    """A statistic as a formatted table, with its name above and its source below."""

    def __init__(self, name: str, table: pd.DataFrame) -> None:
        self._name = name
        self._table = table

    def _heading(self) -> str:
        return self._name

    def _sections(self) -> Iterable[tuple[str, pd.DataFrame]]:
        yield "", self._table

    def _notes(self) -> Iterable[str]:
        yield provenance.caption(self._table)


class Chart:
    """A chart as SVG with a text alternative.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure; it is closed.
    """

    def __init__(self, figure: Figure) -> None:
        stream = io.StringIO()
        # Text as paths, since a reader may lack the fonts. The salt makes the ids reproducible.
        with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "dirframe"}):
            figure.savefig(stream, format="svg", bbox_inches="tight", metadata=_UNDATED)
        self.svg = stream.getvalue()
        self.words = "Chart: " + ". ".join(text.rstrip(".") for text in words(figure)) + "."
        plt.close(figure)

    def __repr__(self) -> str:
        return self.words

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, str]]:
        return {"image/svg+xml": self.svg, "text/plain": self.words}, {"alt": self.words}


def show(make: Callable[..., Any], frame: pd.DataFrame, **options: Any) -> object:
    """Show a statistic or a chart of a frame in a report.

    Parameters
    ----------
    make : callable
        A function of `dirframe.stats` or `dirframe.plot`.
    frame : pandas.DataFrame
        Its input.
    **options : object
        Its options. The selection given to `dirframe.report` (`exclude`, `max_age`, `by`) is added
        where the function takes it and the frame has the columns.

    Returns
    -------
    Table, Chart or Passage
        The result; or a line of text if the frame lacks a column of the interface that the
        function needs.

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
    module, _, _ = make.__module__.removeprefix("dirframe.").partition(".")
    name = f"{module}.{make.__name__}"
    try:
        with style():
            result = make(frame, **options_for(make, frame, selected(), options))
    except MissingColumnsError as error:
        known = _OF_COUNTRIES.union(*(resource.by_column for resource in RESOURCES.values()))
        if known.isdisjoint(error.columns):
            raise
        return Passage((("text", f"{name} is not shown: {error}"),))
    if isinstance(result, Axes):
        figure = result.get_figure(root=True)
        return Chart(figure) if figure is not None else result
    if not isinstance(result, pd.DataFrame):
        return result
    summary = (make.__doc__ or "").partition("\n")[0].rstrip(".")
    return Table(f"{summary} ({name})" if summary else name, result)


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
