"""Write a report: findings, charts, tables, method and citation of frames as one HTML page."""

from __future__ import annotations

import base64
import io
import platform
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from dirframe import __version__, plot, provenance, stats
from dirframe._display import html_table, percent, quantity
from dirframe._files import atomic_write, check_writable, make_folder
from dirframe._printable import printable
from dirframe.charts import STATISTICS
from dirframe.citation import Source, cite
from dirframe.clean.countries import with_countries
from dirframe.errors import ColumnsNotSentError, InvalidInputError, MissingColumnsError
from dirframe.plot.caption import read_words
from dirframe.plot.figure import detach_words, reason_if_empty
from dirframe.quality.summary import summary
from dirframe.schema import ACCOUNT, PROJECT, Resource
from dirframe.stats.distributions import at_most
from dirframe.stats.intervals import CONFIDENCE, wilson
from dirframe.stats.records import require_records

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
#: What is said of figures of a random sample without an interval.
_OF_SAMPLE = "a figure of the sample, without an interval for the directory"
#: Those that show the 15 most frequent.
_LONG = {"language_share", "contributors_by_language", "licenses", "accounts_by_country"}
_NAMED = 3  # of the most frequent
_FEW = 10  # with fewer projects, "the 10% with the most contributors" would be less than one
_PACKAGES = ("pandas", "numpy", "matplotlib", "pyarrow", "pycountry")


def report(
    frames: pd.DataFrame | Mapping[str, pd.DataFrame] | Sequence[pd.DataFrame],
    path: str | Path,
    *,
    title: str | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a report on frames: findings, charts, tables, method and citation.

    Parameters
    ----------
    frames : pandas.DataFrame, or a mapping or sequence of them
        Projects, accounts or both, as the loaders give them, or what is left of them after
        `dirframe.select` or `dirframe.exclude`. A mapping names a frame that does not say what it
        holds: ``{"projects": frame}``.
    path : str or pathlib.Path
        The file, with the suffix ``.html``: one page that fetches nothing and runs no script;
        printed from a browser it is a PDF fit to hand in.
    title : str, optional
        Default: the name of the directory and the collections of the frames.
    overwrite : bool, default False
        Whether an existing report may be replaced.

    Returns
    -------
    pathlib.Path
        The file; the same frames give the same bytes. A chart or table whose columns a frame lacks
        is named in it, with the reason. Countries of accounts are unified first.

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
    page = _render(named, title)
    make_folder(target.parent)
    with atomic_write(target, overwrite=overwrite) as temporary:
        temporary.write_text(page, encoding="utf-8")
    return target


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
        holds = resource.collection if resource else name or "what its columns do not tell"
        found.append((holds if name in {"", holds} else f"{holds}, named {name!r}", frame))
    named = {name: frame for name in _SECTIONS for holds, frame in found if holds == name}
    if not named or len(named) < len(found):
        raise InvalidInputError(
            "A report takes one frame of projects, one of accounts, or both; got "
            f"{' and '.join(f'one of {holds}' for holds, _ in found) or 'none'}.",
            hint='Name it, if it holds them: {"projects": frame}. Compare two of the same with '
            "dirframe.compare.",
        )
    return named


def _render(frames: dict[str, pd.DataFrame], title: str | None) -> str:
    frames = {name: with_countries(frame) for name, frame in frames.items()}
    sections = {
        heading: [_show(function, frame) for function in functions]
        for name, frame in frames.items()
        for heading, functions in _SECTIONS[name].items()
    }
    for name, frame in frames.items():
        facts = summary(frame)
        sections[f"Summary of the {name}"] = [
            {"caption": f"Columns of the {name}", "table": facts.fields, "note": facts.title},
            {
                "caption": f"Reasons to beware of the {name}",
                "table": facts.bias,
                "note": facts.source,
            },
        ]
    parts = [_part(name, frame) for name, frame in frames.items()]
    sources = " and ".join(dict.fromkeys(part["source"] for part in parts if part["source"]))
    title = title or f"{sources or 'Report'}: {' and '.join(frames)}"
    loader = PackageLoader("dirframe.reports", "")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    packages = [f"{package} {version(package)}" for package in _PACKAGES]
    return environment.get_template("report.html.j2").render(
        title=printable(" ".join(title.split())),
        parts=parts,
        sections=sections,
        figures=count(1),
        tables=count(1),
        next=next,
        quantity=quantity,
        table=lambda frame, caption: Markup(html_table(frame, caption)),  # noqa: S704  # escaped
        versions=[f"dirframe {__version__}", f"Python {platform.python_version()}", *packages],
    )


def _show(function: Callable[..., Any], frame: pd.DataFrame) -> dict[str, Any]:
    """Return the chart or table of a frame with its caption and note, or why there is none."""
    options = {"top": 15} if function.__name__ in _LONG else {}
    name = f"{function.__module__.split('.')[1]}.{function.__name__}"
    try:
        with plot.style(), warnings.catch_warnings(record=True) as caught:
            result = function(frame, **options)
    except (ColumnsNotSentError, MissingColumnsError) as error:
        return {"omitted": f"{name} is not shown: {error}"}
    said = [str(warning.message) for warning in caught]
    if isinstance(result, pd.DataFrame):
        note, caption = provenance.caption(result), STATISTICS[function.__name__].title
        shown: dict[str, Any] = {"table": result}
        reason = "" if provenance.get_provenance(result)["base"]["records"] else note
    else:
        reason = reason_if_empty(result)
        caption, note = read_words(result)
        detach_words(result)
        shown = {"picture": _svg(result.get_figure(root=True))}
    if reason:
        return {"omitted": f"{name} is not shown: {reason}."}
    return shown | {"caption": caption, "note": " ".join([f"{name}.", note, *said]).rstrip()}


def _svg(figure: Figure) -> str:
    stream = io.StringIO()
    # Text as paths, since a reader may lack the fonts. The salt makes the ids reproducible.
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "dirframe"}):
        figure.savefig(
            stream, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None}
        )
    plt.close(figure)
    return f"data:image/svg+xml;base64,{base64.b64encode(stream.getvalue().encode()).decode()}"


