"""Commands that work on records: statistics, charts, countries, files, reports, citations."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dirframe.charts import CHARTS, STATISTICS
from dirframe.cli.frames import (
    Output,
    check_target,
    file_argument,
    note,
    output,
    overwrite_option,
    read_records,
    write_file,
)
from dirframe.cli.options import (
    collection_option,
    parameters_option,
    records_options,
    tried_options,
    with_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

_by_options = with_options(
    parameters_option,
    click.option(
        "--by",
        metavar="COLUMN",
        help="Divide by a column, or by language, country, year or team_size.",
    ),
    click.option(
        "--min-records",
        metavar="N",
        type=click.IntRange(1),
        help="Combine groups of --by with fewer records.",
    ),
    collection_option,
    records_options,
    tried_options,
)


def _name_argument(names: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Return the argument that names a statistic or chart, and the option that lists all."""

    def check(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
        from dirframe._display import did_you_mean

        known = name.replace("-", "_")
        if known not in names:
            raise click.UsageError(f"There is no {name!r}.{did_you_mean(known, names)} (--list)")
        return known

    def show(context: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted:
            click.echo("\n".join(sorted(names)))
            context.exit()

    return with_options(
        click.argument(
            "name",
            metavar="NAME",
            callback=check,
            shell_complete=lambda _c, _p, typed: [n for n in names if n.startswith(typed)],
        ),
        file_argument,
        click.option(
            "--list",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=show,
            help="List the names, one a line.",
        ),
    )


def _check_parameters(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Refuse an option that the function does not take, before anything is loaded."""
    parameters = inspect.signature(function).parameters.values()
    known = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "ax"]
    if any(p.kind is p.VAR_KEYWORD for p in parameters):  # a chart
        from dirframe.plot.canvas import Look

        known += Look.__annotations__
    from dirframe._display import did_you_mean

    for name in given:
        if name not in known:
            raise click.UsageError(
                f"{function.__name__} takes no -p {name}; it takes "
                f"{', '.join(known) or 'none'}.{did_you_mean(name, known)}"
            )


def _records(
    name: str, by: str | None, file: str | None, collection: str | None, question: dict[str, Any]
) -> pd.DataFrame:
    """Read or load what a statistic or chart is about; unify the countries of accounts."""
    frame = read_records(file, (CHARTS | STATISTICS)[name].collection or collection, **question)
    is_by_country = by == "country" or name in {"accounts_by_country", "accounts_map"}
    if is_by_country and "country_code" in frame and "country_name" not in frame:
        from dirframe import unify_countries

        note("The countries are unified first, as by dirframe clean.")
        frame = unify_countries(frame)
    return frame


@click.command()
@_name_argument(STATISTICS)
@_by_options
@output
def stats(
    *,
    name: str,
    file: str | None,
    parameters: dict[str, Any],
    by: str | None,
    min_records: int | None,
    collection: str | None,
    out: Output,
    **question: Any,
) -> None:
    """Compute a statistic of accounts, projects or one project.

    NAME is one of --list; `python -m pydoc dirframe.stats` describes each. Reads FILE, standard
    input (-), or the directory.

    \b
    Examples:
      dirframe stats language_share projects.parquet
      dirframe stats tags projects.parquet -p top=10 --exclude duplicate_id
      dirframe stats licenses --sample --by language
      dirframe stats --list
    """
    from dirframe import stats as functions

    function = getattr(functions, name)
    _check_parameters(function, parameters)
    frame = _records(name, by, file, collection, question)
    if by is None:
        out.write(function(frame, **parameters))
    else:
        out.write(functions.by(function, frame, by, min_records=min_records or 1, **parameters))


@click.command()
@_name_argument(CHARTS)
@click.option(
    "-o",
    "--output",
    "path",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A .png, .svg or .pdf.  [default: NAME.png]",
)
@overwrite_option
@click.option(
    "--dpi",
    metavar="N",
    type=click.IntRange(30, 1200),
    default=150,
    show_default=True,
    help="Dots per inch of a .png.",
)
@_by_options
def plot(
    *,
    name: str,
    file: str | None,
    path: Path | None,
    overwrite: bool,
    dpi: int,
    parameters: dict[str, Any],
    by: str | None,
    min_records: int | None,
    collection: str | None,
    **question: Any,
) -> None:
    """Draw a chart of accounts, projects or one project.

    NAME is one of --list; `python -m pydoc dirframe.plot` describes each. Reads FILE, standard
    input (-), or the directory.

    \b
    Examples:
      dirframe plot language_share projects.parquet -o languages.png
      dirframe plot tags --sample -p top=10 -p title="Our tags" -o tags.svg
      dirframe plot --list
    """
    import matplotlib as mpl

    from dirframe._files import atomic_write, make_folder

    target = path or Path(f"{name}.png")
    _check_picture(target, overwrite)
    mpl.use("Agg")  # no window, whatever the user's settings are
    from dirframe import plot as functions

    function = getattr(functions, name)
    _check_parameters(function, parameters)
    frame = _records(name, by, file, collection, question)
    if by is None:
        figure = function(frame, **parameters).get_figure(root=True)
    else:
        figure = functions.panels(function, frame, by, min_records=min_records or 1, **parameters)
    make_folder(target.parent)
    # Text in an SVG stays text, which can be searched and edited.
    with (
        atomic_write(target, overwrite=overwrite) as part,
        mpl.rc_context({"svg.fonttype": "none"}),
    ):
        figure.savefig(part, dpi=dpi, format=target.suffix[1:].lower())
    click.echo(f"Wrote {target}", err=True)


def _check_picture(path: Path, overwrite: bool) -> None:
    from dirframe._display import unknown_suffix
    from dirframe._files import check_writable
    from dirframe.errors import InvalidInputError

    suffixes = (".png", ".svg", ".pdf")
    if path.suffix.lower() not in suffixes:
        raise InvalidInputError(unknown_suffix(path, path.suffix, suffixes))
    check_writable(path, overwrite=overwrite)


@click.command()
@file_argument
@click.option(
    "--audit",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the audit: the result for every value, and the reason.",
)
@click.option(
    "--overrides",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="Corrections: an edited audit.",
)
@click.option(
    "--column", default="country_code", show_default=True, help="Column with the raw values."
)
@click.option("--strict", is_flag=True, help="Fail if a value cannot be resolved.")
@output
@records_options
def clean(
    *,
    file: str | None,
    audit: Path | None,
    overrides: str | None,
    column: str,
    strict: bool,
    out: Output,
    **question: Any,
) -> None:
    """Add country codes and names to accounts.

    The raw value is kept. Reads FILE, standard input (-), or the accounts of the directory.

    \b
    Examples:
      dirframe clean accounts.csv -o clean.csv --audit audit.csv
      dirframe clean accounts.parquet --overrides audit.csv -o clean.parquet
      dirframe accounts | dirframe clean - | dirframe stats accounts_by_country -
    """
    from dirframe import country_audit, country_note, unify_countries

    check_target(audit, overwrite=out.overwrite)
    if audit is not None and out.path is not None and audit.resolve() == out.path.resolve():
        raise click.UsageError(f"--audit and -o both name {audit}: one would replace the other.")
    answers = None if overrides is None else _answers(overrides)
    frame = read_records(file, "accounts", **question)
    cleaned = unify_countries(
        frame, column=column, errors="raise" if strict else "coerce", overrides=answers
    )
    if audit is not None:
        table = country_audit(frame, column=column, overrides=answers)
        write_file(table, audit, out.overwrite)
    out.write(cleaned)
    note(country_note(cleaned))


def _answers(file: str) -> pd.DataFrame:
    from dirframe.io.read import read_content

    frame = read_content(Path(file).read_bytes(), file, {})
    # Missing columns are reported by unify_countries.
    return frame.astype({name: "str" for name in ("raw", "country_alpha_2") if name in frame})


@click.command()
@file_argument
@collection_option
@records_options
@click.option(
    "--format", "fmt", type=click.Choice(["text", "json"]), default="text", show_default=True
)
def summary(file: str | None, collection: str | None, fmt: str, **question: Any) -> None:
    """Show what columns hold and miss, and each bias.

    Reads FILE, standard input (-), or the --collection of the directory.

    \b
    Examples:
      dirframe summary projects.parquet
      dirframe summary --collection accounts --sample
    """
    from io import StringIO

    from dirframe.io.writers import write_json
    from dirframe.quality.summary import summary as describe

    overview = describe(read_records(file, collection, **question))
    if fmt == "text":
        click.echo(overview)
        return
    facts: dict[str, Any] = {"title": overview.title, "source": overview.source}
    for name, table in {"fields": overview.fields, "bias": overview.bias}.items():
        write_json(table, stream := StringIO())
        facts[name] = json.loads(stream.getvalue())
    click.echo(json.dumps(facts, ensure_ascii=False))


@click.command()
@click.argument("files", metavar="[FILES]...", nargs=-1, type=click.Path())
@click.option(
    "-o",
    "--output",
    "path",
    metavar="FILE.html",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="The page to write.",
)
@overwrite_option
@click.option("--title", metavar="TEXT", help="Title of the report.")
@collection_option
@records_options
def report(
    *,
    files: tuple[str, ...],
    path: Path,
    overwrite: bool,
    title: str | None,
    collection: str | None,
    **question: Any,
) -> None:
    """Write a report as one page.

    It has findings, charts, tables, biases, method and citation.

    Takes FILES of accounts and projects, or asks the directory for --collection, both kinds if
    that is left out.

    \b
    Examples:
      dirframe report projects.parquet accounts.parquet -o report.html
      dirframe report --sample --collection accounts -o accounts.html
    """
    from dirframe.reports.report import check_target as check
    from dirframe.reports.report import report as write

    check(path, overwrite=overwrite)
    if files:
        frames = [read_records(file, None, **question) for file in files]
    else:
        collections = [collection] if collection else ["projects", "accounts"]
        frames = [read_records(None, name, **question) for name in collections]
    click.echo(f"Wrote {write(frames, path, title=title, overwrite=overwrite)}", err=True)


@click.command()
@click.argument("files", metavar="[FILES]... TARGET", nargs=-1, required=True, type=click.Path())
@overwrite_option
@click.option("--title", metavar="TEXT", help="Title of a study (.zip).")
@click.option(
    "--author",
    "authors",
    metavar="NAME",
    multiple=True,
    help='Author of a study: "Family, Given", or an organization. May be repeated.',
)
@click.option("--license", metavar="SPDX", help="Licence of a study, such as CC-BY-4.0.")
@click.option(
    "--personal", is_flag=True, help="Keep in a study what tells who a person is, and its pages."
)
@click.option(
    "--archive",
    metavar="ARCHIVE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Add an archive to a study; needs --personal.",
)
@collection_option
@records_options
def export(
    *,
    files: tuple[str, ...],
    overwrite: bool,
    title: str | None,
    authors: tuple[str, ...],
    license: str | None,  # the option's name
    personal: bool,
    archive: Path | None,
    collection: str | None,
    **question: Any,
) -> None:
    """Convert records to another file format, by its suffix.

    Takes FILES: tables, archives, recorded XML or folders of it, - for standard input; or asks the
    directory for --collection. A .zip is a study: CSV and Parquet with a description of each
    column, without personal data unless --personal is given.

    \b
    Examples:
      dirframe export projects.parquet projects.xlsx
      dirframe export pages/ recorded.parquet
      dirframe accounts --format parquet | dirframe export - piped.csv
      dirframe export projects.parquet accounts.parquet study.zip --author "Hopper, Grace"
    """
    from dirframe.provenance import caption

    *sources, target = files
    check_target(Path(target), overwrite=overwrite)
    frames = {
        Path(source or f"{collection}").stem: read_records(source, collection, **question)
        for source in (sources or (None,))
    }
    if len(frames) < len(sources):
        raise click.UsageError("The tables are called as the files: give each another name.")
    study = {
        "title": title,
        "authors": authors,
        "license": license,
        "personal": personal,
        "archive": archive,
    }
    given = {name: value for name, value in study.items() if value}
    (first, *others) = frames.values()
    write_file(frames if others else first, Path(target), overwrite, **given)
    for frame in frames.values():
        note(caption(frame))


@click.command()
@file_argument
@click.option(
    "--style",
    type=click.Choice(["text", "bibtex"]),
    default="text",
    show_default=True,
    help="Plain text or BibTeX.",
)
@collection_option
@records_options
def cite(file: str | None, style: Any, collection: str | None, **question: Any) -> None:
    """Print a citation of the records.

    It names the directory, the query, the dates of access, and what is missing.

    Reads FILE, standard input (-), or the --collection of the directory.

    \b
    Examples:
      dirframe cite projects.parquet
      dirframe cite projects.parquet --style bibtex
      dirframe cite --collection projects --sample -n 25
    """
    from dirframe.citation import cite as refer

    click.echo(refer(read_records(file, collection, **question), style=style).rstrip("\n"))
