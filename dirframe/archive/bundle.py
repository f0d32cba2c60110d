"""Write and open study bundles: zip files of pages, manifest, citation and a README."""

# The same archive gives the same bytes: no time of creation, and no compression of compressed
# content. A bundle is checked completely when opened; an entry that does not match its manifest is
# refused by name, and nothing is extracted to disk.

from __future__ import annotations

import json
import sqlite3
import stat
import zipfile
from hashlib import file_digest, sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyarrow.parquet import ParquetFile

from dirframe import __version__
from dirframe._atomic import atomic_write, refuse_existing
from dirframe._sqlite import close_on_error
from dirframe.archive.archive import Archive, open_archive
from dirframe.archive.model import Collection, PageRecord, Refusal, Round
from dirframe.archive.snapshot import bundle_member
from dirframe.archive.store import FORMAT, Store
from dirframe.citation import cite
from dirframe.errors import ArchiveError, InvalidInputError
from dirframe.study.metadata import METADATA_FILES, metadata_texts
from dirframe.study.model import Study, StudyOptions, describe_file, describe_table
from dirframe.study.zip_file import add_file, file_sha256, zip_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


CONTENTS = "bundle.json"
MANIFEST = "manifest.jsonl"
_TEXTS = {
    "README.md": METADATA_FILES["README.md"],
    "citation.bib": "Citation for BibTeX and BibLaTeX",
    "citation.json": "Citation as CSL-JSON",
    MANIFEST: "Of each page: the request, its time and the place in the collection",
}

#: More than the pages of a directory of 50 million records; no text comes near the second limit.
_ENTRIES = 5_000_000
_TEXT_BYTES = 2**20

_RECORDS: dict[str, Any] = {"rounds": Round, "pages": PageRecord, "refusals": Refusal}


_README = """# A study bundle of dirframe

{citation}

`pages/` holds every page as the directory sent it, compressed with Zstandard (RFC 8878); its name is
the SHA-256 of its content. `{manifest}` records the query, the time and the position of each page
in the collection. `{contents}` has the digest of each other file. No key is in it.

`data/` holds the records as Parquet, which R, DuckDB, pandas and others read. `datapackage.json`
says what each column is: its type, its unit and its meaning.

    import dirframe
    frame = dirframe.open_bundle("study.zip").frame()

Written by dirframe {version}.
"""


def bundle(
    archive_path: str | Path,
    path: str | Path,
    *,
    overwrite: bool = False,
    title: str | None = None,
    authors: Sequence[str] = (),
    license: str | None = None,
) -> str:
    """Export an archive to one file that opens elsewhere without key or network.

    It holds the pages as they came, the records as Parquet, and metadata for repositories and
    other programs: RO-Crate, a Frictionless data package, Croissant and a ``CITATION.cff``.

    Parameters
    ----------
    archive_path : str or pathlib.Path
        The file written by `harvest`.
    path : str or pathlib.Path
        The target file, such as ``study.zip``; it appears complete or not at all.
    overwrite : bool, default False
        Whether an existing file may be replaced.
    title, authors, license
        As in `export`.

    Returns
    -------
    str
        The SHA-256 of the file; publish it to let others verify the bundle.

    Raises
    ------
    ArchiveError
        If the archive is not finished, or a page is missing or damaged.
    InvalidInputError
        If the file exists and must not be replaced, is an archive, its folder does not exist, or
        an author or the licence is invalid.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     _ = dirframe.harvest("accounts", "members.archive", directory=directory)
    >>> digest = dirframe.bundle("members.archive", "study.zip")
    >>> len(dirframe.open_bundle("study.zip").frame())
    2000
    """
    archive, target = open_archive(archive_path), Path(path)
    options = StudyOptions(title=title or "", authors=authors, license=license or "")
    if not overwrite:
        refuse_existing(target)
    refuse_archive(target)
    if not target.parent.is_dir():
        raise InvalidInputError(f"{target} cannot be written: there is no folder {target.parent}.")
    if not archive.is_finished:
        raise ArchiveError(f"The harvest in {archive_path} is not finished. Finish it first.")
    archive.verify()
    with (
        atomic_write(target, overwrite=overwrite) as unfinished,
        TemporaryDirectory(dir=target.parent, prefix=f"{unfinished.name}-") as folder,
    ):
        root = Path(folder)
        tables = _tables(archive, root / "data")
        with (
            Store.open(archive.path) as store,
            zipfile.ZipFile(unfinished, "w", zipfile.ZIP_STORED) as packed,
        ):
            for name, content in _texts(archive, store, root, tables, options).items():
                packed.writestr(zip_entry(name), content)
            for file in tables:
                add_file(packed, f"data/{file.name}", file)
            pages = (page for round_ in archive.rounds for page in store.pages(round_))
            for sha in sorted({page.sha256 for page in pages}):
                packed.writestr(zip_entry(bundle_member(sha)), store.compressed(sha))
        return file_sha256(unfinished)


