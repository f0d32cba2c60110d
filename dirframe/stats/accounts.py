"""Statistics of accounts: kudo ranks and forum posts."""

from __future__ import annotations

from typing import Unpack

import pandas as pd

from dirframe.stats._core.columns import integer_column
from dirframe.stats._core.frequencies import Frequencies
from dirframe.stats._core.groupby import as_int64, group_sizes, shares
from dirframe.stats._core.loaders import ACCOUNTS
from dirframe.stats._core.result import require_columns
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable

RANK = "kudo_score_kudo_rank"
RANKS = range(1, 11)  # 1 is new, 10 the highest: dirframe.schema


@selectable
def accounts_by_kudo_rank(
    accounts: Frame,
    **_selection: Unpack[Selection],
) -> Counted:
    """Count the accounts of each kudo rank.

    Parameters
    ----------
    accounts : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Accounts as `dirframe.load_accounts` gives them.

    Returns
    -------
    pandas.DataFrame
        One row per rank from 1 (new) to 10, ascending, also where no account has it:

        - ``kudo_rank`` (Int64, rank)
        - ``accounts`` (Int64, accounts)
        - ``share`` (Float64, 0 to 1): of the accounts with a rank; 0.0 in each row where
          none has one

    Raises
    ------
    InvalidInputError
        If the column is missing or does not hold whole numbers.

    Notes
    -----
    An account without a kudo score has no rank and is in no row, although the directory's
    pages show it as rank 1. ``attrs["dirframe"]["counted"]`` holds ``accounts`` (all),
    ``with_kudo_rank`` (1 to 10), ``kudo_rank_missing`` and ``kudo_rank_impossible`` (not from 1
    to 10, in no row either); the last three add up to the first.

    Examples
    --------
    >>> import pandas as pd
    >>> accounts = pd.DataFrame({"kudo_score_kudo_rank": [1, 9, 1, None, 11]})
    >>> table = accounts_by_kudo_rank(accounts)
    >>> print(table[table["accounts"] > 0])
       kudo_rank  accounts     share
    0          1         2  0.666667
    8          9         1  0.333333
    """
    require_columns(accounts, RANK, loader=ACCOUNTS)
    sizes = group_sizes(accounts, {"rank": integer_column(RANK)})
    missing = int(sizes["records"][sizes["rank"].isna()].sum())
    by_rank = sizes.dropna().set_index("rank")["records"]
    count = as_int64(by_rank.reindex(RANKS, fill_value=0))
    with_rank, records = int(count.sum()), int(sizes["records"].sum())
    result = pd.DataFrame({"kudo_rank": as_int64(RANKS), "accounts": count, "share": shares(count)})
    counted = {
        "accounts": records,
        "with_kudo_rank": with_rank,
        "kudo_rank_missing": missing,
        "kudo_rank_impossible": records - with_rank - missing,
    }
    return result, counted


@selectable
def posts_distribution(
    accounts: Frame,
    **_selection: Unpack[Selection],
) -> Counted:
    """Count the accounts of each number of forum posts.

    Parameters
    ----------
    accounts : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Accounts as `dirframe.load_accounts` gives them.

    Returns
    -------
    pandas.DataFrame
        One row per number of posts that occurs, ascending; none where no account has a valid one:

        - ``posts`` (Int64, posts per account)
        - ``accounts`` (Int64, accounts): accounts with this many
        - ``share`` (Float64, 0 to 1): of the accounts with a valid number
        - ``share_at_most`` (Float64, 0 to 1): of those, with this many or fewer

    Raises
    ------
    InvalidInputError
        If the column is missing or does not hold whole numbers.

    Notes
    -----
    A valid number is 0 or more. Missing and negative ones are left out and counted:
    ``attrs["dirframe"]["counted"]`` holds ``accounts`` (all), ``with_posts`` (valid),
    ``posts_missing`` and ``posts_negative``; the last three add up to the first.

    Examples
    --------
    >>> import pandas as pd
    >>> print(posts_distribution(pd.DataFrame({"posts_count": [0, 12, 0, 0]})))
       posts  accounts  share  share_at_most
    0      0         3   0.75           0.75
    1     12         1   0.25            1.0
    """
    require_columns(accounts, "posts_count", loader=ACCOUNTS)
    frequencies = Frequencies.of(accounts, "posts_count")
    result = frequencies.distribution("posts", "accounts")
    return result, frequencies.counted("accounts", "posts")
