"""Statistics: a frame of the loaders in, a tidy frame out.

Each row of the frame that comes in is one record; duplicates are the loader's business.
Every statistic says in its docstring what it does with missing and impossible values, and in
``result.attrs["dirframe"]["counted"]``, beside the provenance of the frame, how many there
were. Columns and dtypes are the same for none, one or many records.

The frame is one of pandas, one of Dask (whose scheduler, that of a cluster too, does the work) or
a relation of DuckDB, which can be larger than memory. The numbers are the same.
"""

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
from dirframe.stats.languages import contributors_by_language, language_share
from dirframe.stats.lifetimes import life_span, project_age
from dirframe.stats.memberships import licenses, tags
from dirframe.stats.months import monthly_activity

__all__ = [
    "accounts_by_country",
    "accounts_by_kudo_rank",
    "activity",
    "commit_concentration",
    "commits_by_contributor",
    "contributor_concentration",
    "contributor_distribution",
    "contributor_quantiles",
    "contributors_by_language",
    "contributors_per_thousand_lines",
    "growth",
    "language_breakdown",
    "language_share",
    "languages_by_year",
    "licenses",
    "life_span",
    "lorenz",
    "monthly_activity",
    "posts_distribution",
    "project_age",
    "tags",
    "team_size_classes",
    "users_against_contributors",
]
