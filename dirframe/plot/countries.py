"""Chart of accounts by country."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from dirframe import stats
from dirframe.plot._backends import drawn
from dirframe.plot._drawing import typography
from dirframe.plot._drawing.bars import ranking
from dirframe.plot._drawing.tables import table_of

if TYPE_CHECKING:
    from dirframe.plot._drawing.chart import Chart
    from dirframe.plot._drawing.options import ChartOptions
    from dirframe.stats._core.backends import Frame


@drawn("x")
def accounts_by_country(
    accounts: Frame,
    *,
    top: int | None = 20,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the number of accounts by country.

    Parameters
    ----------
    accounts : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Accounts with unified countries, as `dirframe.unify_countries` gives them;
        `dirframe.stats.accounts_by_country` counts them.
    top : int or None, default 20
        Countries to show; the others become one hatched bar. None shows all.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per country, the most accounts at the top, labelled with their number and their
        share of the accounts with a known country. The caption states how many are unknown.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.accounts_by_country`.

    Examples
    --------
    >>> import pandas as pd
    >>> accounts = pd.DataFrame({
    ...     "country_code": ["DE", "Germany", "NA"],
    ...     "country_alpha_2": ["DE", "DE", "NA"],
    ...     "country_name": ["Germany", "Germany", "Namibia"],
    ... })
    >>> ax = accounts_by_country(accounts)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Germany', 'Namibia']
    """
    table = table_of(stats.accounts_by_country, accounts, top=top, **selection)
    counts = table.attrs["dirframe"]["counted"]
    return ranking(
        table,
        "country_name",
        "accounts",
        title="Accounts by country",
        unit="Accounts (share of those with a known country)",
        pooled=counts["countries_in_other"],
        message=empty_message(counts),
        notes=[unknown(counts)],
    )


def unknown(counts: dict[str, int]) -> str:
    """Return a note on accounts without a known country; empty if all have one."""
    reasons = {
        "without a country": counts["country_missing"],
        "with one that was not identified": counts["country_unresolved"],
    }
    return typography.not_shown("account", reasons)


def empty_message(counts: dict[str, int]) -> str:
    """Return the message for a chart without countries."""
    return typography.empty_reason(counts["accounts"], "account", "a known country")
