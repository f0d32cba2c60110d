"""Every fault leads to what was promised: a proven frame, or an error that says what happened."""

from __future__ import annotations

import pickle
from time import monotonic
from typing import TYPE_CHECKING

import pytest

import dirframe
from dirframe.errors import (
    DirframeError,
    InvalidKeyError,
    NetworkError,
    NotFoundError,
    QuotaExceededError,
    RequestError,
    ServiceError,
    UnreadableResponseError,
)
from tests.faults import faults
from tests.faults.conftest import HASTY
from tests.faults.service import numbered

if TYPE_CHECKING:
    from dirframe.client.directory import Directory
    from tests.faults.conftest import Ask
    from tests.faults.service import Fault, FaultyService

#: Far more than any bound of the tests' settings, and far less than for ever.
PATIENCE = 5.0

REFUSED: dict[str, tuple[type[RequestError], int]] = {
    "failed with 200": (NotFoundError, 200),
    "failed with 200, for whatever reason": (ServiceError, 200),
    "400 for a bad key, today": (InvalidKeyError, 400),
    "401 for a bad key": (InvalidKeyError, 401),
    "401 over the limit, today": (QuotaExceededError, 401),
    "403": (InvalidKeyError, 403),
    "404": (NotFoundError, 404),
    "400 of another kind": (ServiceError, 400),
    "429": (QuotaExceededError, 429),
    "429 with seconds": (QuotaExceededError, 429),
    "429 with a date": (QuotaExceededError, 429),
    "429 for ten thousand years": (QuotaExceededError, 429),
    "500": (ServiceError, 500),
    "503 for hours": (ServiceError, 503),
    "503 until a date": (ServiceError, 503),
}


def load(directory: Directory) -> list[str]:
    """Load everything, and see to it that it is everything."""
    frame = dirframe.load_projects(directory=directory, progress=False)
    assert frame.attrs["dirframe"]["complete"] is True
    assert list(frame["name"]) == [f"project {one}" for one in frame["id"]]
    return list(frame["id"])


def error_of(directory: Directory) -> DirframeError:
    """Load what cannot be loaded; the error must be whole after pickling, and in time."""
    begin = monotonic()
    with pytest.raises(DirframeError) as caught:
        dirframe.load_projects(directory=directory, progress=False)
    assert monotonic() - begin < PATIENCE
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value)
    assert (again.args, vars(again)) == (caught.value.args, vars(caught.value))
    return caught.value


def stored(directory: Directory) -> int:
    assert directory.settings.cache_dir is not None
    return dirframe.cache_info(directory.settings.cache_dir).pages


@pytest.mark.parametrize("name", faults.INTERRUPTED)
def test_an_interruption_is_overcome_by_trying_again(
    name: str, service: FaultyService, ask: Ask
) -> None:
    service.on_page[3] = [faults.INTERRUPTED[name]] * 2
    assert load(ask(service)) == numbered(55)
    assert service.pages == [1, 2, 3, 3, 3, 4, 5, 6]


@pytest.mark.parametrize("name", faults.INTERRUPTED)
def test_an_interruption_that_goes_on_is_given_up_and_says_so(
    name: str, service: FaultyService, ask: Ask
) -> None:
    directory = ask(service)
    service.on_page[3] = [faults.INTERRUPTED[name]] * 99
    error = error_of(directory)
    assert type(error) is (ServiceError if name[0] == "5" else NetworkError)
    assert isinstance(error, RequestError)
    assert error.url == f"{service.url}/projects.xml?page=3"
    assert error.url in str(error)
    assert error.status == (int(name[:3]) if name[0] == "5" else None)
    assert service.pages == [1, 2, 3, 3, 3]
    assert stored(directory) == 2


