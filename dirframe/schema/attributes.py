"""Attributes of frames, in which their provenance is kept."""

from __future__ import annotations

from typing import Any

#: Key of the provenance in the attributes of a frame.
ATTRIBUTE = "dirframe"


def frame_attributes(frame: Any) -> dict[str, Any]:
    """Return the attributes of a frame of any library, empty if it has none.

    Arrow has them in the metadata of the schema, as pandas writes them.
    """
    attributes = getattr(frame, "attrs", None)
    if attributes is None:
        metadata = getattr(getattr(frame, "schema", None), "pandas_metadata", None) or {}
        attributes = metadata.get("attributes")
    return attributes if isinstance(attributes, dict) else {}


def is_synthetic(frame: Any) -> bool:
    """Return whether the provenance of a frame says that its records are generated."""
    record = frame_attributes(frame).get(ATTRIBUTE)
    return isinstance(record, dict) and record.get("synthetic") is True
