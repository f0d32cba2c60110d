"""Redirects: followed within the host, never beyond it, and never without end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import dirframe
from dirframe.errors import ServiceError
from tests.faults import faults
from tests.faults.service import FaultyService, Trap, numbered
from tests.faults.test_outcomes import error_of, load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.faults.conftest import Ask
    from tests.faults.service import Exchange


@pytest.fixture(params=["127.0.0.1", "127.0.0.2"])
def trap(request: pytest.FixtureRequest) -> Iterator[Trap]:
    with Trap(request.param) as trap:
        yield trap


#: Ways to name another host or port, some of which are easily misread.
STRANGE = [
    "http://{host}:{port}/projects.xml",
    "https://{host}:{port}/projects.xml",
    "//{host}:{port}/projects.xml",
    "HTTP://{host}:{port}",
    "http://127.0.0.1@{host}:{port}/projects.xml",
    "http://127.0.0.1:{own}@{host}:{port}/projects.xml",
    "http://localhost:{port}/projects.xml",
    "http://[::ffff:127.0.0.1]:{port}/projects.xml",
    "http://{host}:{port}#@127.0.0.1:{own}/projects.xml",
    "http://{host}:{port}\\@127.0.0.1:{own}/projects.xml",
    "http://127.0.0.1:{own}\\@{host}:{port}/projects.xml",
    "http:\\\\{host}:{port}/projects.xml",
    "\t//{host}:{port}/projects.xml",
]


@pytest.mark.parametrize("address", STRANGE)
@pytest.mark.parametrize("status", [301, 308])
def test_no_byte_goes_to_another_host(
    address: str, status: int, trap: Trap, service: FaultyService, ask: Ask
) -> None:
    location = address.format(host=trap.host, port=trap.port, own=service.port)
    service.on_page[1] = [faults.redirects(location, status)]
    with pytest.raises(dirframe.DirframeError) as caught:
        dirframe.load_projects(directory=ask(service, retries=0), progress=False)
    assert isinstance(caught.value, dirframe.RequestError)
    assert trap.connections == 0
    assert trap.heard == b""


def test_the_trap_itself_works(trap: Trap, ask: Ask, service: FaultyService) -> None:
    import requests

    with pytest.raises(requests.ConnectionError):
        requests.get(f"http://{trap.host}:{trap.port}/?api_key=mine", timeout=60)
    assert b"api_key=mine" in trap.heard


def test_a_redirect_within_the_host_that_repeats_the_key_is_followed_with_one_key(
    service: FaultyService, ask: Ask
) -> None:
    def to(exchange: Exchange) -> str:
        return exchange.asked.target.replace("/projects.xml?", "/projects.xml?moved=1&")

    service.on_page = {page: [faults.redirects(to)] for page in range(1, 7)}
    directory = ask(service)
    frame = dirframe.load_projects(directory=directory, progress=False)
    assert list(frame["id"]) == numbered(55)
    assert all(asked.target.count("api_key") == 1 for asked in service.asked)
    assert frame.attrs["dirframe"]["requests_made"] == len(service.asked) == 12
    service.forget()
    assert load(directory) == numbered(55)
    assert service.asked == []


def test_a_redirect_to_a_page_for_people_is_an_error(service: FaultyService, ask: Ask) -> None:
    service.faults.append(faults.redirects("/projects"))
    with pytest.raises(dirframe.UnreadableResponseError, match="an HTML page"):
        dirframe.load_project(7, directory=ask(service))


@pytest.mark.parametrize("name", ["in a circle", "in a circle with the key"])
def test_a_circle_is_left_after_five_redirects(name: str, service: FaultyService, ask: Ask) -> None:
    service.always = faults.MISLED[name]
    error = error_of(ask(service))
    assert type(error) is ServiceError
    assert "circle" in str(error)
    assert len(service.asked) == 6
