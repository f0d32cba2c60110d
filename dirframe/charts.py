"""Names, collections and titles of the statistics and charts, for shell, explorer and docs."""

from __future__ import annotations

from typing import NamedTuple


class Chart(NamedTuple):
    """The collection that a statistic or chart describes, empty if either, and its title."""

    collection: str
    title: str


#: Statistics that have a chart of the same name, in display order.
_DRAWN = {
    "language_share": Chart("projects", "Projects by main language"),
    "contributors_by_language": Chart("projects", "Contributors by main language"),
    "language_breakdown": Chart("projects", "Lines of code by language"),
    "languages_by_year": Chart("projects", "Main languages by year"),
    "contributor_distribution": Chart("projects", "Distribution of contributors over projects"),
    "team_size_classes": Chart("projects", "Projects by size of their team"),
    "lorenz": Chart("projects", "Concentration of contributors"),
    "activity": Chart("projects", "Active and dormant projects"),
    "life_span": Chart("projects", "Life span of projects"),
    "survival": Chart("projects", "Survival of projects"),
    "accounts_by_country": Chart("accounts", "Accounts by country"),
    "growth": Chart("", "Growth"),
    "users_against_contributors": Chart("projects", "Users and contributors of projects"),
    "licenses": Chart("projects", "Projects by licence"),
    "license_families": Chart("projects", "Projects by family of their licence"),
    "tags": Chart("projects", "Projects by tag"),
    "accounts_by_kudo_rank": Chart("accounts", "Accounts by kudo rank"),
    "posts_distribution": Chart("accounts", "Distribution of forum posts over accounts"),
    "commits_by_contributor": Chart("contributors", "Commits by contributor"),
    "monthly_activity": Chart("activity", "Commits and contributors by month"),
}

#: The functions of `dirframe.stats`.
STATISTICS = {
    **_DRAWN,
    "commit_concentration": Chart("contributors", "Concentration of commits"),
    "contributor_concentration": Chart("projects", "Concentration of contributors in figures"),
}

#: The charts of `dirframe.plot`; the map draws `accounts_by_country`.
CHARTS = {**_DRAWN, "accounts_map": Chart("accounts", "Accounts by country on a map")}
