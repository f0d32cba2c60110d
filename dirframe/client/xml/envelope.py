"""The envelope of a response: status, error and counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dirframe.client.xml.flatten import local_name, text_of
from dirframe.schema import COLLECTION_COUNTS, SYNTHETIC_MARK

if TYPE_CHECKING:
    from lxml import etree


_SYNTHETIC = b"<?" + SYNTHETIC_MARK.encode()


@dataclass(frozen=True, slots=True)
class Envelope:
    """The envelope of a response.

    Parameters
    ----------
    status
        ``success``, ``failed``, another word, or None if the document has no status.
    error
        The error message of a failure.
    items_returned, items_available, first_item_position
        The counts of a collection; None if they are absent or not numbers.
    has_result
        Whether there is a result element (today's service omits it when empty).
    records
        Number of records in the result.
    synthetic
        Whether the document declares its data as generated.
    """

    status: str | None
    error: str | None = None
    items_returned: int | None = None
    items_available: int | None = None
    first_item_position: int | None = None
    has_result: bool = False
    records: int = 0
    synthetic: bool = False

    @property
    def succeeded(self) -> bool:
        """Whether the response is a success."""
        if self.status is None:  # a bare <result> succeeds, a bare <error> does not
            return self.has_result
        return self.status == "success"


def read_envelope(root: etree._Element, content: bytes, records: int) -> Envelope:
    """Read the envelope of a document.

    Parameters
    ----------
    root
        The root of the document; the content of its result is not used.
    content
        The bytes of the document: the mark of generated data is before its root.
    records
        Number of its records.

    Returns
    -------
    Envelope
        The envelope, also if the document reports a failure.
    """
    root_name, children = local_name(root), {local_name(child): child for child in root}
    synthetic = _SYNTHETIC in content[: content.find(root_name.encode())]
    if root_name == "error":
        message = text_of(children["message"]) if "message" in children else text_of(root)
        return Envelope(None, message, synthetic=synthetic)
    counts = {name: _count(children.get(name)) for name in COLLECTION_COUNTS}
    return Envelope(
        status=text_of(children.get("status")),
        error=text_of(children.get("error")) or text_of(children.get("message")),
        **counts,
        has_result="result" in {root_name, *children},
        records=records,
        synthetic=synthetic,
    )


def find_result(root: etree._Element) -> etree._Element | None:
    """Return the element that holds the records; None if there is none."""
    if local_name(root) == "result":
        return root
    return next((child for child in root if local_name(child) == "result"), None)


def _count(element: etree._Element | None) -> int | None:
    text = (text_of(element) or "").replace(",", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
