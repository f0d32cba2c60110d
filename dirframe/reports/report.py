"""Write a report: findings, charts, tables, method and citation of frames as one HTML page."""

from __future__ import annotations

import base64
import io
import platform
import warnings
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from matplotlib import pyplot as plt

from dirframe import __version__, plot, provenance, stats
from dirframe._display import cell_texts, counted, is_number, unknown_suffix
from dirframe._files import atomic_write, check_writable, make_folder
from dirframe.charts import STATISTICS
from dirframe.citation import cite
from dirframe.clean import unify_countries
from dirframe.errors import ColumnsNotSentError, InvalidInputError, MissingColumnsError
from dirframe.plot import style
from dirframe.plot.canvas import detach_words, reason_if_empty
from dirframe.quality.summary import summary
from dirframe.reports.findings import findings
from dirframe.schema import ACCOUNT, PROJECT, RESOURCES, Resource

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    #: A statistic or chart, and its options.
    _Call = tuple[Callable[..., Any], dict[str, Any]]

#: The frames that `report` takes.
Frames = pd.DataFrame | Mapping[str, pd.DataFrame] | Sequence[pd.DataFrame]

_PACKAGES = ("pandas", "numpy", "matplotlib", "pyarrow", "pycountry")


class _Figure(NamedTuple):
    """A picture as a data address, its caption, and a note below."""

    source: str
    caption: str
    note: str
    kind: str = "figure"


class _Table(NamedTuple):
    """Headings, whether each column has numbers, rows of text, a caption and a note below."""

    headings: list[str]
    numbers: list[bool]
    rows: list[tuple[str, ...]]
    caption: str
    note: str
    kind: str = "table"


class _Omitted(NamedTuple):
    """Why something is not shown."""

    reason: str
    kind: str = "omitted"


