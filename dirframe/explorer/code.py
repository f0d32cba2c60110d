"""Generate Python code that reproduces the explorer's view.

The code uses public names only and contains no API key; the key comes from the environment or the
keyring.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from dirframe.filters.conditions import CHOICES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dirframe.explorer.load import LoadRequest
    from dirframe.explorer.state import State
    from dirframe.filters.select import Filters
    from dirframe.settings import Settings


@dataclass(frozen=True, kw_only=True)
class DataSource:
    """Source of the frame shown.

    Parameters
    ----------
    collection : {"projects", "accounts"}
        Its collection.
    request : LoadRequest or None
        The request; None for a frame given by the user.
    directory : str
        Expression that opens the directory.
    variable : str
        Expression of a frame given by the user, in the user's code; empty if unknown.
    incomplete : str
        What is missing from an incomplete load.
    is_unified : bool
        Whether countries were unified after the load.
    """

    collection: str
    request: LoadRequest | None = None
    directory: str = ""
    variable: str = ""
    incomplete: str = ""
    is_unified: bool = False


def to_python(state: State, source: DataSource, style: str) -> str:
    """Return code that assigns ``shown``, ``table`` and ``ax``, and prints a citation.

    Parameters
    ----------
    state : State
        The explorer's view of a frame.
    source : DataSource
        Source of the frame.
    style : str
        Style of the citation; empty if the source of the frame is not recorded.
    """
    cited = f"print(dirframe.cite(shown, style={repr_double_quoted(style)}))"
    return "\n".join(
        [
            *_load(source),
            "",
            *_select(source.collection, state.filters),
            *_sort(state),
            "",
            *_table(state),
            *_chart(state),
            *([cited] if style else []),
        ]
    )


def _chart(state: State) -> Iterator[str]:
    options = dict(state.chart_options)
    records = "shown"
    if rules := options.pop("exclude", ()):
        yield f"flagged = dirframe.flags(shown, rules={list(rules)!r})"
        yield 'sound = shown[~shown["id"].isin(flagged["id"])]'
        records = "sound"
    if column := options.pop("by", ""):
        chart = f"dirframe.plot.{state.chart}, {records}, {repr_double_quoted(column)}"
        yield f"figure = dirframe.plot.panels({_call(chart, options)})"
    else:
        yield f"ax = dirframe.plot.{state.chart}({_call(records, options)})"


def client_expression(settings: Settings) -> str:
    """Return the expression that opens a directory, without the API key."""
    from dirframe.sample import SAMPLE_NAME  # imports the service, which is rarely needed

    if settings.name == SAMPLE_NAME:
        return "dirframe.sample_directory()"
    options: dict[str, object] = {}
    if settings.name != urlsplit(settings.base_url).netloc:
        options["name"] = settings.name
    if settings.allow_http:
        options["allow_http"] = True
    return f"dirframe.Directory({_call(repr_double_quoted(settings.base_url), options)})"


def variable_of(value: object, namespace: Mapping[str, object]) -> str:
    """Return the name of a variable that holds an object; empty if there is none."""
    # Names such as _ and _3 are those of a notebook's outputs, which it drops.
    names = (name for name, other in namespace.items() if other is value)
    return next((name for name in names if not name.startswith("_")), "")


def repr_double_quoted(text: str) -> str:
    """Return the repr of a string, with double quotes unless they would need escapes."""
    literal = repr(text)
    return f'"{literal[1:-1]}"' if literal[0] == "'" and '"' not in literal else literal


def _load(source: DataSource) -> Iterator[str]:
    name = source.collection
    yield "import dirframe"
    yield ""
    if source.request is None:
        if not source.variable:
            yield f"# {name} is the frame that was handed to the explorer"
        elif source.variable != name:
            yield f"{name} = {source.variable}"
    else:
        if source.incomplete:
            yield f"# what was on the screen is not complete: {' '.join(source.incomplete.split())}"
        load = _call("", {**source.request.options(), "directory": _Name("directory")})
        yield f"with {source.directory} as directory:"
        yield f"    {name} = dirframe.load_{name}({load})"
    if source.is_unified:
        yield f"{name} = dirframe.unify_countries({name})"


def _select(name: str, filters: Filters) -> Iterator[str]:
    options = {
        name: list(value) if name in CHOICES else value for name, value in filters.active().items()
    }
    if len(options) > 1:
        yield "shown = dirframe.select("
        yield f"    {name},"
        yield from (f"    {_call('', {option: value})}," for option, value in options.items())
        yield ")"
    else:
        yield f"shown = dirframe.select({_call(name, options)})" if options else f"shown = {name}"


def _sort(state: State) -> Iterator[str]:
    if state.order_by:
        key = f", key={state.order_key}" if state.order_key else ""
        yield (
            f"shown = shown.sort_values({repr_double_quoted(state.order_by)}, "
            f'ascending={not state.descending}, kind="stable"{key})'
        )


def _table(state: State) -> Iterator[str]:
    yield "columns = ["
    yield from (f"    {repr_double_quoted(column)}," for column in state.columns)
    yield "]"
    begin, end = state.row_range
    page = f".iloc[{begin}:{end}]" if state.pages > 1 else ""
    yield f"table = shown[columns]{page}"


class _Name(str):
    """A name in the generated code, written without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _call(first: str, options: Mapping[str, Any]) -> str:
    named = (f"{name}={_value(value)}" for name, value in options.items())
    return ", ".join([first, *named] if first else named)


def _value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, tuple):  # a range, always two bounds
        return f"({', '.join(map(_value, value))})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_value(k)}: {_value(v)}' for k, v in value.items())}}}"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr_double_quoted(value) if type(value) is str else repr(value)
