"""Add the API key to requests and remove it from responses."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote_plus, urlsplit

from dirframe.client.http.redaction import KEY_PARAMETER, holds_key, remove_from_body, scrub
from dirframe.errors import Hint, InvalidInputError, WeakKeyWarning, warn

if TYPE_CHECKING:
    import requests

    from dirframe.settings import ApiKey


class ApiKeyAuth:
    """The API key of one directory, added to a request only when it is sent.

    A request passes through requests and requests-cache without the key, so that no cache file,
    history, error or log line can contain it.

    Parameters
    ----------
    key
        The key.
    """

    def __init__(self, key: ApiKey) -> None:
        self._key = key

    def sign(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Return a copy of a request with the key."""
        url = request.url or ""
        joint = "&" if urlsplit(url).query else "?"
        signed = request.copy()
        signed.url = f"{url}{joint}{KEY_PARAMETER}={quote_plus(self._key.reveal())}"
        return signed

    def redact(self, text: str) -> str:
        """Return a text without the key in any encoding."""
        return scrub(text, self._key.reveal())

    def redact_body(self, content: bytes) -> bytes:
        """Return a body without the key, where the text can only be the key.

        Warns
        -----
        WeakKeyWarning
            If the text of the key occurs and could be data: the body is unchanged.
        """
        secret = self._key.reveal()
        if not holds_key(content, secret):
            return content
        if self._key.is_unmistakable:
            return remove_from_body(content, secret)
        warn(
            WeakKeyWarning(
                "The text of the API key stands in an answer of the directory. It is too short or "
                "too ordinary a text to tell a repeated key from data, so the records were left "
                "as they are; they may hold the key, in the cache and in exports too.",
                hint=Hint("Ask the directory for a longer key."),
            )
        )
        return content


def refuse_key(url: str, key: ApiKey) -> None:
    """Raise if a URL contains the key, which would be stored with it in caches and provenance."""
    if key.is_unmistakable and holds_key(url.encode(), key.reveal()):
        raise InvalidInputError(
            "An id, a query or another part of the address to request contains the API key. Nothing "
            "was requested or stored.",
            hint=Hint(
                "Pass the key as api_key of Directory alone, or set DIRFRAME_API_KEY.",
                shell="Set DIRFRAME_API_KEY, and leave the key out of the command.",
            ),
        )
