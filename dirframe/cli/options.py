"""Options that several commands share, in the words of the functions that take them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from functools import wraps
from pathlib import Path
from typing import Any

import click
from click import Choice, IntRange, argument, option

from dirframe.cli.request import Request
from dirframe.cli.selection import CONDITIONS, Selection

Decorator = Callable[[Any], Any]

COLLECTION = Choice(["accounts", "projects"], case_sensitive=False)
FILE = click.Path(dir_okay=False, path_type=Path)
EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)


class Number(IntRange):
    """A whole number within bounds; another text is answered with what is expected."""

    name = "n"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the number."""
        try:
            int(value)
        except ValueError:
            text = str(value).removeprefix("=")
            if text.isdecimal() and param is not None:
                self.fail(f"{value!r} is no number: write {param.opts[0]} {text}.", param, ctx)
            self.fail(f"{value!r} is no whole number.", param, ctx)
        return super().convert(value, param, ctx)


NUMBER = Number(1)
#: Stands for standard input where a file is read, and for standard output where one is written.
STREAM = "-"

#: Ends of a range are numbers; "Wait..." is a text.
_RANGE = re.compile(r"[-+.\d]*\.\.[-+.\d]*")


def with_options(*options: Decorator) -> Decorator:
    """Return a decorator that adds options to a command, in this order."""

    def add(function: Any) -> Any:
        for add_option in reversed(options):
            function = add_option(function)
        return function

    return add


# Values


def _pairs(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(
                f"{text!r} is not of the form NAME=VALUE; a range is NAME=1..5, NAME=5.. or NAME=..5."
            )
        yield name.strip(), value.strip()


def _add(values: dict[str, Any], key: str, value: object, name: str = "") -> None:
    if key in values:
        raise click.BadParameter(f"{name or key} is given twice.")
    values[key] = value


def _parameters(_: object, __: object, texts: tuple[str, ...]) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for name, text in _pairs(texts):
        _add(parameters, name, text)
    return parameters


def _conditions(_: object, __: object, texts: tuple[str, ...]) -> Selection:
    """Return the conditions of `--where`."""
    filters: dict[str, Any] = {}
    values: dict[str, str] = {}
    for name, text in _pairs(texts):
        argument = CONDITIONS.get(name, name)
        if argument in {"activity", "search"}:
            _add(filters, argument, text, name)
        elif argument == "years":
            _add(filters, argument, _span(text, int), name)
        elif argument in CONDITIONS.values():
            filters.setdefault(argument, []).append(text or None)
        elif _RANGE.fullmatch(text):
            _add(filters.setdefault("ranges", {}), name, _span(text, float))
        else:
            _add(values, name, text)
    return Selection(filters=filters, values=values)


def _span(text: str, number: Callable[[str], Any]) -> tuple[Any, Any]:
    """Read ``2008..2010``, ``2008..`` or ``2008``; nothing stands for no value."""
    first, dots, last = text.partition("..")
    if not dots:
        last = first
    try:
        return (number(first) if first else None, number(last) if last else None)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a range such as 2008..2010.") from None


# Options


parameters_option = option(
    "-p",
    "parameters",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_parameters,
    help="Set an option of the function: -p top=10, -p bounds=0,1,10. May be repeated.",
)
overwrite_option = option("--overwrite", is_flag=True, help="Replace an existing file.")
plan_option = option(
    "--plan", is_flag=True, help="Only state the number of requests that the load needs."
)

# What is asked for: their names are those of the arguments of `load_projects`.
_query_options = with_options(
    option("--query", help="Load records that have these words."),
    option("--sort", metavar="VALUE", help="Sort order: name, id_reverse and others."),
)
_sample_options = with_options(
    option("--sample", type=NUMBER, help="Load N records drawn at random."),
    option("--seed", type=int, help="Seed of the random sample.  [default: 0]"),
)
details_option = option(
    "--details", is_flag=True, help="Load own pages of projects without an analysis."
)
directory_options = with_options(
    option("--base-url", metavar="URL", help="Address of the directory."),
    option("--demo", "demo", flag_value="sample", help="Use the bundled sample directory."),
    option(
        "--rehearsal",
        "demo",
        flag_value="rehearsal",
        help="Use the sample as today's live service would send it: analyses only with --details, "
        "and organizations and repositories.",
    ),
)
_policy_options = with_options(
    option(
        "--incomplete",
        type=Choice(["raise", "warn"]),
        help="What to do if completeness cannot be proven.  [default: raise]",
    ),
    directory_options,
    option("--refresh", is_flag=True, help="Fetch every page again."),
    option("--offline", is_flag=True, help="Use only cached pages, of any age; send no requests."),
    option(
        "--yes", is_flag=True, help="Load even if more requests are needed than are left today."
    ),
)
file_argument = argument("file", required=False, metavar="[FILE]", type=click.Path())
collection_option = option(
    "--collection", type=COLLECTION, help="Collection to load if no file is given."
)


def _takes_request(function: Any) -> Any:
    """Let a command receive what its options ask a directory for as one `request`."""
    names = [field.name for field in fields(Request)]

    @wraps(function)
    def call(**options: Any) -> Any:
        given = {name: options.pop(name) for name in names if name in options}
        return function(request=Request(**given), **options)

    return call


def _takes_selection(function: Any) -> Any:
    """Let a command receive its conditions as one `selection`."""

    @wraps(function)
    def call(
        where: Selection,
        exclude: tuple[str, ...],
        limit: int | None,
        older_than: str | None = None,
        **options: Any,
    ) -> Any:
        selection = replace(where, exclude=exclude, older_than=older_than, limit=limit)
        return function(selection=selection, **options)

    return call


#: Of a command that asks about a directory, and loads nothing.
about_directory = with_options(directory_options, _takes_request)
#: Of `load`, which takes a path or a name.
path_options = with_options(
    _query_options,
    option("-n", "--max-items", "--limit", "max_items", type=NUMBER, help="Load the first N."),
    _policy_options,
    _takes_request,
)
harvest_options = with_options(
    _query_options, _sample_options, details_option, directory_options, _takes_request
)
#: Of a command that may take projects.
project_options = with_options(
    option("--older-than", metavar="AGE", help="Leave out analyses older than 90d, 18mo or 2y."),
    details_option,
)
#: Of a command that takes records, of a collection or of a file.
select_options = with_options(
    option(
        "--where",
        metavar="NAME=VALUE",
        multiple=True,
        callback=_conditions,
        help="Keep matching records: language=Java, country=DE, license=mit, tag=web, "
        "year=2008..2010, activity=active, search=WORDS, COLUMN=VALUE, COLUMN= (missing) or "
        "COLUMN=1..5 (from 1 to 5). May be repeated: with language=Java and language=C, records of both.",
    ),
    option(
        "--exclude",
        metavar="RULE",
        multiple=True,
        help="Leave out records that break a rule of dirframe.flags, such as negative_lines. May be repeated.",
    ),
    option(
        "-n",
        "--limit",
        "limit",
        type=NUMBER,
        help="Take the first N records of a file, or of the records that match --where, --exclude "
        "and --older-than; without these options, load only N records.",
    ),
    option(
        "--max-items",
        type=NUMBER,
        help="Load only the first N records, before --where and the like apply.",
    ),
    _query_options,
    _sample_options,
    _policy_options,
    _takes_request,
    _takes_selection,
)
#: Of a command that takes records of any collection.
records_options = with_options(collection_option, select_options, project_options)
