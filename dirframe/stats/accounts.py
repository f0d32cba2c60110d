"""Statistics of accounts: countries, kudo ranks and forum posts."""

from __future__ import annotations

import pandas as pd

from dirframe import provenance
from dirframe._display import suggests_options
from dirframe.stats.counts import (
    as_names,
    as_texts,
    count_unusable,
    name_groups,
    share_of,
    sort_groups,
    split_top,
    valid_numbers,
    with_other_row,
)
from dirframe.stats.distributions import distribution
from dirframe.stats.intervals import Shares, check_confidence
from dirframe.stats.records import (
    COUNTRY,
    COUNTRY_CODE,
    COUNTRY_RAW,
    KUDO_RANK,
    POSTS,
    Frame,
    read,
)
from dirframe.stats.result import Counts, as_statistic, typed_table

_RANKS = range(1, 11)  # 1 is new, 10 the highest: dirframe.schema
#: The one country whose code plain readers of CSV take for a missing value.
_NAMIBIA = "Namibia"
_NAMIBIA_CODE = "NA"
#: What the provenance says of the figures that are not of the directory.
_INHABITANTS = "inhabitants of 2019: World Bank, SP.POP.TOTL, CC BY 4.0"


@suggests_options
def accounts_by_country(
    frame: Frame, *, top: int | None = None, confidence: float = 0.95
) -> pd.DataFrame:
    """Count the accounts of each country.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Accounts with ``country_code``, and the countries that `dirframe.unify_countries` adds.
    top : int, optional
        Number of countries with rows of their own; the others share a last row,
        ``other (n countries)``. By default, all have rows.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.

    Returns
    -------
    pandas.DataFrame
        One row per country, the most accounts first; ties by name:

        - ``country_alpha_2`` (str): the code of ISO 3166-1, the first by alphabet of several;
          missing for ``other``
        - ``country_name`` (str), ``accounts`` (Int64, accounts)
        - ``share`` (Float64, 0 to 1): of those with a known country
        - ``low``, ``high`` (Float64, 0 to 1): of a random sample, the interval of ``share``

        - ``inhabitants_2019`` (Int64, people): of the country in 2019, by the World Bank
          (SP.POP.TOTL, CC BY 4.0); missing where that has no figure, such as of Taiwan
        - ``per_million`` (Float64, accounts): of the frame, per million inhabitants; of a random
          sample these are the drawn accounts, not all

        Counted: ``with_country``, ``countries``, ``countries_in_other``, and of the accounts in no
        row ``country_missing`` (no ``country_code``) and ``country_unresolved`` (it names none).

    Examples
    --------
    >>> accounts = pd.DataFrame({"country_code": ["DE", "Germany", "Atlantis"],
    ...     "country_alpha_2": ["DE", "DE", None], "country_name": ["Germany", "Germany", None]})
    >>> print(accounts_by_country(accounts).drop(columns="inhabitants_2019").round(3))
      country_alpha_2 country_name  accounts  share  per_million
    0              DE      Germany         2    1.0        0.024
    """
    check_confidence(confidence)
    columns = read(frame, [COUNTRY_RAW, COUNTRY_CODE, COUNTRY])
    country = as_texts(columns[COUNTRY])
    has_raw = as_names(columns[COUNTRY_RAW]).notna()
    is_known = country.notna()
    code = columns[COUNTRY_CODE].mask(
        columns[COUNTRY_CODE].isna() & (country == _NAMIBIA), _NAMIBIA_CODE
    )
    numbers = country.value_counts().astype("Int64").to_frame("accounts")
    kept, others = split_top(sort_groups(numbers, ["accounts"]), top, "countries")
    table = name_groups(with_other_row(kept, others, "countries"), COUNTRY)
    table["share"] = share_of(table["accounts"], int(is_known.sum()))
    codes = table[COUNTRY].map(code.groupby(country).min()).astype("str")
    table.insert(0, COUNTRY_CODE, codes)
    from dirframe.clean.names import inhabitants  # the tables of names are heavy

    people = codes.map(inhabitants()).astype("Int64")
    table["inhabitants_2019"] = people
    table["per_million"] = (table["accounts"] / people * 1_000_000).astype("Float64")
    counts = Counts(
        "accounts",
        len(columns),
        base="with_country",
        which="with a country",
        numbers={
            "with_country": is_known.sum(),
            "country_missing": (~is_known & ~has_raw).sum(),
            "country_unresolved": (~is_known & has_raw).sum(),
            "countries": len(numbers),
            "countries_in_other": len(others),
        },
    )
    shares = Shares(is_known.sum(), confidence)
    table = as_statistic(table, "accounts_by_country", source=frame, counts=counts, shares=shares)
    return provenance.set_provenance(table, other_data=[_INHABITANTS])


