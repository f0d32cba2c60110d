"""Every fault: what it leads to, with one worker and several, and that it never shows the key."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dirframe
from tests.faults import HASTY, after_damage, after_interruption, after_refusal
from tests.faults.everything import KEYS, OPERATIONS, Everything, written
from tests.faults.schedules import SCHEDULES, check_schedule
from tests.rig import faults
from tests.rig.server import MARK, Rig

KEY = f"{MARK}&<'key'>/+=~%"
WITHOUT_SLOW = sorted({*faults.FAULTS} - {*faults.SLOW, "gzip bomb"})
#: By the error that each means.
REFUSED = {
    "failed with 200": (dirframe.NotFoundError, 200),
    "failed with 200, for whatever reason": (dirframe.ServiceError, 200),
    "400 for a bad key, today": (dirframe.InvalidKeyError, 400),
    "401 for a bad key": (dirframe.InvalidKeyError, 401),
    "401 over the limit, today": (dirframe.QuotaExceededError, 401),
    "403": (dirframe.InvalidKeyError, 403),
    "404": (dirframe.NotFoundError, 404),
    "400 of another kind": (dirframe.ServiceError, 400),
    "429": (dirframe.QuotaExceededError, 429),
    "429 with seconds": (dirframe.QuotaExceededError, 429),
    "429 with a date": (dirframe.QuotaExceededError, 429),
    "429 for ten thousand years": (dirframe.QuotaExceededError, 429),
    "500": (dirframe.ServiceError, 500),
    "503 for hours": (dirframe.ServiceError, 503),
    "503 until a date": (dirframe.ServiceError, 503),
}


# urllib3 leaves the socket of a response with two lengths to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def rig():
    with Rig(55) as rig:
        yield rig


def test_every_interruption_is_overcome_or_given_up(rig, tmp_path):
    failures = [after_interruption(rig, tmp_path / name, name) for name in faults.INTERRUPTED]
    assert not any(failures), failures


@pytest.mark.parametrize("workers", [1, 4, 16])
def test_every_damaged_response_is_an_error_and_only_missing_pages_are_paid_for(
    workers, rig, tmp_path
):
    names = faults.DAMAGED | faults.MISLED | faults.SLOW
    failures = [after_damage(rig, tmp_path / name, name, workers) for name in names]
    assert not any(failures), failures


def test_every_refusal_is_the_error_that_it_means(rig, tmp_path):
    failures = [after_refusal(rig, tmp_path / name, name, REFUSED[name]) for name in REFUSED]
    assert not any(failures), failures


def test_every_right_response_with_something_odd_about_it_is_taken(rig):
    with rig.directory() as directory:
        for name, fault in faults.TALKATIVE.items():
            rig.always = fault
            frame = dirframe.load_projects(directory=directory, progress=False)
            assert list(frame["id"]) == rig.ids, name
            assert frame.attrs["dirframe"]["complete"] is True, name


@given(
    name=st.sampled_from(WITHOUT_SLOW),
    key=KEYS,
    operation=st.sampled_from(sorted(OPERATIONS)),
    workers=st.sampled_from([1, 4]),
)
def test_no_key_is_written_anywhere_over_sockets(name, key, operation, workers):
    with TemporaryDirectory() as folder, Rig(25, key=key) as rig:
        fault = faults.FAULTS[name]
        everything = written(rig, Path(folder), operation, fault, workers=workers)
    assert everything.places_of_the_key() == []


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_no_fault_shows_the_key_in_python(operation, tmp_path):
    failures = []
    for name, fault in faults.FAULTS.items():
        folder = tmp_path / name
        folder.mkdir()
        options = HASTY if name in faults.SLOW else {}
        with Rig(25, key=KEY) as rig:
            everything = written(rig, folder, operation, fault, **options)
        failures += [f"{name}: {place}" for place in everything.places_of_the_key()]
    assert not failures


def test_no_traceback_with_local_variables_shows_the_key(tmp_path):
    pytest.importorskip("rich", reason="rich is not installed")
    pytest.importorskip("IPython", reason="IPython is not installed")
    failures = []
    for name in [
        *("reset before", "not HTTP", "503 for hours", "cut short", "not gzip", "HTML with 200"),
        *("endless", "silence", "403", "429", "the key in the text", "the key in an HTML page"),
        *("to no address", "to another host with the key", "in a circle with the key"),
    ]:
        folder = tmp_path / name
        folder.mkdir()
        options = HASTY if name in faults.SLOW else {}
        with Rig(25, key=KEY) as rig:
            fault = faults.FAULTS[name]
            everything = written(rig, folder, "one", fault, shown=True, **options)
        failures += [f"{name}: {place}" for place in everything.places_of_the_key()]
    assert not failures


def test_no_fault_shows_the_key_on_the_command_line(run, tmp_path, monkeypatch):
    monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
    failures = []
    for name in WITHOUT_SLOW:
        if name.startswith(("503", "endless")) or "headers" in name:
            continue  # they last longer than the tries that the command line has
        monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / name))
        monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / name))
        everything = Everything()
        with Rig(25, key=KEY) as rig, everything.logged():
            monkeypatch.setenv("DIRFRAME_BASE_URL", rig.url)
            rig.faults.extend([None, faults.FAULTS[name]])
            rig.always = faults.FAULTS["500"] if name in faults.INTERRUPTED else faults.FAULTS[name]
            outcome = run("projects")
            assert rig.requests
        assert outcome.code == 0 or outcome.err, name
        everything.add("standard output", outcome.out)
        everything.add("standard error", outcome.err)
        everything.add_files(tmp_path / name)
        failures += [f"{name}: {place}" for place in everything.places_of_the_key()]
    assert not failures


@given(**SCHEDULES)
def test_load_is_a_whole_state_or_is_said_not_to_be(**schedule):
    check_schedule(**schedule)


@given(**SCHEDULES)
def test_load_over_sockets_is_a_whole_state_or_is_said_not_to_be(**schedule):
    check_schedule(**schedule, served=lambda rig: rig)