def _part(name: str, frame: pd.DataFrame) -> dict[str, Any]:
    """Return what a report says of a whole frame, also where it is from and what to beware of."""
    record, difference = provenance.get_provenance(frame), provenance.difference(frame)
    note = provenance.completeness_note(record, with_reason=True)
    source = record["source"] or record["base_url"]
    warnings = {
        "do not say where they are from: nobody can tell whether they are complete": not source,
        f"are {note}, and no fair sample": record["completeness"] == "incomplete",
        "are synthetic: generated, not observed": record["synthetic"],
        f"are not those that were loaded: {difference}": difference,
    }
    return {
        "name": name,
        "caption": provenance.caption(frame),
        "warnings": [f"The {name} {words}." for words, holds in warnings.items() if holds],
        "findings": _findings(frame, PROJECT if name == "projects" else ACCOUNT),
        "record": record,
        "source": source,
        "query": ", ".join(f"{k} {v}" for k, v in record["query"].items() if v not in (None, "")),
        "load": note or "proven complete",
        "steps": record["steps"] + [f"others, which left {difference}"] * bool(difference),
        "citations": [cite(frame), cite(frame, style="bibtex")] if source else [],
        "terms": Source(frame).terms() if source else "They cannot be cited: no source is known.",
    }


# Findings


