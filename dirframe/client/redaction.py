"""Keeps keys out of every text: errors, log lines, addresses.

What stays out: putting the key on the wire (`dirframe.client.adapter`).
"""

from __future__ import annotations

import logging
import re
from urllib.parse import parse_qsl, quote, quote_plus, urlencode, urlsplit, urlunsplit

__all__ = ["KEY_PARAMETER", "remove_key", "scrub", "silence_logs"]

KEY_PARAMETER = "api_key"

_IN_TEXT = re.compile(r"(api_key(?:=|%3[dD]|['\"]?\s*:\s*['\"]?))[^&\s'\"<>]+")
_REMOVED = "[api key removed]"

# They log whole addresses: at DEBUG each request, at WARNING each retry.
_TALKATIVE = ("urllib3.connectionpool", "urllib3.util.retry", "requests", "requests_cache")


def remove_key(url: str) -> str:
    """Return an address without the key's parameter."""
    parts = urlsplit(url)
    if KEY_PARAMETER not in parts.query:
        return url
    rest = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name != KEY_PARAMETER
    ]
    return urlunsplit(parts._replace(query=urlencode(rest)))


def scrub(text: str, secret: str = "") -> str:
    """Return a text without the key, however it is spelt in an address."""
    for spelling in {secret, quote(secret, safe=""), quote_plus(secret)} - {""}:
        text = text.replace(spelling, _REMOVED)
    return _IN_TEXT.sub(rf"\1{_REMOVED}", text)


class _NoKeys(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if KEY_PARAMETER in message:
            record.msg, record.args = scrub(message), ()
        return True


_NO_KEYS = _NoKeys()


def silence_logs() -> None:
    """See to it that the libraries below never log a key; calling it twice changes nothing."""
    for name in _TALKATIVE:
        logging.getLogger(name).addFilter(_NO_KEYS)
