"""The number of requests of each load: it changes only where a defect is mended."""

import warnings

import pytest

import dirframe
from dirframe.errors import DirframeWarning
from tests.cases import slow_except
from tests.rig.server import Rig
from tests.rig.today import Today

MAKE = {
    "specification, 123": lambda: Rig(123),
    "specification, 60": lambda: Rig(60),
    "specification, 40": lambda: Rig(40),
    "today, 123": lambda: Today(123),
    "today, 60": lambda: Today(60),
    "today, 40": lambda: Today(40),
    "today, 9": lambda: Today(9),
}
QUICK = ["specification, 40", "today, 40", "today, 9"]
OPTIONS = {
    "whole": {},
    "max_items": {"max_items": 30},
    "details": {"details": True, "sort": "project_name"},
    "sample": {"sample": 12, "seed": 3},
    "sample with details": {"sample": 12, "seed": 3, "details": True},
}

#: Of a first load; the second one sends nothing.
REQUESTS = {
    "specification, 123": {
        "whole": 13,
        "max_items": 3,
        "details": 136,
        "sample": 9,
        "sample with details": 21,
    },
    "specification, 60": {
        "whole": 7,
        "max_items": 3,
        "details": 67,
        "sample": 5,
        "sample with details": 17,
    },
    "specification, 40": {
        "whole": 5,
        "max_items": 3,
        "details": 45,
        "sample": 4,
        "sample with details": 16,
    },
    "today, 123": {
        "whole": 10,
        "max_items": 6,
        "details": 130,
        "sample": 6,
        "sample with details": 18,
    },
    "today, 60": {
        "whole": 8,
        "max_items": 4,
        "details": 65,
        "sample": 6,
        "sample with details": 18,
    },
    "today, 40": {
        "whole": 7,
        "max_items": 4,
        "details": 44,
        "sample": 6,
        "sample with details": 18,
    },
    "today, 9": {"whole": 2, "max_items": 2, "details": 11, "sample": 2, "sample with details": 11},
}
HARVEST = {
    "specification, 123": {"plain": 13, "details": 136},
    "specification, 60": {"plain": 7, "details": 67},
    "specification, 40": {"plain": 5, "details": 45},
    "today, 123": {"plain": 10, "details": 133},
    "today, 60": {"plain": 8, "details": 68},
    "today, 40": {"plain": 7, "details": 47},
    "today, 9": {"plain": 2, "details": 11},
}


@pytest.mark.parametrize("name", slow_except(MAKE, QUICK))
def test_requests_of_each_load(name, tmp_path):
    requests = {}
    for kind, options in OPTIONS.items():
        with MAKE[name]().in_process() as rig, warnings.catch_warnings():
            warnings.simplefilter("ignore", DirframeWarning)
            for turn in ("first", "second"):
                before = len(rig.requests)
                dirframe.load_projects(rig.directory(tmp_path / kind), progress=False, **options)
                requests[kind, turn] = len(rig.requests) - before
    expected = {(kind, "first"): REQUESTS[name][kind] for kind in OPTIONS}
    assert requests == expected | {(kind, "second"): 0 for kind in OPTIONS}


@pytest.mark.parametrize("name", slow_except(MAKE, QUICK))
def test_requests_of_each_harvest(name, tmp_path):
    requests = {}
    for kind, details in {"plain": False, "details": True}.items():
        with MAKE[name]().in_process() as rig, rig.directory(tmp_path / kind) as directory:
            dirframe.harvest(
                "projects", tmp_path / f"{kind}.a", directory=directory, details=details
            )
            requests[kind] = len(rig.requests)
    assert requests == HARVEST[name]
