"""The key is on the signed copy of a request alone."""

from __future__ import annotations

import pytest
import requests

from dirframe.client.http.auth import ApiKeyAuth
from dirframe.errors import WeakKeyWarning
from dirframe.settings import ApiKey

STRONG = "k3y+M4RKED/s&cr=t~0123456789"


@pytest.mark.parametrize("url", ["https://d.example/p.xml", "https://d.example/p.xml?page=2"])
def test_the_copy_is_signed_and_the_request_is_not(url: str) -> None:
    request = requests.Request("GET", url).prepare()
    signed = ApiKeyAuth(ApiKey("a key&b")).sign(request)
    assert request.url == url
    assert signed.url == f"{url}{'&' if '?' in url else '?'}api_key=a+key%26b"


def test_a_body_loses_a_key_that_can_be_nothing_else() -> None:
    auth = ApiKeyAuth(ApiKey(STRONG))
    assert STRONG.encode() not in auth.redact_body(f"<a>{STRONG}</a>".encode())
    assert auth.redact(f"at {STRONG}!") == "at [api key removed]!"


def test_a_body_keeps_an_ordinary_word_and_the_caller_is_warned() -> None:
    with pytest.warns(WeakKeyWarning, match="longer key"):
        assert ApiKeyAuth(ApiKey("ruby")).redact_body(b"<a>ruby</a>") == b"<a>ruby</a>"
