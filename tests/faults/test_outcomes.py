"""Every fault leads to what was promised: a proven frame, or an error that says what happened."""

import pytest

import dirframe
from tests.faults import (
    UNUSUAL,
    address_of,
    after_damage,
    after_interruption,
    after_refusal,
    error_of,
    load,
    stored,
)
from tests.rig import faults
from tests.rig.server import Rig, numbered

DAMAGED = [
    *("closed in headers", "reset in body", "cut short", "cut with its length", "not gzip"),
    *("gzip bomb", "HTML with 200", "endless"),
]
MISLED = ["to another scheme", "in a circle", "without an address"]
#: By the error that each means.
REFUSED = {
    "failed with 200": (dirframe.NotFoundError, 200),
    "failed with 200, for whatever reason": (dirframe.ServiceError, 200),
    "400 for a bad key, today": (dirframe.InvalidKeyError, 400),
    "401 over the limit, today": (dirframe.QuotaExceededError, 401),
    "403": (dirframe.InvalidKeyError, 403),
    "404": (dirframe.NotFoundError, 404),
    "429 with seconds": (dirframe.QuotaExceededError, 429),
    "503 for hours": (dirframe.ServiceError, 503),
}


def test_interruption_is_overcome_or_given_up_and_never_stored(rig, tmp_path):
    names = ["reset before", "503 with Retry-After"]
    failures = [after_interruption(rig, tmp_path / name, name) for name in names]
    assert not any(failures), failures


def test_damaged_response_is_an_error_and_later_only_missing_pages_are_paid_for(rig, tmp_path):
    names = [*DAMAGED, *MISLED, "drip body"]
    failures = [after_damage(rig, tmp_path / name, name) for name in names]
    assert not any(failures), failures


def test_damaged_response_beside_other_workers_costs_their_pages_nothing(rig, tmp_path):
    assert after_damage(rig, tmp_path, "reset in body", workers=4) is None


def test_refusal_is_the_error_that_it_means_and_is_never_stored(rig, tmp_path):
    failures = [after_refusal(rig, tmp_path / name, name, REFUSED[name]) for name in REFUSED]
    assert not any(failures), failures


def test_right_response_with_something_odd_about_it_is_taken(rig):
    with rig.directory() as directory:
        for name in ("the key in names", "UTF-16 said to be UTF-8"):
            rig.always = faults.TALKATIVE[name]
            frame = dirframe.load_projects(directory=directory, progress=False)
            assert (list(frame["id"]), frame.attrs["dirframe"]["complete"]) == (rig.ids, True)


def test_unusual_form_of_a_right_response_is_taken(rig):
    rig.on_page = {page: [fault] for page, fault in enumerate(UNUSUAL, 2)}
    assert load(rig.directory()) == rig.ids
    assert rig.pages == [1, 2, 3, 4, 5, 6]


def test_failed_refresh_never_replaces_a_stored_page(rig, tmp_path):
    with rig.directory(tmp_path) as directory:
        load(directory)
        for name in ("cut short", "HTML with 200", "500", "429"):
            rig.always = faults.FAULTS[name]
            error_of(directory, refresh=True)
        rig.forget()
        assert stored(tmp_path) == 6
        assert load(directory) == rig.ids
        assert rig.requests == []


def test_nobody_listens_at_the_address(rig):
    directory = rig.directory()
    rig.close()
    error = error_of(directory)
    assert type(error) is dirframe.NetworkError
    assert error.url.startswith(rig.url)
    assert directory.quota().used == 0


def test_single_record_meets_the_same_errors(rig):
    with rig.directory() as directory:
        for name, kind in [
            ("failed with 200", dirframe.NotFoundError),
            ("HTML with 200", dirframe.UnreadableResponseError),
            ("500", dirframe.ServiceError),
        ]:
            rig.faults.append(faults.FAULTS[name])
            with pytest.raises(kind) as caught:
                dirframe.load_project(7, directory=directory)
            assert address_of(caught.value) == f"{rig.url}/projects/7.xml"
        assert list(dirframe.load_project(7, directory=directory)["id"]) == ["7"]


def test_pages_of_two_addresses_are_never_mixed(rig, tmp_path):
    load(rig.directory(tmp_path))
    with Rig(7) as other:
        assert load(other.directory(tmp_path)) == numbered(7)
        assert other.pages == [1]
