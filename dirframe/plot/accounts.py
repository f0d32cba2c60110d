"""Charts of accounts: kudo ranks and forum posts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from dirframe import stats
from dirframe.plot._backends import drawn
from dirframe.plot._description.tables import table_of
from dirframe.plot._drawing import typography
from dirframe.plot._drawing.bars import ranking
from dirframe.plot._drawing.histogram import distribution

if TYPE_CHECKING:
    from dirframe.plot._description.chart import Chart
    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame


@drawn("x")
def accounts_by_kudo_rank(
    accounts: Frame,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the number of accounts by kudo rank.

    Parameters
    ----------
    accounts : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Accounts as `dirframe.load_accounts` gives them;
        `dirframe.stats.accounts_by_kudo_rank` counts them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per rank, from 1 (new) at the top to 10, labelled with the number of accounts and
        their share of the accounts with a rank. The caption states how many have none.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.accounts_by_kudo_rank`.

    Examples
    --------
    >>> import pandas as pd
    >>> ax = accounts_by_kudo_rank(pd.DataFrame({"kudo_score_kudo_rank": [1, 9, 1]}))
    >>> [int(bar.get_width()) for bar in ax.patches]
    [2, 0, 0, 0, 0, 0, 0, 0, 1, 0]
    """
    table, counts = table_of(stats.accounts_by_kudo_rank, accounts, **selection)
    reasons = {
        "without a kudo rank": counts["kudo_rank_missing"],
        "with an impossible one": counts["kudo_rank_impossible"],
    }
    ends = {1: "1 (new)", 10: "10 (highest)"}
    names = [ends.get(rank, f"{rank}") for rank in table["kudo_rank"]]
    return ranking(
        table.assign(kudo_rank=names),
        "kudo_rank",
        "accounts",
        title="Accounts by kudo rank",
        unit="Accounts (share of those with a rank)",
        message=typography.empty_reason(counts, "a kudo rank"),
        notes=[typography.not_shown(counts, reasons)],
    )


@drawn("xy")
def posts_distribution(
    accounts: Frame,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the distribution of forum posts over accounts.

    Parameters
    ----------
    accounts : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Accounts as `dirframe.load_accounts` gives them; `dirframe.stats.posts_distribution`
        counts them.

    Returns
    -------
    matplotlib.axes.Axes
        One dot for each number of posts that occurs, at the number of accounts with it. Both axes
        are logarithmic, the x axis linear from 0 to 1, since most accounts have none. The caption
        states the maximum of half, 90% and 99% of the accounts.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.posts_distribution`.

    Examples
    --------
    >>> import pandas as pd
    >>> ax = posts_distribution(pd.DataFrame({"posts_count": [0, 12, 0]}))
    >>> ax.lines[0].get_xdata().tolist()
    [0.0, 12.0]
    """
    table, counts = table_of(stats.posts_distribution, accounts, **selection)
    reasons = {
        "without a number of posts": counts["posts_missing"],
        "with a negative one": counts["posts_negative"],
    }
    return distribution(
        table,
        "posts",
        "accounts",
        title="Distribution of forum posts over accounts",
        units=("Forum posts of an account", "Accounts"),
        message=typography.empty_reason(counts, "a valid number of posts"),
        note=typography.not_shown(counts, reasons),
    )
