"""The statistics and charts as the command line names them, without loading any.

A test holds this list and the signatures in `dirframe.stats` and `dirframe.plot` together.

What stays out: computing and drawing.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CHARTS", "SELECTION", "STATISTICS", "Noun"]

#: What every statistic takes besides its own options, and every chart of accounts or projects.
SELECTION = ("exclude", "max_age", "by", "min_records")


@dataclass(frozen=True)
class Noun:
    """A statistic or chart: of which records, what it says, which options mean something.

    An empty `collection` means that accounts and projects will do.
    """

    name: str
    collection: str
    says: str
    options: tuple[str, ...] = ()
    chart_options: tuple[str, ...] | None = None

    @property
    def chart_selection(self) -> tuple[str, ...]:
        """Name the options of the chart that choose records: those of one project have none."""
        return () if self.collection in {_C, _M} else SELECTION


_A, _P = "accounts", "projects"
#: Of one project, and no part of the specification.
_C, _M = "contributors", "activity"
_ACCOUNTS_BY_COUNTRY = Noun(
    "accounts_by_country", _A, "Count the accounts of each country.", ("top",)
)
_BOTH = (
    _ACCOUNTS_BY_COUNTRY,
    Noun("accounts_by_kudo_rank", _A, "Count the accounts of each kudo rank."),
    Noun("activity", _P, "Count active and dormant projects.", ("as_of", "window")),
    Noun("commits_by_contributor", _C, "Rank contributors by their commits."),
    Noun("contributor_distribution", _P, "Count projects by number of contributors."),
    Noun("contributors_by_language", _P, "Describe contributors by main language.", ("top",)),
    Noun(
        "contributors_per_thousand_lines",
        _P,
        "Relate contributors to lines of code.",
        ("top",),
    ),
    Noun("growth", "", "Count records over time.", ("freq",), chart_options=("freq", "cumulative")),
    Noun("language_breakdown", _P, "Share out all code among languages.", ("top",)),
    Noun("language_share", _P, "Count the projects of each main language.", ("top",)),
    Noun("languages_by_year", _P, "Count main languages by year.", ("top", "date")),
    Noun("licenses", _P, "Count the projects under each licence.", ("top",)),
    Noun("life_span", _P, "Time from first to last activity.", ("top", "window")),
    Noun("lorenz", _P, "Give the Lorenz curve of contributors."),
    Noun("monthly_activity", _M, "Follow commits and contributors by month."),
    Noun("posts_distribution", _A, "Count accounts by number of posts."),
    Noun("project_age", _P, "Count projects by age in years.", ("as_of",)),
    Noun("tags", _P, "Count the projects with each tag.", ("top",)),
    Noun("team_size_classes", _P, "Count projects in classes of team size.", ("bounds",)),
    Noun("users_against_contributors", _P, "Compare users with contributors."),
)

#: What `dirframe stats` computes.
STATISTICS = tuple(
    sorted(
        (
            *_BOTH,
            Noun("commit_concentration", _C, "Give bus factor, Gini and top shares."),
            Noun("contributor_concentration", _P, "Give Gini and the largest projects' shares."),
            Noun(
                "contributor_quantiles",
                _P,
                "Give quantiles of contributors a project.",
                ("quantiles",),
            ),
        ),
        key=lambda noun: noun.name,
    )
)

#: What `dirframe plot` draws.
CHARTS = tuple(
    sorted(
        (*_BOTH, Noun("accounts_map", _A, "Map the accounts of each country.")),
        key=lambda noun: noun.name,
    )
)
