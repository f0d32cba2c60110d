"""Tables and charts in a report: formatted, described in words, the same bytes each time."""

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

#: Columns that `with_countries` adds.
_OF_COUNTRIES = {"country_alpha_2", "country_name"}
_UNDATED = {"Date": None, "Creator": None}


class Table(ReportMixin):
    """A statistic as a table for people, with its name above and its source below."""

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
    """A chart as SVG with words for those who do not see it.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The drawn figure; it is closed.
    """

    def __init__(self, figure: Figure) -> None:
        stream = io.StringIO()
        # Text as paths: a reader need not have the fonts. The salt makes the ids repeat.
        with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "dirframe"}):
            figure.savefig(stream, format="svg", bbox_inches="tight", metadata=_UNDATED)
        self.svg = stream.getvalue()
        self.words = "Chart: " + ". ".join(said.rstrip(".") for said in words(figure)) + "."
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
        What it is about.
    **options : object
        Its options; besides, it follows what `dirframe.report` was told to leave out and to
        divide by, as far as the function takes it and the frame has the columns.

    Returns
    -------
    Table, Chart or Passage
        What the function gave; or, where the frame lacks a column that the interface
        specifies and the function needs, a line that says so.

    Raises
    ------
    InvalidInputError
        As the function raises it, for every other reason.

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
            made = make(frame, **options_for(make, frame, selected(), options))
    except MissingColumnsError as error:
        specified = {
            field.column for resource in RESOURCES.values() for field in resource.specified
        }
        if specified.union(_OF_COUNTRIES).isdisjoint(error.columns):
            raise
        return Passage((("text", f"{name} is not shown: {error}"),))
    if isinstance(made, Axes):
        figure = made.get_figure(root=True)
        return Chart(figure) if figure is not None else made
    if not isinstance(made, pd.DataFrame):
        return made
    what = (make.__doc__ or "").partition("\n")[0].rstrip(".")
    return Table(f"{what} ({name})" if what else name, made)


def with_countries(accounts: pd.DataFrame) -> pd.DataFrame:
    """Unify the countries of accounts, unless that was done before or there are none.

    Parameters
    ----------
    accounts : pandas.DataFrame
        Accounts as a loader gives them.

    Returns
    -------
    pandas.DataFrame
        With ``country_alpha_2`` (str), ``country_name`` (str) and the other columns of
        `dirframe.unify_countries`; the same frame where there is no ``country_code``.

    Examples
    --------
    >>> list(with_countries(pd.DataFrame({"country_code": ["Germany"]}))["country_alpha_2"])
    ['DE']
    """
    if "country_alpha_2" in accounts or "country_code" not in accounts:
        return accounts
    return unify_countries(accounts)
