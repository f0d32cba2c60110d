"""Statistics: each takes records and returns a tidy frame.

What all of them share is said here, and the rest in the docstring of each.

- **Records** (`frame`) are a pandas frame of a loader, one record a row; duplicates are not removed.
  They may also be the path of a Parquet file or folder, a Dask frame, or whatever offers an Arrow C
  stream: Polars frames, Arrow tables, DuckDB relations. Of these, only the columns that the statistic
  needs are read; Dask reads them in its cluster, and pandas counts them. Polars frames and relations
  have no provenance: their reference day is now.
- **Rows** are in a fixed order; those that tie are by name, by code point. Columns and dtypes do
  not depend on the number of records. `top` keeps that many rows, and the others share a last one,
  ``other (n languages)`` and so on, with thousands separated by commas, whatever its size. A single
  one left over keeps its own row, and None, the default, keeps all.
- **Values** that are missing, blank or impossible are in no figure, and counted. Blanks around a
  name do not count. A valid number is 0 or more. A share of nothing is missing. Days and
  months are in UTC.
- **Counts**: ``result.attrs["dirframe"]["counted"]`` holds the number of all records, named after
  them (``projects``), then what the docstring names as counted, beside the provenance. A caption of
  a table of which rows were taken away says how many are left.
- **Random samples**: a share of records that were drawn by ``sample=`` has the columns ``low`` and
  ``high``: its interval in the whole directory, by Wilson (Journal of the American Statistical
  Association 22, 1927, 209-212). It is computed for n (N - 1) / (N - S) records, where n are those
  that the share is of, and S of all N were drawn, and is no wider than the records that were not
  drawn allow. Records that `dirframe.select`, `dirframe.exclude` or `by` choose from a sample are a
  sample of all such records; after a join, ``head`` or mask there is no interval, and the caption
  says so. A project without an analysis is one; an own page that was lost is named in the caption.
  Shares of lines or contributors have no interval: a few large projects have most of them.
- **Errors**: a needed column that is absent, or was taken away since the load, raises
  `MissingColumnsError`, one that the directory did not send `ColumnsNotSentError`.
  `InvalidInputError`, their base, is raised by a column that holds something else than it should, a
  sum beyond 64 bits, and an option that is out of its bounds.
"""

from dirframe.stats.accounts import accounts_by_country, accounts_by_kudo_rank, posts_distribution
from dirframe.stats.activity import activity
from dirframe.stats.contributors import (
    contributor_concentration,
    contributor_distribution,
    lorenz,
    team_size_classes,
    users_against_contributors,
)
from dirframe.stats.growth import growth
from dirframe.stats.languages import (
    contributors_by_language,
    language_breakdown,
    language_share,
    languages_by_year,
)
from dirframe.stats.licenses import license_families, licenses
from dirframe.stats.one_project import (
    commit_concentration,
    commits_by_contributor,
    monthly_activity,
)
from dirframe.stats.strata import by
from dirframe.stats.survival import life_span, survival
from dirframe.stats.tags import tags

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


def __dir__() -> list[str]:
    return __all__
