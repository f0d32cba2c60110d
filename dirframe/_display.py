"""Values, tables and small objects as text and as HTML, without signs that a terminal acts on."""

from __future__ import annotations

import inspect
import sys
from difflib import get_close_matches
from functools import wraps
from html import escape
from itertools import dropwhile
from typing import TYPE_CHECKING, Any, TypeVar, cast

from dirframe._printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd

F = TypeVar("F", bound="Callable[..., Any]")

#: Words of other services, and those of the interface.
_SYNONYMS = {
    **dict.fromkeys(("users", "people", "persons", "members", "developers"), "accounts"),
    **dict.fromkeys(("user", "person", "member", "developer"), "account"),
    **dict.fromkeys(("repositories", "repos", "packages"), "projects"),
    **dict.fromkeys(("limit", "n", "nrows", "max_results", "top"), "max_items"),
}
#: Collections by the words that people use for them.
_COLLECTIONS = {
    **dict.fromkeys(("organizations", "organisations", "organization"), "orgs"),
    **dict.fromkeys(("repositories", "repository", "repos"), "enlistments"),
    **dict.fromkeys(("people", "committers"), "affiliated_committers"),
    **dict.fromkeys(("months", "activity"), "activity_facts"),
}
#: Settings of a `Directory`, by their names in other libraries.
_SETTINGS = {
    **dict.fromkeys(("url", "address", "host", "endpoint", "server"), "base_url"),
    **dict.fromkeys(("api_key", "apikey", "token", "access_token", "api_token"), "key"),
    **dict.fromkeys(("quota", "limit", "requests_per_day"), "daily_quota"),
}
#: The options of `dirframe.select`, by what a load, a statistic or a chart is asked for instead.
_FILTERS = {
    **dict.fromkeys(("language", "languages", "main_language"), "languages"),
    **dict.fromkeys(("country", "countries"), "countries"),
    **dict.fromkeys(("license", "licenses", "licence", "licences"), "licenses"),
    **dict.fromkeys(("tag", "tags"), "tags"),
    **dict.fromkeys(("year", "years", "since", "until"), "years"),
    **dict.fromkeys(("range", "ranges"), "ranges"),
    "search": "search",
    "activity": "activity",
}
#: Fields that name a record in a list, by priority.
_NAMES = ("nice_name", "name", "language", "factoid")
_WIDEST = 60
#: Width of the text of a displayed object: that of most terminals.
_TEXT_WIDTH = 80
_LEADING = (
    *("name", "analysis_main_language_name", "country_name", "country_code", "location"),
    *("stack_count", "user_count", "posts_count", "analysis_twelve_month_contributor_count"),
    *("analysis_total_code_lines", "kudo_score_kudo_rank", "created_at", "licenses", "tags"),
)
_CAPTION = "text-align:left;caption-side:top;font-weight:bold"


# Objects


def card(heading: str, facts: dict[str, str], note: str = "") -> str:
    """Return the repr of a small object: a heading, facts by name unless empty, and a note."""
    widest = max(map(len, facts), default=0)
    lines = [f"  {name:{widest}}  {fact}" for name, fact in facts.items() if fact]
    return "\n".join(printable(line) for line in [heading, *lines, note] if line)


class Overview:
    """Mixin for objects that are displayed as a heading, tables and notes."""

    def _overview(self) -> tuple[str, dict[str, pd.DataFrame], list[str]]:
        """Return the heading, the tables by caption, and the notes."""
        raise NotImplementedError

    def __repr__(self) -> str:
        heading, tables, notes = self._overview()
        lines = [heading]
        for caption, table in tables.items():
            rows = ["none"] if table.empty else _fitting_lines(table, _TEXT_WIDTH - len("  "))
            lines += ["", caption, *(f"  {row}" for row in rows)]
        return "\n".join(map(printable, [*lines, "", *notes])).strip()

    def _repr_html_(self) -> str:
        heading, tables, notes = self._overview()
        parts = [f"<p><strong>{escape(heading)}</strong></p>"]
        parts += [html_table(table, caption) for caption, table in tables.items()]
        parts += [f"<p><small>{escape(note)}</small></p>" for note in notes]
        # In these classes, MathJax 2 and 3 leave dollar signs and backslashes as they are.
        return f'<div class="tex2jax_ignore mathjax_ignore">{"".join(parts)}</div>'


# Tables


def html_table(
    table: pd.DataFrame,
    caption: str,
    longest: int | None = None,
    heads: dict[str, str] | None = None,
) -> str:
    """Return a table as HTML, its text escaped and cut, and its numbers on the right.

    With `heads`, headings by column, the name of a column is the tooltip of its heading.
    """
    if table.empty:
        return f"<p><strong>{escape(caption)}</strong>: none</p>"
    cells_of_head, columns = [], []
    for name in table:
        style = ' style="text-align:right"' if is_number(table[name].dtype) else ""
        head = label(str(name))
        tooltip = ""
        if heads is not None:
            head = heads[str(name)]
            tooltip = f' title="{escape(printable(str(name)))}"'
        cells_of_head.append(f'<th scope="col"{style}{tooltip}>{escape(head)}</th>')
        cells = cell_texts(table, name)
        columns.append([f"<td{style}>{escape(cell[:longest])}</td>" for cell in cells])
    rows = "".join(f"<tr>{''.join(row)}</tr>\n" for row in zip(*columns, strict=True))
    return (
        f'<table><caption style="{_CAPTION}">{escape(caption)}</caption>'
        f"<thead><tr>{''.join(cells_of_head)}</tr></thead>\n<tbody>\n{rows}</tbody></table>"
    )


