"""Which of the records that a statistic counted its figures are of."""

from __future__ import annotations

__all__ = ["BASES"]

_CONTRIBUTORS = ("with_contributors", "with a valid number of contributors")
_COMMITS = ("with_commits", "with a valid number of commits")

#: By the step of a statistic: the key in ``counted``, and the words of captions. `growth` is of
#: accounts or of projects; `language_breakdown` has shares of lines, of these projects.
BASES: dict[str, tuple[str, str]] = {
    "accounts_by_country": ("with_country", "with a country"),
    "accounts_by_kudo_rank": ("with_kudo_rank", "with a kudo rank"),
    "activity": ("with_activity", "whose activity is known"),
    "commit_concentration": _COMMITS,
    "commits_by_contributor": _COMMITS,
    "contributor_concentration": _CONTRIBUTORS,
    "contributor_distribution": _CONTRIBUTORS,
    "contributor_quantiles": _CONTRIBUTORS,
    "contributors_by_language": (
        "with_language_and_contributors",
        "with a main language and a valid number of contributors",
    ),
    "contributors_per_thousand_lines": (
        "with_both",
        "with a main language, contributors and lines",
    ),
    "growth": ("with_created_at", "with a date"),
    "language_breakdown": ("with_breakdown", "with a valid breakdown"),
    "language_share": ("with_language", "with a main language"),
    "languages_by_year": ("with_language_and_date", "with a main language and a date"),
    "licenses": ("with_license", "with a license"),
    "life_span": ("with_life_span", "with a valid life span"),
    "lorenz": _CONTRIBUTORS,
    "monthly_activity": ("with_month", "with a month"),
    "posts_distribution": ("with_posts", "with a valid number of posts"),
    "project_age": ("with_age", "with a known age"),
    "tags": ("with_tag", "with a tag"),
    "team_size_classes": _CONTRIBUTORS,
    "users_against_contributors": ("with_both", "with users and contributors"),
}
