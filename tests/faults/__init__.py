"""What tests of faults share: a load that is checked, and what is left after one that failed."""

import pytest

import dirframe
from tests.rig import faults

#: What a response may mean that is damaged, too slow or leads elsewhere.
ANY = dirframe.NetworkError, dirframe.ServiceError, dirframe.UnreadableResponseError
#: What a person runs in a process of its own: URL, key, folder, number of workers, quota.
LINE = """
import os, sys, warnings, dirframe
url, key, folder, workers, quota = sys.argv[1:]
os.environ["DIRFRAME_DATA_DIR"] = f"{folder}/data"
options = {"cache": f"{folder}/cache", "workers": int(workers), "daily_quota": int(quota)}
with warnings.catch_warnings(record=True) as warned, dirframe.Directory(url, key, **options) as d:
    warnings.simplefilter("always")
    frame = dirframe.load_projects(d, progress=False)
for warning in warned:
    print(warning.category.__name__)
print(frame.attrs["dirframe"]["complete"], len(frame))
"""


def load(directory, **options):
    """Load all projects of a rig, and see to it that they are all; return their ids."""
    frame = dirframe.load_projects(directory=directory, progress=False, **options)
    assert frame.attrs["dirframe"]["complete"] is True
    assert list(frame["name"]) == [f"project {one}" for one in frame["id"]]
    return list(frame["id"])


def error_of(directory, **options):
    """Load what cannot be loaded; return the error."""
    with pytest.raises(dirframe.DirframeError) as caught:
        dirframe.load_projects(directory=directory, progress=False, **options)
    return caught.value


def stored(folder):
    """Return how many pages the cache of `Rig.directory(folder)` holds."""
    return dirframe.cache_info(folder / "cache").pages


def after_fault(rig, folder, name, *, workers=1, kind=ANY, tries=None):
    """Load while page 3 has a fault, and again without it; return what is wrong, or None."""
    rig.forget()
    rig.on_page[3] = [faults.FAULTS[name]] * 99
    options = {"workers": workers} | ({"timeout": 0.4} if name in faults.SLOW else {})
    directory = rig.directory(folder, **options)
    error = error_of(directory)
    address = error.source if type(error) is dirframe.UnreadableResponseError else error.url
    asked, tried, kept = {*rig.pages}, rig.pages.count(3), stored(folder)
    charged, requests = directory.quota().used, len(rig.requests)
    rig.forget()
    # The count of another machine, which knows of no refusal.
    ids = load(rig.directory(folder, data=folder / "other", **options))
    right = {
        "type": isinstance(error, kind),
        "address": address == f"{rig.url}/projects.xml?page=3",
        "message": address in str(error),
        "tries": tries is None or tried == tries,
        "attempts": getattr(error, "attempts", tried) == tried,
        "charged": charged == requests,
        "kept": kept == len(asked) - 1,
        "ids": ids == rig.ids,
        "paid": sorted(rig.pages) == sorted({1, 2, 3, 4, 5, 6} - (asked - {3})),
    }
    wrong = [fact for fact, holds in right.items() if not holds]
    return f"{name}, {workers} workers: {wrong}, {error!r}" if wrong else None
