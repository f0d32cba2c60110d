"""Projects of a report one by one: a line each, and their months, contributors and repositories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pandas as pd

from dirframe import provenance, stats
from dirframe._display import percent, quantity
from dirframe.errors import InvalidInputError, MissingColumnsError
from dirframe.quality.rules import (
    RULE_TITLES,
    applicable,
    columns_of,
    matches,
    reference_day,
)
from dirframe.stats.licenses import family_entries, license_entries, spdx_id
from dirframe.stats.records import (
    CODE_LINES,
    CONTRIBUTORS,
    FETCHED,
    LANGUAGE,
    LAST_MONTH,
    LICENSES,
    NAME,
    read,
    require_records,
)

#: Projects up to which each has a line; of more, those with the most contributors.
MOST_LINES = 100
LARGEST = 25
_MONTHS = 12
_LINKS = ("html_url", "homepage_url")
#: Columns of the table of projects, and their titles.
_TITLES = {
    LANGUAGE: "Main language",
    CODE_LINES: "Lines of code",
    CONTRIBUTORS: "People in 12 months",
    LAST_MONTH: "Months since last activity",
    LICENSES: "Licence",
}


class Cell(NamedTuple):
    """A cell of a table: its text, and an address that it leads to."""

    text: str
    address: str = ""


@dataclass
class Table:
    """A table of texts: the titles of its columns, those of numbers, its rows, and a note."""

    caption: str
    heads: list[str]
    numeric: list[bool]
    rows: list[list[Cell]]
    note: str = ""
    kind: str = "table"


@dataclass(frozen=True)
class Portfolio:
    """Projects, and what was loaded of each besides: contributors, months, repositories."""

    projects: pd.DataFrame
    ids: list[str | None]
    names: list[str]
    contributors: dict[str, pd.DataFrame] = field(default_factory=dict)
    months: dict[str, pd.DataFrame] = field(default_factory=dict)
    repositories: dict[str, pd.DataFrame] = field(default_factory=dict)
    is_extended: bool = False

    def name_of(self, project_id: str) -> str:
        """Return the name of a project."""
        return self.names[self.ids.index(project_id)]


def portfolio_of(
    projects: pd.DataFrame,
    *,
    contributors: pd.DataFrame | None,
    activity: pd.DataFrame | None,
    repositories: pd.DataFrame | None,
) -> Portfolio:
    """Return projects with what was loaded of them; raise if that cannot be told apart by project."""
    columns = read(projects, [], optional=["id", NAME])
    ids: list[str | None] = [None] * len(projects)
    if "id" in columns:
        ids = [None if pd.isna(value) else str(value) for value in columns["id"]]
    names = [str(value) for value in ids]
    if NAME in columns:
        names = [
            str(project) if pd.isna(name) else str(name)
            for name, project in zip(columns[NAME], ids, strict=True)
        ]
    given = {"contributors": contributors, "activity": activity, "repositories": repositories}
    parts = {name: _by_project(name, frame, ids) for name, frame in given.items()}
    return Portfolio(
        projects,
        ids,
        names,
        contributors=parts["contributors"],
        months=parts["activity"],
        repositories=parts["repositories"],
        is_extended=any(frame is not None for frame in given.values()),
    )


def _by_project(
    argument: str, frame: pd.DataFrame | None, ids: list[str | None]
) -> dict[str, pd.DataFrame]:
    """Return the records of each of some projects, in their order."""
    if frame is None:
        return {}
    needed = {
        "contributors": ["contributor_id", "commits"],
        "activity": ["month", "commits", "contributors"],
        "repositories": ["url"],
    }
    frame = require_records(frame)
    read(frame, needed[argument])
    if "project_id" not in frame:
        if len(ids) == 1 and ids[0] is not None:
            return {ids[0]: frame}
        raise MissingColumnsError(
            f"{argument} has no column project_id, which says whose each record is.",
            columns=["project_id"],
            hint='Load it of all projects: dirframe.load("contributors", of=projects).',
        )
    owners = frame["project_id"].astype("str")
    parts = {project: frame[owners == project] for project in ids if project is not None}
    parts = {project: part for project, part in parts.items() if len(part)}
    if len(frame) and not parts:
        examples = ", ".join(owners.unique()[:3])
        raise InvalidInputError(
            f"{argument} has records of other projects ({examples}), and none of those reported."
        )
    return parts


# One line a project


def table_of_projects(portfolio: Portfolio) -> Table:
    """Return a line for each project, or for those with the most contributors of many."""
    projects = portfolio.projects
    columns = read(projects, [], optional=[*_TITLES, FETCHED, *_LINKS])
    day = reference_day(projects, columns[FETCHED]) if FETCHED in columns else None
    shown = list(range(len(projects)))
    caption = "The projects, one line each"
    if len(projects) > MOST_LINES and not portfolio.is_extended and CONTRIBUTORS in columns:
        largest = columns[CONTRIBUTORS].sort_values(ascending=False, kind="stable")
        shown = largest.head(LARGEST).index.tolist()
        caption = f"The {LARGEST} of {len(projects):,} projects with the most contributors in twelve months"
    columns = columns.iloc[shown]
    cells: dict[str, list[str]] = {}
    notes: list[str] = []
    if LANGUAGE in columns:
        cells[_TITLES[LANGUAGE]] = _texts(columns[LANGUAGE])
    for name in (CODE_LINES, CONTRIBUTORS):
        if name in columns:
            cells[_TITLES[name]] = _numbers(columns[name])
    if LAST_MONTH in columns and day is not None:
        cells[_TITLES[LAST_MONTH]] = _numbers(_months_between(columns[LAST_MONTH], day))
        notes.append(f"Months since the last activity are counted up to {day:%Y-%m}.")
    if LICENSES in columns:
        cells["Licence"] = _licenses(columns[LICENSES])
        cells["Family"] = _joined(family_entries(columns[LICENSES]), "license_family", len(shown))
    others = _extensions(portfolio) | {"Flags": _flags(projects)}
    cells |= {head: [texts[position] for position in shown] for head, texts in others.items()}
    absent = [title for name, title in _TITLES.items() if name not in columns]
    if absent:
        notes.append(
            f"Not shown, since these records lack the columns: {', '.join(map(str.lower, absent))}."
        )
    rows = []
    for line, position in enumerate(shown):
        project = Cell(portfolio.names[position], _link(columns, line))
        rows.append([project, *(Cell(texts[line]) for texts in cells.values())])
    heads = ["Project", *cells]
    numeric = [head in _NUMERIC for head in heads]
    notes.append(provenance.caption(projects))
    return Table(caption, heads, numeric, rows, " ".join(notes))


#: Titles of columns of numbers and days.
_NUMERIC = {
    *(_TITLES[name] for name in (CODE_LINES, CONTRIBUTORS, LAST_MONTH)),
    *("Bus factor", "Commits in 12 months", "Repositories", "Contributors", "Commits"),
    *("Months with commits", "First contributor's share"),
    *("First commits", "Last commits", "Up to", "Fetched"),  # days, which are aligned alike
}


def _texts(column: pd.Series[Any]) -> list[str]:
    return ["" if pd.isna(value) else str(value) for value in column]


def _numbers(column: pd.Series[Any]) -> list[str]:
    return ["" if pd.isna(value) else f"{int(value):,}" for value in column]


def _days(repositories: pd.DataFrame) -> list[str]:
    """Return the days on which repositories were fetched."""
    if "fetched_at" not in repositories:
        return [""] * len(repositories)
    return ["" if pd.isna(day) else f"{day:%Y-%m-%d}" for day in repositories["fetched_at"]]


def _months_between(months: pd.Series[Any], day: pd.Timestamp) -> pd.Series[Any]:
    """Return the months from each to a day; missing where it is later."""
    passed = (day.year - months.dt.year) * 12 + day.month - months.dt.month
    counted: pd.Series[Any] = passed.where(passed >= 0)
    return counted


def _joined(entries: pd.DataFrame, column: str, records: int) -> list[str]:
    """Return the texts of entries by record, separated by commas."""
    texts = (
        entries.dropna(subset=column)
        .groupby("record", observed=True)[column]
        .agg(lambda values: ", ".join(dict.fromkeys(map(str, values))))
    )
    return list(texts.reindex(range(records), fill_value=""))


def _licenses(lists: pd.Series[Any]) -> list[str]:
    """Return the licences of each record, by their SPDX ids where they have one."""
    entries = license_entries(lists)
    names = [
        spdx_id(code, title) or (code if pd.isna(title) else str(title))
        for code, title in zip(entries["license"], entries["title"], strict=True)
    ]
    return _joined(entries.assign(name=pd.Series(names, entries.index, "str")), "name", len(lists))


def _link(columns: pd.DataFrame, position: int) -> str:
    """Return the address of a project's page, or of its home page; empty if there is none."""
    for name in _LINKS:
        if name in columns:
            address = columns[name].iloc[position]
            if isinstance(address, str) and urlsplit(address).scheme in {"http", "https"}:
                return address
    return ""


