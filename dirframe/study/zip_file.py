"""Entries of zip files whose bytes depend on the content alone."""

from __future__ import annotations

import zipfile


def zip_entry(name: str, *, compress: bool = False) -> zipfile.ZipInfo:
    """Return an entry without a time, for an ordinary file."""
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.external_attr = 0o100644 << 16
    entry.create_system = 3
    entry.compress_type = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    return entry
