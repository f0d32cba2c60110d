"""Statistics of accounts: countries, kudo ranks and forum posts."""

from __future__ import annotations

from dirframe.stats.counts import distribution, names_of, ranked, shares, table_of, valid
from dirframe.stats.kernel import Counted, Frame, read, statistic

_RANKS = range(1, 11)  # 1 is new, 10 the highest: dirframe.schema
#: The one country whose code plain readers of CSV take for a missing value.
_LOST = ("Namibia", "NA")


@statistic("with_country", "with a country")
def accounts_by_country(accounts: Frame, *, top: int | None = None) -> Counted:
    """Count the accounts of each country.

    Parameters as in `dirframe.stats`, with countries as `dirframe.unify_countries` gives them.

    Returns
    -------
    pandas.DataFrame
        One row per country, the most accounts first: ``country_alpha_2`` (str, the code of ISO
        3166-1, the first by alphabet of several; missing for ``other``), ``country_name`` (str),
        ``accounts`` (Int64, accounts), ``share`` (Float64, 0 to 1, of those with a known country).
        Counted: ``with_country``, ``countries``, ``countries_in_other``, and of the accounts in no
        row ``country_missing`` (no ``country_code``) and ``country_unresolved`` (it names none).

    Examples
    --------
    >>> accounts = pd.DataFrame({"country_code": ["DE", "Germany", "Atlantis"],
    ...     "country_alpha_2": ["DE", "DE", None], "country_name": ["Germany", "Germany", None]})
    >>> print(accounts_by_country(accounts))
      country_alpha_2 country_name  accounts  share
    0              DE      Germany         2    1.0
    """
    a = read(accounts, "country_code", "country_alpha_2", "country")
    country, raw = names_of(a["country"]), names_of(a["country_code"])
    known = country.notna()
    codes = a["country_alpha_2"]
    codes = codes.where(codes.notna() | (a["country"] != _LOST[0]), _LOST[1])
    groups = codes[known].groupby(country[known].astype("str"))
    table = groups.size().astype("Int64").to_frame("accounts")
    table, counted = ranked(table, "country_name", "countries", by=["accounts"], top=top)
    table["share"] = shares(table["accounts"])
    table.insert(0, "country_alpha_2", table["country_name"].map(groups.min()).astype("str"))
    return table, {
        "accounts": len(a),
        "with_country": known.sum(),
        "country_missing": (~known & raw.isna()).sum(),
        "country_unresolved": (~known & raw.notna()).sum(),
        **counted,
    }


@statistic("with_kudo_rank", "with a kudo rank")
def accounts_by_kudo_rank(accounts: Frame) -> Counted:
    """Count the accounts of each kudo rank.

    Parameters as in `dirframe.stats`.

    Returns
    -------
    pandas.DataFrame
        One row per rank from 1 (new) to 10, also where no account has it: ``kudo_rank`` (Int64),
        ``accounts`` (Int64, accounts), ``share`` (Float64, 0 to 1, of the accounts with a rank).
        Without a kudo score there is no rank, although the directory's pages show rank 1. Counted:
        ``with_kudo_rank``, ``kudo_rank_missing``, ``kudo_rank_impossible`` (not from 1 to 10).

    Examples
    --------
    >>> table = accounts_by_kudo_rank(pd.DataFrame({"kudo_score_kudo_rank": [1, 9, 1, None, 11]}))
    >>> table["accounts"].tolist()
    [2, 0, 0, 0, 0, 0, 0, 0, 1, 0]
    """
    rank = read(accounts, "rank")["rank"]
    count = rank.value_counts().reindex(_RANKS, fill_value=0).astype("Int64")
    missing, with_rank = rank.isna().sum(), count.sum()
    columns = {"kudo_rank": ("Int64", _RANKS), "accounts": ("Int64", count)}
    return table_of(**columns, share=("Float64", shares(count))), {
        "accounts": len(rank),
        "with_kudo_rank": with_rank,
        "kudo_rank_missing": missing,
        "kudo_rank_impossible": len(rank) - with_rank - missing,
    }


@statistic("with_posts", "with a valid number of posts")
def posts_distribution(accounts: Frame) -> Counted:
    """Count the accounts of each number of forum posts.

    Parameters as in `dirframe.stats`.

    Returns
    -------
    pandas.DataFrame
        One row per number of posts that occurs, ascending: ``posts`` (Int64, posts per account),
        ``accounts`` (Int64, accounts with this many), ``share``, ``share_at_most`` (Float64, 0 to 1,
        of those with a valid number: with this many, and with this many or fewer). Counted:
        ``with_posts``, ``posts_missing`` and ``posts_negative``.

    Examples
    --------
    >>> print(posts_distribution(pd.DataFrame({"posts_count": [0, 12, 0, 0]})))
       posts  accounts  share  share_at_most
    0      0         3   0.75           0.75
    1     12         1   0.25            1.0
    """
    known, counted = valid(read(accounts, "posts")["posts"], "posts", "accounts")
    return distribution(known, "posts", "accounts"), counted