@suggests_options
def accounts_by_kudo_rank(frame: Frame, *, confidence: float = 0.95) -> pd.DataFrame:
    """Count the accounts of each kudo rank.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Accounts with the column ``kudo_score_kudo_rank``.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.

    Returns
    -------
    pandas.DataFrame
        One row per rank from 1 (new) to 10, also where no account has it:

        - ``kudo_rank`` (Int64), ``accounts`` (Int64, accounts)
        - ``share`` (Float64, 0 to 1): of the accounts with a rank
        - ``low``, ``high`` (Float64, 0 to 1): of a random sample, the interval of ``share``

        Without a kudo score there is no rank, although the directory's pages show rank 1. Counted:
        ``with_kudo_rank``, ``kudo_rank_missing``, ``kudo_rank_impossible`` (not from 1 to 10).

    Examples
    --------
    >>> table = accounts_by_kudo_rank(pd.DataFrame({"kudo_score_kudo_rank": [1, 9, 1, None, 11]}))
    >>> table["accounts"].tolist()
    [2, 0, 0, 0, 0, 0, 0, 0, 1, 0]
    """
    check_confidence(confidence)
    rank = read(frame, [KUDO_RANK])[KUDO_RANK]
    numbers = rank.value_counts().reindex(_RANKS, fill_value=0).astype("Int64")
    with_rank = int(numbers.sum())
    missing = int(rank.isna().sum())
    table = typed_table(
        {
            "kudo_rank": ("Int64", _RANKS),
            "accounts": ("Int64", numbers),
            "share": ("Float64", share_of(numbers, with_rank)),
        }
    )
    counts = Counts(
        "accounts",
        len(rank),
        base="with_kudo_rank",
        which="with a kudo rank",
        numbers={
            "with_kudo_rank": with_rank,
            "kudo_rank_missing": missing,
            "kudo_rank_impossible": len(rank) - with_rank - missing,
        },
    )
    shares = Shares(with_rank, confidence)
    return as_statistic(table, "accounts_by_kudo_rank", source=frame, counts=counts, shares=shares)


@suggests_options
def posts_distribution(frame: Frame, *, confidence: float = 0.95) -> pd.DataFrame:
    """Count the accounts of each number of forum posts.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Accounts with the column ``posts_count``.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.

    Returns
    -------
    pandas.DataFrame
        One row per number of posts that occurs, ascending:

        - ``posts`` (Int64, posts per account), ``accounts`` (Int64, accounts with this many)
        - ``share``, ``share_at_most`` (Float64, 0 to 1): of those with a valid number, with this
          many, and with this many or fewer
        - ``low``, ``high`` (Float64, 0 to 1): of a random sample, the interval of ``share``

        Counted: ``with_posts``, ``posts_missing`` and ``posts_negative``.

    Examples
    --------
    >>> print(posts_distribution(pd.DataFrame({"posts_count": [0, 12, 0, 0]})))
       posts  accounts  share  share_at_most
    0      0         3   0.75           0.75
    1     12         1   0.25            1.0
    """
    check_confidence(confidence)
    posts = read(frame, [POSTS])[POSTS]
    known = valid_numbers(posts)
    counts = Counts(
        "accounts",
        len(posts),
        base="with_posts",
        which="with a valid number of posts",
        numbers={"with_posts": len(known), **count_unusable(posts, "posts")},
    )
    table = distribution(known, "posts", "accounts")
    shares = Shares(len(known), confidence)
    return as_statistic(table, "posts_distribution", source=frame, counts=counts, shares=shares)
