"""Names, collections and titles of the statistics and charts, for shell, explorer and docs."""

from __future__ import annotations

from typing import NamedTuple


class Chart(NamedTuple):
    """A statistic or chart: its collection, empty if either; its title; what its records have.

    `has` is a clause of one record, such as "has a main language", and `have` of several. They are
    empty if the figures are always based on all records.
    """

    collection: str
    title: str
    has: str = ""
    have: str = ""


def _with(collection: str, title: str, what: str) -> Chart:
    """Return a chart of the records that have something."""
    return Chart(collection, title, f"has {what}", f"have {what}")


_CONTRIBUTORS = "a valid number of contributors"

#: Statistics that have a chart of the same name, in display order.
_DRAWN = {
    "language_share": _with("projects", "Projects by main language", "a main language"),
    "contributors_by_language": _with(
        "projects", "Contributors by main language", f"a main language and {_CONTRIBUTORS}"
    ),
    "language_breakdown": _with(
        "projects", "Lines of code by language", "a valid breakdown by language"
    ),
    "languages_by_year": _with("projects", "Main languages by year", "a main language and a date"),
    "contributor_distribution": _with("projects", "Contributors per project", _CONTRIBUTORS),
    "team_size_classes": _with("projects", "Projects by team size", _CONTRIBUTORS),
    "lorenz": _with("projects", "Concentration of contributors", _CONTRIBUTORS),
    "activity": Chart(
        "projects",
        "Active and dormant projects",
        "is known to be active or dormant",
        "are known to be active or dormant",
    ),
    "life_span": _with("projects", "Life span of projects", "a valid life span"),
    "survival": Chart(
        "projects",
        "Survival of projects",
        "is known to have ended or not",
        "are known to have ended or not",
    ),
    "accounts_by_country": Chart(
        "accounts", "Accounts by country", "names a known country", "name a known country"
    ),
    "growth": _with("", "Growth", "a date of creation"),
    "users_against_contributors": _with(
        "projects",
        "Users and contributors of projects",
        "valid numbers of users and contributors",
    ),
    "licenses": Chart("projects", "Projects by licence", "names a licence", "name a licence"),
    "license_families": Chart("projects", "Projects by licence family"),
    "tags": _with("projects", "Projects by tag", "a tag"),
    "accounts_by_kudo_rank": _with("accounts", "Accounts by kudo rank", "a kudo rank"),
    "posts_distribution": _with("accounts", "Forum posts per account", "a valid number of posts"),
    "commits_by_contributor": _with(
        "contributors", "Commits by contributor", "a valid number of commits"
    ),
    "monthly_activity": _with("activity", "Commits and contributors by month", "a date"),
}

#: The functions of `dirframe.stats`.
STATISTICS = {
    **_DRAWN,
    "commit_concentration": _with(
        "contributors", "Concentration of commits", "a valid number of commits"
    ),
    "contributor_concentration": _with(
        "projects", "Concentration of contributors in figures", _CONTRIBUTORS
    ),
}

#: The charts of `dirframe.plot`; the map draws `accounts_by_country`.
CHARTS = {
    **_DRAWN,
    "accounts_map": _DRAWN["accounts_by_country"]._replace(title="Accounts by country on a map"),
}
