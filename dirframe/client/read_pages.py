"""Read recorded documents into the frames of the loaders."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe import provenance
from dirframe.client.page import MAX_BYTES, parse
from dirframe.client.paging import ANALYSIS_COLUMNS, are_left_out
from dirframe.client.records import Records
from dirframe.errors import IncompleteWarning, InvalidInputError, UnreadableResponseError, warn
from dirframe.schema import ALL_RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


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
        Expected resource of the records: ``"account"``, ``"project"`` or another one known
        to `fields`. Default: that of the first record.
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
    files = list(_files(paths))
    if not files:
        raise InvalidInputError(f"There is no .xml file in {paths}.")
    if resource is not None and resource not in ALL_RESOURCES:
        raise InvalidInputError(
            f"resource is {resource!r}; it must be one of {', '.join(ALL_RESOURCES)}."
        )
    records, signs, synthetic = Records(ALL_RESOURCES.get(resource or "")), "", False
    stated: list[int | None] = []
    counts: list[int] = []
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
        stated.append(page.items_available)
        counts.append(len(page.records))
        synthetic |= page.synthetic
    frame = records.frame()
    changes = pd.Series(pd.NaT, frame.index, dtype="datetime64[us, UTC]")
    if "updated_at" in frame and isinstance(frame["updated_at"].dtype, pd.DatetimeTZDtype):
        changes = frame["updated_at"]
    if "id" in frame and frame["id"].dtype == "str":
        frame = _without_repeated(frame, changes)
    is_paged = records.resource is None or records.resource.paged
    complete, why, available = _completeness(stated, counts, len(frame), is_paged=is_paged)
    source, base_url = _directory_of(frame)
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
        duplicates_removed=records.rows - len(frame),
        synthetic=synthetic,
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


def _without_repeated(frame: pd.DataFrame, changes: pd.Series[Any]) -> pd.DataFrame:
    """Return the records without those of an id of which a newer or equal one is there."""
    order = changes.sort_values(ascending=False, kind="stable", na_position="last").index
    ids = frame["id"].loc[order].dropna()
    return frame.drop(index=ids.index[ids.duplicated()]).reset_index(drop=True)


def _directory_of(frame: pd.DataFrame) -> tuple[str, str]:
    """Return name and address of the one directory that the records link to as their own pages."""
    name = next((name for name in ("html_url", "url") if name in frame), None)
    if name is not None:
        origins = frame[name].str.extract(_ORIGIN).dropna().drop_duplicates().to_numpy().tolist()
        if len(origins) == 1:
            scheme, host = origins[0]
            return f"recorded pages of {host}", f"{scheme}://{host}"
    return "recorded pages", ""


def _files(paths: str | Path | Iterable[str | Path]) -> Iterator[Path]:
    for path in map(Path, [paths] if isinstance(paths, str | Path) else paths):
        if path.is_dir():
            inside = sorted(file for file in path.iterdir() if file.is_file())
            yield from (f for f in inside if f.name.lower().endswith((".xml", ".xml.gz")))
        elif "*" in path.name:
            yield from sorted(path.parent.glob(path.name))
        elif path.exists():
            yield path
        else:
            raise InvalidInputError(f"There is no file or folder {path}.")


def _read_file(file: Path, max_bytes: int) -> bytes:
    opener = gzip.open if file.suffix.lower() == ".gz" else open
    try:
        with opener(file, "rb") as stream:
            content: bytes = stream.read(max_bytes + 1)  # one more shows that it is too large
            return content
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableResponseError(
            f"{file} could not be read: {error}.", found="a damaged file", source=str(file)
        ) from error


def _completeness(
    stated: list[int | None], counts: list[int], loaded: int, *, is_paged: bool
) -> tuple[bool | None, str | None, int | None]:
    """Return whether the records are complete, why not, and how many there are."""
    if None in stated:
        return None, "not every document says how many records there are", None
    if not is_paged and stated == counts:
        return True, None, sum(counts)  # each is a whole collection, as of another project
    if len(set(stated)) > 1:
        reported = " and ".join(f"{count:,}" for count in sorted(filter(None, {*stated})))
        return False, f"the pages count {reported} records, so they are of different states", None
    if stated[0] == loaded:
        return True, None, loaded
    return False, f"they hold {loaded:,} of {stated[0]:,} records", stated[0]
