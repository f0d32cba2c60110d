"""Parse documents in memory or in files into the frames of the loaders."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pandas as pd

from dirframe import provenance
from dirframe.client.details import ANALYSIS_COLUMNS
from dirframe.client.frames.builder import FrameBuilder
from dirframe.client.xml.parser import MAX_BYTES, PageParser
from dirframe.client.xml.records import RecordReader
from dirframe.errors import (
    Hint,
    IncompleteWarning,
    InvalidInputError,
    UnreadableResponseError,
    warn,
)
from dirframe.schema import PROJECT
from dirframe.schema.extensions import ALL_RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dirframe.client.xml.envelope import Envelope
    from dirframe.client.xml.parser import Page
    from dirframe.schema import Resource


_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
_CHANGE = "updated_at"
_HOSTS = 3  # maximum number of hosts named by a source
_OPENERS: dict[str, Any] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
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
    max_bytes: int = MAX_BYTES,
) -> ParsedDocuments:
    """Parse documents into one frame, in order.

    Parameters
    ----------
    documents
        Pairs of a document's name in error messages and its bytes.
    resource
        Expected resource of the records; None for that of the first record.
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
    return frame_pages(pages, resource)


def frame_pages(pages: Iterable[Page], resource: Resource | None = None) -> ParsedDocuments:
    """Combine parsed pages into one frame; see `parse_documents`."""
    reader = RecordReader(resource)
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
            builder = builder or FrameBuilder(reader.resource)
            builder.add(reader.pop_columns())
    if reader.resource is None:
        return ParsedDocuments(pd.DataFrame(), None, envelopes)
    builder = builder or FrameBuilder(reader.resource)
    builder.add(reader.pop_columns())
    left_out = (
        reader.resource is PROJECT
        and builder.holding("analysis_id").any()
        and not builder.holding("analysis").any()
    )
    absent = ANALYSIS_COLUMNS if left_out else ()
    return ParsedDocuments(builder.finish(), reader.resource, envelopes, absent)