def _flags(projects: pd.DataFrame) -> list[str]:
    """Return the rules in words that match each project."""
    rules = applicable(projects)
    columns = columns_of(projects, rules)
    flagged: list[list[str]] = [[] for _ in range(len(projects))]
    for rule in rules:
        for position in matches(columns, rule).nonzero()[0]:
            flagged[position].append(RULE_TITLES[rule])
    return ["; ".join(titles) for titles in flagged]


def _extensions(portfolio: Portfolio) -> dict[str, list[str]]:
    """Return the columns of what was loaded of each project besides; empty where nothing was."""
    cells: dict[str, list[str]] = {}
    if portfolio.contributors:
        factors = {key: _bus_factor(part) for key, part in portfolio.contributors.items()}
        cells["Bus factor"] = _by_id(portfolio, factors)
    if portfolio.months:
        commits = {key: _latest(part).commits for key, part in portfolio.months.items()}
        cells["Commits in 12 months"] = _by_id(portfolio, commits)
    if portfolio.repositories:
        counts = {key: len(part) for key, part in portfolio.repositories.items()}
        cells["Repositories"] = _by_id(portfolio, counts)
    return cells


def _by_id(portfolio: Portfolio, numbers: Mapping[str, int | None]) -> list[str]:
    found = [numbers.get(project) if project is not None else None for project in portfolio.ids]
    return ["" if number is None else f"{number:,}" for number in found]


