"""Redirects: followed within the host, never beyond it, and never without end."""

import pytest

import dirframe
from tests.faults import error_of, load
from tests.rig import faults
from tests.rig.server import Trap

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


def moved(exchange):
    return exchange.request.target.replace(".xml?", ".xml?moved=1&")


@pytest.mark.parametrize(("host", "status"), [("127.0.0.1", 301), ("127.0.0.2", 308)])
def test_redirect_sends_no_byte_to_another_host_or_port(host, status, rig):
    with Trap(host) as trap, rig.directory() as directory:
        for address in STRANGE:
            location = address.format(host=host, port=trap.port, own=rig.port)
            rig.on_page[1] = [faults.redirects(location, status)]
            assert isinstance(error_of(directory), dirframe.RequestError), address
            assert (trap.connections, trap.received) == (0, b""), address


def test_redirect_within_the_host_is_followed_with_one_key_and_stored(rig, tmp_path):
    rig.on_page = {page: [faults.redirects(moved)] for page in range(1, 7)}
    directory = rig.directory(tmp_path)
    frame = dirframe.load_projects(directory=directory, progress=False)
    assert list(frame["id"]) == rig.ids
    assert all(request.target.count("api_key") == 1 for request in rig.requests)
    assert frame.attrs["dirframe"]["requests_made"] == len(rig.requests) == 12
    assert directory.quota().used == 12
    rig.forget()
    assert load(directory) == rig.ids
    assert rig.requests == []


def test_redirect_to_a_page_for_people_is_an_error(rig):
    rig.faults.append(faults.redirects("/projects"))
    rig.faults.append(faults.FAULTS["HTML with 200"])
    with pytest.raises(dirframe.UnreadableResponseError) as caught:
        dirframe.load_project(7, directory=rig.directory())
    assert caught.value.source.startswith(rig.url)


def test_redirect_in_a_circle_ends_after_five(rig):
    for name in ("in a circle", "in a circle with the key"):
        rig.requests.clear()
        rig.always = faults.MISLED[name]
        error = error_of(rig.directory())
        assert type(error) is dirframe.ServiceError
        assert len(rig.requests) == 6
