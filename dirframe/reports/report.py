"""Write a report: findings, charts, tables, method and citation of frames as one HTML page."""

from __future__ import annotations

import base64
import io
import platform
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

import matplotlib as mpl
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from matplotlib import pyplot as plt
from matplotlib.figure import Figure as MatplotlibFigure

from dirframe import __version__, plot, provenance, stats
from dirframe._display import cell_texts, is_number, label, quantity
from dirframe._files import atomic_write, check_writable, make_folder
from dirframe._printable import printable
from dirframe.charts import STATISTICS
from dirframe.citation import Source, cite
from dirframe.clean.countries import with_countries
from dirframe.errors import ColumnsNotSentError, InvalidInputError, MissingColumnsError
from dirframe.plot.caption import read_words
from dirframe.plot.figure import detach_words, reason_if_empty
from dirframe.quality.rules import DOUBTFUL
from dirframe.quality.summary import Reason, reasons_to_beware, summary
from dirframe.reports.findings import findings, listed
from dirframe.reports.portfolio import (
    Cell,
    Portfolio,
    Table,
    busiest,
    portfolio_of,
    table_of_contributors,
    table_of_months,
    table_of_projects,
    table_of_repositories,
)
from dirframe.schema import ACCOUNT, EXTENSIONS, PROJECT
from dirframe.stats.records import (
    CONTRIBUTORS,
    FETCHED,
    LANGUAGE,
    LAST_MONTH,
    require_records,
)

if TYPE_CHECKING:
    _File = Path
else:
    _File = type(Path())

#: The charts and statistics of each section of a collection.
_SECTIONS: dict[str, dict[str, list[Callable[..., Any]]]] = {
    "projects": {
        "Languages": [plot.language_share, stats.language_share, plot.languages_by_year],
        "Contributors": [
            plot.team_size_classes,
            stats.contributor_concentration,
            plot.contributors_by_language,
        ],
        "Age and activity": [plot.growth, plot.activity],
        "Licences": [plot.licenses],
    },
    "accounts": {
        "Countries": [plot.accounts_map, stats.accounts_by_country],
        "Participation": [plot.accounts_by_kudo_rank, plot.posts_distribution],
    },
}
#: Those that show the 15 most frequent.
_LONG = {"language_share", "contributors_by_language", "licenses", "accounts_by_country"}
#: Projects whose months are drawn.
_DRAWN = 6
#: The columns up to which a table stays one on a phone, and up to which it is as wide as the text.
_NARROW, _USUAL = 3, 6
#: Projects of an organization by their names alone, of which a report can say little.
_PORTFOLIO_PROJECT = EXTENSIONS["portfolio_project"]
#: What records of an argument are called.
_NOUNS = {"activity": "months"}
_PACKAGES = ("pandas", "numpy", "matplotlib", "pyarrow", "pycountry")


class Report(_File):
    """The path of a report, which a notebook shows as a link."""

    def _repr_html_(self) -> str:
        """Return a link to the page where the notebook can serve it, else its path."""
        name = escape(str(self))
        folder = Path.cwd().resolve()
        target = self.resolve()
        if not target.is_relative_to(folder):
            return f"<code>{name}</code>"
        address = quote(target.relative_to(folder).as_posix())
        return f'<a href="{address}" target="_blank" rel="noopener">{name}</a>'