# Contributors, months, repositories


def _bus_factor(contributors: pd.DataFrame) -> int | None:
    factor = stats.commit_concentration(contributors)["bus_factor"].iloc[0]
    return None if pd.isna(factor) else int(factor)


def table_of_contributors(portfolio: Portfolio) -> Table:
    """Return the bus factor of each project whose contributors were loaded."""
    rows = []
    for project, part in portfolio.contributors.items():
        commits = part["commits"]
        first = stats.commit_concentration(part)["top_1_share"].iloc[0]
        factor = _bus_factor(part)
        rows.append(
            [
                Cell(portfolio.name_of(project)),
                Cell(f"{len(part):,}"),
                Cell(f"{int(commits[commits >= 0].sum()):,}"),
                Cell("" if factor is None else f"{factor:,}"),
                Cell("" if pd.isna(first) else percent(first)),
            ]
        )
    heads = ["Project", "Contributors", "Commits", "Bus factor", "First contributor's share"]
    note = (
        "Bus factor: the fewest people who made half of the commits (stats.commit_concentration). "
        "A person with two names in the commits is two contributors."
    )
    note += _missing_note(portfolio, portfolio.contributors, "contributors")
    return Table("Bus factor", heads, [head in _NUMERIC for head in heads], rows, note)


class Latest(NamedTuple):
    """The last twelve finished months of a project."""

    commits: int
    months_with_commits: int
    until: pd.Timestamp | None


def _latest(months: pd.DataFrame) -> Latest:
    table = stats.monthly_activity(months)
    finished = table[table["finished"].fillna(True)].tail(_MONTHS)
    commits = finished["commits"].fillna(0)
    until = finished["month"].max() if len(finished) else None
    return Latest(int(commits.sum()), int((commits > 0).sum()), until)


def table_of_months(portfolio: Portfolio) -> Table:
    """Return the last twelve months of each project whose months were loaded."""
    rows = []
    for project, part in portfolio.months.items():
        table = stats.monthly_activity(part)
        active = table.loc[table["commits"] > 0, "month"]
        latest = _latest(part)
        rows.append(
            [
                Cell(portfolio.name_of(project)),
                Cell("" if active.empty else f"{active.min():%Y-%m}"),
                Cell("" if active.empty else f"{active.max():%Y-%m}"),
                Cell(f"{latest.commits:,}"),
                Cell(f"{latest.months_with_commits:,}"),
                Cell("" if latest.until is None else f"{latest.until:%Y-%m}"),
            ]
        )
    heads = [
        *("Project", "First commits", "Last commits", "Commits in 12 months"),
        *("Months with commits", "Up to"),
    ]
    note = (
        "The last twelve finished months that were loaded (stats.monthly_activity); zeros after the "
        "last analysis can mean that nothing was analysed."
    )
    note += _missing_note(portfolio, portfolio.months, "months")
    return Table("Months", heads, [head in _NUMERIC for head in heads], rows, note)


def busiest(portfolio: Portfolio, number: int) -> list[str]:
    """Return the projects with the most commits in twelve months, the most first."""
    commits = {project: _latest(part).commits for project, part in portfolio.months.items()}
    return sorted(commits, key=lambda project: -commits[project])[:number]


def table_of_repositories(portfolio: Portfolio) -> Table:
    """Return the repositories of each project whose list was loaded, with links."""
    rows = []
    for project, part in portfolio.repositories.items():
        columns = part.reindex(columns=["canonical_url", "url", "branch", "commits", "fetched_at"])
        addresses = _texts(columns["canonical_url"].fillna(columns["url"]))
        others = (_texts(columns["branch"]), _numbers(columns["commits"]), _days(part))
        for address, *values in zip(addresses, *others, strict=True):
            is_link = urlsplit(address).scheme in {"http", "https"}
            repository = Cell(address or "without an address", address if is_link else "")
            rows.append([Cell(portfolio.name_of(project)), repository, *map(Cell, values)])
    heads = ["Project", "Repository", "Branch or module", "Commits", "Fetched"]
    note = f"{quantity(len(rows), 'repository', 'repositories')}."
    note += _missing_note(portfolio, portfolio.repositories, "repositories")
    return Table("Repositories", heads, [head in _NUMERIC for head in heads], rows, note)


def _missing_note(portfolio: Portfolio, parts: Mapping[str, pd.DataFrame], what: str) -> str:
    """Name the projects of which nothing was loaded."""
    missing = [
        name
        for project, name in zip(portfolio.ids, portfolio.names, strict=True)
        if project not in parts
    ]
    if not missing:
        return ""
    named = ", ".join(missing[:10])
    more = f" and {quantity(len(missing) - 10, 'other')}" if len(missing) > 10 else ""
    return f" There are no {what} of {named}{more}."
