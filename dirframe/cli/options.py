"""Options that several commands share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from dirframe.client.directory import Directory

    Decorator = Callable[[Any], Any]

#: Names of the conditions of `--where`: the arguments of `dirframe.select`.
_CONDITIONS = {
    "language": "languages",
    "country": "countries",
    "license": "licenses",
    "tag": "tags",
    "year": "years",
    "activity": "activity",
    "search": "search",
}
_LISTS = {"languages", "countries", "licenses", "tags"}


def with_options(*options: Decorator) -> Decorator:
    """Return a decorator that adds options to a command, in this order."""

    def add(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def _pairs(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> list[tuple[str, str]]:
    for text in texts:
        if "=" not in text:
            raise click.BadParameter(f"{text!r} is not of the form NAME=VALUE.")
    return [(text.partition("=")[0].strip(), text.partition("=")[2].strip()) for text in texts]


def _parameters(
    context: click.Context, option: click.Parameter, texts: tuple[str, ...]
) -> dict[str, Any]:
    return {name: _value(text) for name, text in _pairs(context, option, texts)}


def _value(text: str) -> Any:
    """Return a value: JSON, values separated by commas, or text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return tuple(map(_value, text.split(","))) if "," in text else text


def _conditions(
    context: click.Context, option: click.Parameter, texts: tuple[str, ...]
) -> dict[str, Any]:
    """Return the arguments of `dirframe.select`."""
    given: dict[str, Any] = {}
    for name, text in _pairs(context, option, texts):
        argument = _CONDITIONS.get(name, name if name in _CONDITIONS.values() else "")
        if argument in _LISTS:
            given.setdefault(argument, []).append(text or None)
        elif argument == "years":
            given[argument] = _span(text, int)
        elif argument:
            given[argument] = text
        else:
            given.setdefault("ranges", {})[name] = _span(text, float)
    return given


def _span(text: str, number: Callable[[str], Any]) -> tuple[Any, Any]:
    """Read ``2008..2010``, ``2008..`` or ``2008``; nothing stands for no value."""
    first, dots, last = text.partition("..")
    try:
        ends = tuple(number(end) if end else None for end in (first, last if dots else first))
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is no range such as 2008..2010, and no name of a condition: those are "
            f"{', '.join(_CONDITIONS)}, or a column of numbers."
        ) from None
    return ends[0], ends[1]


def _rules(
    _context: click.Context, _option: click.Parameter, rules: tuple[str, ...]
) -> tuple[str, ...]:
    if rules:
        from dirframe.quality.rules import rules_of

        rules_of(rules)  # raises before the load
    return rules


parameters_option = click.option(
    "-p",
    "parameters",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_parameters,
    help="Set an option of the function: -p top=10, -p bounds=0,1,10. May be repeated.",
)

directory_options = with_options(
    click.option("--base-url", metavar="URL", help="Address of the directory."),
    click.option("--sample", is_flag=True, help="Use the bundled sample directory."),
)
cache_options = with_options(
    click.option("--refresh", is_flag=True, help="Fetch every page again."),
    click.option("--offline", is_flag=True, help="Use the cache only, whatever its age."),
)
incomplete_option = click.option(
    "--incomplete",
    type=click.Choice(["raise", "warn"]),
    default="raise",
    show_default=True,
    help="What to do if completeness cannot be proven.",
)
query_options = with_options(
    click.option("--query", metavar="TEXT", help="Load records that have these words."),
    click.option("--sort", metavar="VALUE", help="Sort order: name, id_reverse and others."),
    click.option(
        "-n",
        "--max-items",
        "--limit",
        "max_items",
        metavar="N",
        type=click.IntRange(1),
        help="Load the first N records.",
    ),
    click.option(
        "--sample-size",
        metavar="N",
        type=click.IntRange(1),
        help="Load N records drawn at random.",
    ),
    click.option("--seed", metavar="N", type=int, help="Seed of the drawing.", default=None),
    click.option(
        "--details", is_flag=True, help="Load the own page of each project without an analysis."
    ),
)
#: Of commands that load a collection.
load_options = with_options(query_options, incomplete_option, directory_options, cache_options)
#: Of commands that take records, from wherever.
select_options = with_options(
    click.option(
        "--where",
        metavar="NAME=VALUE",
        multiple=True,
        callback=_conditions,
        help="Keep matching records: language=Java, country=DE, license=mit, tag=web, "
        "year=2008..2010, activity=active, search=WORDS, or a range of any column. May be "
        "repeated.",
    ),
    click.option(
        "--exclude",
        metavar="RULE",
        multiple=True,
        callback=_rules,
        help="Leave out records that match a rule of dirframe.flags. May be repeated.",
    ),
    click.option(
        "--older-than", metavar="AGE", help="Leave out analyses older than 90d, 26w, 18mo or 2y."
    ),
)
collection_option = click.option(
    "--collection",
    type=click.Choice(["accounts", "projects"]),
    help="Collection to load if no file is given.",
)
#: Of commands that read a file or load.
records_options = with_options(select_options, load_options)


def reject(_context: click.Context, option: click.Parameter, value: object) -> None:
    """Answer an option that people try with the one that does what they mean."""
    if value is not None:
        name = option.opts[0].removeprefix("--")
        raise click.UsageError(f"There is no {option.opts[0]}: use --where {name}={value}.")


#: Options that people try first; the error names the one that does it.
tried_options = with_options(
    *(
        click.option(f"--{name}", hidden=True, expose_value=False, callback=reject)
        for name in ("language", "country", "license", "tag", "year")
    )
)


def open_directory(base_url: str | None, sample: bool) -> Directory:
    """Open the directory given by the options or the environment."""
    if sample:
        if base_url:
            raise click.UsageError("--sample and --base-url exclude each other.")
        from dirframe.sample import sample_directory

        return sample_directory()
    from dirframe.client.directory import Directory

    return Directory(base_url)
