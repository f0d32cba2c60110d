"""Remove keys from errors, log messages and URLs."""

from __future__ import annotations

import logging
import re
from html.entities import codepoint2name
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

KEY_PARAMETER = "api_key"

#: The token of a grant may be in the URL too (RFC 6750, section 2.3).
_SECRET = (KEY_PARAMETER, "access_token")

_IN_TEXT = re.compile(
    r"((?:api_key|access_token)(?:=|%3[dD]|['\"]?\s*:\s*['\"]?))(?!\[api key)[^&\s'\"<>]+"
)
_REMOVED = "[api key removed]"

# They log complete URLs: at DEBUG each request, at WARNING each retry.
_TALKATIVE = (
    "urllib3.connection",
    "urllib3.connectionpool",
    "urllib3.util.retry",
    "requests",
    "requests_cache",
)

#: Encodings of bodies, and how to handle bytes that are not text.
_ENCODINGS = {"utf-8": "surrogateescape", "utf-16-le": "ignore", "utf-16-be": "ignore"}

#: This is followed by text repeated from the response.
_UNPARSED = re.compile(r"unparsed data: .*", re.DOTALL)


def remove_key(url: str) -> str:
    """Return a URL without the parameters of the key and of a grant."""
    parts = urlsplit(url)
    if not any(name in parts.query for name in _SECRET):
        return url
    rest = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name not in _SECRET
    ]
    return urlunsplit(parts._replace(query=urlencode(rest)))


def scrub(text: str, secret: str = "") -> str:
    """Return a text without the key, in any URL or XML encoding of its characters."""
    return _IN_TEXT.sub(rf"\1{_REMOVED}", _without(text, secret))


def holds_key(content: bytes, secret: str) -> bool:
    """Return whether a response contains the key with unencoded letters and digits."""
    longest = _longest_word(secret)
    return any(
        longest.encode(encoding) in content  # a cheap test in the usual case
        and _pattern(secret).search(content.decode(encoding, errors)) is not None
        for encoding, errors in _ENCODINGS.items()
    )


def remove_from_body(content: bytes, secret: str) -> bytes:
    """Return a response without the key, in all encodings that `holds_key` finds."""
    longest = _longest_word(secret)
    for encoding, errors in _ENCODINGS.items():
        if longest.encode(encoding) in content:
            text = content.decode(encoding, errors)
            content = _without(text, secret).encode(encoding, errors)
    return content


def _longest_word(secret: str) -> str:
    words: list[str] = re.findall("[A-Za-z0-9]*", secret)
    return max(words, key=len)


def _without(text: str, secret: str) -> str:
    return _pattern(secret).sub(_REMOVED, text) if secret else text


def _pattern(secret: str) -> re.Pattern[str]:
    return re.compile("".join(map(_spelt, secret)))


def _spelt(character: str) -> str:
    """Return a pattern for a character, plain or percent-encoded once or more."""
    octets = "".join(f"%(?:25)*{octet:02x}" for octet in character.encode())
    number = ord(character)
    name = {"'": "apos"}.get(character) or codepoint2name.get(number, f"#0*{number}")
    blank = r"|\+" if character == " " else ""
    entity = f"&(?:amp;)*(?:{name}|#0*{number}|#x0*{number:x});"
    return f"(?:{re.escape(character)}|(?i:{octets}|{entity}){blank})"


class _NoKeys(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if any(name in message for name in _SECRET):
            record.msg, record.args = _UNPARSED.sub("", scrub(message)), ()
            record.exc_info = record.exc_text = None
        return True


_NO_KEYS = _NoKeys()


def install_log_redaction() -> None:
    """Redact keys in the logs of the underlying libraries; safe to call twice."""
    for name in _TALKATIVE:
        logging.getLogger(name).addFilter(_NO_KEYS)
