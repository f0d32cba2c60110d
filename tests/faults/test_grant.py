"""A person's grant: an authentication object works with everything, and nothing is stored."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
from requests.auth import AuthBase, HTTPBasicAuth

import dirframe
from dirframe.client.directory import Directory
from tests.faults import faults
from tests.faults.conftest import settings_of
from tests.faults.everything import MARK, Everything
from tests.faults.service import FaultyService, Trap, numbered
from tests.faults.test_outcomes import error_of, load

if TYPE_CHECKING:
    from pathlib import Path

    import requests

    from tests.faults.conftest import Ask


class Bearer(AuthBase):
    """What an OAuth 2.0 library puts on: the token in a header."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class InTheAddress(Bearer):
    """The other way of RFC 6750: the token in the address."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.prepare_url(request.url, {"access_token": self._token})
        return request


GRANTS = [Bearer(MARK), InTheAddress(MARK), HTTPBasicAuth("ada", MARK)]


@pytest.mark.parametrize("grant", GRANTS)
@pytest.mark.parametrize("workers", [1, 4])
def test_a_grant_goes_with_every_request_and_nothing_is_stored(
    grant: AuthBase, workers: int, service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    directory = ask(service, auth=grant, max_workers=workers)
    service.on_page[2] = [faults.reset_before, faults.late(0.05)]
    for _ in range(2):  # the second time costs the same: nothing is kept
        assert load(directory) == numbered(55)
    assert dirframe.plan("accounts", directory=directory).pages == 6
    assert list(dirframe.load_project(7, directory=directory)["id"]) == ["7"]
    assert len(service.asked) == 7 + 6 + 1 + 1
    for asked in service.asked:
        assert "api_key" in asked.query
        assert asked.headers.get("Authorization") or asked.query["access_token"] == MARK
    assert not (tmp_path / "cache").exists()


def test_what_is_in_the_cache_for_everyone_is_not_taken_for_a_grant(
    service: FaultyService, ask: Ask
) -> None:
    load(ask(service))
    assert load(ask(service, auth=GRANTS[0])) == numbered(55)
    assert len(service.asked) == 12


@pytest.mark.parametrize("grant", GRANTS)
@pytest.mark.parametrize(
    "name", ["reset before", "cut short", "403", "500", "HTML with 200", "to another host"]
)
def test_no_error_log_or_file_shows_the_token(
    name: str, grant: AuthBase, service: FaultyService, tmp_path: Path
) -> None:
    everything = Everything()
    service.always = faults.FAULTS[name]
    with (
        everything.logged(),
        Directory.from_settings(settings_of(service, tmp_path, auth=grant)) as directory,
    ):
        error = error_of(directory)
        everything.add_shown(directory)
        everything.add_shown(directory.settings)
    everything.add("the error", f"{error!r} {error} {vars(error)!r}")
    everything.add_files(tmp_path)
    assert service.asked
    assert everything.places_of_the_key() == []


def test_a_grant_in_a_header_goes_along_with_a_redirect_within_the_host(
    service: FaultyService, ask: Ask
) -> None:
    service.on_page[2] = [faults.redirects(lambda e: f"{e.asked.target}&moved=1")]
    assert load(ask(service, auth=GRANTS[0])) == numbered(55)
    assert all(asked.headers["Authorization"] == f"Bearer {MARK}" for asked in service.asked)


def test_a_grant_never_goes_to_another_host(service: FaultyService, ask: Ask) -> None:
    with Trap() as trap:
        service.always = faults.redirects(f"http://127.0.0.1:{trap.port}/projects.xml")
        error_of(ask(service, auth=GRANTS[0]))
        assert trap.connections == 0


def test_logging_is_on_where_the_tests_look(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="urllib3"):
        logging.getLogger("urllib3.connectionpool").debug("?page=1&access_token=%s", MARK)
    assert "page=1" in caplog.text
