"""Classify responses: success, or an error."""

# The specification requires 403 without a valid key and leaves the other codes open. The live
# service returns 400 for a bad key and 401 over the limit, and reports some failures with 200.

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from dirframe.client.xml.parser import PageParser
from dirframe.errors import (
    Hint,
    InvalidKeyError,
    NotFoundError,
    QuotaExceededError,
    ServiceError,
    UnreadableResponseError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dirframe.client.xml.parser import Page
    from dirframe.errors import RequestError


#: Maximum in seconds; later times may exceed the range of datetime.
_LONGEST = 366 * 86_400.0

RUN_AGAIN_LATER = Hint(
    "What was loaded is in the cache: run the same line again later and only the rest is asked "
    "for.",
    shell="What was loaded is in the cache: run the same command again later and only the rest is "
    "asked for.",
)


class RejectionKind(Enum):
    """Why a directory does not return a document."""

    QUOTA = auto()
    KEY = auto()
    NOT_FOUND = auto()
    FAILURE = auto()


@dataclass(frozen=True, kw_only=True)
class Rejection:
    """A response that is a failure.

    Parameters
    ----------
    kind
        The reason.
    status
        The HTTP status code.
    text
        The message of the directory, without the key; may be empty.
    reported
        The status in the body, if there is one.
    resets_at
        When to retry, according to the directory.
    """

    kind: RejectionKind
    status: int
    text: str = ""
    reported: str | None = None
    resets_at: datetime | None = None

    @property
    def is_charged(self) -> bool:
        """Whether the directory counted the request; it does not if it refuses service."""
        return self.kind not in (RejectionKind.QUOTA, RejectionKind.KEY)

    def to_error(self, url: str, resets_at: datetime | None = None) -> RequestError:
        """Return the error to raise.

        Parameters
        ----------
        url
            The requested URL, without the key.
        resets_at
            Time of the quota reset by the local count, if the directory does not report it.
        """
        answered = f"{url} answered {self.status}" + (
            f' and says: "{self.text}".' if self.text else "."
        )
        facts: dict[str, Any] = {"url": url, "status": self.status, "help_text": self.text or None}
        if self.kind is RejectionKind.QUOTA:
            back = self.resets_at
            when = f" It says to come back at {back:%Y-%m-%d %H:%M} UTC." if back else ""
            text = f"{answered} The daily quota of this key is used up.{when}"
            hint = RUN_AGAIN_LATER
            return QuotaExceededError(text, resets_at=back or resets_at, hint=hint, **facts)
        if self.kind is RejectionKind.KEY:
            hint = Hint("Check it, or register an application with the directory to get one.")
            text = f"{answered} The key is missing, unknown or revoked."
            return InvalidKeyError(text, hint=hint, **facts)
        if self.kind is RejectionKind.NOT_FOUND:
            return NotFoundError(f"{answered} There is no such record.", **facts)
        text = f"{answered} The request did not succeed and nothing was stored."
        return ServiceError(text, reported=self.reported, **facts)


def check_response(
    content: bytes,
    *,
    status: int,
    headers: Mapping[str, str],
    url: str,
    max_bytes: int,
    redact: Callable[[str], str] = str,
) -> Page | Rejection | UnreadableResponseError:
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
    Page, Rejection or UnreadableResponseError
        The parsed page, or the failure. The error is returned, not raised, so that its
        traceback does not hold the key.
    """
    text, reported = "", None
    try:
        page = PageParser(max_bytes=max_bytes).parse(content, source=url)
    except UnreadableResponseError as error:
        if status == 200:
            # The parser's message, and the error that caused it, may repeat the key.
            message, found = redact(error.message), redact(error.found)
            return UnreadableResponseError(message, found=found, source=url, hint=error.hint)
    else:
        envelope = page.envelope
        if status == 200 and envelope.succeeded:
            return page
        text, reported = redact(envelope.error or ""), envelope.status
    kind = _kind(status, text.lower())
    seconds = parse_retry_after(headers) if kind is RejectionKind.QUOTA else None
    return Rejection(
        kind=kind,
        status=status,
        text=text,
        reported=reported,
        resets_at=None if seconds is None else datetime.now(UTC) + timedelta(seconds=seconds),
    )


def _kind(status: int, text: str) -> RejectionKind:
    # The live service has one code for several reasons; only the text distinguishes them.
    if status == 429 or (status == 401 and ("exceed" in text or "limit" in text)):
        return RejectionKind.QUOTA
    about_key = "api_key" in text or "api key" in text
    if status in (401, 403) or (status == 400 and about_key):
        return RejectionKind.KEY
    if status == 404 or (status == 200 and "deleted" in text):
        return RejectionKind.NOT_FOUND
    return RejectionKind.FAILURE


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
