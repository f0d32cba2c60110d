"""Registry of statistics and charts, for the command line, the explorer and captions.

It imports neither pandas nor Matplotlib. A test keeps it in step with `dirframe.stats` and
`dirframe.plot`.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Options of every statistic and chart.
SELECTION = ("exclude", "max_age", "by", "min_records")
#: Suffixes of the files of a chart, by the backend that draws them.
FILES = {"matplotlib": (".png", ".svg", ".pdf"), "plotly": (".html",)}
#: Options of every chart besides, and ``backend``.
APPEARANCE = ("title", "caption", "width", "palette")

_A, _P = "accounts", "projects"
#: Collections of one project, outside the specification.
_C, _M = "contributors", "activity"


@dataclass(frozen=True, kw_only=True)
class ChartSpec:
    """A statistic, its chart, or both.

    Parameters
    ----------
    name : str
        Name of the function in `dirframe.stats` and in `dirframe.plot`.
    collection : str
        Collection that it describes; empty if accounts and projects are both accepted.
    summary : str
        One-line summary for lists of commands.
    title : str
        Title in lists of charts; empty if there is no chart.
    keys : tuple of str
        Columns of the result that say what a row is about; the others are its figures.
    table_title : str
        Title of the table, if there is no chart.
    base : tuple of str
        Records that its figures are based on: the key in ``counted``, and the words of captions.
    options : tuple of str
        Options of the statistic besides `SELECTION`.
    chart_options : tuple of str or None
        Options of the chart besides `SELECTION` and `APPEARANCE`, if they differ from those of
        the statistic.
    statistic : str
        The statistic that the chart draws, if its name differs.
    by_country : bool
        Whether it needs unified countries.
    """

    name: str
    collection: str
    summary: str
    title: str = ""
    keys: tuple[str, ...] = ()
    table_title: str = ""
    base: tuple[str, str] = ("", "")
    options: tuple[str, ...] = ()
    chart_options: tuple[str, ...] | None = None
    statistic: str = ""
    by_country: bool = False


_WITH_CONTRIBUTORS = ("with_contributors", "with a valid number of contributors")
_WITH_VALUE = ("with_value", "with a value")
_WITH_COMMITS = ("with_commits", "with a valid number of commits")

#: In display order.
_ALL = (
    ChartSpec(
        name="language_share",
        collection=_P,
        summary="Count the projects of each main language.",
        keys=("language",),
        title="Projects by main language",
        base=("with_language", "with a main language"),
        options=("top",),
    ),
    ChartSpec(
        name="contributors_by_language",
        collection=_P,
        summary="Describe contributors by main language.",
        keys=("language",),
        title="Contributors by main language",
        base=(
            "with_language_and_contributors",
            "with a main language and a valid number of contributors",
        ),
        options=("top",),
    ),
    ChartSpec(
        name="contributors_per_thousand_lines",
        collection=_P,
        summary="Relate contributors to lines of code.",
        keys=("language",),
        title="Contributors per thousand lines",
        base=("with_both", "with a main language, contributors and lines"),
        options=("top",),
    ),
    ChartSpec(
        name="language_breakdown",
        collection=_P,
        summary="Share out all code among languages.",
        keys=("language",),
        title="All code by language",
        base=(
            "with_breakdown",
            "with a valid breakdown",
        ),  # its shares are of lines, its records projects
        options=("top",),
    ),
    ChartSpec(
        name="languages_by_year",
        collection=_P,
        summary="Count main languages by year.",
        keys=("year", "language"),
        title="Main languages by year",
        base=("with_language_and_date", "with a main language and a date"),
        options=("top", "date", "min_projects"),
    ),
    ChartSpec(
        name="contributor_distribution",
        collection=_P,
        summary="Count projects by number of contributors.",
        keys=("contributors",),
        title="Contributors a project",
        base=_WITH_CONTRIBUTORS,
    ),
    ChartSpec(
        name="team_size_classes",
        collection=_P,
        summary="Count projects in classes of team size.",
        keys=("team_size", "smallest", "largest"),
        title="Sizes of teams",
        base=_WITH_CONTRIBUTORS,
        options=("bounds",),
    ),
    ChartSpec(
        name="lorenz",
        collection=_P,
        summary="Give the Lorenz curve of contributors.",
        keys=("contributors",),
        title="Concentration of contributors",
        base=_WITH_CONTRIBUTORS,
    ),
    ChartSpec(
        name="activity",
        collection=_P,
        summary="Count active and dormant projects.",
        keys=("activity",),
        title="Active and dormant projects",
        base=("with_activity", "whose activity is known"),
        options=("as_of", "window"),
    ),
    ChartSpec(
        name="project_age",
        collection=_P,
        summary="Count projects by age in years.",
        keys=("years",),
        title="Age of projects",
        base=("with_age", "with a known age"),
        options=("as_of",),
    ),
    ChartSpec(
        name="life_span",
        collection=_P,
        summary="Time from first to last activity.",
        keys=("id",),
        title="Life spans",
        base=("with_life_span", "with a valid life span"),
        options=("top", "window"),
    ),
    ChartSpec(
        name="accounts_by_country",
        collection=_A,
        summary="Count the accounts of each country.",
        keys=("country_alpha_2", "country_name"),
        title="Accounts by country",
        base=("with_country", "with a country"),
        options=("top",),
        by_country=True,
    ),
    ChartSpec(
        name="accounts_map",
        collection=_A,
        summary="Map the accounts of each country.",
        title="Map of accounts",
        statistic="accounts_by_country",
        by_country=True,
    ),
    ChartSpec(
        name="growth",
        collection="",
        summary="Count records over time.",
        keys=("start",),
        title="Growth",
        base=("with_created_at", "with a date"),
        options=("freq",),
        chart_options=("freq", "cumulative"),
    ),
    ChartSpec(
        name="users_against_contributors",
        collection=_P,
        summary="Compare users with contributors.",
        keys=("users", "contributors"),
        title="Users and contributors",
        base=("with_both", "with users and contributors"),
    ),
    ChartSpec(
        name="licenses",
        collection=_P,
        summary="Count the projects under each licence.",
        keys=("license",),
        title="Licences",
        base=("with_license", "with a licence"),
        options=("top",),
    ),
    ChartSpec(
        name="tags",
        collection=_P,
        summary="Count the projects with each tag.",
        keys=("tag",),
        title="Tags",
        base=("with_tag", "with a tag"),
        options=("top",),
    ),
    ChartSpec(
        name="accounts_by_kudo_rank",
        collection=_A,
        summary="Count the accounts of each kudo rank.",
        keys=("kudo_rank",),
        title="Accounts by kudo rank",
        base=("with_kudo_rank", "with a kudo rank"),
    ),
    ChartSpec(
        name="posts_distribution",
        collection=_A,
        summary="Count accounts by number of posts.",
        keys=("posts",),
        title="Posts an account",
        base=("with_posts", "with a valid number of posts"),
    ),
    ChartSpec(
        name="commits_by_contributor",
        collection=_C,
        summary="Rank contributors by their commits.",
        keys=("contributor_id", "contributor_name"),
        title="Commits by contributor",
        base=_WITH_COMMITS,
    ),
    ChartSpec(
        name="monthly_activity",
        collection=_M,
        summary="Follow commits and contributors by month.",
        keys=("month",),
        title="Activity by month",
        base=("with_month", "with a month"),
    ),
    ChartSpec(
        name="commit_concentration",
        collection=_C,
        summary="Give truck factor, Gini and top shares.",
        keys=("measure",),
        table_title="Concentration of commits",
        base=_WITH_COMMITS,
        options=("window",),
    ),
    ChartSpec(
        name="contributor_concentration",
        collection=_P,
        summary="Give Gini and the largest projects' shares.",
        keys=("measure",),
        table_title="Concentration of contributors",
        base=_WITH_CONTRIBUTORS,
    ),
    ChartSpec(
        name="contributor_quantiles",
        collection=_P,
        summary="Give quantiles of contributors a project.",
        keys=("quantile",),
        table_title="Quantiles of contributors per project",
        base=_WITH_CONTRIBUTORS,
        options=("quantiles",),
    ),
    ChartSpec(
        name="intervals",
        collection=_P,
        summary="Estimate by group, with intervals.",
        keys=("group",),
        title="Estimates with intervals",
        base=_WITH_VALUE,
        options=(
            *("measure", "column", "denominator", "groups", "top"),
            *("confidence", "resamples", "seed"),
        ),
    ),
    ChartSpec(
        name="compare_groups",
        collection=_P,
        summary="Compare groups: tests and effect sizes.",
        keys=("test", "first", "second"),
        title="Groups compared",
        base=_WITH_VALUE,
        options=("column", "groups", "top", "correction", "confidence"),
    ),
    ChartSpec(
        name="correlation",
        collection=_P,
        summary="Correlate the ranks of columns.",
        keys=("first", "second"),
        title="Rank correlations",
        base=("with_value", "with a value in all columns"),
        options=("variables", "correction", "confidence", "resamples", "seed"),
    ),
    ChartSpec(
        name="survival",
        collection=_P,
        summary="Estimate how long projects live.",
        keys=("months",),
        title="Survival of projects",
        base=("with_known_end", "whose end is known"),
        options=("window", "confidence"),
    ),
    ChartSpec(
        name="compare_survival",
        collection=_P,
        summary="Compare the survival of groups.",
        keys=("test", "group"),
        title="Survival compared",
        base=("compared", "whose end is known"),
        options=("groups", "top", "window", "correction", "confidence"),
    ),
    ChartSpec(
        name="distribution_tail",
        collection=_P,
        summary="Draw a long tail beside fitted ones.",
        keys=("value",),
        title="Tail of a distribution",
        base=_WITH_VALUE,
        options=("column",),
    ),
    ChartSpec(
        name="distribution_fit",
        collection=_P,
        summary="Fit a power law and a log-normal.",
        keys=("distribution",),
        table_title="Fitted distributions",
        base=_WITH_VALUE,
        options=("column", "resamples", "seed"),
    ),
    ChartSpec(
        name="growth_curve",
        collection=_M,
        summary="Follow growth beside fitted curves.",
        keys=("month",),
        title="Growth and fitted curves",
        base=("with_month", "with a month"),
        options=("column", "cumulative"),
    ),
    ChartSpec(
        name="growth_fit",
        collection=_M,
        summary="Fit growth: linear, exponential, logistic.",
        keys=("model",),
        table_title="Growth compared",
        base=("with_month", "with a month"),
        options=("column", "cumulative"),
    ),
    ChartSpec(
        name="accounts_per_capita",
        collection=_A,
        summary="Relate accounts to a country's people.",
        keys=("country_alpha_2", "country_name"),
        title="Accounts per million people",
        base=("with_population", "with a known number of people in their country"),
        options=("per", "population", "top"),
        by_country=True,
    ),
)

#: The functions of `dirframe.stats`.
STATISTICS = {spec.name: spec for spec in _ALL if not spec.statistic}

#: The charts of `dirframe.plot`.
CHARTS = {spec.name: spec for spec in _ALL if spec.title}


def base_of(statistic: str) -> tuple[str, str]:
    """Return the base of a statistic; empty strings if there is no such statistic."""
    return STATISTICS[statistic].base if statistic in STATISTICS else ("", "")
