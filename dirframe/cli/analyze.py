"""Commands that process records: clean, compute a statistic, draw a chart."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dirframe.charts import APPEARANCE, CHARTS, FILES, SELECTION, STATISTICS
from dirframe.cli.frame_output import Output, check_target, echo_note, output, target, write
from dirframe.cli.load import file_argument, read_input
from dirframe.cli.options import (
    SELECTION_OPTIONS,
    Command,
    CommandsOnDemand,
    collection_option,
    command,
    contributor_options,
    group,
    month_options,
    query_options,
    split,
    with_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    from dirframe.charts import ChartSpec


def _values(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a type of values separated by commas."""

    def read(text: str) -> Any:
        try:
            return tuple(kind(part) for part in text.split(","))
        except ValueError:
            raise click.BadParameter(f"{text!r} is not a list of numbers such as 0,1,10.") from None

    return read


def _caption(text: str) -> str | bool:
    return text or False


_POSITIVE = click.IntRange(1)
_DATES = click.Choice(["analysis_min_month", "created_at"])
_NOTES = "In place of the notes below the chart; an empty one for no caption."

#: Metavariable, type and help of each option with a value.
_WITH_VALUE: dict[str, tuple[str | None, Any, str]] = {
    "top": ("N", _POSITIVE, "Keep so many, sum up the others."),
    "as_of": ("DATE", str, "Day or month of the count, YYYY-MM-DD."),
    "window": ("N", click.IntRange(1, 24), "Months looked back, 12 if left out."),
    "freq": ("FREQ", str, "Length of a period: D, W, MS, QS, YS."),
    "date": (None, _DATES, "What counts as a project's year."),
    "min_projects": ("N", _POSITIVE, "Take years with fewer projects together."),
    "bounds": ("N,N,…", _values(int), "Where classes begin: 0,1,2,10."),
    "confidence": ("SHARE", float, "Level of the intervals, 0.95."),
    "title": ("TEXT", str, "In place of the chart's own."),
    "caption": ("TEXT", _caption, _NOTES),
    "width": (None, click.Choice(["column", "page"]), "For print: 84 mm or 174 mm."),
}
_OPTIONS: dict[str, Any] = {
    **{
        name: click.option(f"--{name.replace('_', '-')}", metavar=metavar, type=kind, help=text)
        for name, (metavar, kind, text) in _WITH_VALUE.items()
    },
    "cumulative": click.option(
        "--cumulative/--each", default=None, help="Cumulative numbers, or those of each period."
    ),
    **SELECTION_OPTIONS,
}


#: Sections of the help, by collection; the others are of one project.
_SECTIONS = {"projects": "Projects", "accounts": "Accounts", "": "Accounts or projects"}


@command()
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
@query_options
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
    frame = read_input(file, "accounts", question)
    cleaned = unify_countries(
        frame, column=column, errors="raise" if strict else "coerce", overrides=answers
    )
    if audit is not None:
        table = country_audit(frame, column=column, overrides=answers)
        write(table, audit, out.overwrite)
    out.write(cleaned)
    echo_note(country_note(cleaned))


def _answers(file: str) -> pd.DataFrame:
    from dirframe.cli.frame_input import read_table

    frame = read_table(file, about_source=False)
    # Missing columns are reported by unify_countries.
    return frame.astype({name: "str" for name in ("raw", "country_alpha_2") if name in frame})