@pytest.mark.parametrize("name", faults.DAMAGED | faults.MISLED | faults.SLOW)
def test_a_damaged_answer_is_an_error_and_only_the_missing_pages_are_paid_for_later(
    name: str, service: FaultyService, ask: Ask
) -> None:
    directory = ask(service, retries=0, **(HASTY if name in faults.SLOW else {}))
    service.on_page[3] = [(faults.DAMAGED | faults.MISLED | faults.SLOW)[name]] * 99
    error = error_of(directory)
    assert isinstance(error, (NetworkError, ServiceError, UnreadableResponseError))
    address = error.source if isinstance(error, UnreadableResponseError) else error.url
    assert address == f"{service.url}/projects.xml?page=3"
    assert address in str(error)
    assert len(service.pages) <= 2 + 6  # redirects are followed five times
    assert stored(directory) == 2
    service.forget()
    assert load(directory) == numbered(55)
    assert service.pages == [3, 4, 5, 6]


@pytest.mark.parametrize("workers", [4, 16])
@pytest.mark.parametrize("name", ["reset in body", "HTML with 200", "500", "drip body"])
def test_several_workers_keep_what_came_beside_a_damaged_answer(
    name: str, workers: int, service: FaultyService, ask: Ask
) -> None:
    hasty = HASTY if name in faults.SLOW else {}
    directory = ask(service, max_workers=workers, retries=0, **hasty)
    service.on_page[3] = [faults.FAULTS[name]]
    error_of(directory)
    asked = set(service.pages)
    assert stored(directory) == len(asked) - 1
    service.forget()
    assert load(directory) == numbered(55)
    assert sorted(service.pages) == sorted({1, 2, 3, 4, 5, 6} - (asked - {3}))


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_is_the_error_that_it_means_and_is_never_stored(
    name: str, service: FaultyService, ask: Ask
) -> None:
    directory = ask(service)
    service.on_page[3] = [faults.REFUSALS[name]] * 99
    error = error_of(directory)
    kind, status = REFUSED[name]
    assert type(error) is kind
    assert isinstance(error, RequestError)
    assert error.url == f"{service.url}/projects.xml?page=3"
    assert error.status == status
    assert f"{error.url} responded with status {status}" in str(error)
    assert service.pages == [1, 2, 3]
    assert stored(directory) == 2


@pytest.mark.parametrize("name", faults.TALKATIVE)
def test_a_right_answer_with_something_odd_about_it_is_taken(
    name: str, service: FaultyService, ask: Ask
) -> None:
    service.always = faults.TALKATIVE[name]
    frame = dirframe.load_projects(directory=ask(service), progress=False)
    assert list(frame["id"]) == numbered(55)
    assert frame.attrs["dirframe"]["complete"] is True


@pytest.mark.parametrize(
    "fault",
    [
        faults.late(0.2),
        lambda e: e.send(e.head() + e.body) or e.end(),  # no length: the end ends it
        lambda e: e.send(e.head(Transfer_Encoding="chunked") + faults.chunked(e.body)),
    ],
    ids=["late", "without length", "in chunks"],
)
def test_an_unusual_but_right_answer_is_taken(
    fault: Fault, service: FaultyService, ask: Ask
) -> None:
    service.on_page[3] = [fault]
    assert load(ask(service)) == numbered(55)
    assert service.pages == [1, 2, 3, 4, 5, 6]


def test_bytes_behind_an_answer_do_not_spoil_the_next_one(service: FaultyService, ask: Ask) -> None:
    service.on_page[3] = [lambda e: e.send(e.head(Content_Length=str(len(e.body))) + e.body * 2)]
    assert load(ask(service)) == numbered(55)


def test_without_a_service_the_error_names_the_address(service: FaultyService, ask: Ask) -> None:
    directory = ask(service)
    service.close()
    error = error_of(directory)
    assert type(error) is NetworkError
    assert service.url in str(error)
    assert directory.session.quota.remaining() == directory.settings.daily_quota


def test_a_single_record_meets_the_same_errors(service: FaultyService, ask: Ask) -> None:
    directory = ask(service)
    for fault, kind in [
        (faults.FAULTS["failed with 200"], NotFoundError),
        (faults.FAULTS["HTML with 200"], UnreadableResponseError),
        (faults.FAULTS["500"], ServiceError),
    ]:
        service.faults.append(fault)
        with pytest.raises(kind, match=r"projects/7\.xml"):
            dirframe.load_project(7, directory=directory)
    assert list(dirframe.load_project(7, directory=directory)["id"]) == ["7"]
