"""The access log says who asked what, and never a key or a digest of an address."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import Client
from werkzeug.wrappers import Response

from dirframe.service.web.access_log import logged, shown_target

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

KEY = "0123456789abcdef0123456789abcdef01234567"


def hello(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Length", "5")])
    return [b"hello"]


def test_an_answer_is_a_line_and_has_the_status_header_of_old_clients(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, logger="dirframe.service.access"):
        answer = Client(logged(hello), Response).get("/projects.xml?page=2&api_key=" + KEY)
    assert answer.headers["Status"] == "200 OK"
    [line] = caplog.messages
    assert '"GET /projects.xml?page=2" 200 5' in line
    assert KEY not in line


@pytest.mark.parametrize(
    ("path", "query", "shown"),
    [
        ("/accounts.xml", "query=ada&sort=name&page=3", "/accounts.xml?query=ada&sort=name&page=3"),
        ("/accounts.xml", f"apikey={KEY}&page=1", "/accounts.xml?page=1"),
        (f"/accounts/{KEY[:32]}.xml", "", "/accounts/….xml"),
        (f"/accounts.xml&api_key={KEY}", "", "/accounts.xml%26api_key…"),
        ("/accounts.xml", f"query={KEY}", "/accounts.xml?query=…"),
    ],
)
def test_only_what_is_known_to_be_harmless_is_shown(path: str, query: str, shown: str) -> None:
    assert shown_target(path, query) == shown


@given(st.text(alphabet=st.characters(codec="latin-1")), st.text())
def test_whatever_is_asked_stays_one_line_without_the_key(path: str, query: str) -> None:
    shown = shown_target(f"/{path}", f"{query}&api_key={KEY}")
    assert KEY not in shown
    assert len(shown.splitlines()) == 1
