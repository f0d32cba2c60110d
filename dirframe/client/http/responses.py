"""Classify responses: success, or an error."""

# The specification requires 403 without a valid key and leaves the other codes open. The live
# service returns 400 for a bad key and 401 over the limit, and reports some failures with 200.

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from dirframe.client.page import parse
from dirframe.errors import (
    Hint,
    InvalidKeyError,
    NotFoundError,
    QuotaExceededError,
    RequestError,
    ServiceError,
    UnreadableResponseError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dirframe.client.page import Page


#: Maximum in seconds; later times may exceed the range of datetime.
_LONGEST = 366 * 86_400.0

RUN_AGAIN_LATER = Hint(
    "What was loaded is in the cache: run the same line again later and only the rest is asked "
    "for.",
    shell="What was loaded is in the cache: run the same command again later and only the rest is "
    "asked for.",
)


_EXPLANATIONS: dict[type[RequestError], str] = {
    QuotaExceededError: "The daily quota of this key is used up.",
    InvalidKeyError: "The key is missing, unknown or revoked.",
    NotFoundError: "There is no such record.",
    ServiceError: "The request did not succeed and nothing was stored.",
}


def check_response(
    content: bytes,
    *,
    status: int,
    headers: Mapping[str, str],
    url: str,
    max_bytes: int,
    redact: Callable[[str], str] = str,
) -> Page | RequestError | UnreadableResponseError:
    """Parse a response.

    Parameters
    ----------
    content
        The body.
    status
        The HTTP status code.
    headers
        The HTTP headers.
    url
        The requested URL, without the key.
    max_bytes
        Maximum size of a body.
    redact
        Removes the key from quotes of the body.

    Returns
    -------
    Page, RequestError or UnreadableResponseError
        The parsed page, or the failure. The error is returned, not raised, so that its
        traceback does not hold the key.
    """
    text, reported = "", None
    try:
        page = parse(content, source=url, max_bytes=max_bytes)
    except UnreadableResponseError as error:
        if status == 200:
            # The parser's message, and the error that caused it, may repeat the key.
            message, found = redact(error.message), redact(error.found)
            return UnreadableResponseError(message, found=found, source=url, hint=error.hint)
    else:
        if status == 200 and page.succeeded:
            return page
        text, reported = redact(page.error or ""), page.status
    kind = _kind(status, text.lower())
    reason = f' ("{text}")' if text else ""
    message = f"{url} responded with status {status}{reason}. {_EXPLANATIONS[kind]}"
    facts: dict[str, Any] = {"url": url, "status": status, "help_text": text or None}
    if kind is QuotaExceededError:
        seconds = parse_retry_after(headers)
        if seconds is not None:
            resets_at = facts["resets_at"] = datetime.now(UTC) + timedelta(seconds=seconds)
            message += f" The quota resets at {resets_at:%Y-%m-%d %H:%M} UTC."
        facts["hint"] = RUN_AGAIN_LATER
    elif kind is InvalidKeyError:
        facts["hint"] = Hint("Check it, or register an application with the directory to get one.")
    elif kind is ServiceError:
        facts["reported"] = reported
    return kind(message, **facts)


def _kind(status: int, text: str) -> type[RequestError]:
    # The live service has one code for several reasons; only the text distinguishes them.
    if status == 429 or (status == 401 and ("exceed" in text or "limit" in text)):
        return QuotaExceededError
    about_key = "api_key" in text or "api key" in text
    if status in (401, 403) or (status == 400 and about_key):
        return InvalidKeyError
    if status == 404 or (status == 200 and "deleted" in text):
        return NotFoundError
    return ServiceError


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Parse Retry-After: a number of seconds or a date; None if it is neither."""
    text = (headers.get("Retry-After") or "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), _LONGEST)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(max((moment - datetime.now(UTC)).total_seconds(), 0.0), _LONGEST)