def table_lines(
    table: pd.DataFrame, heads: dict[str, str], width: int = sys.maxsize, widest: int = _WIDEST
) -> tuple[list[str], list[str]]:
    """Return a table as lines of text, and the columns for which they have no room."""
    height = max((head.count("\n") + 1 for head in heads.values()), default=0)
    columns: list[list[str]] = []
    omitted: list[str] = []
    for name, head in heads.items():
        cells = [cut(cell, widest) for cell in cell_texts(table, name)]
        right = is_number(table[name].dtype) or (name == "id" and all(map(str.isdecimal, cells)))
        above = head.split("\n")
        column = align([*[""] * (height - len(above)), *above, *cells], right=right)
        if columns and width_of(column[0]) > width:
            omitted.append(name)
        else:
            columns.append(column)
            width -= width_of(column[0]) + len("  ")
    lines = ("  ".join(row).rstrip() for row in zip(*columns, strict=True))
    return list(dropwhile(lambda line: not line, lines)), omitted


def _fitting_lines(table: pd.DataFrame, width: int) -> list[str]:
    """Return a table as lines of text; if they are too wide, long names have lines of their own."""
    heads = {str(name): label(str(name)) for name in table}
    lines, _ = table_lines(table, heads)
    if max(map(width_of, lines)) <= width:
        return lines
    first, *others = heads
    above = {name: heads[name].replace(" ", "\n", 1) for name in others}
    rest, _ = table_lines(table, above)
    room = max(width - max(map(width_of, rest)) - len("  "), len(heads[first]))
    names = [cut(cell, width) for cell in cell_texts(table, first)]
    beside = [*[""] * (len(rest) - len(names) - 1), heads[first], *names]
    folded: list[str] = []
    for name, line in zip(beside, rest, strict=True):
        if width_of(name) > room:
            folded += [name, f"{'':{room}}  {line}"]
        else:
            folded.append(f"{name}{' ' * (room - width_of(name))}  {line}".rstrip())
    return folded


def wrap(line: str, width: int, *, breaks_words: bool = True) -> list[str]:
    """Return a line as lines that are no wider, indented as it is.

    A word that alone is wider is broken, or stays whole, as an address must on a terminal.
    """
    if width_of(line) <= width:
        return [line]
    from wcwidth import wrap as wrap_words

    text = line.strip(" ")
    indent = " " * (len(line) - len(line.lstrip(" ")))
    return wrap_words(
        text,
        max(width, 1),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=breaks_words,
        break_on_hyphens=False,
    )


def _pad(text: str, width: int, *, right: bool) -> str:
    blanks = " " * (width - width_of(text))
    return f"{blanks}{text}" if right else f"{text}{blanks}"


def align(texts: Sequence[str], *, right: bool) -> list[str]:
    """Pad texts to the width of the widest."""
    widest = max(map(width_of, texts))
    return [_pad(text, widest, right=right) for text in texts]


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from wcwidth import width

    return width(text)


def cut(text: str, widest: int) -> str:
    """Cut a text after a word; a long word anywhere."""
    if width_of(text) <= widest:
        return text
    from wcwidth import wrap

    lines = wrap(text[: 2 * widest], max(widest - 1, 1))
    return f"{lines[0] if lines else ''}…"


# Values


def cell_texts(table: pd.DataFrame, name: Any) -> list[str]:
    """Format a column of a table: thousands separated, but not in years; shares in percent; missing empty."""
    import pandas as pd
    from pandas.api import types

    values: pd.Series[Any] = table[name]
    dtype = values.dtype
    text: Callable[[Any], str]
    if types.is_datetime64_any_dtype(dtype):
        moments = values.dropna()
        is_day = bool((moments == moments.dt.normalize()).all())
        text = ("{:%Y-%m-%d}" if is_day else "{:%Y-%m-%d %H:%M}").format
    elif types.is_integer_dtype(dtype):
        text = ("{:d}" if "year" in str(name).split("_") else "{:,d}").format
    elif is_share(table, name):
        text = percent
    elif types.is_float_dtype(dtype):
        # The same number of decimals in the whole column: as many as needed, three at most.
        numbers = values.dropna().astype("float64").round(3)
        decimals = next(n for n in range(4) if n == 3 or bool((numbers.round(n) == numbers).all()))
        text = f"{{:,.{decimals}f}}".format
    else:
        return [_text(value) for value in values]
    return ["" if pd.isna(value) else text(value) for value in values]


