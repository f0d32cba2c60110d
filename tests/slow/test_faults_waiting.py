"""What takes its time, in real time: a response that trickles, a connection, a lock."""

import socket
import sqlite3
import ssl
from contextlib import ExitStack, closing
from time import monotonic

import pytest
import trustme

import dirframe
from tests.faults import error_of, load
from tests.rig import faults
from tests.rig.server import Rig


@pytest.fixture
def rig():
    with Rig(55) as rig:
        yield rig


@pytest.fixture
def encrypted(tmp_path, monkeypatch):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "authority.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with Rig(55, tls=context) as rig:
        yield rig


def pausing(exchange):
    exchange.send(exchange.head(Content_Length=str(len(exchange.body))))
    exchange.closing.wait(1.0)
    exchange.send(exchange.body)


def test_trickle_is_ended_after_four_time_outs_and_charged_once(rig):
    rig.always = faults.drip_body
    directory = rig.directory(timeout=0.2)
    begin = monotonic()
    assert type(error_of(directory)) is dirframe.NetworkError
    assert 0.8 <= monotonic() - begin < 5
    assert directory.quota().used == len(rig.requests) == 1


def test_encrypted_trickle_is_ended_too(encrypted):
    encrypted.always = faults.drip_body
    directory = encrypted.directory(timeout=0.2)
    assert type(error_of(directory)) is dirframe.NetworkError
    assert directory.quota().used == len(encrypted.requests) == 1


def whole_at_last(exchange):
    """Send all but the last byte, and that when the time for the body is over."""
    exchange.send(exchange.head(Content_Length=str(len(exchange.body))))
    for part in (exchange.body[:-3], *(exchange.body[n : n + 1] for n in (-3, -2))):
        exchange.send(part)
        exchange.closing.wait(0.3)
    exchange.send(exchange.body[-1:])


def test_response_that_is_whole_as_its_time_ends_is_kept(rig):
    rig.faults.append(whole_at_last)
    directory = rig.directory(timeout=0.4)
    assert load(directory) == rig.ids
    assert len(rig.requests) == 6


@pytest.mark.parametrize("fault", [faults.late(1.0), pausing])
def test_pause_before_a_whole_response_or_body_is_no_trickle(fault, rig):
    rig.faults.append(fault)
    assert load(rig.directory(timeout=2.0)) == rig.ids


def test_connection_that_takes_too_long_costs_nothing(rig):
    with ExitStack() as stack:
        full = stack.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        for _ in range(4):  # the queue of those that nobody accepts
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.1", port))
        url = f"http://127.0.0.1:{port}"
        directory = rig.directory(url=url, timeout=0.3)
        assert type(error_of(directory)) is dirframe.NetworkError
    assert directory.quota().used == 0


def test_locked_count_of_requests_is_warned_of_and_the_load_goes_on(rig, tmp_path):
    with rig.directory(tmp_path) as directory:
        directory.quota()
    [file] = (tmp_path / "data").glob("*.sqlite")
    with closing(sqlite3.connect(file)) as database:
        database.execute("BEGIN EXCLUSIVE")
        with pytest.warns(dirframe.QuotaWarning):  # after half a minute
            assert load(rig.directory(tmp_path)) == rig.ids
    assert len(rig.requests) == 6
