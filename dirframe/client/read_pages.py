"""Read recorded documents into the frames of the loaders."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe import provenance
from dirframe.client.page import MAX_BYTES, parse
from dirframe.client.paging import ANALYSIS_COLUMNS, are_left_out
from dirframe.client.records import Records
from dirframe.errors import (
    IncompleteWarning,
    InvalidInputError,
    UnreadableResponseError,
    warn,
)
from dirframe.schema.extensions import ALL_RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dirframe.client.page import Page
    from dirframe.schema import Resource


_CHANGE = "updated_at"
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
        Files, or folders whose ``.xml`` and ``.xml.gz`` files are read in the order of their
        names.
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
        ``base_url`` name the directory that the records link to as their own pages, if it is one.
        The time of the fetch is not known, since the time of a file may be that of a copy:
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
    >>> from dirframe.service.store import sample_folder
    >>> len(dirframe.read_pages(sample_folder() / "projects.xml.gz"))
    1500
    """
    files = list(_files(paths))
    if resource is not None and resource not in ALL_RESOURCES:
        raise InvalidInputError(
            f"resource is {resource!r}; it must be one of {', '.join(ALL_RESOURCES)}."
        )
    records, pages, counts, signs = Records(ALL_RESOURCES.get(resource or "")), [], [], ""
    for file in files:
        page = parse(_read_file(file, max_bytes), source=str(file), max_bytes=max_bytes)
        if not page.succeeded:
            message = f': "{page.error}"' if page.error else ""
            raise UnreadableResponseError(
                f"{page.source} is the report of a failure{message}, not a page of records. "
                "Leave it out or fetch it again.",
                found="the report of a failure",
                source=page.source,
            )
        records.add(page)
        signs += page.signs()
        counts.append(len(page.records))
        pages.append(replace(page, records=()))
    frame, duplicates = records.frame(), 0
    if "id" in frame and frame["id"].dtype == "str":
        repeated = _repeated(frame)
        duplicates = int(repeated.sum())
        frame = frame[~repeated].reset_index(drop=True)
    complete, why, available = _completeness(pages, counts, records.resource, len(frame))
    source, base_url = _directory_of(frame)
    changes = _changes(frame)
    oldest, newest = (
        None if pd.isna(moment) else moment.isoformat(timespec="seconds")
        for moment in (changes.min(), changes.max())
    )
    provenance.set_provenance(
        frame,
        source=source,
        base_url=base_url,
        records_oldest=oldest,
        records_newest=newest,
        resource=records.resource.name if records.resource else "",
        query={"files": len(files)},
        items_available=available,
        items_loaded=len(frame),
        complete=complete,
        incomplete_reason=why,
        duplicates_removed=duplicates,
        synthetic=any(page.synthetic for page in pages),
        not_sent=ANALYSIS_COLUMNS if are_left_out(signs) else (),
    )
    if complete is False:
        warn(
            IncompleteWarning(
                f"The {len(files):,} recorded pages are not a whole collection: {why}. Add the "
                "missing pages, or say in your results that it is a part."
            )
        )
    return frame


def _changes(frame: pd.DataFrame) -> pd.Series[Any]:
    """Return the time of the last change of each record."""
    if _CHANGE in frame and isinstance(frame[_CHANGE].dtype, pd.DatetimeTZDtype):
        return frame[_CHANGE]
    return pd.Series(pd.NaT, frame.index, dtype="datetime64[us, UTC]")


def _repeated(frame: pd.DataFrame) -> pd.Series[bool]:
    """Return the records to leave out: those of an id of which a newer or equal one is there."""
    order = _changes(frame).sort_values(ascending=False, kind="stable", na_position="last").index
    known = frame["id"].loc[order].dropna()
    left_out = known.index[known.duplicated()]
    return pd.Series(frame.index.isin(left_out), index=frame.index)


def _directory_of(frame: pd.DataFrame) -> tuple[str, str]:
    """Return name and address of the one directory that the records link to as their own pages."""
    links = next(
        (frame[name] for name in ("html_url", "url") if name in frame), pd.Series(dtype="str")
    )
    origins = links.str.extract(_ORIGIN).dropna().drop_duplicates()
    if len(origins) != 1:
        return "recorded pages", ""
    [[scheme, host]] = origins.to_numpy().tolist()
    return f"recorded pages of {host}", f"{scheme}://{host}"


def _files(paths: str | Path | Iterable[str | Path]) -> Iterator[Path]:
    sources = [paths] if isinstance(paths, str | Path) else list(paths)
    has_files = False
    for path in map(Path, sources):
        if path.is_dir():
            files = sorted(file for file in path.iterdir() if _is_xml(file))
        elif path.exists():
            files = [path]
        elif "*" in path.name:
            files = sorted(path.parent.glob(path.name))
        else:
            raise InvalidInputError(f"There is no file or folder {path}.")
        has_files = has_files or bool(files)
        yield from files
    if not has_files:
        names = ", ".join(str(path) for path in sources) or "no path at all"
        raise InvalidInputError(f"There is no .xml file in {names}.")


def _is_xml(file: Path) -> bool:
    return file.is_file() and file.name.lower().endswith((".xml", ".xml.gz"))


def _read_file(file: Path, max_bytes: int) -> bytes:
    opener = gzip.open if file.suffix.lower() == ".gz" else open
    try:
        with opener(file, "rb") as stream:
            # One byte more than allowed is sufficient to know that it is too large.
            content: bytes = stream.read(max_bytes + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableResponseError(
            f"{file} could not be read: {error}.", found="a damaged file", source=str(file)
        ) from error
    if len(content) > max_bytes:
        raise UnreadableResponseError(
            f"{file} holds more than the {max_bytes:,} bytes allowed for a document.",
            found=f"more than {max_bytes:,} bytes",
            source=str(file),
            hint="Pass max_bytes= (--max-bytes) to read larger ones.",
        )
    return content


def _completeness(
    pages: list[Page], counts: list[int], resource: Resource | None, loaded: int
) -> tuple[bool | None, str | None, int | None]:
    stated = {page.items_available for page in pages}
    if None in stated:
        return None, "not every document says how many records there are", None
    if resource is not None and not resource.paged:
        # Each document is a whole collection, for example of another project or account.
        each = [page.items_available or 0 for page in pages]
        if each == counts:
            return True, None, sum(each)
    if len(stated) > 1:
        reported = " and ".join(f"{count:,}" for count in sorted(filter(None, stated)))
        return False, f"the pages count {reported} records, so they are of different states", None
    [available] = stated
    if available == loaded:
        return True, None, available
    return False, f"they hold {loaded:,} of {available:,} records", available
