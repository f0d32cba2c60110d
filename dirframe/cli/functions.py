"""Statistics and charts as the shell names them, and what it applies them to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click import Choice, option

from dirframe import _display
from dirframe.charts import CHARTS, STATISTICS
from dirframe.cli import options
from dirframe.cli.records import empty, read
from dirframe.cli.request import Request
from dirframe.cli.selection import Selection, with_countries

if TYPE_CHECKING:
    from types import ModuleType

    import pandas as pd

#: The statistic or the chart that a word is meant for.
_MEANT = {
    **dict.fromkeys(("language", "languages", "main_language"), "language_share"),
    **dict.fromkeys(("country", "countries", "accounts"), "accounts_by_country"),
    **dict.fromkeys(("map", "world_map", "worldmap"), "accounts_map"),
    **dict.fromkeys(("license", "licence", "licences"), "licenses"),
    **dict.fromkeys(("family", "families", "license_family"), "license_families"),
    **dict.fromkeys(("contributors", "contributor"), "contributor_distribution"),
    **dict.fromkeys(("gini", "concentration"), "contributor_concentration"),
    **dict.fromkeys(("bus_factor", "busfactor", "truck_factor"), "commit_concentration"),
    **dict.fromkeys(("team_size", "team_sizes", "teams"), "team_size_classes"),
    **dict.fromkeys(("kudo", "kudos", "kudo_rank"), "accounts_by_kudo_rank"),
    **dict.fromkeys(("commits", "committers"), "commits_by_contributor"),
    **dict.fromkeys(("months", "monthly", "history"), "monthly_activity"),
    **dict.fromkeys(("lines", "code", "breakdown"), "language_breakdown"),
    **dict.fromkeys(("years", "trend", "trends"), "languages_by_year"),
    **dict.fromkeys(("age", "ages", "lifetimes", "life"), "life_span"),
    **dict.fromkeys(("users", "projects"), "users_against_contributors"),
    **dict.fromkeys(("posts", "forum"), "posts_distribution"),
    "tag": "tags",
}


class FunctionName(Choice[str]):
    """Names of statistics or of charts; another word is answered with the one that is meant."""

    def __init__(
        self, names: Iterable[str], command: str, other: tuple[str, Iterable[str]]
    ) -> None:
        super().__init__(sorted(names))
        self._command = command
        self._other_command, self._other_names = other

    def convert(self, value: str, param: Any, ctx: Any) -> str:
        """Return the name of a function of Python."""
        name = value.replace("-", "_").lower()
        if name in self.choices:
            return name
        raise click.BadParameter(self._answer(value, name), ctx=ctx, param=param)

    def _answer(self, value: str, name: str) -> str:
        """Return what to write instead of another word."""
        if Path(value).exists():
            return f"{value} is a file: write dirframe {self._command} NAME {value}."
        if name in self._other_names:
            return f"{name} is a name of dirframe {self._other_command}."
        meant = _MEANT.get(name)
        if meant in self.choices:
            question = f" Did you mean {meant!r}?"
        else:
            question = _display.did_you_mean(name, self.choices)
        return f"There is no {value!r}.{question} dirframe {self._command} --help names all."


# Options of a function


def _as_json(text: str) -> Any:
    """Return a number, a truth value or nothing; another text as it is, which the function refuses."""
    if text == "None":  # as help and messages write it
        return None
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _as_numbers(text: str) -> Any:
    """Return several numbers, with commas between or as a list of JSON."""
    if text.startswith("["):
        return _as_json(text)
    return [_as_json(part) for part in text.split(",")]


def _as_words(text: str) -> Any:
    """Return a text; true and false say whether there is one."""
    return _as_json(text) if text in {"true", "false"} else text


#: How the value of an option is read; that of another option is a text.
READERS: dict[str, Callable[[str], Any]] = {
    "bounds": _as_numbers,
    "caption": _as_words,
    "confidence": _as_json,
    "cumulative": _as_json,
    "per_million": _as_json,
    "title": _as_words,
    "top": _as_json,
    "window": _as_json,
}


@dataclass(frozen=True, kw_only=True)
class Application:
    """What a function is applied to: its options, the records, and what divides them."""

    file: str | None
    parameters: Mapping[str, str]
    by: str | None
    min_records: int | None
    request: Request
    selection: Selection

    def __post_init__(self) -> None:
        if self.min_records and self.by is None:
            raise click.UsageError("--min-records needs --by, which names the groups.")

    def values(self, function: Callable[..., Any]) -> dict[str, Any]:
        """Return the options of a function; raise if it does not have one."""
        known = [
            argument.name
            for argument in signature(function).parameters.values()
            if argument.kind is Parameter.KEYWORD_ONLY and argument.name != "ax"
        ]
        values: dict[str, Any] = {}
        for name, text in self.parameters.items():
            if name not in known:
                takes = ", ".join(known) or "none"
                raise click.UsageError(f"{function.__name__} takes no -p {name}; it takes {takes}.")
            reader = READERS.get(name, str)
            values[name] = reader(text)
        return values


#: Options of a command that applies a function.
application_options = options.with_options(
    options.file_argument,
    options.parameters_option,
    option(
        "--by",
        metavar="COLUMN",
        help="Group by language, country, year, age, team_size, license, license_family, tag or a "
        "column.",
    ),
    option("--min-records", type=options.NUMBER, help="Combine smaller groups of --by."),
    options.records_options,
)


def takes_application(function: Any) -> Any:
    """Let a command receive what it applies a function to as one `application`."""
    names = [field.name for field in fields(Application)]

    @wraps(function)
    def call(**options: Any) -> Any:
        application = Application(**{name: options.pop(name) for name in names})
        return function(application=application, **options)

    return call


def apply(
    functions: ModuleType, name: str, divide: Callable[..., Any], application: Application
) -> Any:
    """Return what a statistic or chart makes of the records, or `divide` of their groups."""
    function = getattr(functions, name)
    values = application.values(function)
    by = application.by
    smallest = application.min_records or 1
    collection = (CHARTS | STATISTICS)[name].collection
    if by is not None and application.file is None:
        _check_stratum(by, collection or application.request.collection)
    needs_countries = by == "country" or name in {"accounts_by_country", "accounts_map"}

    def compute(frame: pd.DataFrame) -> Any:
        records = with_countries(frame) if needs_countries else frame
        if by is None:
            return function(records, **values)
        return divide(function, records, by, min_records=smallest, **values)

    def try_on(frame: pd.DataFrame) -> None:
        if len(frame):
            compute(frame)
        else:  # which cannot be divided
            function(with_countries(frame) if needs_countries else frame, **values)

    records = read(
        application.file,
        application.request,
        application.selection,
        needed=collection,
        try_on=try_on,
    )
    return compute(records)


def _check_stratum(by: str, collection: str | None) -> None:
    """Raise before a load if no record can be divided by a column."""
    if collection in {"accounts", "projects"}:
        from dirframe.stats.strata import DERIVED

        added = ("country_name", "country_alpha_2")
        known = [*DERIVED, *added, *map(str, empty(collection))]
        if by not in known:
            question = _display.did_you_mean(by, known)
            raise click.UsageError(f"There is no column {by}.{question}")
