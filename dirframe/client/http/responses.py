"""What a response means, and what a failed attempt means."""

# The specification requires 403 without a valid key and leaves the other codes open. The live
# service returns 400 for a bad key and 401 over the limit, and reports some failures with 200.

from __future__ import annotations

import math
import re
import ssl
import time
from codecs import getincrementaldecoder
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3.exceptions as urllib3_errors
from lxml import etree

from dirframe._display import quantity
from dirframe._printable import printable
from dirframe.client.http.proxies import Route
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

#: Bytes of a web page in which its title is looked for, and characters of the title that are shown.
_HEAD = 65_536
_LONGEST_TITLE = 80

RUN_AGAIN = "Received pages are cached: run it again."
RUN_AGAIN_LATER = "Received pages are cached: run it again later, and only the rest is requested."
SLOW = f"{RUN_AGAIN} For a slow directory, pass a longer timeout= to Directory."
_CHECK = (
    "Check the address, the connection and this machine's clock; HTTPS_PROXY and NO_PROXY set a proxy, "
    f"REQUESTS_CA_BUNDLE the certificate of an institution's own authority. {RUN_AGAIN}"
)
#: The path of a record, and that of what belongs to one.
_OWN_PAGE = re.compile(r"/(?:projects|accounts|orgs)/[^/]+\.xml$")
_OF_RECORD = re.compile(r"/(?:projects|accounts|orgs)/[^/]+/.+\.xml$")
_OF_ORGANIZATION = re.compile(r"/orgs/[^/]+(?:/.+)?\.xml$")
#: What an attempt may raise.
FAILURES = OSError, urllib3_errors.HTTPError, HTTPException, ValueError
#: Why there is no connection, if another attempt may succeed.
_PASSING = (
    ConnectionError,
    TimeoutError,
    ssl.SSLEOFError,
    ssl.SSLZeroReturnError,
    urllib3_errors.ConnectTimeoutError,
)


def read_body(response: requests.Response, timeout: float) -> bytes:
    """Return the body as its bytes come: so many, and no longer than four times the time-out."""
    body, is_late, url, longest = bytearray(), False, response.url, 4 * timeout
    end = time.monotonic() + longest
    with response:
        while chunk := response.raw.read1(65_536, decode_content=True):
            body += chunk
            if len(body) > MAX_BYTES:
                found = f"a response of more than {MAX_BYTES:,} bytes"
                message = f"{url} sent {found}; the rest was not read."
                raise UnreadableResponseError(message, found=found, source=url, url=url)
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
        if status == 200 and record is not None:
            raise ServiceError(
                f"{record} redirects to {url}, which is a web page: the directory does not give this "
                "record out as data. It may be disabled, private or removed.",
                url=record,
                status=302,
                web_page=url,
            ) from None
        # A status without a body is the directory's own answer; so is no other page than its XML.
        if status == 200 or content.strip():
            raise _foreign_error(error, content, response) from None
    if status == 200 and page.succeeded:
        return page
    kind, meaning, hint = _meaning(status, page, url)
    reason = f' ("{page.error}")' if page.error else ""
    message = f"{url} responded with status {status}{reason}. {meaning}".rstrip()
    facts: dict[str, Any] = {"help_text": page.error, "reported": page.status}
    seconds = parse_retry_after(response.headers)
    if kind is QuotaExceededError and seconds is not None:
        resets_at = facts["resets_at"] = datetime.now(UTC) + timedelta(seconds=seconds)
        message += f" The quota resets at {resets_at:%Y-%m-%d %H:%M} UTC."
    raise kind(message, hint=hint, url=url, status=status, **facts)


def _foreign_error(
    error: UnreadableResponseError, content: bytes, response: requests.Response
) -> RequestError:
    """Return the error of a body that is not the interface's, such as a web page of a firewall."""
    status, url = response.status_code, response.url
    title = _title_of(content)
    if status == 200 and title is None:
        error.url, error.status = url, status
        return error
    received = f'{error.found} with the title "{title}"' if title else error.found
    message = (
        f"{url} responded with status {status} and {received}. It is not a response of the "
        "directory's interface, so it says nothing about the key or the quota."
    )
    seconds = parse_retry_after(response.headers)
    if seconds is not None:
        message += f" It asks clients to wait {quantity(math.ceil(seconds), 'second')}."
    facts: dict[str, Any] = {"url": url, "status": status, "title": title}
    if status >= 500:
        return ServiceError(message, hint=RUN_AGAIN, **facts)
    hint = (
        "Open the address in a browser: a firewall, a login, maintenance or a proxy may answer instead "
        "of the directory. Check the base URL, too."
    )
    return UnreadableResponseError(message, hint=hint, found=error.found, source=url, **facts)


