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
    contributor_quantiles,
    lorenz,
    team_size_classes,
)
from dirframe.stats.countries import accounts_by_country
from dirframe.stats.density import contributors_per_thousand_lines, users_against_contributors
from dirframe.stats.growth import growth, languages_by_year
from dirframe.stats.inference.bootstrap import intervals
from dirframe.stats.inference.correlation import correlation
from dirframe.stats.inference.distribution_fit import distribution_fit, distribution_tail
from dirframe.stats.inference.groups import compare_groups
from dirframe.stats.inference.growth_fit import growth_curve, growth_fit
from dirframe.stats.inference.per_capita import accounts_per_capita
from dirframe.stats.inference.survival import compare_survival, survival
from dirframe.stats.languages import contributors_by_language, language_share
from dirframe.stats.lifetimes import life_span, project_age
from dirframe.stats.memberships import licenses, tags
from dirframe.stats.months import monthly_activity

__all__ = [
    "accounts_by_country",
    "accounts_by_kudo_rank",
    "accounts_per_capita",
    "activity",
    "commit_concentration",
    "commits_by_contributor",
    "compare_groups",
    "compare_survival",
    "contributor_concentration",
    "contributor_distribution",
    "contributor_quantiles",
    "contributors_by_language",
    "contributors_per_thousand_lines",
    "correlation",
    "distribution_fit",
    "distribution_tail",
    "growth",
    "growth_curve",
    "growth_fit",
    "intervals",
    "language_breakdown",
    "language_share",
    "languages_by_year",
    "licenses",
    "life_span",
    "lorenz",
    "monthly_activity",
    "posts_distribution",
    "project_age",
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
