"""What tests of faults share: a load that is checked, and what is left after one that failed."""

import pytest

import dirframe
from tests.rig import faults
from tests.rig.server import Exchange

#: One of each way in which a response is damaged or too slow: what it is, options of the directory.
HASTY = {"timeout": 0.4}


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


def address_of(error):
    """Return the address that an error names, which its message names too."""
    unreadable = isinstance(error, dirframe.UnreadableResponseError)
    address = error.source if unreadable else error.url
    assert address in str(error)
    return address


def stored(folder):
    """Return how many pages the cache of `Rig.directory(folder)` holds."""
    return dirframe.cache_info(folder / "cache").pages


def after_damage(rig, folder, name, workers=1):
    """Load while page 3 is damaged, and again; return what is wrong with both, or None."""
    options = HASTY if name in faults.SLOW else {}
    options |= {"workers": workers}
    rig.forget()
    rig.on_page[3] = [faults.FAULTS[name]] * 99
    with rig.directory(folder, **options) as directory:
        error = error_of(directory)
        asked = {*rig.pages}
        kept = stored(folder)
        rig.forget()
        ids = load(directory)
    expected = dirframe.NetworkError, dirframe.ServiceError, dirframe.UnreadableResponseError
    right = {
        "type": isinstance(error, expected),
        "address": address_of(error) == f"{rig.url}/projects.xml?page=3",
        "kept": kept == len(asked) - 1,
        "ids": ids == rig.ids,
        "paid": sorted(rig.pages) == sorted({1, 2, 3, 4, 5, 6} - (asked - {3})),
    }
    wrong = [fact for fact, holds in right.items() if not holds]
    return f"{name}, {workers} workers: {wrong}, {error!r}" if wrong else None


def after_interruption(rig, folder, name):
    """Load while page 3 is interrupted twice, then always; return what is wrong, or None."""
    rig.forget()
    rig.on_page[3] = [faults.INTERRUPTED[name]] * 2
    with rig.directory() as directory:
        overcome = load(directory) == rig.ids and rig.pages == [1, 2, 3, 3, 3, 4, 5, 6]
    rig.forget()
    rig.on_page[3] = [faults.INTERRUPTED[name]] * 99
    with rig.directory(folder) as directory:
        error = error_of(directory)
    status = int(name[:3]) if name[0] == "5" else None
    right = {
        "overcome": overcome,
        "type": type(error) is (dirframe.ServiceError if status else dirframe.NetworkError),
        "address": address_of(error) == f"{rig.url}/projects.xml?page=3",
        "status": error.status == status,
        "paid": rig.pages == [1, 2, 3, 3, 3],
        "kept": stored(folder) == 2,
    }
    wrong = [fact for fact, holds in right.items() if not holds]
    return f"{name}: {wrong}, {error!r}" if wrong else None


def after_refusal(rig, folder, name, expected):
    """Load while page 3 is refused; return what is wrong, or None."""
    rig.forget()
    rig.on_page[3] = [faults.REFUSALS[name]] * 99
    with rig.directory(folder) as directory:
        error = error_of(directory)
    right = {
        "error": (type(error), error.status) == expected,
        "address": address_of(error) == f"{rig.url}/projects.xml?page=3",
        "paid": rig.pages == [1, 2, 3],
        "kept": stored(folder) == 2,
    }
    wrong = [fact for fact, holds in right.items() if not holds]
    return f"{name}: {wrong}, {error!r}" if wrong else None


def without_length(exchange):
    exchange.send(exchange.head() + exchange.body)
    exchange.end()


def in_chunks(exchange):
    exchange.send(exchange.head(Transfer_Encoding="chunked") + faults.chunked(exchange.body))


def with_bytes_behind(exchange):
    body = exchange.body
    exchange.send(exchange.head(Content_Length=str(len(body))) + body * 2)


#: Responses that are right, however unusual.
UNUSUAL = [without_length, in_chunks, with_bytes_behind, Exchange.answer]

#: What a person runs in a process of its own: URL, key, folder, number of workers.
LINE = """
import os, sys, warnings, dirframe
url, key, folder, workers = sys.argv[1:]
os.environ["DIRFRAME_DATA_DIR"] = f"{folder}/data"
options = {"cache": f"{folder}/cache", "workers": int(workers), "daily_quota": 100_000}
with warnings.catch_warnings(record=True) as warned, dirframe.Directory(url, key, **options) as d:
    warnings.simplefilter("always")
    frame = dirframe.load_projects(d, progress=False)
for warning in warned:
    print(warning.category.__name__)
print(frame.attrs["dirframe"]["complete"], len(frame))
"""
