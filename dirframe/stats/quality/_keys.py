"""Key columns of each statistic; the other columns are its figures."""

from __future__ import annotations

__all__ = ["KEYS"]

#: Key columns by name of the statistic. Columns that only describe the row, such as the bounds of
#: a class, are included, since they are not figures.
KEYS: dict[str, tuple[str, ...]] = {
    "accounts_by_country": ("country_alpha_2", "country_name"),
    "accounts_by_kudo_rank": ("kudo_rank",),
    "activity": ("activity",),
    "commit_concentration": ("measure",),
    "commits_by_contributor": ("contributor_id", "contributor_name"),
    "contributor_concentration": ("measure",),
    "contributor_distribution": ("contributors",),
    "contributor_quantiles": ("quantile",),
    "contributors_by_language": ("language",),
    "contributors_per_thousand_lines": ("language",),
    "growth": ("start",),
    "language_breakdown": ("language",),
    "language_share": ("language",),
    "languages_by_year": ("year", "language"),
    "licenses": ("license",),
    "life_span": ("id",),
    "lorenz": ("contributors",),
    "monthly_activity": ("month",),
    "posts_distribution": ("posts",),
    "project_age": ("years",),
    "tags": ("tag",),
    "team_size_classes": ("team_size", "smallest", "largest"),
    "users_against_contributors": ("users", "contributors"),
}
