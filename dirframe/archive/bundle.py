"""A study in one file: pages, manifest, citation and what a stranger needs to read them.

The same archive gives the same bytes: no time of packing, no compression of what is packed
already. What stays out: opening a bundle (`dirframe.archive.unbundle`).
"""

from __future__ import annotations

import json
import secrets
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from dirframe import __version__
from dirframe.archive.manifest import MANIFEST
from dirframe.archive.reading import open_archive
from dirframe.archive.storing import member
from dirframe.citation import cite
from dirframe.errors import ArchiveError, InvalidInputError

if TYPE_CHECKING:
    from dirframe.archive.reading import Archive

__all__ = ["CONTENTS", "bundle"]

CONTENTS = "bundle.json"

_README = """# A study bundle of dirframe

{citation}

`pages/` holds every page as the directory sent it, packed with Zstandard (RFC 8878); its name is
the SHA-256 of what came. `{manifest}` says of each page what was asked, when, and where in the
collection it lies. `{contents}` has the digest of each other file. No key is in it.

    import dirframe
    frame = dirframe.open_bundle("study.zip").frame()

Written by dirframe {version}.
"""


def bundle(folder: str | Path, path: str | Path, *, overwrite: bool = False) -> str:
    """Put an archive into one file that opens elsewhere without key or network.

    Parameters
    ----------
    folder : str or pathlib.Path
        What `harvest` wrote.
    path : str or pathlib.Path
        The file to be, such as ``study.zip``; it appears whole or not at all.
    overwrite : bool, default False
        Whether an existing file may be replaced.

    Returns
    -------
    str
        The SHA-256 of the file: published beside it, it proves the whole.

    Raises
    ------
    ArchiveError
        If the archive is not finished, or a page is missing or damaged.
    InvalidInputError
        If the file exists and must not be replaced, or there is no such folder.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     _ = dirframe.harvest("accounts", "members", directory=directory)
    >>> digest = dirframe.bundle("members", "study.zip")
    >>> len(dirframe.open_bundle("study.zip").frame())
    2000
    """
    archive, target = open_archive(folder), Path(path)
    if target.exists() and not overwrite:
        raise InvalidInputError(f"{target} exists already; choose another name.")
    if not target.parent.is_dir():
        raise InvalidInputError(f"{target} cannot be written: there is no folder {target.parent}.")
    if not archive.status().finished:
        raise ArchiveError(f"The harvest in {folder} is not finished. Go on with it first.")
    archive.verify()
    unfinished = target.with_name(f".{target.name}-{secrets.token_hex(4)}.part")
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_STORED) as packed:
            for name, content in _texts(archive).items():
                packed.writestr(_entry(name), content)
            rounds = archive.manifest.rounds
            for digest in sorted({kept.sha256 for one in rounds for kept in one.pages}):
                name = member(digest)
                packed.writestr(_entry(name), (archive.path / name).read_bytes())
        with unfinished.open("rb") as stream:
            whole = sha256()
            while block := stream.read(1 << 20):
                whole.update(block)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return whole.hexdigest()


def _texts(archive: Archive) -> dict[str, bytes]:
    noted = archive.note(pd.DataFrame())
    readme = _README.format(
        citation=cite(noted), manifest=MANIFEST, contents=CONTENTS, version=__version__
    )
    texts = {
        MANIFEST: (archive.path / MANIFEST).read_bytes(),
        "README.md": readme.encode(),
        "citation.bib": cite(noted, style="bibtex").encode(),
        "citation.json": cite(noted, style="csl").encode(),
    }
    digests = {name: sha256(content).hexdigest() for name, content in texts.items()}
    contents = {"format": 1, "dirframe": __version__, "files": digests}
    return {CONTENTS: json.dumps(contents, indent=1).encode()} | texts


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.external_attr = 0o100644 << 16
    entry.create_system = 3
    return entry
