"""Read recorded documents into the frames of the loaders."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from dirframe import provenance
from dirframe.client.fields import find_resource
from dirframe.client.paging.details import ANALYSIS_COLUMNS, are_analyses_left_out
from dirframe.client.xml.page import MAX_BYTES, AnalysisSent, Page, parse
from dirframe.client.xml.records import Records
from dirframe.errors import (
    IncompleteWarning,
    InvalidInputError,
    UnreadableResponseError,
    warn,
)
from dirframe.schema import Resource


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
        Files, patterns of names, or folders, whose ``.xml`` and ``.xml.gz`` files are read in
        order.
    resource : str, optional
        Expected resource of the records, as in `fields`. Default: that of the first record.
    max_bytes : int, default 64 MiB
        Maximum size of a document, uncompressed.

    Returns
    -------
    pandas.DataFrame
        One row a record, in the order of the files, with the columns of the loaders. If an id is
        repeated, the record with the latest ``updated_at`` is kept; without one, the first. In the
        provenance,
        ``completeness`` is ``"proven"`` if the positions of the pages follow each other up to the
        number of records that they report, ``"counted"`` if only this number is right, and
        ``"unknown"`` if they do not report one. Use `set_provenance` to add what the pages do not
        state, such as the directory and the days of access.

    Raises
    ------
    InvalidInputError
        If there is no such path or no XML file; if a file is not the interface's XML.

    Warns
    -----
    IncompleteWarning
        If the number of records that the pages report is not the number that they hold.

    Examples
    --------
    >>> import dirframe
    >>> from dirframe._files import data_folder
    >>> len(dirframe.read_pages(data_folder() / "projects.xml.gz"))
    1500
    """
    records = Records(find_resource(resource) if resource else None)
    analyses: set[AnalysisSent] = set()
    pages: list[Page] = []
    for file in _files(paths):
        with _readable():
            page = _read_page(file, max_bytes)
            records.add(page)
        analyses |= set(page.analyses_sent())
        pages.append(replace(page, records=()))  # its elements take the memory
    if not pages:
        raise InvalidInputError(f"There is no .xml file in {paths}.")
    frame = _newest(records.frame())
    facts = _completeness(pages, len(frame), records.resource)
    provenance.set_provenance(
        frame,
        source="recorded pages",
        resource=records.resource.name if records.resource else "",
        query={"files": len(pages)},
        items_loaded=len(frame),
        duplicates_removed=records.rows - len(frame),
        synthetic=any(page.synthetic for page in pages),
        not_sent=ANALYSIS_COLUMNS if are_analyses_left_out(analyses) else (),
        sent=provenance.columns_with_values(frame),
        **facts,
    )
    if facts.get("complete") is False:
        part = f"{len(pages):,} recorded pages are not a whole collection"
        hint = "Add the missing pages, or say in your results that it is a part."
        warn(IncompleteWarning(f"The {part}: {facts['incomplete_reason']}.", hint=hint))
    return frame


def _files(paths: str | Path | Iterable[str | Path]) -> Iterator[Path]:
    for path in map(Path, [paths] if isinstance(paths, str | Path) else paths):
        if path.is_dir():
            yield from sorted(file for file in path.iterdir() if _is_page(file))
        elif files := [path] if path.exists() else sorted(path.parent.glob(path.name)):
            yield from files
        else:
            raise InvalidInputError(f"There is no file or folder {path}.")


def _is_page(file: Path) -> bool:
    return file.name.lower().endswith((".xml", ".xml.gz"))


@contextmanager
def _readable() -> Iterator[None]:
    """Raise what is wrong with a document as an error of a file, which nobody requested."""
    try:
        yield
    except UnreadableResponseError as error:
        raise InvalidInputError(
            error.args[0], found=error.found, source=error.source, hint=error.hint
        ) from error.__cause__


def _read_page(file: Path, max_bytes: int) -> Page:
    opener = gzip.open if file.suffix.lower() == ".gz" else open
    try:
        with opener(file, "rb") as stream:
            content = stream.read(max_bytes + 1)  # one more shows that it is too large
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInputError(
            f"{file} could not be read: {error}.", found="a damaged file", source=str(file)
        ) from error
    page = parse(content, source=str(file), max_bytes=max_bytes)
    if not page.succeeded:
        found = f"the report of a failure ({page.error or 'without a text'})"
        raise InvalidInputError(
            f"{file} is {found}, not a page of records.",
            found=found,
            source=page.source,
            hint="Leave it out or fetch it again.",
        )
    return page


def _newest(frame: pd.DataFrame) -> pd.DataFrame:
    """Return of the records with the same id the one that was changed last."""
    if "id" not in frame or frame["id"].dtype == "object":  # several ids in one record
        return frame
    latest_first = frame
    if "updated_at" in frame and frame["updated_at"].dtype != "object":
        latest_first = frame.sort_values("updated_at", ascending=False, kind="stable")
    ids = latest_first["id"].dropna()
    return frame.drop(index=ids.index[ids.duplicated()]).reset_index(drop=True)


def _completeness(pages: list[Page], loaded: int, resource: Resource | None) -> dict[str, Any]:
    """Return what the pages say of the number of records, and whether these are all."""
    counts = [page.items_available for page in pages if page.items_available is not None]
    if len(counts) < len(pages):
        return {"incomplete_reason": "not every document says how many records there are"}
    if resource is not None and not resource.paged:
        counts = [sum(counts)]  # each is a whole collection, as of another project
    stated = sorted(set(counts))
    if stated == [loaded]:
        if are_one_collection(pages, resource):
            return {"completeness": "proven", "items_available": loaded}
        return {
            "completeness": "counted",
            "incomplete_reason": f"{len(pages):,} recorded pages hold as many different records as "
            "they state, but do not follow each other: they may be of different queries",
            "items_available": loaded,
        }
    numbers = " or ".join(f"{count:,}" for count in stated)
    noun = "record" if stated == [1] else "records"
    return {
        "complete": False,
        "incomplete_reason": f"they hold {loaded:,} of {numbers} {noun}",
        "items_available": stated[0] if len(stated) == 1 else None,
    }


def are_one_collection(pages: list[Page], resource: Resource | None) -> bool:
    """Return whether the positions of pages follow each other; one page need not state its own."""
    if len(pages) == 1 or (resource is not None and not resource.paged):
        return True
    positions = {page.first_item_position: page.items_returned for page in pages}
    following = 0
    for _ in positions:
        returned = positions.get(following)
        if returned is None:
            return False
        following += returned
    return following == pages[0].items_available
