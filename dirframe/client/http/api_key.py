"""Add the API key to a URL, and remove it from texts, bodies, URLs and log lines."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, quote_plus, unquote_plus, urlencode, urlsplit, urlunsplit
from xml.sax.saxutils import escape

from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from dirframe.settings import ApiKey

KEY_PARAMETER = "api_key"

_REMOVED = "[api key removed]"
_IN_TEXT = re.compile(r"(api_key(?:=|%3[dD]|['\"]?\s*:\s*['\"]?))(?!\[api key)[^&\s'\"<>]+")
#: A shorter key may be a word that records hold by chance.
_SHORTEST = 16


def sign(url: str, key: ApiKey) -> str:
    """Return a URL with the key."""
    joint = "&" if urlsplit(url).query else "?"
    return f"{url}{joint}{KEY_PARAMETER}={quote_plus(key.reveal())}"


def redact(text: str, key: ApiKey) -> str:
    """Return a text without the key, as it is or percent-encoded."""
    for spelling in _spellings(key):
        text = text.replace(spelling, _REMOVED)
    return scrub(text)


def redact_body(content: bytes, key: ApiKey) -> bytes:
    """Return a body without the key; one of less than 16 characters may be data, and stays."""
    if len(key.reveal()) >= _SHORTEST:
        for spelling in _spellings(key):
            content = content.replace(spelling.encode(), _REMOVED.encode())
    return content


def check_absent(url: str, key: ApiKey) -> None:
    """Raise if a URL holds the key, which caches and provenance would store with it."""
    if len(key.reveal()) >= _SHORTEST and key.reveal() in unquote_plus(url):
        raise InvalidInputError(
            "An id, a query or another part of the address to request contains the API key. Nothing "
            "was requested or stored.",
            hint="Pass it as the key of Directory alone, or set DIRFRAME_API_KEY.",
        )


def _spellings(key: ApiKey) -> list[str]:
    """Return the key as it is, in XML, and as URLs spell it, longest first."""
    secret = key.reveal()
    encoded = quote(secret, safe="~")
    texts = {secret, escape(secret), encoded, quote_plus(secret, safe="~"), quote(secret)}
    return sorted(texts | {encoded.lower()}, key=len, reverse=True)


def scrub(text: str) -> str:
    """Return a text without the value of any parameter ``api_key``."""
    return _IN_TEXT.sub(rf"\1{_REMOVED}", text)


def remove_key(url: str) -> str:
    """Return a URL without the parameter of the key."""
    parts = urlsplit(url)
    if KEY_PARAMETER not in parts.query:
        return url
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    query = urlencode([(name, value) for name, value in pairs if name != KEY_PARAMETER])
    return urlunsplit(parts._replace(query=query))


class _NoKeys(logging.Filter):
    """Takes the key out of the log lines of the libraries below, which hold whole URLs."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if KEY_PARAMETER in message:
            # What follows "unparsed data" repeats text of the response.
            record.msg, record.args = scrub(message).partition("unparsed data: ")[0], ()
            record.exc_info = record.exc_text = None
        return True


_NO_KEYS = _NoKeys()


def install_log_filter() -> None:
    """Keep the key out of the logs of urllib3 and requests; safe to call twice."""
    for name in ("urllib3.connection", "urllib3.connectionpool", "urllib3.util.retry", "requests"):
        logging.getLogger(name).addFilter(_NO_KEYS)