def _listing(specs: Mapping[str, ChartSpec]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def show(context: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted:
            click.echo("\n".join(sorted(specs)))
            context.exit()

    return click.option(
        "--list",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="List only the names, one per line.",
    )


@group()
@_listing(STATISTICS)
def stats() -> None:
    """Compute a statistic of accounts, projects or one project.

    Each reads a file, standard input (-), or the directory.

    \b
    Examples:
      dirframe stats language_share projects.parquet
      dirframe stats --list
    """


@group()
@_listing(CHARTS)
def plot() -> None:
    """Draw a chart of accounts, projects or one project.

    Each reads a file, standard input (-), or the directory.

    \b
    Examples:
      dirframe plot language_share projects.parquet -o languages.png
      dirframe plot --list
    """


def _records(
    spec: ChartSpec, collection: str | None, file: str | None, question: Any
) -> pd.DataFrame:
    frame = read_input(file, spec.collection or collection, question)
    if spec.by_country and "country_name" not in frame:
        from dirframe import unify_countries

        echo_note("The countries are unified first, as by dirframe clean.")
        frame = unify_countries(frame)
    return frame


def _source_options(spec: ChartSpec) -> Any:
    if spec.collection:
        by_collection = {"contributors": contributor_options, "activity": month_options}
        return by_collection.get(spec.collection, query_options)
    return with_options(collection_option, query_options)


def _command(group: str, spec: ChartSpec, function: Callable[..., None]) -> Command:
    records = spec.collection or "records"
    target = f" -o {spec.name}.svg" if group == "plot" else ""
    sources = [f"{spec.collection or 'projects'}.parquet"]
    if spec.collection in {"contributors", "activity"}:
        sources.append("--project 1")
    elif spec.collection:
        sources.append("--sample --max-items 100")
    examples = "".join(f"\n  dirframe {group} {spec.name} {source}{target}" for source in sources)
    text = (
        f"{spec.summary}\n\nReads a file of {records}, standard input (-), or the directory."
        f"\n\n\b\nExamples:{examples}"
    )
    created = command(spec.name, help=text, short_help=spec.summary)(function)
    created.section = _SECTIONS.get(spec.collection, "One project")
    return created


def _statistic(spec: ChartSpec) -> Command:
    """Create a command that writes the table of a statistic."""
    options = (*spec.options, *SELECTION)

    def write_table(
        file: str | None, out: Output, collection: str | None = None, **given: Any
    ) -> None:
        from dirframe import stats

        own = split(options, given)
        frame = _records(spec, collection, file, given)
        out.write(getattr(stats, spec.name)(frame, **own))

    decorate = with_options(
        file_argument, *(_OPTIONS[name] for name in options), output, _source_options(spec)
    )
    return _command("stats", spec, decorate(write_table))


def _chart(spec: ChartSpec) -> Command:
    own_options = spec.options if spec.chart_options is None else spec.chart_options
    options = (*own_options, *SELECTION, *APPEARANCE)

    def draw(
        file: str | None,
        output: Path | None,
        overwrite: bool,
        dpi: int,
        collection: str | None = None,
        **given: Any,
    ) -> None:
        import matplotlib as mpl

        from dirframe._files import atomic_write, make_folder

        path = output or Path(f"{spec.name}.png")
        _check_chart_file(path, overwrite)
        own, selection = split((*own_options, *APPEARANCE), given), split(SELECTION, given)
        frame = _records(spec, collection, file, given)
        mpl.use("Agg")  # no window, whatever the user's settings are
        from dirframe import plot
        from dirframe.stats._rules.exclusion import exclude

        frame = exclude(frame, selection.get("exclude", ()), selection.get("max_age"))
        chart, column = getattr(plot, spec.name), selection.get("by", ())
        if len(column) > 1:
            raise click.UsageError("A chart is divided --by one column.")
        if column:
            least = selection.get("min_records", 1)
            figure = plot.panels(chart, frame, column[0], min_records=least, **own)
        else:
            figure = chart(frame, **own).get_figure(root=True)
        make_folder(path.parent)
        # Text in an SVG stays text, which can be searched and edited.
        text_kept = mpl.rc_context({"svg.fonttype": "none"})
        with atomic_write(path, overwrite=overwrite) as part, text_kept:
            figure.savefig(part, dpi=dpi, format=path.suffix[1:].lower())
        click.echo(f"Wrote {path}", err=True)

    decorate = with_options(
        file_argument,
        *(_OPTIONS[name] for name in options),
        click.option(
            "-o",
            "--output",
            metavar="FILE",
            type=click.Path(dir_okay=False, path_type=Path),
            help=f"A .png, .svg or .pdf.  [default: {spec.name}.png]",
        ),
        target,
        click.option(
            "--dpi",
            metavar="N",
            type=click.IntRange(30, 1200),
            default=150,
            show_default=True,
            help="Dots per inch of a .png.",
        ),
        _source_options(spec),
    )
    return _command("plot", spec, decorate(draw))


def _check_chart_file(path: Path, overwrite: bool) -> None:
    from dirframe._display.suggest import unknown_suffix
    from dirframe._files import check_writable
    from dirframe.errors import InvalidInputError

    if path.suffix.lower() not in FILES:
        raise InvalidInputError(unknown_suffix(path, path.suffix, FILES))
    check_writable(path, overwrite=overwrite)


for _group, _make, _specs in (
    (stats, _statistic, STATISTICS),
    (plot, _chart, CHARTS),
):
    _group.commands = CommandsOnDemand(
        {name: partial(_make, spec) for name, spec in _specs.items()}
    )
