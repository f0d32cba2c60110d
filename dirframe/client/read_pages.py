"""Read recorded documents into the frames of the loaders."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from dirframe import provenance
from dirframe.client.page import MAX_BYTES, parse
from dirframe.client.paging import ANALYSIS_COLUMNS, are_left_out
from dirframe.client.records import Records
from dirframe.errors import IncompleteWarning, InvalidInputError, UnreadableResponseError, warn
from dirframe.schema import ALL_RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dirframe.client.page import Page
    from dirframe.schema import Resource

#: Scheme and host of an address, without a user.
_ORIGIN = r"^(https?)://(?:[^/?#@]*@)?([a-z0-9][a-z0-9.-]*(?::\d+)?)(?:[/?#]|$)"


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
        Files, or folders whose ``.xml`` and ``.xml.gz`` files are read in order of their names.
    resource : str, optional
        Expected resource of the records, as in `fields`. Default: that of the first record.
    max_bytes : int, default 64 MiB
        Maximum size of a document, uncompressed.

    Returns
    -------
    pandas.DataFrame
        One row a record, in the order of the files, with the columns of the loaders. Of records
        with a repeated id the one changed last (``updated_at``) is kept, among equal ones the
        first. In the provenance, ``complete`` is None if the pages do not report the number of
        records, ``source`` and ``base_url`` name the one directory that the records link to, and
        ``records_oldest`` and ``records_newest`` (first and last change of a record) stand for the
        time of the fetch, since the time of a file may be that of a copy.

    Raises
    ------
    InvalidInputError, UnreadableResponseError
        If there is no such path or no XML file; if a file is not the interface's XML.

    Warns
    -----
    IncompleteWarning
        If the pages report more records than they hold.

    Examples
    --------
    >>> import dirframe
    >>> from dirframe.service.store import sample_folder
    >>> len(dirframe.read_pages(sample_folder() / "projects.xml.gz"))
    1500
    """
    if resource is not None and resource not in ALL_RESOURCES:
        raise InvalidInputError(
            f"resource is {resource!r}; it must be one of {', '.join(ALL_RESOURCES)}."
        )
    records, signs = Records(ALL_RESOURCES.get(resource or "")), ""
    pages: list[Page] = []
    for file in _files(paths):
        page = _read_page(file, max_bytes)
        records.add(page)
        signs += page.signs()
        pages.append(replace(page, records=()))  # its elements take the memory
    if not pages:
        raise InvalidInputError(f"There is no .xml file in {paths}.")
    frame = records.frame()
    changes = frame.get("updated_at", pd.Series())
    if not isinstance(changes.dtype, pd.DatetimeTZDtype):
        changes = pd.Series(pd.NaT, frame.index, dtype="datetime64[us, UTC]")
    if "id" in frame and frame["id"].dtype == "str":
        ids = frame["id"].loc[changes.sort_values(ascending=False, kind="stable").index].dropna()
        frame = frame.drop(index=ids.index[ids.duplicated()]).reset_index(drop=True)
    complete, why, available = _completeness(
        [page.items_available for page in pages], len(frame), records.resource
    )
    origin = _origin(frame)
    oldest, newest = (
        None if pd.isna(moment) else moment.isoformat(timespec="seconds")
        for moment in (changes.min(), changes.max())
    )
    provenance.set_provenance(
        frame,
        source="recorded pages" + (f" of {origin.partition('://')[2]}" if origin else ""),
        base_url=origin,
        records_oldest=oldest,
        records_newest=newest,
        resource=records.resource.name if records.resource else "",
        query={"files": len(pages)},
        items_available=available,
        items_loaded=len(frame),
        complete=complete,
        incomplete_reason=why,
        duplicates_removed=records.rows - len(frame),
        synthetic=any(page.synthetic for page in pages),
        not_sent=ANALYSIS_COLUMNS if are_left_out(signs) else (),
    )
    if complete is False:
        warn(
            IncompleteWarning(
                f"The {len(pages):,} recorded pages are not a whole collection: {why}. Add the "
                "missing pages, or say in your results that it is a part."
            )
        )
    return frame


def _files(paths: str | Path | Iterable[str | Path]) -> Iterator[Path]:
    for path in map(Path, [paths] if isinstance(paths, str | Path) else paths):
        if path.is_dir():
            yield from sorted((*path.glob("*.xml"), *path.glob("*.xml.gz")))
        elif "*" in path.name:
            yield from sorted(path.parent.glob(path.name))
        elif path.exists():
            yield path
        else:
            raise InvalidInputError(f"There is no file or folder {path}.")


def _read_page(file: Path, max_bytes: int) -> Page:
    opener = gzip.open if file.suffix.lower() == ".gz" else open
    try:
        with opener(file, "rb") as stream:
            content = stream.read(max_bytes + 1)  # one more shows that it is too large
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableResponseError(
            f"{file} could not be read: {error}.", found="a damaged file", source=str(file)
        ) from error
    page = parse(content, source=str(file), max_bytes=max_bytes)
    if not page.succeeded:
        message = f': "{page.error}"' if page.error else ""
        found = "the report of a failure"
        raise UnreadableResponseError(
            f"{file} is {found}{message}, not a page of records. Leave it out or fetch it again.",
            found=found,
            source=page.source,
        )
    return page


def _origin(frame: pd.DataFrame) -> str:
    """Return the address of the one directory that the records link to as their own pages."""
    links = frame.get("html_url", frame.get("url", pd.Series(dtype="str")))
    origins = links.str.extract(_ORIGIN).dropna().drop_duplicates().to_numpy().tolist()
    return "://".join(origins[0]) if len(origins) == 1 else ""


def _completeness(
    stated: list[int | None], loaded: int, resource: Resource | None
) -> tuple[bool | None, str | None, int | None]:
    """Return whether the records are complete, why not, and how many there are."""
    counts = {count for count in stated if count is not None}
    if None in stated:
        return None, "not every document says how many records there are", None
    if resource is not None and not resource.paged:
        counts = {sum(filter(None, stated))}  # each is a whole collection, as of another project
    if len(counts) > 1:
        reported = " and ".join(f"{count:,}" for count in sorted(counts))
        return False, f"the pages count {reported} records, so they are of different states", None
    [available] = counts
    if available == loaded:
        return True, None, loaded
    return False, f"they hold {loaded:,} of {available:,} records", available
