"""Convert the values of a table to texts of the interface."""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from dirframe.schema import LESS_THAN_ONE, Field, Kind
from dirframe.service.importing.importer import ID, MD5, to_timestamp
from dirframe.service.importing.mapping import FieldMap
from dirframe.service.records import FORBIDDEN, is_url

#: Bytes in UTF-8 of the longest text that libxml2 reads.
_LONGEST = 10_000_000
_CONTROL = re.compile(f"[{FORBIDDEN}]")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?", re.ASCII)
#: Numbers whose separator may be that of thousands or the decimal one: 51,507 degrees, 1.000 posts.
_AMBIGUOUS = {
    Kind.NUMBER: re.compile(r"[-+]?[1-9]\d{0,2},\d{3}", re.ASCII),
    Kind.INTEGER: re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}", re.ASCII),
}
_DECIMAL_COMMA = (
    'The map may say what begins the fraction: { column = "…", decimal = "," }, or ".".'
)
_SWAPPED = str.maketrans(",.", ".,")
#: Placeholder that directories send for a missing logo: no_logo.png.
_PICTURE = re.compile(r"[\w-]+\.(gif|jpe?g|png|svg)", re.ASCII)


class Unreadable:
    """A value of a table that has no equivalent in Python.

    Parameters
    ----------
    shown
        The value for reports.
    why
        A sentence for reports.
    """

    def __init__(self, shown: str, why: str) -> None:
        self._shown = shown
        self.why = why

    def __repr__(self) -> str:
        return self._shown


def convert_value(value: Any, target: Field, m: FieldMap) -> Any:
    """Return the text of a value, or the entries of a list; None if it is missing.

    Raises
    ------
    ValueError
        The value does not fit the field; the message is a sentence for the report.
    """
    if isinstance(value, Unreadable):
        raise ValueError(value.why)  # noqa: TRY004  # caught as such
    if target.kind is Kind.ITEMS:
        return _entries(value, target, m)
    if isinstance(value, str):
        value = value.strip()
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    text = value if _is_placeholder(value, target) else _CONVERT[target.kind](value, m)
    if match := _CONTROL.search(text):
        raise ValueError(f"it has the character U+{ord(match[0]):04X}, which XML does not allow.")
    if len(text) > _LONGEST // 4 and len(text.encode()) > _LONGEST:
        raise ValueError(f"it has more than {_LONGEST:,} bytes, which readers of XML refuse.")
    if target.column == "id" and not ID.fullmatch(text):
        raise ValueError("an id has no blanks or slashes, and at most 100 characters.")
    if target.column == "email_md5" and not MD5.fullmatch(text.lower()):
        raise ValueError("it is not 32 hexadecimal digits.")
    return text


def _is_placeholder(value: Any, target: Field) -> bool:
    """Return whether directories themselves send this text where a number or a URL is due."""
    if target.unit == "%":
        return bool(value == LESS_THAN_ONE)
    is_logo = target.column.endswith("_logo_url") and isinstance(value, str)
    return is_logo and _PICTURE.fullmatch(value) is not None


def _plain(value: Any, _: FieldMap) -> str:
    if isinstance(value, (list, dict, bytes)):
        raise ValueError(f"it is a {type(value).__name__}, not one text.")  # noqa: TRY004  # caught as such
    # Tables with a missing number turn the others into fractions.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _timestamp(value: Any, m: FieldMap) -> str:
    form = f"as its format says ({m.format})" if m.format else "of ISO 8601"
    try:
        if isinstance(value, str):
            value = (
                datetime.strptime(value, m.format)  # noqa: DTZ007  # UTC if it has no zone
                if m.format
                else datetime.fromisoformat(value)
            )
        elif isinstance(value, date) and not isinstance(value, datetime):
            value = datetime.combine(value, time(), UTC)
        return to_timestamp(value)
    except (ValueError, OverflowError, AttributeError, TypeError):
        raise ValueError(
            f"it is not a timestamp {form}. The map may name the format: "
            '{ column = "…", format = "%d.%m.%Y" }.'
        ) from None


def _number(value: Any, m: FieldMap, kind: Kind = Kind.NUMBER) -> str:
    text = _plain(value, m)
    if isinstance(value, str):
        if not m.decimal and _AMBIGUOUS[kind].fullmatch(text):
            raise ValueError(f"it has two readings. {_DECIMAL_COMMA}")
        text = text.translate(_SWAPPED) if m.decimal == "," else text
        text = text.replace(",", "") if _GROUPED.fullmatch(text) else text
    if isinstance(value, bool) or not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise ValueError(
            "it is not a number. " + _DECIMAL_COMMA if "," in text else "it is not a number."
        )
    return text


def _integer(value: Any, m: FieldMap) -> str:
    number = Decimal(_number(value, m, Kind.INTEGER))
    if number != int(number):
        raise ValueError("it is not a whole number.")
    return str(int(number))


def _url(value: Any, m: FieldMap) -> str:
    text = _plain(value, m)
    if not is_url(text):
        raise ValueError("it is no URL, which begins with https://, http://, ftp:// or irc://.")
    return text


_CONVERT = {
    Kind.TEXT: _plain,
    Kind.IDENTIFIER: _plain,
    Kind.URL: _url,
    Kind.INTEGER: _integer,
    Kind.NUMBER: _number,
    Kind.TIMESTAMP: _timestamp,
}


def _entries(value: Any, target: Field, m: FieldMap) -> list[list[tuple[Field, str]]] | None:
    """Return the fields of each entry of a list."""
    assert target.items is not None  # noqa: S101  # a list
    if isinstance(value, str):
        if m.separator:
            value = [part for part in value.split(m.separator) if part.strip()]
        elif value.lstrip()[:1] == "[":
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                raise ValueError("it starts like a JSON list, but is not one.") from None
        else:
            value = [value] if value.strip() else None
    if value is None:
        return None
    if not isinstance(value, list):
        raise ValueError("it is not a list; a text needs a separator in the map.")  # noqa: TRY004  # caught as such
    known = {f.column: f for f in target.items.fields}
    entries: list[list[tuple[Field, str]]] = []
    for entry in value:
        text_field = target.items.tag if target.items.tag in known else "name"
        content = entry if isinstance(entry, dict) else {text_field: entry}
        if unknown := sorted(set(content) - set(known)):
            raise ValueError(f"an entry has {', '.join(unknown)}; it may have {', '.join(known)}.")
        pairs = (
            (known[name], "" if v == "" else convert_value(v, known[name], FieldMap()))
            for name, v in content.items()
        )
        entries.append([(f, text) for f, text in pairs if text is not None])
    return entries