def refuse_archive(target: Path) -> None:
    """Raise if the file to write is an archive, whose pages cost days of quota."""
    if Store.is_archive(target):
        raise InvalidInputError(
            f"{target} is an archive of harvested pages, which is never replaced. Choose another name."
        )


def _tables(archive: Archive, folder: Path) -> list[Path]:
    """Write the records as Parquet; more than one file only for very many."""
    name = archive.collection.resource.collection
    try:
        parts = archive.to_parquet(folder).iterdir()
    except ArchiveError as error:
        if isinstance(error.__cause__, OSError):  # the message names the temporary folder
            raise error.__cause__ from None
        raise
    return [
        part.rename(folder / (f"{name}-{number}.parquet" if number else f"{name}.parquet"))
        for number, part in enumerate(sorted(parts))
    ]


def _texts(
    archive: Archive, store: Store, root: Path, tables: Sequence[Path], options: StudyOptions
) -> dict[str, bytes]:
    rows = sum(ParquetFile(file).metadata.num_rows for file in tables)
    noted = archive.note(pd.DataFrame(index=pd.RangeIndex(rows)))
    readme = _README.format(
        citation=cite(noted), manifest=MANIFEST, contents=CONTENTS, version=__version__
    )
    files = [describe_file(root, file) for file in tables]
    study = Study(
        name=archive.collection.resource.collection,
        tables=tuple(
            describe_table(Path(file.path).stem, path, noted, [file])
            for file, path in zip(files, tables, strict=True)
        ),
        options=options,
        other_files=(
            *(METADATA_FILES | _TEXTS).items(),
            (CONTENTS, "Digest of each other file"),
            ("pages/", "Every page as received, compressed with Zstandard"),
        ),
    )
    texts = {
        MANIFEST: "".join(f"{json.dumps(line)}\n" for line in _manifest(archive, store)).encode(),
        "README.md": readme.encode(),
        "citation.bib": cite(noted, style="bibtex").encode(),
        "citation.json": cite(noted, style="csl").encode(),
        **metadata_texts(study),
    }
    digests = {name: sha256(content).hexdigest() for name, content in texts.items()}
    digests |= {file.path: file.sha256 for file in files}
    contents = {"format": 1, "dirframe": __version__, "files": digests}
    return {CONTENTS: json.dumps(contents, indent=1).encode()} | texts


def _manifest(archive: Archive, store: Store) -> Iterator[dict[str, Any]]:
    """Yield all rows of an archive except the pages' bytes, as lines of JSON."""
    yield {"table": "archive", "format": FORMAT, **archive.collection.to_json()}
    for round_ in archive.rounds:
        yield {"table": "rounds", **round_.to_json()}
        for page in store.pages(round_):
            yield {"table": "pages", **page.to_json()}
        for refusal in store.refusals(round_):
            yield {"table": "refusals", **refusal.to_json()}


