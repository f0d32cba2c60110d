"""Generate Python code that reproduces the explorer's view.

The code uses public names only and contains no API key; the key comes from the environment or the
keyring.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from dirframe.explorer.filters import COUNTRY, CREATED, LANGUAGE, Filters

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dirframe.explorer.load import LoadRequest
    from dirframe.settings import Settings

__all__ = ["DataSource", "ViewState", "client_expression", "repr_double_quoted", "to_python"]


@dataclass(frozen=True, kw_only=True)
class DataSource:
    """Source of the frame shown.

    Parameters
    ----------
    collection : {"projects", "accounts"}
        Its collection.
    asked : LoadRequest or None
        The request; None for a frame given by the user.
    directory : str
        Expression that opens the directory.
    incomplete : str
        What is missing from an incomplete load.
    """

    collection: str
    asked: LoadRequest | None = None
    directory: str = ""
    incomplete: str = ""


@dataclass(frozen=True, kw_only=True)
class ViewState:
    """The explorer's view of a frame.

    Parameters
    ----------
    filters : Filters
        Filters of the records.
    countries : bool
        Whether countries were unified after the load.
    columns : tuple of str
        Columns of the table.
    order_by : str
        Column that the records are sorted by; empty for the directory's order.
    order_key : str
        Expression of the sort key; empty to sort by the values themselves.
    descending : bool
        Whether to sort in descending order.
    begin, end : int
        Row range of the page.
    count : int
        Number of rows.
    chart : str
        Name of the chart in `dirframe.plot`.
    options : mapping
        Arguments of the chart.
    style : str
        Style of the citation.
    """

    filters: Filters
    countries: bool
    columns: tuple[str, ...]
    order_by: str
    order_key: str
    descending: bool
    begin: int
    end: int
    count: int
    chart: str
    options: Mapping[str, Any]
    style: str


def to_python(source: DataSource, screen: ViewState) -> str:
    """Return code that assigns ``shown``, ``table`` and ``ax`` and prints a citation."""
    return "\n".join(
        [
            *_loaded(source, screen),
            "",
            *_filtered(source.collection, screen.filters),
            *_ordered(screen),
            "",
            *_table(screen),
            f"ax = dirframe.plot.{screen.chart}({_call('shown', screen.options)})",
            f"print(dirframe.cite(shown, style={repr_double_quoted(screen.style)}))",
        ]
    )


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


def repr_double_quoted(text: str) -> str:
    """Return the repr of a string, with double quotes unless they would need escapes."""
    literal = repr(text)
    return f'"{literal[1:-1]}"' if literal[0] == "'" and '"' not in literal else literal


def _loaded(source: DataSource, screen: ViewState) -> Iterator[str]:
    name = source.collection
    yield "import dirframe"
    if screen.filters.steps():
        yield "from dirframe import provenance"
    named = {"activity_of": screen.filters.activity != "all", "matches": screen.filters.search}
    if any(named.values()):
        imported = ", ".join(name for name, is_used in named.items() if is_used)
        yield f"from dirframe.explorer.filters import {imported}"
    yield ""
    if source.asked is None:
        yield f"# {name} is the frame that was handed to the explorer"
    else:
        if source.incomplete:
            yield f"# what was on the screen is not complete: {' '.join(source.incomplete.split())}"
        load = _call("", {**source.asked.options(), "directory": _Name("directory")})
        yield f"with {source.directory} as directory:"
        yield f"    {name} = dirframe.load_{name}({load})"
    if screen.countries:
        yield f"{name} = dirframe.unify_countries({name})"


def _filtered(name: str, filters: Filters) -> Iterator[str]:
    conditions = []
    if filters.search:
        conditions.append(f"matches({name}, {repr_double_quoted(filters.search)})")
    if filters.languages:
        conditions.append(f'{name}["{LANGUAGE}"].isin({_listed(filters.languages)})')
    if filters.countries:
        conditions.append(f'{name}["{COUNTRY}"].isin({_listed(filters.countries)})')
    if filters.years:
        conditions.append(f'{name}["{CREATED}"].dt.year.between{filters.years}')
    if filters.activity != "all":
        conditions.append(f"activity_of({name}) == {repr_double_quoted(filters.activity)}")
    if not conditions:
        yield f"shown = {name}"
        return
    if len(conditions) == 1:
        yield f"shown = {name}[{conditions[0]}]"
    else:
        yield f"shown = {name}["
        for number, condition in enumerate(conditions):
            yield f"    {'& ' if number else ''}({condition})"
        yield "]"
    for step in filters.steps():
        yield f"provenance.copy_provenance(shown, shown, {repr_double_quoted(step)})"


def _ordered(screen: ViewState) -> Iterator[str]:
    if screen.order_by:
        key = f", key={screen.order_key}" if screen.order_key else ""
        yield (
            f"shown = shown.sort_values({repr_double_quoted(screen.order_by)}, "
            f'ascending={not screen.descending}, kind="stable"{key})'
        )


def _table(screen: ViewState) -> Iterator[str]:
    yield "columns = ["
    yield from (f"    {repr_double_quoted(column)}," for column in screen.columns)
    yield "]"
    page = f".iloc[{screen.begin}:{screen.end}]" if screen.end - screen.begin < screen.count else ""
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
        return _listed(tuple(value))
    return repr_double_quoted(value) if type(value) is str else repr(value)


def _listed(names: tuple[str, ...]) -> str:
    return f"[{', '.join(map(repr_double_quoted, names))}]"
