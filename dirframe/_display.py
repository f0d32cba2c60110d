"""Values, tables and small objects as text and as HTML, without signs that a terminal acts on."""

from __future__ import annotations

import inspect
import sys
from difflib import get_close_matches
from functools import wraps
from html import escape
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
_MOST_DECIMALS = 3
#: Width of the text of a displayed object: that of most terminals.
_TEXT_WIDTH = 80
#: What is before the rows of a table in such a text, and between the columns of a table.
_INDENT = _GAP = "  "
_LEADING = (
    *("name", "analysis_main_language_name", "country_name", "country_code", "location"),
    *("stack_count", "user_count", "posts_count", "analysis_twelve_month_contributor_count"),
    *("analysis_total_code_lines", "kudo_score_kudo_rank", "created_at", "licenses", "tags"),
)
#: Choices that a question names.
_MOST_CHOICES = 3
_CAPTION = "text-align:left;caption-side:top;font-weight:bold"


# Objects


def card(heading: str, facts: dict[str, str], note: str = "") -> str:
    """Return the repr of a small object: a heading, facts by name unless empty, and a note."""
    widest = max(map(len, facts), default=0)
    lines = [heading]
    for name, fact in facts.items():
        if fact:
            lines.append(f"  {name:{widest}}  {fact}")
    lines.append(note)
    return "\n".join(printable(line) for line in lines if line)


class Overview:
    """Mixin for objects that are displayed as a heading, tables and notes."""

    def _overview(self) -> tuple[str, dict[str, pd.DataFrame], list[str]]:
        """Return the heading, the tables by caption, and the notes."""
        raise NotImplementedError

    def __repr__(self) -> str:
        heading, tables, notes = self._overview()
        lines = [heading]
        for caption, table in tables.items():
            rows = ["none"]
            if not table.empty:
                rows = _fitting_lines(table, _TEXT_WIDTH - len(_INDENT))
            lines += ["", caption]
            lines += [f"{_INDENT}{row}" for row in rows]
        lines += ["", *notes]
        return "\n".join(map(printable, lines)).strip()

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
    room = width
    columns: list[list[str]] = []
    omitted: list[str] = []
    for name, head in heads.items():
        cells = [cut(cell, widest) for cell in cell_texts(table, name)]
        is_number_of_record = name == "id" and all(cell.isdecimal() for cell in cells)
        above = head.split("\n")
        blanks = [""] * (height - len(above))
        column = align(
            blanks + above + cells, right=is_number(table[name].dtype) or is_number_of_record
        )
        taken = width_of(column[0])
        if columns and taken > room:
            omitted.append(name)
            continue
        columns.append(column)
        room -= taken + len(_GAP)
    lines = [_GAP.join(row).rstrip() for row in zip(*columns, strict=True)]
    while lines and not lines[0]:
        del lines[0]
    return lines, omitted


def _fitting_lines(table: pd.DataFrame, width: int) -> list[str]:
    """Return a table as lines of text; if they are too wide, long names have lines of their own."""
    heads = {str(name): label(str(name)) for name in table}
    lines, _ = table_lines(table, heads)
    if _widest(lines) <= width:
        return lines
    first, *others = heads
    # The headings of the other columns are of two lines each.
    of_others = {name: heads[name].replace(" ", "\n", 1) for name in others}
    rest, _ = table_lines(table, of_others)
    room = max(width - _widest(rest) - len(_GAP), len(heads[first]))
    names = [cut(cell, width) for cell in cell_texts(table, first)]
    blanks = [""] * (len(rest) - len(names) - 1)
    folded: list[str] = []
    for name, line in zip([*blanks, heads[first], *names], rest, strict=True):
        if width_of(name) > room:
            folded.append(name)
            folded.append(f"{' ' * room}{_GAP}{line}")
        else:
            folded.append(f"{_pad(name, room, right=False)}{_GAP}{line}".rstrip())
    return folded


def _widest(lines: Iterable[str]) -> int:
    return max(map(width_of, lines))


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
    widest = _widest(texts)
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
    from wcwidth import wrap as wrap_words

    # Longer texts take time, and the first line alone is shown.
    lines = wrap_words(text[: 2 * widest], max(widest - 1, 1))
    first = lines[0] if lines else ""
    return f"{first}…"


# Values