def read_pages(
    paths: str | Path | Iterable[str | Path],
    *,
    resource: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> pd.DataFrame:
    """Read recorded XML documents into the frame that the loaders would return.

    Parameters
    ----------
    paths : str, pathlib.Path or iterable of these
        Files, or folders whose ``.xml`` files are read in the order of their names,
        compressed ones (``.gz``, ``.bz2``, ``.xz``) included.
    resource : str, optional
        Expected resource of the records: ``"account"``, ``"project"`` or another one known
        to `fields`. Default: that of the first record.
    max_bytes : int, default 64 MiB
        Maximum size of a document, uncompressed.

    Returns
    -------
    pandas.DataFrame
        One row a record, in the order of the files, with the columns of `load_accounts`,
        `load_projects` or, for other records, `load`. Of records with a repeated id the one
        changed last (``updated_at``) is kept, among equal ones the first; the others are omitted
        and counted. In the provenance, ``complete`` is true if the pages prove it, false if they
        prove the opposite, and None if they do not report the number of records. ``source`` and
        ``base_url`` name the directory that the records link to as their own pages. The time of
        the fetch is not known, since the time of a file may be that of a copy:
        ``records_oldest`` and ``records_newest`` are the first and the last change
        (``updated_at``) of a record.

    Raises
    ------
    InvalidInputError
        If a path does not exist, or there is no XML file.
    UnreadableResponseError
        If a file is not the interface's XML; the message names the file.

    Warns
    -----
    IncompleteWarning
        If the pages report more records than they hold.

    Examples
    --------
    >>> import dirframe
    >>> from dirframe.service.store.sample import sample_files
    >>> accounts_file, projects_file = sample_files()
    >>> len(dirframe.read_pages(projects_file))
    1500
    """
    files = list(_files(paths))
    expected = None if resource is None else _resource_named(resource)
    documents = ((str(file), _read_file(file, max_bytes)) for file in files)
    parsed = parse_documents(documents, expected, max_bytes=max_bytes)
    frame, duplicates = parsed.frame, 0
    if "id" in frame:
        repeated = _repeated(frame)
        duplicates = int(repeated.sum())
        frame = frame[~repeated].reset_index(drop=True)
    complete, why, available = _completeness(parsed, len(frame))
    synthetic = any(envelope.synthetic for envelope in parsed.envelopes)
    source, base_url = _directory_of(frame)
    oldest, newest = _change_range(frame)
    provenance.set_provenance(
        frame,
        source=source,
        base_url=base_url,
        records_oldest=oldest,
        records_newest=newest,
        resource=parsed.resource.name if parsed.resource else resource or "",
        query={"files": len(files)},
        items_available=available,
        items_loaded=len(frame),
        complete=complete,
        incomplete_reason=why,
        duplicates_removed=duplicates,
        synthetic=synthetic,
        not_sent=parsed.not_sent,
    )
    if complete is False:
        warn(
            IncompleteWarning(
                f"The {len(files):,} recorded pages are not a whole collection: {why}. Add the "
                "missing pages, or say in your results that it is a part."
            )
        )
    return frame


def _repeated(frame: pd.DataFrame) -> pd.Series[bool]:
    """Return the records to leave out: those of an id of which a newer or equal one is there."""
    known = frame[frame["id"].notna()]
    if _CHANGE in frame and isinstance(frame[_CHANGE].dtype, pd.DatetimeTZDtype):
        known = known.sort_values(_CHANGE, ascending=False, kind="stable", na_position="last")
    left_out = known.index[known["id"].duplicated()]
    return pd.Series(frame.index.isin(left_out), index=frame.index)


def _directory_of(frame: pd.DataFrame) -> tuple[str, str]:
    """Return name and address of the directory that the records link to as their own pages."""
    column = next((frame[name] for name in ("html_url", "url") if name in frame), None)
    links = [] if column is None else [_origin(link) for link in column.dropna()]
    origins = sorted({origin for origin in links if origin})
    if not origins:
        return "recorded pages", ""
    hosts = list(dict.fromkeys(host for host, _ in origins))
    names = hosts if len(hosts) <= _HOSTS else [*hosts[:_HOSTS], f"{len(hosts) - _HOSTS} others"]
    return (
        f"recorded pages of {', '.join(names)}",
        f"{origins[0][1]}://{hosts[0]}" if len(hosts) == 1 else "",
    )


def _origin(link: object) -> tuple[str, str] | None:
    """Return host and scheme of a link; other parts are not used."""
    try:
        parts = urlsplit(str(link).strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not host or not _HOST.fullmatch(host):
        return None
    return (host if port is None else f"{host}:{port}"), parts.scheme


def _change_range(frame: pd.DataFrame) -> tuple[str | None, str | None]:
    """Return the first and the last time at which a record was changed."""
    if _CHANGE not in frame or not isinstance(frame[_CHANGE].dtype, pd.DatetimeTZDtype):
        return None, None
    moments = frame[_CHANGE].dropna()
    if moments.empty:
        return None, None
    return tuple(m.isoformat(timespec="seconds") for m in (moments.min(), moments.max()))


def _resource_named(resource: str) -> Resource:
    if resource not in ALL_RESOURCES:
        raise InvalidInputError(
            f"resource is {resource!r}; it must be one of {', '.join(ALL_RESOURCES)}."
        )
    return ALL_RESOURCES[resource]


def _files(paths: str | Path | Iterable[str | Path]) -> Iterator[Path]:
    sources = [paths] if isinstance(paths, str | Path) else list(paths)
    has_files = False
    for path in map(Path, sources):
        if path.is_dir():
            files = sorted(file for file in path.iterdir() if _is_xml(file))
        elif path.exists():
            files = [path]
        else:
            raise InvalidInputError(f"There is no file or folder {path}.")
        has_files = has_files or bool(files)
        yield from files
    if not has_files:
        names = ", ".join(str(path) for path in sources) or "no path at all"
        raise InvalidInputError(f"There is no .xml file in {names}.")


def _is_xml(file: Path) -> bool:
    name = file.with_suffix("") if file.suffix in _OPENERS else file
    return file.is_file() and name.suffix.lower() == ".xml"


def _read_file(file: Path, max_bytes: int) -> bytes:
    opener = _OPENERS.get(file.suffix.lower(), open)
    try:
        with opener(file, "rb") as stream:
            # One byte more than allowed is sufficient to know that it is too large.
            content: bytes = stream.read(max_bytes + 1)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise UnreadableResponseError(
            f"{file} could not be read: {error}.", found="a damaged file", source=str(file)
        ) from error
    if len(content) > max_bytes:
        raise UnreadableResponseError(
            f"{file} holds more than the {max_bytes:,} bytes allowed for a document.",
            found=f"more than {max_bytes:,} bytes",
            source=str(file),
            hint=Hint(
                "Pass max_bytes= to read larger ones.",
                shell="Use --max-bytes to read larger ones.",
            ),
        )
    return content


def _completeness(read: ParsedDocuments, loaded: int) -> tuple[bool | None, str | None, int | None]:
    counts = {envelope.items_available for envelope in read.envelopes}
    if None in counts:
        return None, "not every document says how many records there are", None
    if read.resource is not None and not read.resource.paged:
        # Each document is a whole collection, for example of another project or account.
        total = sum(envelope.items_available or 0 for envelope in read.envelopes)
        if all(envelope.items_available == envelope.records for envelope in read.envelopes):
            return True, None, total
    if len(counts) > 1:
        reported = " and ".join(
            f"{count:,}" for count in sorted(c for c in counts if c is not None)
        )
        return False, f"the pages count {reported} records, so they are of different states", None
    [available] = counts
    if available == loaded:
        return True, None, available
    return False, f"they hold {loaded:,} of {available:,} records", available
