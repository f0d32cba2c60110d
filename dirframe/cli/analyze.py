"""Commands that process records: clean, compute a statistic, draw a chart."""

from __future__ import annotations

import inspect
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dirframe.charts import CHARTS, STATISTICS
from dirframe.cli.frame_output import Output, check_target, echo_note, output, target, write
from dirframe.cli.load import file_argument, read_input
from dirframe.cli.options import (
    Command,
    CommandsOnDemand,
    collection_option,
    command,
    contributor_options,
    group,
    month_options,
    query_options,
    selection_options,
    split,
    with_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    from dirframe.charts import Chart


#: Suffixes of the files of a chart.
_FILES = (".png", ".svg", ".pdf")
#: Statistics and charts that need unified countries.
_BY_COUNTRY = {"accounts_by_country", "accounts_map"}
_LOOKS = ("title", "caption", "width")


def _value(text: str) -> Any:
    """Return the value of a parameter: JSON, values separated by commas, or text."""
    try:
        return json.loads(text)
    except ValueError:
        return tuple(map(_value, text.split(","))) if "," in text else text


def _parameters(function: Callable[..., Any], given: tuple[str, ...]) -> dict[str, Any]:
    """Return the options NAME=VALUE of a statistic or chart, by their names."""
    known = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and name not in {"ax", *_LOOKS}
    ]
    parameters = {}
    for text in given:
        name, separator, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not separator or name not in known:
            raise click.UsageError(
                f"-p takes NAME=VALUE; got {text!r}. The names are {', '.join(known) or 'none'}."
            )
        parameters[name] = _value(value.strip())
    return parameters


def _caption(text: str) -> str | bool:
    return text or False


_parameter_option = click.option(
    "-p",
    "--parameter",
    "parameters",
    metavar="NAME=VALUE",
    multiple=True,
    help="An option of the function, such as top=10; may be repeated.",
)
_look_options = with_options(
    click.option("--title", metavar="TEXT", help="In place of the chart's own."),
    click.option(
        "--caption",
        metavar="TEXT",
        type=_caption,
        help="In place of the notes below the chart; an empty one for no caption.",
    ),
    click.option(
        "--width", type=click.Choice(["column", "page"]), help="For print: 84 mm or 174 mm."
    ),
)

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


def _listing(specs: Mapping[str, Chart]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
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
    name: str, spec: Chart, collection: str | None, file: str | None, question: Any
) -> pd.DataFrame:
    chosen = split(("exclude", "older_than"), question)
    frame = read_input(file, spec.collection or collection, question)
    if name in _BY_COUNTRY and "country_name" not in frame:
        from dirframe import unify_countries

        echo_note("The countries are unified first, as by dirframe clean.")
        frame = unify_countries(frame)
    if not chosen:
        return frame
    from dirframe import exclude

    return exclude(frame, chosen.get("exclude", ()), older_than=chosen.get("older_than"))


def _source_options(spec: Chart) -> Any:
    if spec.collection:
        by_collection = {"contributors": contributor_options, "activity": month_options}
        return by_collection.get(spec.collection, query_options)
    return with_options(collection_option, query_options)


def _command(group: str, name: str, spec: Chart, function: Callable[..., None]) -> Command:
    records = spec.collection or "records"
    target = f" -o {name}.svg" if group == "plot" else ""
    sources = [f"{spec.collection or 'projects'}.parquet"]
    if spec.collection in {"contributors", "activity"}:
        sources.append("--project 1")
    elif spec.collection:
        sources.append("--sample --max-items 100")
    examples = "".join(f"\n  dirframe {group} {name} {source}{target}" for source in sources)
    text = (
        f"{spec.title}.\n\nReads a file of {records}, standard input (-), or the directory."
        f"\n\n\b\nExamples:{examples}"
    )
    created = command(name, help=text, short_help=f"{spec.title}.")(function)
    created.section = _SECTIONS.get(spec.collection, "One project")
    return created


def _statistic(name: str, spec: Chart) -> Command:
    """Create a command that writes the table of a statistic."""

    def write_table(
        file: str | None,
        out: Output,
        parameters: tuple[str, ...],
        collection: str | None = None,
        **given: Any,
    ) -> None:
        from dirframe import stats

        statistic = getattr(stats, name)
        own, divided = _parameters(statistic, parameters), split(("by", "min_records"), given)
        frame = _records(name, spec, collection, file, given)
        if column := divided.pop("by", None):
            out.write(stats.by(statistic, frame, column, **divided, **own))
        else:
            out.write(statistic(frame, **own))

    decorate = with_options(
        file_argument, _parameter_option, selection_options, output, _source_options(spec)
    )
    return _command("stats", name, spec, decorate(write_table))


def _chart(name: str, spec: Chart) -> Command:
    def draw(
        *,
        file: str | None,
        output: Path | None,
        overwrite: bool,
        dpi: int,
        parameters: tuple[str, ...],
        collection: str | None = None,
        **given: Any,
    ) -> None:
        import matplotlib as mpl

        from dirframe._files import atomic_write, make_folder

        path = output or Path(f"{name}.png")
        _check_chart_file(path, overwrite)
        mpl.use("Agg")  # no window, whatever the user's settings are
        from dirframe import plot

        chart = getattr(plot, name)
        own = _parameters(chart, parameters) | split(_LOOKS, given)
        divided = split(("by", "min_records"), given)
        frame = _records(name, spec, collection, file, given)
        if column := divided.pop("by", None):
            figure = plot.panels(chart, frame, column, **divided, **own)
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
        _parameter_option,
        _look_options,
        selection_options,
        click.option(
            "-o",
            "--output",
            metavar="FILE",
            type=click.Path(dir_okay=False, path_type=Path),
            help=f"A .png, .svg or .pdf.  [default: {name}.png]",
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
    return _command("plot", name, spec, decorate(draw))


def _check_chart_file(path: Path, overwrite: bool) -> None:
    from dirframe._display.suggest import unknown_suffix
    from dirframe._files import check_writable
    from dirframe.errors import InvalidInputError

    if path.suffix.lower() not in _FILES:
        raise InvalidInputError(unknown_suffix(path, path.suffix, _FILES))
    check_writable(path, overwrite=overwrite)


for _group, _make, _specs in (
    (stats, _statistic, STATISTICS),
    (plot, _chart, CHARTS),
):
    _group.commands = CommandsOnDemand(
        {name: partial(_make, name, spec) for name, spec in _specs.items()}
    )