def _title_of(content: bytes) -> str | None:
    """Return the title of a web page; None if it has none."""
    head = content[:_HEAD]
    try:
        getincrementaldecoder("utf-8")().decode(head)  # the last character may be cut
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = None  # the page says it, or it is Latin-1
    try:
        root = etree.fromstring(head, etree.HTMLParser(no_network=True, encoding=encoding))
        text = root.findtext(".//title") if root is not None else None
    except (etree.LxmlError, ValueError):
        return None
    words = printable(" ".join((text or "").split()))
    return words[:_LONGEST_TITLE] or None


def _meaning(status: int, page: Page, url: str) -> tuple[type[RequestError], str, str | None]:
    """Return the error of a status and a page, what it means, and what to do."""
    text = (page.error or "").lower()
    failure = ServiceError, "The request did not succeed and nothing was stored.", None
    if page.succeeded:  # a page of records, in spite of its status
        return failure
    # The live service has one code for several reasons; only the text distinguishes them.
    if status == 429 or (status == 401 and ("exceed" in text or "limit" in text)):
        return QuotaExceededError, "The daily quota of this key is used up.", RUN_AGAIN_LATER
    if status in (401, 403) or (status == 400 and re.search("api[_ ]key", text)):
        advice = "Check it, or register an application with the directory to get one."
        return InvalidKeyError, "The key is missing, unknown or revoked.", advice
    if status == 404 or (status == 200 and "deleted" in text):
        meaning, hint = _missing(url)
        if page.status is None:
            # Today's live service sends the same for each error of its own.
            meaning = "Nothing was found there, or the directory could not send it now."
        elif page.error:
            meaning = ""  # it says itself what is not there
        return NotFoundError, meaning, hint
    return failure


def _missing(url: str) -> tuple[str, str | None]:
    """Return what is not there, and how a record is found."""
    path = urlsplit(url).path
    how = None
    if _OF_ORGANIZATION.search(path):
        how = (
            "An organization is found by its short name, the column url_name of "
            "dirframe.load_organizations (dirframe load orgs), not by its full name."
        )
    elif _OWN_PAGE.search(path):
        how = "A record is found by its id or by the name in its address, not by its title."
    if _OWN_PAGE.search(path):
        return "There is no such record.", how
    if _OF_RECORD.search(path):
        return "There is no such record, or the directory has none of these for it.", how
    return "The directory has nothing at this address.", None


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


def route_error(url: str, route: Route) -> NetworkError:
    """Return the error of a proxy whose address cannot be used; its text may be the password."""
    return NetworkError(
        f"{url} was not requested: the proxy {route.proxy_name} cannot be used. Its address is invalid, "
        "or of a kind that is not installed.",
        url=url,
        hint="Set HTTPS_PROXY to an address such as http://proxy.example:3128, and spell special "
        "characters of a password by their codes, such as %2F for a slash. An address that begins with "
        "socks5:// needs the package PySocks.",
    )


def connection_error(error: Exception, url: str, route: Route) -> tuple[NetworkError, bool]:
    """Return why no request was sent, and whether another attempt may succeed."""
    causes = _causes(error)
    host = urlsplit(url).netloc
    way = f"{host} through the proxy {route.proxy_name}" if route.proxy else host
    text = route.hide_password(_words(causes[-1]))
    message = (
        f"{url} could not be fetched: there was no connection to {way} ({text}). The request was not "
        "sent and not counted."
    )
    failure = NetworkError(message, url=url, hint=_CHECK)
    is_temporary = any(isinstance(cause, _PASSING) for cause in causes)
    return _without_frames(failure, causes[-1]), is_temporary


def response_error(error: Exception, url: str, timeout: float) -> NetworkError:
    """Return why no whole response was received to a request that was sent."""
    causes = _causes(error)
    if any(isinstance(cause, urllib3_errors.ReadTimeoutError) for cause in causes):
        reason, hint = f"no data was received for {timeout:g} seconds", SLOW
    else:
        reason, hint = f"the response ended early ({_words(causes[-1])})", RUN_AGAIN
    message = f"{url} could not be fetched: {reason}."
    failure = NetworkError(message, url=url, hint=hint, attempts=1)
    return _without_frames(failure, causes[-1])


def _words(root: BaseException) -> str:
    """Return the text of an error: that of the system, if it has one."""
    words = root.strerror if isinstance(root, OSError) else None
    return words or str(root) or type(root).__name__


def _without_frames(failure: NetworkError, root: BaseException) -> NetworkError:
    """Set the cause of a failure, if it is the system's: those of libraries hold the key."""
    is_of_system = isinstance(root, OSError) and bool(root.strerror)
    failure.__cause__ = root.with_traceback(None) if is_of_system else None
    root.__context__ = root.__cause__ = None
    return failure


def _causes(error: BaseException) -> list[BaseException]:
    """Return an error and its causes, without exceptions that were merely being handled."""
    linked = [link for link in (*error.args, error.__cause__) if isinstance(link, BaseException)]
    return [error, *(_causes(linked[0]) if linked else [])]
