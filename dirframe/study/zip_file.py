"""Zip files whose bytes depend on the content alone, and digests of files."""

from __future__ import annotations

import shutil
import zipfile
from hashlib import file_digest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def zip_entry(name: str, *, compress: bool = False) -> zipfile.ZipInfo:
    """Return an entry without a time, for an ordinary file."""
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.external_attr = 0o100644 << 16
    entry.create_system = 3
    entry.compress_type = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    return entry


def add_file(packed: zipfile.ZipFile, name: str, path: Path, *, compress: bool = False) -> None:
    """Add a file of any size."""
    entry = zip_entry(name, compress=compress)
    with path.open("rb") as source, packed.open(entry, "w", force_zip64=True) as target:
        shutil.copyfileobj(source, target, 1 << 20)


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