def report(
    frames: Frames,
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
        `dirframe.select` or `dirframe.exclude`. A frame without provenance is reported on, and
        the report says so.
    path : str or pathlib.Path
        The file, with the suffix ``.html``. It is one page that fetches nothing and runs no
        script; printed from a browser it is a PDF fit to hand in.
    title : str, optional
        The report's title. Default: the name of the directory and the collections of the frames.
    overwrite : bool, default False
        Whether an existing report may be replaced.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InvalidInputError
        If the frames or the suffix are invalid, or the file exists and `overwrite` is False.

    Notes
    -----
    Countries of accounts are unified first, if that was not done before. A chart or table whose
    columns the frame lacks is named, with the reason. The same frames give the same bytes.

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
    by_collection = _by_collection(frames)
    target = Path(path)
    check_target(target, overwrite=overwrite)
    page = _render(by_collection, " ".join(title.split()) if title else _title(by_collection))
    make_folder(target.parent)
    with atomic_write(target, overwrite=overwrite) as temporary:
        temporary.write_text(page, encoding="utf-8")
    return target


def check_target(target: Path, *, overwrite: bool) -> None:
    """Check that `report` can write a file, before any data is loaded for it."""
    if target.suffix.lower() != ".html":
        raise InvalidInputError(unknown_suffix(target, target.suffix, [".html"]))
    check_writable(target, overwrite=overwrite)


# Which frame is which


def _by_collection(frames: Frames) -> dict[str, pd.DataFrame]:
    """Return the frame of projects and that of accounts, or the one that is given."""
    if isinstance(frames, pd.DataFrame):
        named: list[tuple[str | None, object]] = [(None, frames)]
    elif isinstance(frames, Mapping):
        named = list(frames.items())
    elif isinstance(frames, list | tuple):
        named = [(None, frame) for frame in frames]
    else:
        raise InvalidInputError(
            "A report takes a frame, or a list or mapping of frames; got a "
            f"{type(frames).__name__}."
        )
    found: dict[str, pd.DataFrame] = {}
    for name, frame in named:
        if not isinstance(frame, pd.DataFrame):
            raise InvalidInputError(
                f"A report takes frames of the loaders; got a {type(frame).__name__}."
            )
        collection = _resource(name, frame).collection
        if collection in found:
            raise InvalidInputError(
                f"A report takes one frame of {collection}; got two. Make a report of each, or "
                "compare them with dirframe.compare (dirframe compare)."
            )
        found[collection] = frame
    if not found:
        raise InvalidInputError("A report needs a frame of accounts or projects; got none.")
    return {name: found[name] for name in ("projects", "accounts") if name in found}


def _resource(name: str | None, frame: pd.DataFrame) -> Resource:
    names = {known: r for r in (PROJECT, ACCOUNT) for known in (r.name, r.collection)}
    if name is not None and name not in names:
        raise InvalidInputError(
            f"A frame is named {name!r}; a report knows {', '.join(sorted(names))}."
        )
    record = provenance.get_provenance(frame)
    if record["counted"]:
        raise InvalidInputError(
            "A report takes frames of the loaders; got the result of a statistic "
            f"({', '.join(record['steps'])})."
        )
    if not all(isinstance(column, str) for column in frame) or not frame.columns.is_unique:
        raise InvalidInputError("The columns of a report's frame need different names, as text.")
    recorded = provenance.resource_of(frame)
    if recorded is not None and recorded.name not in RESOURCES:
        raise InvalidInputError(
            f"A report takes accounts and projects; the frame holds {recorded.name!r} "
            "records. Leave it out, and export it beside the report."
        )
    resource = names[name] if name is not None else recorded
    if resource is None:
        raise InvalidInputError(
            "The frame says neither in its provenance nor in its columns whether it holds "
            'accounts or projects. Name it: {"projects": frame} (--collection projects).'
        )
    if recorded is not None and recorded is not resource:
        raise InvalidInputError(f"The frame named {name!r} holds {recorded.collection}.")
    return resource


def _title(frames: Mapping[str, pd.DataFrame]) -> str:
    sources = [provenance.get_provenance(frame)["source"] for frame in frames.values()]
    named = " and ".join(dict.fromkeys(source for source in sources if source))
    return f"{named}: {' and '.join(frames)}" if named else f"Report on {' and '.join(frames)}"


# The page


def _render(frames: dict[str, pd.DataFrame], title: str) -> str:
    countries = frames.get("accounts")
    if countries is not None and "country_code" in countries and "country_name" not in countries:
        frames["accounts"] = unify_countries(countries)
    sections = [
        (heading, [_show(function, frame, options) for function, options in calls])
        for name, frame in frames.items()
        for heading, calls in _sections(name)
    ]
    sections += [(f"Summary of the {name}", _overview(name, frames[name])) for name in frames]
    resources = {"projects": PROJECT, "accounts": ACCOUNT}
    environment = Environment(
        loader=PackageLoader("dirframe.reports", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        title="".join(sign if sign.isprintable() else " " for sign in title),
        captions=[provenance.caption(frame) for frame in frames.values()],
        warnings=[text for name, frame in frames.items() for text in _warnings(name, frame)],
        findings=[f for name in frames for f in findings(frames[name], resources[name])],
        sections=sections,
        methods={name: list(_method(name, frame)) for name, frame in frames.items()},
        versions=", ".join(
            [
                f"dirframe {__version__}",
                f"Python {platform.python_version()}",
                *(f"{package} {version(package)}" for package in _PACKAGES),
            ]
        ),
        citations={name: _citation(frame) for name, frame in frames.items()},
        provenances={name: _provenance(frame) for name, frame in frames.items()},
    )


def _sections(name: str) -> tuple[tuple[str, tuple[_Call, ...]], ...]:
    """Return the headings of a collection, and what is shown below each."""
    top = {"top": 15}
    if name == "accounts":
        return (
            ("Countries", ((plot.accounts_map, {}), (stats.accounts_by_country, top))),
            ("Participation", ((plot.accounts_by_kudo_rank, {}), (plot.posts_distribution, {}))),
        )
    return (
        (
            "Languages",
            (
                (plot.language_share, top),
                (stats.language_share, top),
                (plot.languages_by_year, {}),
            ),
        ),
        (
            "Contributors",
            (
                (plot.team_size_classes, {}),
                (stats.contributor_concentration, {}),
                (plot.contributors_by_language, top),
            ),
        ),
        ("Age and activity", ((plot.growth, {}), (plot.activity, {}))),
        ("Licences", ((plot.licenses, top),)),
    )


def _show(
    function: Callable[..., Any], frame: pd.DataFrame, options: dict[str, Any]
) -> _Figure | _Table | _Omitted:
    """Return the chart or table of a frame, or why there is none."""
    name = f"{function.__module__.split('.')[1]}.{function.__name__}"
    try:
        with style(), warnings.catch_warnings(record=True) as caught:
            result = function(frame, **options)
    except (ColumnsNotSentError, MissingColumnsError) as error:
        return _Omitted(f"{name} is not shown: {error}")
    said = " ".join(f"{warning.message}" for warning in caught)
    if isinstance(result, pd.DataFrame):
        record, source = provenance.get_provenance(result), provenance.caption(result)
        if not record["base"]["records"]:
            return _Omitted(f"{name} is not shown: {source}.")
        spec = STATISTICS[function.__name__]
        return _table(result, spec.title, f"{name}. {source} {said}".rstrip())
    figure = result.get_figure(root=True)
    if reason := reason_if_empty(result):
        plt.close(figure)
        return _Omitted(f"{name} is not shown: {reason}.")
    caption, note = detach_words(result)
    return _Figure(_svg(figure), caption, " ".join(filter(None, [f"{name}.", note, said])))


def _svg(figure: Figure) -> str:
    stream = io.StringIO()
    # Text as paths, since a reader may lack the fonts. The salt makes the ids reproducible.
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "dirframe"}):
        figure.savefig(
            stream, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None}
        )
    plt.close(figure)
    return f"data:image/svg+xml;base64,{base64.b64encode(stream.getvalue().encode()).decode()}"


