"""Statistics: each takes a frame from a loader and returns a tidy frame.

Each row of the input is one record; duplicates are not removed. Every docstring states how
missing and impossible values are handled, and ``result.attrs["dirframe"]["counted"]`` holds
their numbers beside the provenance of the frame. Columns and dtypes do not depend on the number
of records.

The input is a pandas frame, a polars frame or an Arrow table (both converted to pandas), a Dask
frame (computed by its scheduler, also on a cluster) or a DuckDB relation, which can be larger than
memory. The numbers are the same.
"""

from typing import TYPE_CHECKING

from dirframe._display.suggest import unknown_attribute
from dirframe.stats.accounts import accounts_by_kudo_rank, posts_distribution
from dirframe.stats.activity import activity
from dirframe.stats.breakdown import language_breakdown
from dirframe.stats.commits import commit_concentration, commits_by_contributor
from dirframe.stats.contributors import (
    contributor_concentration,
    contributor_distribution,
    lorenz,
    team_size_classes,
)
from dirframe.stats.countries import accounts_by_country
from dirframe.stats.density import users_against_contributors
from dirframe.stats.growth import growth, languages_by_year
from dirframe.stats.languages import contributors_by_language, language_share
from dirframe.stats.lifetimes import life_span
from dirframe.stats.memberships import licenses, tags
from dirframe.stats.months import monthly_activity
from dirframe.stats.survival import survival

__all__ = [
    "accounts_by_country",
    "accounts_by_kudo_rank",
    "activity",
    "commit_concentration",
    "commits_by_contributor",
    "contributor_concentration",
    "contributor_distribution",
    "contributors_by_language",
    "growth",
    "language_breakdown",
    "language_share",
    "languages_by_year",
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
