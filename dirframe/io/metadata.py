"""The record of an exported frame: provenance, citation and column dtypes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dirframe import __version__
from dirframe.citation import cite
from dirframe.errors import InvalidInputError
from dirframe.provenance import ATTRIBUTE, caption

if TYPE_CHECKING:
    import pandas as pd


#: Name of the table, sheet or metadata key that holds the records.
METADATA_KEY = "dirframe_provenance"

_FORMAT = 1


def record_of(frame: pd.DataFrame, columns: list[dict[str, Any]]) -> dict[str, Any]:
    """Describe a frame in JSON values."""
    provenance = frame.attrs.get(ATTRIBUTE)
    return {
        "format": _FORMAT,
        "dirframe": __version__,
        "caption": caption(frame),
        "citation": citation_of(frame),
        "provenance": provenance if isinstance(provenance, dict) else None,
        "rows": len(frame),
        "columns": columns,
    }


def citation_of(frame: pd.DataFrame) -> str:
    """Return the citation of a frame; empty if it has no source."""
    try:
        return str(cite(frame))
    except InvalidInputError:
        return ""


def facts(record: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the readable fields of a record, and the record, as pairs of name and text."""
    fields = {"caption": record["caption"], "citation": record["citation"]}
    fields |= record["provenance"] or {}
    texts = [
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in fields.items()
        if value not in (None, "", [], {})
    ]
    return [*texts, ("record", as_text(record))]


def as_text(record: dict[str, Any], *, indent: int | None = None) -> str:
    """Serialize a record to JSON."""
    try:
        return json.dumps(record, ensure_ascii=False, indent=indent, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"The provenance of the frame (attrs[{ATTRIBUTE!r}]) is not JSON: {error}."
        ) from None


def read_record(text: str | bytes | None, source: object) -> dict[str, Any]:
    """Parse a record.

    Raises
    ------
    InvalidInputError
        If it is missing, damaged, or from a later version.
    """
    try:
        record = json.loads(text or "")
        if record["format"] > _FORMAT:
            raise InvalidInputError(
                f"{source} was exported by dirframe {record['dirframe']}, a later version: "
                "update this one to read it."
            )
        record["columns"], record["provenance"]  # a KeyError if they are missing
    except (KeyError, TypeError, json.JSONDecodeError):
        raise InvalidInputError(
            f"{source} does not say what dirframe exported there: its record is missing or "
            "damaged. Read it as any file of its kind, with pandas."
        ) from None
    checked: dict[str, Any] = record
    return checked