def _table(table: pd.DataFrame, caption: str, note: str) -> _Table:
    columns = [cell_texts(table[name], str(name)) for name in table]
    return _Table(
        [str(name).replace("_", " ") for name in table],
        [is_number(dtype) for dtype in table.dtypes],
        list(zip(*columns, strict=True)),
        caption,
        note,
    )


def _overview(name: str, frame: pd.DataFrame) -> list[_Figure | _Table | _Omitted]:
    overview = summary(frame)
    return [
        _table(overview.fields, f"Columns of the {name}", overview.title),
        _table(overview.bias, f"Reasons to beware of the {name}", overview.source),
    ]


# What the provenance says


def _warnings(name: str, frame: pd.DataFrame) -> Iterator[str]:
    """Yield the reasons to beware of a whole frame."""
    record = provenance.get_provenance(frame)
    if not (record["source"] or record["base_url"]):
        yield (
            f"The frame of {name} does not say where it is from: nobody can tell whether it is "
            "complete."
        )
    if record["complete"] is False:
        loaded, available = record["items_loaded"], record["items_available"]
        numbers = (
            f": {loaded:,} of {available:,} {'was' if loaded == 1 else 'were'} loaded"
            if loaded is not None and available is not None
            else ""
        )
        reason = f" ({record['incomplete_reason']})" if record["incomplete_reason"] else ""
        yield f"The {name} are incomplete{numbers}{reason}. What was loaded is no fair sample."
    if record["synthetic"]:
        yield f"The {name} are synthetic: generated, not observed."
    difference = provenance.difference(frame)
    if difference is not None:
        yield f"The {name} are not those that were loaded: {difference}."
    if frame.empty:
        yield f"There are no {name} in the frame."


def _method(name: str, frame: pd.DataFrame) -> Iterator[str]:
    """Yield how a frame was loaded and what was done with it since."""
    record = provenance.get_provenance(frame)
    if not (record["source"] or record["base_url"]):
        yield "Not recorded: how these records were requested."
        return
    parameters = ", ".join(f"{k} {v}" for k, v in record["query"].items() if v not in {None, ""})
    yield f"Requested from {record['source'] or record['base_url']}: {parameters or 'all records'}."
    yield (
        f"{counted(record['requests_made'], 'request')} to the directory, "
        f"{counted(record['requests_cached'], 'page')} from the cache; "
        f"{counted(record['duplicates_removed'], 'duplicate record')} removed."
    )
    note = provenance.completeness_note(record)
    yield f"The load: {note or 'proven complete'}."
    if record["steps"]:
        yield f"Steps since, in this order: {', '.join(record['steps'])}."
    difference = provenance.difference(frame)
    if difference is not None:
        yield f"The records have changed since the load: {difference}."
    elif not record["steps"]:
        yield f"The {name} are those that were loaded."


def _citation(frame: pd.DataFrame) -> tuple[str, str] | None:
    """Return the citation as text and as BibTeX; None if the source is not known."""
    try:
        return cite(frame), cite(frame, style="bibtex")
    except InvalidInputError:
        return None


def _provenance(frame: pd.DataFrame) -> list[tuple[str, str]]:
    record = provenance.get_provenance(frame)
    return [(name, _plain(value)) for name, value in record.items()]


def _plain(value: object) -> str:
    if value is None or value in ("", [], {}):
        return "–"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {v}" for name, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
