"""The files that this process has open: what is forgotten stays open as long as an exception lives."""

from contextlib import suppress
from pathlib import Path

import pytest

_OPEN = Path("/proc/self/fd")


def open_files(folder):
    """Return the open files below a folder, or skip the test where the system does not list them."""
    if not _OPEN.is_dir():
        pytest.skip("this system does not list the open files of a process")
    files = set()
    for number in _OPEN.iterdir():
        with suppress(OSError):  # that of the listing itself is closed by now
            files.add(number.readlink())
    return {file for file in files if file.is_relative_to(folder)}
