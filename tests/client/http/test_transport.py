"""The last step before the wire: the key goes to one host alone, and comes back to nobody.

What happens to the key in every other failure, tests/faults looks at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dirframe.errors import (
    DirframeError,
    InvalidKeyError,
    NetworkError,
    NotFoundError,
    QuotaExceededError,
    ServiceError,
    UnreadableResponseError,
    WeakKeyWarning,
)
from tests.client import KEY, Asked, Reply, Server, failed, page_xml, record

if TYPE_CHECKING:
    from collections.abc import Callable

    from dirframe.client.directory import Directory

ONE = page_xml([record("1")], available=1, first=0)


def get(directory: Directory, path: str = "/projects.xml", **parameters: str) -> bytes:
    return directory.session.get(path, parameters).content


def test_each_request_carries_the_key_and_says_who_asks(at: Callable[..., Directory]) -> None:
    with Server(lambda _: ONE) as server:
        assert get(at(server), page="1", query="a & b") == ONE
        [asked] = server.asked
    assert asked.query == {"api_key": KEY, "page": "1", "query": "a & b"}


def test_a_redirect_within_the_host_is_followed_with_the_key_once(
    at: Callable[..., Directory],
) -> None:
    def answer(asked: Asked) -> Reply | bytes:
        if asked.path == "/projects.xml":
            # As today's service does: the key comes back in the address.
            return Reply(status=302, headers={"Location": asked.line.replace("/projects", "/p")})
        return ONE

    with Server(answer) as server:
        assert get(at(server), page="1") == ONE
        assert [asked.path for asked in server.asked] == ["/projects.xml", "/p.xml"]
        assert all(asked.line.count("api_key") == 1 for asked in server.asked)
        assert server.asked[1].query == {"api_key": KEY, "page": "1"}


@pytest.mark.parametrize(
    "place",
    [
        "http://localhost:{port}/x.xml?api_key={key}",
        "http://127.0.0.1:{other}/x.xml?api_key={key}",
        "//127.0.0.1:{other}/x.xml",
        "https://127.0.0.1:{port}/x.xml",
        "http://127.0.0.1:99999/",
        "http://[/",
        "ftp://127.0.0.1/x",
        "file:///etc/passwd",
        "javascript:1",
    ],
)
def test_a_redirect_elsewhere_is_not_followed(place: str, at: Callable[..., Directory]) -> None:
    with Server(lambda _: ONE) as other:

        def answer(asked: Asked) -> Reply:
            port, foreign = server.url.rpartition(":")[2], other.url.rpartition(":")[2]
            location = place.format(port=port, other=foreign, key=KEY)
            return Reply(status=302, headers={"Location": location})

        with Server(answer) as server:
            with pytest.raises(DirframeError) as caught:
                get(at(server))
            assert len(server.asked) == 1
        assert other.asked == []
    assert KEY not in str(caught.value)


def test_redirects_in_a_circle_end(at: Callable[..., Directory]) -> None:
    with Server(lambda asked: Reply(status=301, headers={"Location": asked.path})) as server:
        with pytest.raises(ServiceError, match="circle"):
            get(at(server))
        assert len(server.asked) < 10


def test_a_redirect_to_nowhere_is_a_failure(at: Callable[..., Directory]) -> None:
    with Server(lambda _: Reply(ONE, 302)) as server, pytest.raises(ServiceError, match="302"):
        get(at(server))


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(failed("api_key"), 403), InvalidKeyError),
        (Reply(failed("gone"), 404), NotFoundError),
        (Reply(failed("wait"), 429, {"Retry-After": "60"}), QuotaExceededError),
        (Reply(failed("broken"), 500), ServiceError),
        (Reply(b"<html></html>"), UnreadableResponseError),
        (Reply(ONE, headers={"Content-Encoding": "gzip"}), NetworkError),
    ],
)
def test_a_failed_answer_is_raised(
    reply: Reply, kind: type[DirframeError], at: Callable[..., Directory]
) -> None:
    with Server(lambda _: reply) as server, pytest.raises(kind) as caught:
        get(at(server))
    assert "/projects.xml" in str(caught.value)


def test_a_refused_connection_is_told_without_the_key(at: Callable[..., Directory]) -> None:
    with Server(lambda _: ONE) as server:
        pass
    with pytest.raises(NetworkError, match="could not be fetched") as caught:
        get(at(server))
    assert KEY not in str(caught.value)
    assert caught.value.url == f"{server.url}/projects.xml"


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n<response>",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<resp",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n<resp",
        b"nonsense\r\n\r\n",
    ],
)
def test_an_answer_that_breaks_off_is_a_network_error(
    sent: bytes, at: Callable[..., Directory]
) -> None:
    with (
        Server(lambda _: Reply(raw=lambda stream: stream.write(sent))) as server,
        pytest.raises((NetworkError, UnreadableResponseError)),
    ):
        get(at(server))


def test_an_answer_that_is_too_long_is_not_read_to_its_end(at: Callable[..., Directory]) -> None:
    with (
        Server(lambda _: Reply(b"x" * 3_000_000)) as server,
        pytest.raises(UnreadableResponseError, match="more than 1,000,000 bytes"),
    ):
        get(at(server, max_response_bytes=1_000_000))


def test_an_interrupted_request_is_tried_again(at: Callable[..., Directory]) -> None:
    def answer(asked: Asked) -> Reply | bytes:
        return Reply(b"", 503) if len(server.asked) < 3 else ONE

    with Server(answer) as server:
        assert get(at(server, retries=3)) == ONE
        assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("status", "requests"), [(500, 1), (501, 1), (502, 3), (503, 3), (504, 3), (505, 1)]
)
def test_only_what_may_pass_is_tried_again(
    status: int, requests: int, at: Callable[..., Directory]
) -> None:
    with Server(lambda _: Reply(failed("broken"), status)) as server:
        with pytest.raises(ServiceError):
            get(at(server, retries=2))
        assert len(server.asked) == requests


def test_a_body_that_repeats_the_key_is_handed_over_without_it(
    at: Callable[..., Directory],
) -> None:
    content = page_xml([record("1", html_url=f"http://d/p?api_key={KEY}")], available=1, first=0)
    with Server(lambda _: content) as server:
        found = get(at(server))
    assert KEY.encode() not in found
    assert KEY.replace("&", "&amp;").encode() not in found
    assert b"<id>1</id>" in found


@pytest.mark.parametrize("key", ["Ohloh", "SCM", "open source", "1", "internationalization"])
def test_a_key_that_is_an_ordinary_word_never_alters_a_record(
    key: str, at: Callable[..., Directory]
) -> None:
    content = page_xml([record("1", name=f"{key} SCM")], available=1, first=0)
    with Server(lambda _: content) as server:
        directory = at(server, key)
        with pytest.warns(WeakKeyWarning, match="longer key"):
            assert get(directory) == content
        assert get(directory) == content  # as it was stored
        assert len(server.asked) == 1


@pytest.mark.parametrize("key", ["Ohloh", "SCM"])
def test_an_ordinary_key_that_no_answer_holds_is_not_warned_of(
    key: str, at: Callable[..., Directory]
) -> None:
    with Server(lambda _: ONE) as server:
        assert get(at(server, key)) == ONE


def test_an_ordinary_key_is_still_taken_out_of_errors(at: Callable[..., Directory]) -> None:
    with (
        Server(lambda _: Reply(failed("Ohloh is no api_key"), 403)) as server,
        pytest.warns(WeakKeyWarning),
        pytest.raises(InvalidKeyError) as caught,
    ):
        get(at(server, "Ohloh"))
    assert "Ohloh" not in str(caught.value)
