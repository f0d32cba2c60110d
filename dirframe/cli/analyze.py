"""Commands that work on records: statistics, charts, countries, files, reports, citations."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click import Choice, IntRange, argument, option

import dirframe
from dirframe._printable import printable_lines
from dirframe.charts import CHARTS, STATISTICS
from dirframe.cli import options
from dirframe.cli.commands import command
from dirframe.cli.functions import (
    Application,
    FunctionName,
    application_options,
    apply,
    takes_application,
)
from dirframe.cli.options import EXISTING, FILE
from dirframe.cli.output import (
    Output,
    check_not_read,
    check_target,
    files_read,
    output,
    write_file,
)
from dirframe.cli.records import bounded, read, read_file
from dirframe.cli.request import Request
from dirframe.cli.selection import Selection
from dirframe.cli.terminal import note, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd


@command(epilog=f"Names: {', '.join(sorted(STATISTICS))}")
@argument("name", metavar="NAME", type=FunctionName(STATISTICS, "stats", ("plot", CHARTS)))
@application_options
@output
@takes_application
def stats(name: str, out: Output, application: Application) -> None:
    """Compute a statistic of accounts, projects or one project.

    `python -m pydoc dirframe.stats` describes each NAME below.

    \b
    Examples:
      dirframe stats language_share projects.parquet
      dirframe stats tags projects.parquet -p top=10 --exclude negative_lines
      dirframe stats licenses --demo --by language
    """
    out.write(apply(dirframe.stats, name, dirframe.stats.by, application))


@command(epilog=f"Names: {', '.join(sorted(CHARTS))}")
@argument("name", metavar="NAME", type=FunctionName(CHARTS, "plot", ("stats", STATISTICS)))
@option("-o", "--output", "path", type=FILE, help="A .png, .svg or .pdf.  [default: NAME.png]")
@options.overwrite_option
@option("--dpi", metavar="N", type=IntRange(30, 1200), help="Dots of a .png.  [default: 150]")
@application_options
@takes_application
def plot(
    name: str, path: Path | None, overwrite: bool, dpi: int | None, application: Application
) -> None:
    """Draw a chart of accounts, projects or one project.

    `python -m pydoc dirframe.plot` describes each NAME below.

    \b
    Examples:
      dirframe plot language_share projects.parquet -o languages.png
      dirframe plot tags --demo -p top=10 -p title="Our tags" -o tags.svg
    """
    from dirframe._files import atomic_write, check_writable, make_folder

    target = path or Path(f"{name}.png")
    check_not_read(target, files_read({"file": application.file}))
    check_writable(target, overwrite=overwrite, suffixes=[".png", ".svg", ".pdf"])
    if dpi and target.suffix.lower() != ".png":
        raise click.UsageError(f"--dpi is for .png files: {target} has no resolution.")
    panels = dirframe.plot.panels  # before Matplotlib: it says what to do if that has no folder
    import matplotlib as mpl

    mpl.use("Agg")  # no window, whatever the user's settings are
    drawn = apply(dirframe.plot, name, panels, application)
    make_folder(target.parent)
    # Text in an SVG stays text, which can be searched and edited; publishers refuse Type 3 fonts.
    fonts = mpl.rc_context({"svg.fonttype": "none", "pdf.fonttype": 42, "ps.fonttype": 42})
    with atomic_write(target, overwrite=overwrite) as part, fonts:
        drawn.get_figure(root=True).savefig(part, dpi=dpi or 150, format=target.suffix[1:].lower())
    note(f"Wrote {target}")


@command()
@options.file_argument
@option("--audit", type=FILE, help="Write the audit: the result for every value, and the reason.")
@option("--overrides", type=EXISTING, help="Corrections: an edited audit.")
@option("--column", default="country_code", help="Column with the raw values.")
@option("--strict", is_flag=True, help="Fail if a value cannot be resolved.")
@output
@options.collection_option
@options.select_options
def clean(
    *,
    file: str | None,
    audit: Path | None,
    overrides: Path | None,
    column: str,
    strict: bool,
    out: Output,
    request: Request,
    selection: Selection,
) -> None:
    """Add country codes and names to accounts.

    The raw value is kept. Without FILE, accounts are loaded: --collection accounts.

    \b
    Examples:
      dirframe clean accounts.csv -o clean.csv --audit audit.csv
      dirframe clean accounts.parquet --overrides audit.csv -o clean.parquet
      dirframe accounts | dirframe clean - | dirframe stats accounts_by_country -
    """
    sources = files_read({"file": file, "overrides": overrides})
    check_target(audit, overwrite=out.overwrite, sources=sources)
    if audit is not None and audit == out.path:
        raise click.UsageError(f"--audit and --output both name {audit}: name two files.")
    answers = None if overrides is None else _answers(overrides)
    errors: Any = "raise" if strict else "coerce"
    unify = partial(dirframe.unify_countries, column=column, errors=errors, overrides=answers)
    frame = read(file, request, selection, needed="accounts", try_on=unify)
    cleaned = unify(frame)
    if audit is not None:
        table = dirframe.country_audit(frame, column=column, overrides=answers)
        write_file(table, audit, out.overwrite)
    out.write(cleaned)
    note(dirframe.country_note(cleaned))


def _answers(file: Path) -> pd.DataFrame:
    from dirframe.io.read import read_content

    frame = read_content(file.read_bytes(), str(file), {})
    # Missing columns are reported by unify_countries.
    return frame.astype({name: "str" for name in ("raw", "country_alpha_2") if name in frame})


@command()
@options.file_argument
@options.records_options
def summary(file: str | None, request: Request, selection: Selection) -> None:
    """Show the content, missing values and biases of a table.

    \b
    Examples:
      dirframe summary projects.parquet
      dirframe summary --collection accounts --demo
    """
    show(dirframe.summary(read(file, request, selection)))


@command()
@options.file_argument
@options.records_options
@output
def flags(file: str | None, request: Request, selection: Selection, out: Output) -> None:
    """List records that are wrong or in doubt, and why.

    --exclude leaves such records out of every other command.

    \b
    Examples:
      dirframe flags projects.parquet
      dirframe flags --collection projects --demo -o flags.csv
    """
    out.write(dirframe.flags(read(file, request, selection)))


@command()
@argument("before", type=click.Path())
@argument("after", type=click.Path())
def compare(before: str, after: str) -> None:
    """Compare two files of the same records: new, gone, changed.

    \b
    Example:
      dirframe compare projects.parquet again.parquet
    """
    show(dirframe.compare(read_file(before), read_file(after)))


@command()
@argument("files", metavar="[FILES]...", nargs=-1, type=click.Path())
@option("-o", "--output", "path", type=FILE, default="report.html", help="The page to write.")
@options.overwrite_option
@option("--title", help="Title of the report.")
@option("--contributors", type=EXISTING, help="Contributors of the projects: adds the bus factor.")
@option("--activity", type=EXISTING, help="Months of the projects: adds the last twelve months.")
@option("--repositories", type=EXISTING, help="Repositories of the projects.")
@options.records_options
def report(
    *,
    files: tuple[str, ...],
    path: Path,
    overwrite: bool,
    title: str | None,
    contributors: Path | None,
    activity: Path | None,
    repositories: Path | None,
    request: Request,
    selection: Selection,
) -> None:
    """Write a report as one page, of FILES or of a collection.

    The page lists the projects, and has findings, charts, tables, biases, method and citation.

    \b
    Examples:
      dirframe report projects.parquet accounts.parquet -o report.html
      dirframe report ours.parquet --activity months.parquet -o ours.html
      dirframe report --demo --collection accounts -o accounts.html
    """
    from dirframe._files import check_writable
    from dirframe.reports.report import check_columns_sent

    of_projects = {
        "contributors": contributors,
        "activity": activity,
        "repositories": repositories,
    }
    named = {name: file for name, file in of_projects.items() if file is not None}
    for file in files:
        if Path(file).suffix.lower() in {".html", ".htm"}:
            raise click.UsageError(
                f"{file} is a web page, not a table. -o {file} writes the report to it."
            )
    check_not_read(path, [*files, *map(str, named.values())])
    check_writable(path, overwrite=overwrite, suffixes=[".html"])
    if files:
        frames = [read(file, request, selection, try_on=check_columns_sent) for file in files]
    elif request.collection or not bounded(request, selection).names_records:
        frames = [read(None, request, selection, try_on=check_columns_sent)]
    else:
        frames = [
            read(None, request, selection, needed=collection, try_on=check_columns_sent)
            for collection in ("projects", "accounts")
        ]
    tables = {name: dirframe.read_table(file) for name, file in named.items()}
    dirframe.report(frames, path, title=title, overwrite=overwrite, **tables)
    note(f"Wrote {path}")


@command()
@argument("files", metavar="[FILES]... TARGET", nargs=-1, required=True, type=click.Path())
@options.overwrite_option
@option("--title", help="Title of a study (.zip).")
@option(
    "--author", "authors", metavar="NAME", multiple=True, help="Author of a study. May be repeated."
)
@option("--license", metavar="SPDX", help="Licence of a study, such as CC-BY-4.0.")
@option("--personal", is_flag=True, help="Keep the columns of a study that identify persons.")
@option(
    "--keep",
    metavar="TABLE.COLUMN",
    multiple=True,
    help="Keep a column in a study that would be left out. May be repeated.",
)
@option(
    "--file",
    "added",
    type=EXISTING,
    multiple=True,
    help="Add a figure, a script or another file to a study. May be repeated.",
)
@option("--archive", type=EXISTING, help="Add an archive to a study; needs --personal.")
@options.records_options
def export(
    *,
    files: tuple[str, ...],
    overwrite: bool,
    title: str | None,
    authors: tuple[str, ...],
    license: str | None,
    personal: bool,
    keep: tuple[str, ...],
    added: tuple[Path, ...],
    archive: Path | None,
    request: Request,
    selection: Selection,
) -> None:
    """Convert records to another file format, by its suffix.

    A .zip is a study: CSV and Parquet with a description of each column, without personal data
    unless --personal is given.

    \b
    Examples:
      dirframe export projects.parquet projects.xlsx
      dirframe export pages/ recorded.parquet
      dirframe accounts --format parquet | dirframe export - piped.csv
      dirframe export projects.parquet accounts.parquet study.zip --author "Grace Hopper"
    """
    facts = {
        "title": title,
        "authors": authors,
        "license": license,
        "personal": personal,
        "archive": archive,
        "files": list(added),
    }
    study: dict[str, Any] = {name: value for name, value in facts.items() if value}
    *sources, last = files
    target = Path(last)
    if not sources:
        is_told = bounded(request, selection).names_records
        _check_is_a_target(target, is_told=overwrite and is_told)
    check_target(target, overwrite=overwrite, sources=[*sources, *files_read(study)])
    if sources:
        frames = {Path(source).stem: read(source, request, selection) for source in sources}
    else:
        frames = {str(request.collection): read(None, request, selection)}
    if len(frames) < len(sources):
        raise click.UsageError(
            "Each table is named after its file, and two files have the same name: rename one."
        )
    if keep:
        study["keep"] = _columns_to_keep(keep, frames)
    first, *others = frames.values()
    # A study names each table as its file; the sheet of a workbook is called data.
    named = frames if others or target.suffix.lower() == ".zip" else first
    write_file(named, target, overwrite, **study)
    for frame in frames.values():
        note(dirframe.provenance.caption(frame))


def _check_is_a_target(file: Path, *, is_told: bool) -> None:
    """Raise if the only file that is named exists, and may be meant as the source."""
    if file.exists() and not is_told:
        raise click.UsageError(
            f"{file} exists, and no second file is named to write to: dirframe export {file} TARGET "
            "converts it. Records of the directory are written to a new file."
        )


def _columns_to_keep(texts: Iterable[str], tables: Iterable[str]) -> dict[str, list[str]]:
    """Return columns by table; the name of a table may have points, as that of a file has."""
    columns: dict[str, list[str]] = {}
    for text in texts:
        owners = [table for table in tables if text.startswith(f"{table}.")]
        if not owners:
            raise click.UsageError(
                f"--keep {text} names no table; it is TABLE.COLUMN, of the tables "
                f"{', '.join(tables)}."
            )
        table = max(owners, key=len)
        columns.setdefault(table, []).append(text.removeprefix(f"{table}."))
    return columns


class _Style(Choice[str]):
    """Styles of a citation; another one is answered with how it is made."""

    def convert(self, value: str, param: Any, ctx: Any) -> str:
        """Return the style."""
        if value.lower() not in self.choices:
            self.fail(
                f"There is no style {value!r}, but {', '.join(self.choices)}. Reference managers and "
                "Pandoc read BibTeX, and write RIS and others: --style bibtex.",
                param,
                ctx,
            )
        return value.lower()


@command()
@options.file_argument
@option(
    "--style",
    type=_Style(["text", "bibtex", "apa"]),
    default="text",
    help="Plain text, BibTeX, or APA (7th edition).",
)
@options.records_options
def cite(file: str | None, style: Any, request: Request, selection: Selection) -> None:
    """Print a citation: source, query, days, and what is missing.

    \b
    Examples:
      dirframe cite projects.parquet
      dirframe cite projects.parquet --style bibtex
      dirframe cite --collection projects --demo -n 25
    """
    citation = dirframe.cite(read(file, request, selection), style=style)
    click.echo(printable_lines(str(citation)).rstrip("\n"))
