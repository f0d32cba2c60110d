"""What an answer means: success, or which error.

The specification asks for 403 without a valid key and leaves the other codes open; the live
service answers 400 for a bad key and 401 over the limit, and reports some failures with 200.
What stays out: sending requests, and reading records.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypedDict

from dirframe.client.reader import Reader
from dirframe.errors import (
    InvalidKeyError,
    NotFoundError,
    QuotaExceededError,
    ServiceError,
    UnreadableResponseError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dirframe.errors import RequestError

__all__ = ["check_answer", "seconds_to_wait"]

#: Seconds: a year is for ever, and later moments may have no date.
_LONGEST = 366 * 86_400.0


def check_answer(
    content: bytes, *, status: int, headers: Mapping[str, str], url: str, max_bytes: int
) -> RequestError | UnreadableResponseError | None:
    """Say what is wrong with an answer, or None if it hands over what was asked for.

    Parameters
    ----------
    content
        The body.
    status
        The HTTP status code.
    headers
        The HTTP headers.
    url
        What was asked, without the key.
    max_bytes
        Largest body that is read.

    Returns
    -------
    DirframeError or None
        The error, not raised: whoever raises it can do so away from the key.
    """
    try:
        envelope = Reader(max_bytes=max_bytes).look(content, source=url)
    except UnreadableResponseError as error:
        if status == 200:
            return error
        text = ""
    else:
        if status == 200 and envelope.succeeded:
            return None
        text = envelope.error or ""
        wrong = _failure(status, text, headers, url)
        if isinstance(wrong, ServiceError):
            wrong.reported = envelope.status
        return wrong
    return _failure(status, text, headers, url)


class _Facts(TypedDict):
    url: str
    status: int
    help_text: str | None


def _failure(status: int, text: str, headers: Mapping[str, str], url: str) -> RequestError:
    said = f' and says: "{text}"' if text else ""
    came = f"{url} answered {status}{said}"
    facts: _Facts = {"url": url, "status": status, "help_text": text or None}
    lowered = text.lower()
    if status == 429 or (status == 401 and ("exceed" in lowered or "limit" in lowered)):
        seconds = seconds_to_wait(headers)
        resets_at = None if seconds is None else datetime.now(UTC) + timedelta(seconds=seconds)
        when = f" It says to come back at {resets_at:%Y-%m-%d %H:%M} UTC." if resets_at else ""
        return QuotaExceededError(
            f"{came}. The day's allowance of this key is used up.{when} What was loaded is in "
            "the cache: run the same line again later and only the rest is asked for.",
            **facts,
            resets_at=resets_at,
        )
    about_key = "api_key" in lowered or "api key" in lowered
    if status in (401, 403) or (status == 400 and about_key):
        return InvalidKeyError(
            f"{came}. The key is missing, unknown or revoked: check it, or register an "
            "application with the directory to get one.",
            **facts,
        )
    if status == 404 or (status == 200 and "deleted" in lowered):
        return NotFoundError(f"{came}. There is no such record.", **facts)
    return ServiceError(
        f"{came}. The request did not succeed and nothing was stored.",
        **facts,
    )


def seconds_to_wait(headers: Mapping[str, str]) -> float | None:
    """Read Retry-After: a number of seconds or a date; None where there is neither."""
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
