"""Parse documents already in memory into one frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dirframe.client.details import sent_columns, unsent_columns
from dirframe.client.frames.builder import FrameBuilder
from dirframe.client.frames.columns import column_paths, select_columns
from dirframe.client.xml.parser import MAX_BYTES, PageParser
from dirframe.client.xml.records import RecordReader
from dirframe.errors import UnreadableResponseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd

    from dirframe.client.xml.envelope import Envelope
    from dirframe.client.xml.parser import Page
    from dirframe.schema import Resource


#: Documents buffered as text before conversion, as in `dirframe.client.paging.paginator`.
CHUNK = 64


@dataclass(slots=True)
class ParsedDocuments:
    """Result of parsing documents; `resource` is None if they hold no records.

    `not_sent` lists the columns that only analyses fill, if the documents hold none of these.
    """

    frame: pd.DataFrame
    resource: Resource | None
    envelopes: list[Envelope] = field(repr=False)
    not_sent: tuple[str, ...] = ()


def parse_documents(
    documents: Iterable[tuple[str, bytes]],
    resource: Resource | None = None,
    *,
    columns: Sequence[str] | None = None,
    max_bytes: int = MAX_BYTES,
) -> ParsedDocuments:
    """Parse documents into one frame, in order.

    Parameters
    ----------
    documents
        Pairs of a document's name in error messages and its bytes.
    resource
        Expected resource of the records; None for that of the first record. Required if
        `columns` is given.
    columns
        Names of the columns to read; None for all.
    max_bytes
        Maximum size of a document.

    Returns
    -------
    ParsedDocuments
        The frame and the envelopes.

    Raises
    ------
    UnreadableResponseError
        If a document is not the interface's XML, reports a failure, or holds other records.
    """
    parser, name = PageParser(max_bytes=max_bytes), resource.name if resource else None
    pages = (
        parser.parse(content, source=source, record_name=name) for source, content in documents
    )
    return frame_pages(pages, resource, columns=columns)


def frame_pages(
    pages: Iterable[Page], resource: Resource | None = None, *, columns: Sequence[str] | None = None
) -> ParsedDocuments:
    """Combine parsed pages into one frame; see `parse_documents`."""
    chosen = None if resource is None else column_paths(resource, columns)
    reader = RecordReader(resource, chosen=chosen)
    builder: FrameBuilder | None = None
    envelopes: list[Envelope] = []
    for page in pages:
        envelope = reader.add(page)
        if not envelope.succeeded:
            message = f': "{envelope.error}"' if envelope.error else ""
            raise UnreadableResponseError(
                f"{page.source} is the report of a failure{message}, not a page of records. "
                "Leave it out or fetch it again.",
                found="the report of a failure",
                source=page.source,
            )
        envelopes.append(envelope)
        if reader.resource is not None and len(envelopes) % CHUNK == 0:
            builder = builder or FrameBuilder(reader.resource, columns)
            builder.add(reader.pop_columns())
    if reader.resource is None:
        import pandas as pd

        return ParsedDocuments(pd.DataFrame(), None, envelopes)
    builder = builder or FrameBuilder(reader.resource, columns)
    builder.add(reader.pop_columns())
    left_out = columns is None and sent_columns(builder).left_out
    frame = builder.finish()
    absent = unsent_columns(reader.resource, None) if left_out else ()
    return ParsedDocuments(select_columns(frame, columns), reader.resource, envelopes, absent)
