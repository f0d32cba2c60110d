"""Statistics: each takes records and returns a tidy frame.

Each row of the input is one record; duplicates are not removed. Every docstring states how
missing and impossible values are handled, and ``result.attrs["dirframe"]["counted"]`` holds
their numbers beside the provenance of the records. Columns and dtypes do not depend on the number
of records.

The records are a pandas frame, or elsewhere: the path of a Parquet file or folder, a Dask frame (a
cluster reads), or whatever offers an Arrow C stream, as Polars frames, Arrow tables and DuckDB
relations do. Of these, only the columns that the statistic needs are read, and pandas counts
them. A Polars frame or a relation has no provenance: then the reference day is now.

A needed column that is absent raises an error that names it.
"""

from typing import TYPE_CHECKING

from dirframe._display import unknown_attribute
from dirframe.stats.accounts import accounts_by_country, accounts_by_kudo_rank, posts_distribution
from dirframe.stats.contributors import (
    contributor_concentration,
    contributor_distribution,
    lorenz,
    team_size_classes,
    users_against_contributors,
)
from dirframe.stats.entries import license_families, licenses, tags
from dirframe.stats.growth import growth
from dirframe.stats.languages import (
    contributors_by_language,
    language_breakdown,
    language_share,
    languages_by_year,
)
from dirframe.stats.lifetimes import activity, life_span, survival
from dirframe.stats.one_project import (
    commit_concentration,
    commits_by_contributor,
    monthly_activity,
)
from dirframe.stats.strata import by

__all__ = [
    "accounts_by_country",
    "accounts_by_kudo_rank",
    "activity",
    "by",
    "commit_concentration",
    "commits_by_contributor",
    "contributor_concentration",
    "contributor_distribution",
    "contributors_by_language",
    "growth",
    "language_breakdown",
    "language_share",
    "languages_by_year",
    "license_families",
    "licenses",
    "life_span",
    "lorenz",
    "monthly_activity",
    "posts_distribution",
    "survival",
    "tags",
    "team_size_classes",
    "users_against_contributors",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise unknown_attribute(f"module {__name__!r}", name, __all__)


def __dir__() -> list[str]:
    return sorted(__all__)  # completion offers no modules
