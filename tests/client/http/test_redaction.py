"""The key is taken out of addresses, texts and log lines."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.client.http.redaction import install_log_redaction, remove_key, scrub
from tests.client import KEY


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("http://d/p.xml?api_key=K", "http://d/p.xml"),
        ("http://d/p.xml?page=2&api_key=K&sort=id", "http://d/p.xml?page=2&sort=id"),
        ("http://d/p.xml?api_key=K&api_key=L&x=", "http://d/p.xml?x="),
        ("/p.xml?api_key=K#f", "/p.xml#f"),
        ("http://d/p.xml?page=2", "http://d/p.xml?page=2"),
        ("http://d/p.xml?query=a%26b+c&api_key=K", "http://d/p.xml?query=a%26b+c"),
    ],
)
def test_an_address_loses_its_key_and_nothing_else(url: str, clean: str) -> None:
    assert remove_key(url) == clean


@pytest.mark.parametrize(
    "text",
    [
        f"GET /p.xml?api_key={KEY} HTTP/1.1",
        f"{{'api_key': '{KEY}'}}",
        "api_key%3Dabc",
        f"the key {KEY} is wrong",
    ],
)
def test_a_text_loses_the_key_however_it_is_written(text: str) -> None:
    clean = scrub(text, KEY)
    assert KEY not in clean
    assert "abc" not in clean
    assert "removed" in clean


@given(st.text(max_size=40))
def test_a_text_without_a_key_stays_as_it_is(text: str) -> None:
    assert scrub(text.replace("api_key", ""), KEY) == text.replace("api_key", "")


@pytest.mark.parametrize("name", ["urllib3.connectionpool", "urllib3.util.retry"])
def test_the_libraries_below_log_no_key(name: str, caplog: pytest.LogCaptureFixture) -> None:
    install_log_redaction()
    install_log_redaction()
    with caplog.at_level(logging.DEBUG, logger=name):
        logging.getLogger(name).debug('"%s %s" %s', "GET", f"/p.xml?api_key={KEY}", 200)
        logging.getLogger(name).debug("nothing to hide: %s", 5)
    assert KEY not in caplog.text
    assert "nothing to hide: 5" in caplog.text