def is_bundle(path: Path) -> bool:
    """Return whether a file is a bundle, which may be damaged."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as packed:
            return {CONTENTS, MANIFEST} <= set(packed.namelist())
    except (zipfile.BadZipFile, OSError, NotImplementedError, UnicodeDecodeError):
        return False


def open_bundle(path: str | Path) -> Archive:
    """Open a study bundle, without key or network, and verify all of it.

    Parameters
    ----------
    path : str or pathlib.Path
        The file written by `bundle`.

    Returns
    -------
    Archive
        As from `open_archive`: the same frames, with the same provenance.

    Raises
    ------
    ArchiveError
        If it is not a bundle, or an entry is missing, unexpected, changed or invalid; the
        message names it.

    Examples
    --------
    >>> import dirframe
    >>> dirframe.open_bundle("nowhere.zip")
    Traceback (most recent call last):
    ...
    dirframe.errors.ArchiveError: There is no file nowhere.zip.
    """
    file = Path(path)
    if not file.is_file():
        raise ArchiveError(f"There is no file {file}.")
    try:
        with zipfile.ZipFile(file) as packed:
            names = _checked_names(packed, file)
            described = _check_files(packed, file)
    except (zipfile.BadZipFile, OSError, NotImplementedError, UnicodeDecodeError) as error:
        raise ArchiveError(f"{file} is not a bundle, or damaged: {error}.") from error
    archive = Archive(file, _open_index)
    with _open_index(file) as index:
        pages = (page for round_ in archive.rounds for page in index.pages(round_))
        expected = {bundle_member(page.sha256) for page in pages} | described
    for name in sorted(expected - names):
        raise ArchiveError(f"{file} lacks {name}, which its manifest names.")
    for name in sorted(names - expected):
        raise ArchiveError(f"{file} holds {name[:200]!r}, which its manifest does not name.")
    archive.verify()
    return archive


def _checked_names(packed: zipfile.ZipFile, file: Path) -> set[str]:
    entries = packed.infolist()
    if len(entries) > _ENTRIES:
        raise ArchiveError(f"{file} holds {len(entries):,} entries; {_ENTRIES:,} are the most.")
    names: set[str] = set()
    for entry in entries:
        name = entry.orig_filename
        label = f"{name[:200]!r} in {file}"
        if name in names:
            raise ArchiveError(f"{label} is there twice.")
        if name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/"):
            raise ArchiveError(f"{label} leads out of the bundle.")
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
            raise ArchiveError(f"{label} is not an ordinary file.")
        # Compressed entries could be a zip bomb: the entries of a bundle are stored as they are.
        stored = entry.compress_type == zipfile.ZIP_STORED and not entry.flag_bits & 1
        if not stored or entry.file_size != entry.compress_size:
            raise ArchiveError(f"{label} is packed or encrypted, which no bundle's entry is.")
        names.add(name)
    if sum(entry.file_size for entry in entries) > file.stat().st_size:
        raise ArchiveError(f"The entries of {file} overlap.")
    if missing := sorted({CONTENTS, *_TEXTS} - names):
        raise ArchiveError(f"{file} lacks {missing[0]}.")
    return names


def _check_files(packed: zipfile.ZipFile, file: Path) -> set[str]:
    """Return the names of all files but the pages; raise if one differs from its digest."""
    if packed.getinfo(CONTENTS).file_size > _TEXT_BYTES:
        raise ArchiveError(f"{CONTENTS} in {file} is too large.")
    try:
        digests = dict(json.loads(packed.read(CONTENTS))["files"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ArchiveError(f"{CONTENTS} in {file} is not that of a bundle.") from error
    if not digests.keys() >= _TEXTS.keys():
        raise ArchiveError(f"{CONTENTS} in {file} is not that of a bundle.")
    for name, digest in sorted(digests.items()):
        if name not in packed.namelist():
            raise ArchiveError(f"{file} lacks {name[:200]}, which its {CONTENTS} names.")
        with packed.open(name) as stream:
            actual = file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]  # has readinto
        if actual != digest:
            raise ArchiveError(f"{name} in {file} was changed: its digest differs.")
    return {CONTENTS, *digests}


def _open_index(file: Path) -> Store:
    """Read the manifest of a bundle into the tables of an archive."""
    name = f"{MANIFEST} in {file}"
    with zipfile.ZipFile(file) as packed, packed.open(MANIFEST) as lines:
        return read_manifest(lines, name)


def read_manifest(lines: Iterable[bytes], name: str) -> Store:
    """Read lines of JSON into the tables of an archive, without the pages' bytes.

    Raises
    ------
    ArchiveError
        If they are not valid rows of an archive.
    """
    rows = iter(lines)
    try:
        head = json.loads(next(rows, b"{}"))
        if head.get("table") != "archive":
            raise ArchiveError(f"{name} is not the manifest of an archive.")
        if head.get("format") != FORMAT:
            raise ArchiveError(
                f"{name} is of format {head.get('format')}; this dirframe reads {FORMAT}."
            )
        with close_on_error(Store.private(name, Collection.from_json(head))) as store:
            with store.writing():
                for line in rows:
                    row = json.loads(line)
                    store.insert(row["table"], _RECORDS[row["table"]].from_json(row))
            for round_ in store.rounds():
                for _ in store.pages(round_):
                    pass
                store.refusals(round_)
    except (
        *(LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError),
        sqlite3.Error,
    ) as error:
        raise ArchiveError(f"{name} has invalid content ({error!r}).") from error
    return store
