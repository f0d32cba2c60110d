"""What a response means, and what a failed attempt means."""

# The specification requires 403 without a valid key and leaves the other codes open. The live
# service returns 400 for a bad key and 401 over the limit, and reports some failures with 200.

from __future__ import annotations

import http.client
import socket
import ssl
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import requests
import urllib3.exceptions as urllib3_errors
from requests.utils import select_proxy

from dirframe.client.page import parse
from dirframe.errors import (
    InvalidKeyError,
    NotFoundError,
    QuotaExceededError,
    RequestError,
    ServiceError,
    UnreadableResponseError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dirframe.client.page import Page

#: Maximum of Retry-After in seconds; later times may exceed the range of datetime.
_LONGEST = 366 * 86_400.0

RUN_AGAIN = "What was loaded is in the cache: run the same line again."
RUN_AGAIN_LATER = (
    "What was loaded is in the cache: run the same line again later and only the rest is asked for."
)

_EXPLANATIONS: dict[type[RequestError], str] = {
    QuotaExceededError: "The daily quota of this key is used up.",
    InvalidKeyError: "The key is missing, unknown or revoked.",
    NotFoundError: "There is no such record: it is found by its id, or the name in its address, which "
    "is not its title.",
    ServiceError: "The request did not succeed and nothing was stored.",
}


def check_response(
    content: bytes,
    *,
    status: int,
    headers: Mapping[str, str],
    url: str,
    redact: Callable[[str], str],
) -> Page:
    """Return the page of a success, or raise what the response means; `redact` removes the key."""
    text, reported = "", None
    try:
        page = parse(content, source=url)
    except UnreadableResponseError as error:
        if status == 200:
            # The parser's message, and the error that caused it, may repeat the key.
            message, found = redact(error.message), redact(error.found)
            raise UnreadableResponseError(
                message, found=found, source=url, hint=error.hint
            ) from None
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
        facts["hint"] = "Check it, or register an application with the directory to get one."
    elif kind is ServiceError:
        facts["reported"] = reported
    raise kind(message, **facts)


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


class Failure(NamedTuple):
    """Why there is no response, what to do, whether the request arrived, whether to try again."""

    reason: str
    advice: str
    has_arrived: bool
    is_temporary: bool
    cause: BaseException


_TLS = (
    "Check the address and this machine's clock. If your institution or a proxy signs with its own "
    "authority, set REQUESTS_CA_BUNDLE to the path of that authority's certificate (PEM)."
)
_PROXY = (
    "If it asks for a name and a password, put them into HTTPS_PROXY and HTTP_PROXY "
    "(http://name:password@host:port); if the directory needs no proxy, put its host into NO_PROXY."
)
_CHECK = f"Check the address and the connection. {RUN_AGAIN}"
SLOW = f"{RUN_AGAIN} For a slow directory, pass a longer timeout= to Directory."
_ADDRESS = (
    "Check the address, and the path in REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE if one of them is set."
)
_INTERRUPTIONS = (
    urllib3_errors.ProtocolError,
    requests.ConnectionError,
    http.client.HTTPException,
    ConnectionError,
)
#: First characters of a TLS alert: content type, and the major version.
_TLS_ALERT = "\x15\x03"


def explain_failure(
    error: BaseException, url: str, proxies: Mapping[str, str], timeout: float
) -> Failure:
    """Explain a failed attempt, by the types of requests, urllib3 and the standard library."""
    causes = list(_causes(error))
    root = causes[-1]
    text = (isinstance(root, OSError) and root.strerror) or str(root) or type(root).__name__
    proxy = select_proxy(url, dict(proxies))
    target = f"the proxy {_host(proxy)}" if proxy else _host(url)

    def is_among(*types: type[BaseException]) -> bool:
        return any(isinstance(cause, types) for cause in causes)

    reason, advice = f"there was no connection to {target} ({text})", _CHECK
    has_arrived = is_temporary = False
    if is_among(ssl.SSLEOFError, ssl.SSLZeroReturnError):
        is_temporary = True
    elif is_among(ssl.SSLError):
        reason, advice = f"{target} and this machine agreed on no encryption ({text})", _TLS
    elif proxy and type(root) is OSError and root.errno is None:  # an answer to CONNECT but 200
        reason, advice = f"{target} refused it ({text})", _PROXY
    elif is_among(urllib3_errors.NewConnectionError, urllib3_errors.ConnectTimeoutError):
        is_temporary = True
        if is_among(TimeoutError):
            reason = f"there was no connection to {target} within {timeout:g} seconds"
            advice = SLOW
        elif is_among(socket.gaierror):
            reason = f"the host name of {target} was not found ({text})"
    elif isinstance(root, http.client.BadStatusLine) and text.startswith(_TLS_ALERT):
        reason, advice = "the port speaks TLS", "Write https:// instead of http:// in the address."
    elif is_among(TimeoutError, urllib3_errors.ReadTimeoutError, requests.Timeout):
        has_arrived = is_temporary = True
        reason, advice = f"no data was received for {timeout:g} seconds", SLOW
    elif is_among(*_INTERRUPTIONS):
        has_arrived = is_temporary = True
        reason, advice = f"the response ended early ({text})", RUN_AGAIN
    elif is_among(urllib3_errors.DecodeError):
        has_arrived = True
        reason, advice = f"the response cannot be unpacked ({text})", RUN_AGAIN
    else:
        reason, advice = f"it cannot be requested ({text})", _ADDRESS
    return Failure(reason, advice, has_arrived, is_temporary, root)


def proxy_refusal(url: str, proxies: Mapping[str, str]) -> Failure:
    """Explain the answer of a proxy that did not forward a request."""
    proxy = select_proxy(url, dict(proxies))
    reason = f"the proxy {_host(proxy)} refused it (407)" if proxy else "a proxy refused it (407)"
    return Failure(reason, _PROXY, False, False, OSError())


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes, without exceptions that were merely being handled."""
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        yield following
        linked = [
            *following.args,
            getattr(following, "reason", None),
            getattr(following, "original_error", None),
            following.__cause__,
        ]
        following = next((link for link in linked if isinstance(link, BaseException)), None)


def _host(url: str) -> str:
    """Return host and port of a URL, without a user and a password."""
    return urlsplit(url if "//" in url else f"//{url}").netloc.rpartition("@")[2]