def _text(value: Any) -> str:
    """Return a value as text: a record by its name, or else by its values; a missing one empty."""
    import pandas as pd

    if isinstance(value, dict):
        name = next((value[key] for key in _NAMES if value.get(key)), None)
        value = name or [part for part in value.values() if part is not None]
    if pd.api.types.is_list_like(value):
        return ", ".join(map(_text, value))
    return "" if pd.isna(value) else printable(str(value))


def label(column: str) -> str:
    """Return the name of a column in words; ``__`` sets a field of a part apart from its prefix."""
    return printable(column.replace("__", " / ").replace("_", " ").strip())


def headings(columns: Iterable[object]) -> dict[str, str]:
    """Return the names of columns in words, those of the analysis without its name where clear."""
    names = [str(column) for column in columns]
    clear = {n: n.removeprefix("analysis_") for n in names}
    return {n: label(n if s in names or s.startswith("_") else s) for n, s in clear.items()}


def leading_columns(frame: pd.DataFrame) -> list[str]:
    """Return what research needs first of a table of records, as far as it holds a value."""
    names = (name for name in _LEADING if name in frame)
    return [name for name in names if frame.empty or frame[name].notna().any()]


def quantity(count: int, singular: str, plural: str = "") -> str:
    """Format a count with its noun: ``1 project``, ``1,500 projects``."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def percent(share: float) -> str:
    """Format a share with one decimal; only 0 is shown as 0.0%, and only 1 as 100.0%."""
    if 0 < share < 0.0005:
        return "<0.1%"
    return ">99.9%" if 0.9995 <= share < 1 else f"{share:.1%}"


def is_share(table: pd.DataFrame, name: Any) -> bool:
    """Return whether a column of a table holds shares, which are shown in percent."""
    if table[name].dtype.kind != "f":
        return False
    if name in {"low", "high"}:
        return "share" in table  # its interval
    return "share" in str(name).split("_")


def is_number(dtype: Any) -> bool:
    """Return whether a dtype is right-aligned: numeric, and not boolean."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return is_numeric_dtype(dtype) and not is_bool_dtype(dtype)


# Names


def did_you_mean(name: str, choices: Iterable[str]) -> str:
    """Return a question that names similar choices, after a blank; empty if there is none."""
    names = [str(choice) for choice in choices]
    # Of several words, one may be it: projects is load_projects, and load_users load_accounts.
    meant = "_".join(_SYNONYMS.get(word, word) for word in name.split("_"))
    close = [other for other in names if other == _COLLECTIONS.get(name)]
    close += [other for other in names if meant in {other, _SYNONYMS.get(other), *other.split("_")}]
    folded = {choice.casefold(): choice for choice in names}
    close += [folded[match] for match in get_close_matches(name.casefold(), folded, n=3)]
    quoted = [repr(match) for match in dict.fromkeys(close)]
    return f" Did you mean {' or '.join(quoted[:3])}?" if quoted else ""


def suggests_options(function: F) -> F:
    """Answer an unknown option, or one without its name, with what was meant."""
    signature = inspect.signature(function)
    name = function.__qualname__.removesuffix(".__init__")
    first, *others = [parameter for parameter in signature.parameters if parameter != "self"]
    option = "directory" if "directory" in others else "".join(others[:1])
    example = f"{name}({first}, {option}={option})" if option else f"{name}({first})"

    def mistake(arguments: Any, options: Any) -> str:
        try:
            signature.bind(*arguments, **options)
        except TypeError as error:
            unknown = [given for given in options if given not in signature.parameters]
            if unknown:
                return f"{name}(): {error}.{_advice(unknown[0], [*signature.parameters])}"
            return f"{name}(): {error}; write {example}."
        return ""

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            if message := mistake(arguments, options):
                raise TypeError(message)
            return function(*arguments, **options)
        finally:
            # One may be a key: no frame of the traceback that the caller receives holds it.
            del arguments, options

    return cast("F", call)


def _advice(unknown: str, parameters: list[str]) -> str:
    """Return what to write instead of an option that a function does not have."""
    setting = _SETTINGS.get(unknown, unknown)
    if setting in parameters:
        return f" Did you mean {setting!r}?"
    if setting in {"base_url", "key"} and "directory" in parameters:
        return " Pass directory=dirframe.Directory(base_url, key)."
    if unknown in _FILTERS and _FILTERS[unknown] not in parameters:
        return f" Filter the frame: dirframe.select(frame, {_FILTERS[unknown]}=...)."
    return did_you_mean(unknown, [name for name in parameters if name != "self"])


def unknown_attribute(owner: str, name: str, choices: Iterable[str]) -> AttributeError:
    """Return the error for an attribute that does not exist."""
    question = "" if name.startswith("_") else did_you_mean(name, choices)
    # With a name and no object Python adds no suggestion of its own.
    return AttributeError(
        f"{owner} has no attribute {name!r}{question and '.' + question}", name=name
    )
