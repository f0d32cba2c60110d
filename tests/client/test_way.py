"""The way from a keyword to the frame is short: these files of the client run, and those of HTTP."""

import sys
import threading
from pathlib import Path

import dirframe
from tests.rig.server import Rig

CLIENT = Path(dirframe.__file__).parent / "client"


def test_load_runs_through_eight_files_and_those_of_http(connect):
    with Rig(30).in_process() as rig:
        directory = connect(rig)
        dirframe.load_projects(directory, progress=False, refresh=True)  # imports all of them
        files = set()

        def note(frame, event, _):
            if event == "call":
                files.add(Path(frame.f_code.co_filename))

        before = sys.getprofile()
        threading.setprofile(note)
        sys.setprofile(note)
        try:
            dirframe.load_projects(directory, progress=False, refresh=True)
        finally:
            sys.setprofile(before)
            threading.setprofile(None)
    names = {path.relative_to(CLIENT).as_posix() for path in files if path.is_relative_to(CLIENT)}
    assert {name for name in names if not name.startswith("http/")} == {
        "collection.py", "directory.py", "dtypes.py", "loaders.py", "page.py", "paging.py",
        "query.py", "records.py",
    }  # fmt: skip
    assert len(names) <= 14
