"""Open a bundle from a stranger: whatever does not fit its manifest is refused by name.

Nothing is unpacked to disk. What stays out: writing a bundle (`dirframe.archive.bundle`).
"""

from __future__ import annotations

import json
import stat
import zipfile
from hashlib import sha256
from pathlib import Path

from dirframe.archive.bundle import CONTENTS
from dirframe.archive.manifest import MANIFEST
from dirframe.archive.reading import Archive
from dirframe.archive.storing import member
from dirframe.errors import ArchiveError

__all__ = ["open_bundle"]

_TEXTS = frozenset({CONTENTS, MANIFEST, "README.md", "citation.bib", "citation.json"})

#: Pages of a directory of 50 million records, and no text of ours comes near the second.
_ENTRIES = 5_000_000
_TEXT_BYTES = 2**20


def open_bundle(path: str | Path) -> Archive:
    """Open a study bundle, without key or network, and check all of it.

    Parameters
    ----------
    path : str or pathlib.Path
        What `bundle` wrote.

    Returns
    -------
    Archive
        As of `open_archive`: the same frames, with the same provenance.

    Raises
    ------
    ArchiveError
        If it is no bundle, or an entry is missing, too many, changed, or not what a bundle
        holds; the message names it.

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
            _check_texts(packed, file)
    except (zipfile.BadZipFile, OSError, NotImplementedError, UnicodeDecodeError) as error:
        raise ArchiveError(f"{file} is no bundle, or damaged: {error}.") from error
    archive = Archive(file)
    wanted = {member(k.sha256) for one in archive.manifest.rounds for k in one.pages} | _TEXTS
    for name in sorted(wanted - names):
        raise ArchiveError(f"{file} lacks {name}, which its manifest names.")
    for name in sorted(names - wanted):
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
        shown = f"{name[:200]!r} in {file}"
        if name in names:
            raise ArchiveError(f"{shown} is there twice.")
        if name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/"):
            raise ArchiveError(f"{shown} leads out of the bundle.")
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
            raise ArchiveError(f"{shown} is no ordinary file.")
        # What is packed twice can be a bomb: a bundle's entries are stored as they are.
        stored = entry.compress_type == zipfile.ZIP_STORED and not entry.flag_bits & 1
        if not stored or entry.file_size != entry.compress_size:
            raise ArchiveError(f"{shown} is packed or encrypted, which no bundle's entry is.")
        names.add(name)
    if sum(entry.file_size for entry in entries) > file.stat().st_size:
        raise ArchiveError(f"The entries of {file} overlap.")
    if lacking := sorted(_TEXTS - names):
        raise ArchiveError(f"{file} lacks {lacking[0]}.")
    return names


def _check_texts(packed: zipfile.ZipFile, file: Path) -> None:
    if packed.getinfo(CONTENTS).file_size > _TEXT_BYTES:
        raise ArchiveError(f"{CONTENTS} in {file} is too large.")
    try:
        digests = json.loads(packed.read(CONTENTS))["files"]
        wanted = {name: digests[name] for name in _TEXTS - {CONTENTS}}
    except (ValueError, KeyError, TypeError) as error:
        raise ArchiveError(f"{CONTENTS} in {file} is not what a bundle says.") from error
    for name, digest in sorted(wanted.items()):
        whole = sha256()
        with packed.open(name) as stream:
            while block := stream.read(1 << 20):
                whole.update(block)
        if whole.hexdigest() != digest:
            raise ArchiveError(f"{name} in {file} was changed: its digest differs.")