def _findings(frame: pd.DataFrame, resource: Resource) -> list[str]:
    """State the findings of projects or accounts in sentences, read from their statistics.

    Statistics whose columns the frame lacks are named at the end.
    """
    if frame.empty:
        return [f"There are no {resource.words[1]}."]
    sentences: list[str] = []
    omitted: list[str] = []
    for name, describe in _SENTENCES.items():
        if STATISTICS[name].collection != resource.collection:
            continue
        try:
            table = getattr(stats, name)(frame)
        except (MissingColumnsError, ColumnsNotSentError):
            omitted.append(f"stats.{name}")
            continue
        record = provenance.get_provenance(table)
        records, which = record["base"]["records"], record["base"]["which"]
        total = record["counted"][resource.collection]
        of_total = f" (of {total:,})" if total != records else ""
        if not records:
            sentences.append(f"There are no {resource.words[1]} {which} (of {total:,}).")
        elif found := describe(table):
            base = f"Of {quantity(records, *resource.words)} {which}{of_total}"
            is_estimate = not record["sample"] or "confidence" in record["interval"]
            of_sample = "" if is_estimate else f" ({_OF_SAMPLE})"
            sentences.append(f"{base}, {found}{of_sample}.")
    if omitted:
        sentences.append(f"Not computed, since columns are missing: {', '.join(omitted)}.")
    return list(dict.fromkeys(sentences))


def _most_frequent(name: str, table: pd.DataFrame) -> str:
    """Name the rows with the most records, unless one that is left out has as many."""
    records = "projects" if "projects" in table else "accounts"
    rows = table[table[name].notna() & (table[records] > 0)]
    rows = rows.sort_values(records, ascending=False, kind="stable")
    left_out = rows[records].iloc[_NAMED] if len(rows) > _NAMED else 0
    named = rows[rows[records] > left_out].head(_NAMED)
    parts = [
        f"{row[name]} ({row[records]:,}, {percent(row['share'])}{_interval(table, row)})"
        for row in named.to_dict("records")
    ]
    return f"the most frequent: {', '.join(parts)}" if parts else ""


def _interval(table: pd.DataFrame, row: Mapping[Any, Any]) -> str:
    """Return the interval of the share in a row, of a random sample; else nothing."""
    confidence = provenance.get_provenance(table)["interval"].get("confidence")
    if confidence is None:
        return ""
    ends = f"{percent(row['low'])} to {percent(row['high'])}"
    return f", {confidence * 100:g}% interval {ends}"


def _distribution(name: str, table: pd.DataFrame) -> str:
    numbers, records = table[name], table.iloc[:, 1]
    none = int(records[numbers == 0].sum())
    interval = ""
    drawn = provenance.drawn_sample(table)
    if isinstance(drawn, provenance.Drawn):  # also where no record has none
        low, high = wilson(none, int(records.sum()), drawn, CONFIDENCE)
        interval = _interval(table, {"low": low, "high": high})
    return (
        f"{percent(none / records.sum())} ({none:,}{interval}) have none; half have at most "
        f"{at_most(table, 0.5):,}, 90% at most {at_most(table, 0.9):,}, and the most is "
        f"{quantity(int(numbers.max()), name.removesuffix('s'))}"
    )


def _concentration(table: pd.DataFrame) -> str:
    values = table.iloc[0]
    if provenance.get_provenance(table)["base"]["records"] < _FEW or pd.isna(values["gini"]):
        return ""
    return (
        f"the 10% with the most contributors have {percent(values['top_10_percent_share'])} of all "
        f"contributors; the Gini coefficient is {values['gini']:.2f}"
    )


def _activity(table: pd.DataFrame) -> str:
    states = table.set_index("activity")
    active, dormant = (
        f"{percent(states['share'][state])} ({states['projects'][state]:,}"
        f"{_interval(table, states.loc[state].to_dict())})"
        for state in ("active", "dormant")
    )
    return f"{active} are active and {dormant} dormant, as of {table['as_of'].iloc[0]:%Y-%m}"


#: What makes a sentence of the table of a statistic.
_SENTENCES: dict[str, Callable[[pd.DataFrame], str]] = {
    "language_share": partial(_most_frequent, "language"),
    "contributor_distribution": partial(_distribution, "contributors"),
    "contributor_concentration": _concentration,
    "activity": _activity,
    "licenses": partial(_most_frequent, "title"),
    "accounts_by_country": partial(_most_frequent, "country_name"),
    "accounts_by_kudo_rank": partial(_most_frequent, "kudo_rank"),
    "posts_distribution": partial(_distribution, "posts"),
}