def cell_texts(table: pd.DataFrame, name: Any) -> list[str]:
    """Format a column of a table: thousands separated, but not in years; shares in percent; missing empty."""
    import pandas as pd
    from pandas.api import types

    values: pd.Series[Any] = table[name]
    dtype = values.dtype
    to_text: Callable[[Any], str]
    if types.is_datetime64_any_dtype(dtype):
        moments = values.dropna()
        is_day = bool((moments == moments.dt.normalize()).all())
        to_text = "{:%Y-%m-%d}".format if is_day else "{:%Y-%m-%d %H:%M}".format
    elif types.is_integer_dtype(dtype):
        is_year = "year" in str(name).split("_")
        to_text = str if is_year else "{:,d}".format
    elif is_share(table, name):
        to_text = percent
    elif types.is_float_dtype(dtype):
        to_text = f"{{:,.{_decimals(values)}f}}".format
    else:
        return [_text(value) for value in values]
    return ["" if pd.isna(value) else to_text(value) for value in values]


def _decimals(values: pd.Series[Any]) -> int:
    """Return how many decimals the numbers of a column need, of three at most."""
    numbers = values.dropna().astype("float64").round(_MOST_DECIMALS)
    for decimals in range(_MOST_DECIMALS):
        if bool((numbers.round(decimals) == numbers).all()):
            return decimals
    return _MOST_DECIMALS


def _text(value: Any) -> str:
    """Return a value as text: a record by its name, or else by its values; a missing one empty."""
    import pandas as pd

    if isinstance(value, dict):
        names = [value[key] for key in _NAMES if value.get(key)]
        if names:
            return _text(names[0])
        return _text([part for part in value.values() if part is not None])
    if pd.api.types.is_list_like(value):
        return ", ".join(map(_text, value))
    return "" if pd.isna(value) else printable(str(value))


def label(column: str) -> str:
    """Return the name of a column in words; ``__`` sets a field of a part apart from its prefix."""
    return printable(column.replace("__", " / ").replace("_", " ").strip())


def headings(columns: Iterable[object]) -> dict[str, str]:
    """Return the names of columns in words, those of the analysis without its name where clear."""
    names = [str(column) for column in columns]
    heads: dict[str, str] = {}
    for name in names:
        short = name.removeprefix("analysis_")
        is_unclear = short in names or short.startswith("_")
        heads[name] = label(name if is_unclear else short)
    return heads


def leading_columns(frame: pd.DataFrame) -> list[str]:
    """Return what research needs first of a table of records, as far as it holds a value."""
    names = (name for name in _LEADING if name in frame)
    return [name for name in names if frame.empty or frame[name].notna().any()]


def quantity(count: int, singular: str, plural: str = "") -> str:
    """Format a count with its noun: ``1 project``, ``1,500 projects``."""
    noun = singular
    if count != 1:
        noun = plural or f"{singular}s"
    return f"{count:,} {noun}"


def percent(share: float) -> str:
    """Format a share with one decimal; only 0 is shown as 0.0%, and only 1 as 100.0%."""
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 <= share < 1:
        return ">99.9%"
    return f"{share:.1%}"


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
    collection = _COLLECTIONS.get(name)
    meant = "_".join(_SYNONYMS.get(word, word) for word in name.split("_"))
    close = [other for other in names if other == collection]
    close += [other for other in names if _is_meant(meant, other)]
    by_folded = {other.casefold(): other for other in names}
    similar = get_close_matches(name.casefold(), by_folded, n=_MOST_CHOICES)
    close += [by_folded[match] for match in similar]
    quoted = [repr(match) for match in dict.fromkeys(close)]
    if not quoted:
        return ""
    return f" Did you mean {' or '.join(quoted[:_MOST_CHOICES])}?"


def _is_meant(meant: str, choice: str) -> bool:
    """Return whether a choice, its synonym or one of its words is what a name means.

    So projects is load_projects, and load_users load_accounts.
    """
    return meant in {choice, _SYNONYMS.get(choice), *choice.split("_")}


def suggests_options(function: F) -> F:
    """Answer an unknown option, or one without its name, with what was meant."""
    signature = inspect.signature(function)
    name = function.__qualname__.removesuffix(".__init__")
    first, *others = [parameter for parameter in signature.parameters if parameter != "self"]
    example = f"{name}({first})"
    if others:
        option = "directory" if "directory" in others else others[0]
        example = f"{name}({first}, {option}={option})"

    def mistake(arguments: Any, options: Any) -> str:
        try:
            signature.bind(*arguments, **options)
        except TypeError as error:
            unknown = [option for option in options if option not in signature.parameters]
            if not unknown:
                return f"{name}(): {error}; write {example}."
            advice = _advice(unknown[0], list(signature.parameters))
            return f"{name}(): {error}.{advice}"
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
    words = f"{owner} has no attribute {name!r}"
    question = "" if name.startswith("_") else did_you_mean(name, choices)
    if question:
        words = f"{words}.{question}"
    # With a name and no object Python adds no suggestion of its own.
    return AttributeError(words, name=name)
