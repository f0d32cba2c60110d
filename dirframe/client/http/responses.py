"""What a response means, and what a failed attempt means."""

# The specification requires 403 without a valid key and leaves the other codes open. The live
# service returns 400 for a bad key and 401 over the limit, and reports some failures with 200.

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3.exceptions as urllib3_errors
from requests.utils import select_proxy

from dirframe.client.xml.page import MAX_BYTES, Page, parse
from dirframe.errors import (
    InvalidKeyError,
    NetworkError,
    NotFoundError,
    QuotaExceededError,
    RequestError,
    ServiceError,
    UnreadableResponseError,
)

#: Maximum of Retry-After in seconds; later times may exceed the range of datetime.
_LONGEST = 366 * 86_400.0

RUN_AGAIN = "What came is kept: run the same line again."
RUN_AGAIN_LATER = "What came is kept: run the same line again later and only the rest is asked for."
SLOW = f"{RUN_AGAIN} For a slow directory, pass a longer timeout= to Directory."
_CHECK = (
    "Check the address, the connection and this machine's clock; HTTPS_PROXY and NO_PROXY set a proxy, "
    f"REQUESTS_CA_BUNDLE the certificate of an institution's own authority. {RUN_AGAIN}"
)
#: What an attempt may raise.
FAILURES = OSError, urllib3_errors.HTTPError, HTTPException, ValueError
#: No request was sent, and another attempt may succeed.
_PASSING = {
    ssl.SSLEOFError,
    ssl.SSLZeroReturnError,
    urllib3_errors.NewConnectionError,
    urllib3_errors.ConnectTimeoutError,
}


def read_body(response: requests.Response, timeout: float) -> bytes:
    """Return the body as its bytes come: so many, and no longer than four times the time-out."""
    body, is_late, url, longest = bytearray(), False, response.url, 4 * timeout
    end = time.monotonic() + longest
    with response:
        while chunk := response.raw.read1(65_536, decode_content=True):
            body += chunk
            if len(body) > MAX_BYTES:
                found = f"an answer of more than {MAX_BYTES:,} bytes"
                message = f"{url} sent {found}; the rest was not read."
                raise UnreadableResponseError(message, found=found, source=url)
            if is_late:
                reason = f"the response took longer than {longest:g} seconds"
                raise NetworkError(f"{url} could not be fetched: {reason}.", url=url, hint=SLOW)
            is_late = time.monotonic() > end  # complete by now, unless more follows
    return bytes(body)


def check_response(content: bytes, response: requests.Response, record: str | None) -> Page:
    """Return the page of a success, or raise; `record` is the URL of one that redirected to it."""
    status, url, page = response.status_code, response.url, Page()
    try:
        page = parse(content, source=url)
    except UnreadableResponseError as error:
        if status == 200 and record is None:
            raise error from None  # its cause repeats what came
        if status == 200:
            raise ServiceError(
                f"{record} redirects to {url}, which is a web page: the directory does not give this "
                "record out as data. It may be disabled, private or removed.",
                url=record,
                status=302,
            ) from None
    if status == 200 and page.succeeded:
        return page
    kind, meaning, hint = _meaning(status, (page.error or "").lower())
    reason = f' ("{page.error}")' if page.error else ""
    message = f"{url} responded with status {status}{reason}. {meaning}"
    facts: dict[str, Any] = {"help_text": page.error, "reported": page.status}
    seconds = parse_retry_after(response.headers)
    if kind is QuotaExceededError and seconds is not None:
        resets_at = facts["resets_at"] = datetime.now(UTC) + timedelta(seconds=seconds)
        message += f" The quota resets at {resets_at:%Y-%m-%d %H:%M} UTC."
    raise kind(message, hint=hint, url=url, status=status, **facts)


def _meaning(status: int, text: str) -> tuple[type[RequestError], str, str | None]:
    """Return the error of a status and a text, what it means, and what to do."""
    # The live service has one code for several reasons; only the text distinguishes them.
    if status == 429 or (status == 401 and ("exceed" in text or "limit" in text)):
        return QuotaExceededError, "The daily quota of this key is used up.", RUN_AGAIN_LATER
    if status in (401, 403) or (status == 400 and re.search("api[_ ]key", text)):
        advice = "Check it, or register an application with the directory to get one."
        return InvalidKeyError, "The key is missing, unknown or revoked.", advice
    if status == 404 or (status == 200 and "deleted" in text):
        how = "it is found by its id, or the name in its address, which is not its title"
        return NotFoundError, f"There is no such record: {how}.", None
    return ServiceError, "The request did not succeed and nothing was stored.", None


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Parse Retry-After: a number of seconds or a date; None if it is neither."""
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), _LONGEST)
    if (moment := parse_date(text)) is None:
        return None
    return min(max((moment - datetime.now(UTC)).total_seconds(), 0.0), _LONGEST)


def parse_date(text: str) -> datetime | None:
    """Parse the date of a header; None if it is none."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC)


def network_error(
    error: Exception, url: str, proxies: Mapping[str, str] | None, timeout: float
) -> tuple[NetworkError, bool]:
    """Return what a failed attempt means, and whether to try again; its `attempts` are 1 or 0."""
    causes = _causes(error)
    kinds = {kind for cause in causes for kind in type(cause).__mro__}
    root = causes[-1]
    words = root.strerror if isinstance(root, OSError) else None  # those of the system
    text = words or str(root) or type(root).__name__
    # urllib3 gives up before anything is sent. A plain OSError: a proxy does not connect, or
    # REQUESTS_CA_BUNDLE names no file.
    has_arrived = urllib3_errors.MaxRetryError not in kinds and type(root) is not OSError
    if not has_arrived:
        proxy = select_proxy(url, proxies)
        host = urlsplit(proxy or url).netloc.rpartition("@")[2]
        reason = f"there was no connection to {'the proxy ' if proxy else ''}{host} ({text})"
        reason, hint = f"{reason}. The request did not arrive and was not counted", _CHECK
    elif urllib3_errors.ReadTimeoutError in kinds:
        reason, hint = f"no data was received for {timeout:g} seconds", SLOW
    else:
        reason, hint = f"the response ended early ({text})", RUN_AGAIN
    message = f"{url} could not be fetched: {reason}."
    failure = NetworkError(message, url=url, hint=hint, attempts=int(has_arrived))
    # Not the errors of libraries: they hold the request with the key, or repeat what came.
    failure.__cause__ = root.with_traceback(None) if words else None
    root.__context__ = root.__cause__ = None
    return failure, has_arrived or bool(kinds & _PASSING)


def _causes(error: BaseException) -> list[BaseException]:
    """Return an error and its causes, without exceptions that were merely being handled."""
    linked = [link for link in (*error.args, error.__cause__) if isinstance(link, BaseException)]
    return [error, *(_causes(linked[0]) if linked else [])]