def report(
    frames: pd.DataFrame | Mapping[str, pd.DataFrame] | Sequence[pd.DataFrame],
    path: str | Path,
    *,
    contributors: pd.DataFrame | None = None,
    activity: pd.DataFrame | None = None,
    repositories: pd.DataFrame | None = None,
    title: str | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a report on frames: findings, charts, tables, method and citation.

    Parameters
    ----------
    frames : pandas.DataFrame, or a mapping or sequence of them
        Projects, accounts or both, from the loaders, also after `dirframe.select` or
        `dirframe.exclude`. Use a mapping if a frame does not know what it holds:
        ``{"projects": frame}``. Up to 100 projects have a line each at the beginning: name with a
        link, main language, lines, people, months since the last activity, licence with its family,
        and the rules of `dirframe.flags` that match. If there are more, the 25 with the most
        contributors have a line.
    path : str or pathlib.Path
        The file, with the suffix ``.html``: one page that fetches nothing and runs no script;
        printed from a browser it is a PDF fit to hand in.
    contributors, activity, repositories : pandas.DataFrame, optional
        Further records of the projects: from `dirframe.load_contributors` (adds the bus factor of
        each), from ``load("activity_facts", of=projects)`` (the last twelve months of each, and the
        months of six in charts), and from `dirframe.load_repositories`. With one of them every
        project has a line.
    title : str, optional
        Default: the name of the directory and the collections of the frames.
    overwrite : bool, default False
        Whether an existing report may be replaced.

    Returns
    -------
    pathlib.Path
        The file, in a notebook shown as a link; the same frames give the same bytes. A chart or table
        whose columns a frame lacks is named in it, with the reason. Countries of accounts are unified
        first.

    Raises
    ------
    InvalidInputError
        If the frames or the suffix are invalid, or the file exists and `overwrite` is False.

    Examples
    --------
    >>> import tempfile
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     projects = dirframe.load_projects(max_items=25, directory=directory)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dirframe.report(projects, Path(folder) / "report.html").name
    'report.html'
    """
    if not isinstance(title, str | None):
        raise InvalidInputError(f"title is {title!r}; it must be text.")
    named = _by_collection(frames)
    target = Path(path)
    check_writable(target, overwrite=overwrite, suffixes=[".html"])
    extensions = {
        "contributors": contributors,
        "activity": activity,
        "repositories": repositories,
    }
    given = {name: frame for name, frame in extensions.items() if frame is not None}
    if given and "projects" not in named:
        raise InvalidInputError(
            f"{' and '.join(given)} belong to projects: pass the projects, too."
        )
    portfolio = portfolio_of(named["projects"], **extensions) if "projects" in named else None
    page = _render(named, portfolio, given, title)
    make_folder(target.parent)
    with atomic_write(target, overwrite=overwrite) as temporary:
        temporary.write_text(page, encoding="utf-8")
    return Report(target)


def check_columns_sent(projects: pd.DataFrame) -> None:
    """Raise if a directory did not send the columns that most parts of a report need."""
    error = provenance.absent(projects, [LANGUAGE, CONTRIBUTORS, LAST_MONTH, FETCHED])
    if error is not None:
        raise error


def _by_collection(
    frames: pd.DataFrame | Mapping[str, pd.DataFrame] | Sequence[pd.DataFrame],
) -> dict[str, pd.DataFrame]:
    """Return the frame of projects and that of accounts, or the one that is given."""
    if not isinstance(frames, Mapping | Sequence):
        frames = [frames]
    pairs = frames.items() if isinstance(frames, Mapping) else (("", frame) for frame in frames)
    found: list[tuple[str, pd.DataFrame]] = []
    for name, given in pairs:
        frame = require_records(given)
        resource = provenance.resource_of(frame)
        holds = resource.collection if resource else name or "unknown records"
        found.append((holds if name in {"", holds} else f"{holds}, named {name!r}", frame))
    named = {name: frame for name in _SECTIONS for holds, frame in found if holds == name}
    if not named or len(named) < len(found):
        hint = 'If it holds projects, name it: {"projects": frame}.'
        if any(provenance.resource_of(frame) is _PORTFOLIO_PROJECT for _, frame in found):
            hint = (
                "Load the projects of an organization by dirframe.load_projects(organization=...)."
            )
        raise InvalidInputError(
            "A report takes one frame of projects, one of accounts, or both; got "
            f"{' and '.join(f'one of {holds}' for holds, _ in found) or 'none'}.",
            hint=f"{hint} Compare two of the same with dirframe.compare.",
        )
    return named


def _render(
    frames: dict[str, pd.DataFrame],
    portfolio: Portfolio | None,
    extensions: Mapping[str, pd.DataFrame],
    title: str | None,
) -> str:
    frames = {name: with_countries(frame) for name, frame in frames.items()}
    lead = _sections_of_projects(portfolio) if portfolio is not None else {}
    sections: dict[str, list[Block]] = {}
    omitted: list[Omitted] = []
    for name, frame in frames.items():
        for heading, functions in _SECTIONS[name].items():
            blocks = [_show(function, frame) for function in functions]
            shown = [block for block in blocks if not isinstance(block, Omitted)]
            omitted += [block for block in blocks if isinstance(block, Omitted)]
            if shown:
                sections[heading] = shown
    for name, frame in frames.items():
        sections[f"Summary of the {name}"] = _summary(name, frame)
    parts = [_part(name, frame) for name, frame in frames.items()]
    others = [_part(name, frame) for name, frame in extensions.items()]
    resources = {"projects": PROJECT, "accounts": ACCOUNT}
    sentences = [
        sentence for name, frame in frames.items() for sentence in findings(frame, resources[name])
    ]
    sources = " and ".join(dict.fromkeys(part["source"] for part in parts if part["source"]))
    title = title or f"{sources or 'Report'}: {' and '.join(frames)}"
    environment = Environment(
        loader=PackageLoader("dirframe.reports", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    packages = [f"{package} {version(package)}" for package in _PACKAGES]
    return environment.get_template("report.html.j2").render(
        title=printable(" ".join(title.split())),
        parts=parts,
        extensions=others,
        warnings=_warnings([*parts, *others]),
        findings=sentences,
        lead=lead,
        sections=sections,
        omitted=omitted,
        figures=count(1),
        tables=count(1),
        next=next,
        quantity=quantity,
        narrow=_NARROW,
        usual=_USUAL,
        versions=[f"dirframe {__version__}", f"Python {platform.python_version()}", *packages],
    )


# Sections


@dataclass(frozen=True)
class Figure:
    """A chart in the width of a page and in that of a phone, with its caption and note."""

    wide: str
    narrow: str
    caption: str
    note: str
    kind: str = "figure"


@dataclass(frozen=True)
class Omitted:
    """A chart or table that is not shown, and why."""

    name: str
    reason: str
    hint: str = ""


Block: TypeAlias = Figure | Table


def _sections_of_projects(portfolio: Portfolio) -> dict[str, list[Block]]:
    """Return the sections that show projects one by one."""
    sections: dict[str, list[Block]] = {"Projects": [table_of_projects(portfolio)]}
    if portfolio.months:
        blocks: list[Block] = [table_of_months(portfolio)]
        for project in busiest(portfolio, _DRAWN):
            name = portfolio.name_of(project)
            drawn = _draw(
                plot.monthly_activity,
                portfolio.months[project],
                title=f"Months of {printable(name)}",
            )
            if isinstance(drawn, Figure):
                blocks.append(drawn)
        sections["Months"] = blocks
    if portfolio.contributors:
        sections["Bus factor"] = [table_of_contributors(portfolio)]
    if portfolio.repositories:
        sections["Repositories"] = [table_of_repositories(portfolio)]
    return sections


def _show(function: Callable[..., Any], frame: pd.DataFrame) -> Block | Omitted:
    """Return the chart or table of a frame with its caption and note, or why there is none."""
    options = {"top": 15} if function.__name__ in _LONG else {}
    if function.__module__.startswith("dirframe.plot"):
        return _draw(function, frame, **options)
    name = f"stats.{function.__name__}"
    try:
        table = function(frame, **options)
    except MissingColumnsError as error:
        return _omitted(name, error)
    note = provenance.caption(table)
    if not provenance.get_provenance(table)["base"]["records"]:
        return Omitted(name, f"{note}.")
    shown = _table(table, STATISTICS[function.__name__].title, f"{name}. {note}")
    return _turned(shown) if len(table) == 1 else shown


def _draw(function: Callable[..., Any], frame: pd.DataFrame, **options: Any) -> Figure | Omitted:
    """Return a chart of a frame in two widths, or why there is none."""
    name = f"plot.{function.__name__}"
    with plot.style(), warnings.catch_warnings(record=True) as caught:
        try:
            wide = function(frame, **options)
        except MissingColumnsError as error:
            return _omitted(name, error)
        if reason := reason_if_empty(wide):
            plt.close(wide.get_figure(root=True))
            return Omitted(name, f"{reason}.")
        narrow = function(frame, width="column", **options)
    caption, note = read_words(wide)
    detach_words(wide)
    detach_words(narrow)
    said = dict.fromkeys(str(warning.message) for warning in caught)
    return Figure(
        _svg(wide.get_figure(root=True)),
        _svg(narrow.get_figure(root=True)),
        caption,
        " ".join([f"{name}.", note, *said]).rstrip(),
    )


def _svg(figure: MatplotlibFigure) -> str:
    stream = io.StringIO()
    # The layout fills a figure, and measures it once, unless the aspect of the axes is fixed: a map.
    is_fixed = any(axes.get_aspect() != "auto" for axes in figure.axes)
    # Text as paths, since a reader may lack the fonts. The salt makes the ids reproducible.
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "dirframe"}):
        figure.savefig(
            stream,
            format="svg",
            bbox_inches="tight" if is_fixed else None,
            metadata={"Date": None, "Creator": None},
        )
    plt.close(figure)
    return f"data:image/svg+xml;base64,{base64.b64encode(stream.getvalue().encode()).decode()}"


def _omitted(name: str, error: MissingColumnsError) -> Omitted:
    """Return what is not shown since columns are missing; the advice is said once for all."""
    columns = ", ".join(error.columns)
    if isinstance(error, ColumnsNotSentError):
        reason = f"the directory did not send {columns}."
    else:
        reason = f"the frame has no column {columns}."
    return Omitted(name, reason, error.hint or "")


def _table(table: pd.DataFrame, caption: str, note: str) -> Table:
    """Return a table as texts."""
    texts = {str(name): cell_texts(table, str(name)) for name in table}
    heads = [label(name) for name in texts]
    numeric = [is_number(table[name].dtype) for name in table]
    rows = [[Cell(text) for text in row] for row in zip(*texts.values(), strict=True)]
    return Table(caption, heads, numeric, rows, note)


def _turned(table: Table) -> Table:
    """Return a table of one row with a row for each of its measures."""
    pairs = zip(table.heads, table.rows[0], strict=True)
    rows = [[Cell(head), cell] for head, cell in pairs]
    return Table(table.caption, ["Measure", "Value"], [False, True], rows, table.note)


def _summary(name: str, frame: pd.DataFrame) -> list[Block]:
    """Return the columns of a frame, and the reasons to beware of it, in words."""
    facts = summary(frame)
    reasons = [_in_words(reason) for reason in reasons_to_beware(frame)]
    table = facts.bias.assign(reason=pd.Series(reasons, dtype="str"))
    occurs = table["records"] > 0
    beware = _table(table[occurs], f"Reasons to beware of the {name}", facts.source)
    if none := list(table.loc[~occurs, "reason"]):
        beware.note = (
            f"Looked for, and found in none of the {name}: {'; '.join(none)}. {beware.note}"
        )
    return [_table(facts.fields, f"Columns of the {name}", facts.title), beware]


def _warnings(parts: Sequence[dict[str, Any]]) -> list[str]:
    """Return what to beware of, each once, with the frames that it is about."""
    names: dict[str, list[str]] = {}
    for part in parts:
        for words in part["warnings"]:
            names.setdefault(words, []).append(f"the {_NOUNS.get(part['name'], part['name'])}")
    sentences = [f"{listed(frames)} {words}." for words, frames in names.items()]
    return [sentence[0].upper() + sentence[1:] for sentence in sentences]


def _in_words(reason: Reason) -> str:
    return f"{reason.words} (in doubt)" if reason.rule in DOUBTFUL else reason.words


def _part(name: str, frame: pd.DataFrame) -> dict[str, Any]:
    """Return what a report says of a whole frame: where it is from and what to beware of."""
    record, difference = provenance.get_provenance(frame), provenance.difference(frame)
    note = provenance.completeness_note(record, with_reason=True)
    source = record["source"] or record["base_url"]
    warnings = []
    if not source:
        warnings.append("do not say where they are from: nobody can tell whether they are complete")
    if record["completeness"] == "incomplete":
        warnings.append(f"are {note}, and no fair sample")
    if record["synthetic"]:
        warnings.append("are synthetic: generated, not observed")
    if difference:
        warnings.append(f"are not those that were loaded: {difference}")
    query = [f"{key} {value}" for key, value in record["query"].items() if value not in (None, "")]
    steps = list(record["steps"])
    if difference:
        steps.append(f"others, which left {difference}")
    return {
        "name": name,
        "caption": provenance.caption(frame),
        "warnings": warnings,
        "record": record,
        "source": source,
        "query": ", ".join(query),
        "load": note or "proven complete",
        "steps": steps,
        "citations": [cite(frame), cite(frame, style="bibtex")] if source else [],
        "terms": Source(frame).terms() if source else "They cannot be cited: no source is known.",
    }
