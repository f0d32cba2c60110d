"""Fetch pages of one directory: from the cache, or over HTTP with the key, within the quota."""

# The key is added to what is sent to the configured host alone, and taken out of whatever comes back.
# A page is stored only if it is a complete, validated success; everything else is raised.

from __future__ import annotations

import json
import logging
import math
import re
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urlencode, urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter

from dirframe import __version__
from dirframe.client.http.cache import PageCache
from dirframe.client.http.quota import DailyQuota
from dirframe.client.http.responses import (
    FAILURES,
    check_response,
    network_error,
    parse_date,
    parse_retry_after,
    read_body,
)
from dirframe.client.page import Page, parse
from dirframe.errors import (
    CacheError,
    InvalidInputError,
    InvalidKeyError,
    QuotaExceededError,
    RequestError,
    ServiceError,
    StaleWarning,
    UnreadableResponseError,
    warn,
)
from dirframe.settings import KEY_PARAMETER, hide_keys

if TYPE_CHECKING:
    from dirframe.client.directory import Directory
    from dirframe.client.paging import ReceivedPage

#: Seconds before each further attempt; the first one is made at once.
PAUSES = (0.0, 1.0, 2.0)
#: An overloaded or restarting server. 429 is not included: it refers to the quota of the whole day.
_TEMPORARY = {502, 503, 504}
#: Seconds. A server that asks for a longer pause is not asked again.
_LONGEST_PAUSE = 30.0
_MAX_REDIRECTS = 5
#: The facts of an error that repeat text of a response.
_REPEATED = {"help_text", "reported", "found"}
#: Behind the URL of a refusal. That of a page has no fragment.
_REFUSED = "#refused"


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page as it was received, when, and the number of requests made for it: 0 if it was cached."""

    content: bytes
    url: str
    retrieved: datetime
    page: Page
    attempts: int = 0
    server_time: datetime | None = None  # of a response just received, as the directory has it


class Session:
    """Fetch pages of one directory; safe to use from several threads."""

    def __init__(self, directory: Directory) -> None:
        for name in ("connection", "connectionpool", "util.retry"):
            logging.getLogger(f"urllib3.{name}").addFilter(_hide_key)
        self._base_url, self._key = base_url, key = directory.base_url, directory.api_key
        self._cache = PageCache(directory)
        self.quota = DailyQuota(directory.quota_folder, key.fingerprint, directory.daily_quota)
        self._http = requests.Session()
        self._http.headers["User-Agent"] = f"dirframe/{__version__}"
        self._http.headers["Accept"] = "application/xml"
        self._http.mount(base_url, HTTPAdapter(pool_maxsize=directory.workers))
        self._timeout, self._interval = directory.timeout, 1 / directory.rate
        self._turn, self._next_turn = threading.Lock(), 0.0
        #: The first request is made alone: it shows the others whether the paths are redirected.
        self._first: AbstractContextManager[object] = threading.Lock()
        self._moved: dict[str, str] = {}
        #: A URL up to the first name of a path, or nothing elsewhere; and the rest of its path.
        self._split: Any = re.compile(rf"({re.escape(base_url)}/[^/.?]*|)([^?]*)").match
        #: The last URL that was requested, and the path of what it led to.
        self._last = "", ""

    def get(
        self,
        path: str,
        parameters: Mapping[str, str] | None = None,
        *,
        refresh: bool = False,
        offline: bool = False,
        store: bool = True,
    ) -> FetchedPage:
        """Return the page at a path: from the cache if it is fresh, else from the directory.

        `refresh` asks the directory in any case, `offline` takes a cached page of any age or raises
        CacheError, and `store` is whether a received page is stored in the cache.
        """
        if refresh and offline:
            raise InvalidInputError(
                "To refresh asks the directory for every page, and offline asks the cache alone.",
                hint="Pass refresh=True (--refresh) or offline=True (--offline), not both.",
            )
        url = self.address(path, parameters)
        cached = None if refresh else self._cache.get(url, of_any_age=offline)
        if cached is not None:
            self._learn(url, cached.url)
            page = parse(cached.content, source=url)
            return FetchedPage(cached.content, url, cached.created_at, page)
        if offline:
            raise CacheError(
                f"{url} is not in the cache, and offline mode sends no requests.",
                hint="Load it once without offline=True (--offline).",
            )
        return self._fetch(url, store)

    def is_cached(self, path: str, parameters: Mapping[str, str]) -> bool:
        """Return whether a page would come from the cache."""
        return self._cache.get(self.address(path, parameters)) is not None

    def is_moved(self, path: str) -> bool:
        """Return whether the directory redirects a path, as far as it was seen."""
        url = self.address(path)
        return self._resolve(url) != url

    def put_refusal(self, url: str, why: str) -> None:
        """Remember for as long as a page is fresh why a page was refused."""
        self._cache.put(url + _REFUSED, json.dumps(why).encode(), datetime.now(UTC), url)

    def get_refusal(
        self, url: str, *, refresh: bool = False, offline: bool = False
    ) -> tuple[str, datetime] | None:
        """Return why a page was refused, and when, if that is newer than the page in the cache."""
        refusal = None if refresh else self._cache.get(url + _REFUSED, of_any_age=offline)
        page = refusal and self._cache.get(url, of_any_age=True)
        if refusal is None or (page and page.created_at > refusal.created_at):
            return None
        return str(json.loads(refusal.content)), refusal.created_at

    def address(self, path: str, parameters: Mapping[str, str] | None = None) -> str:
        """Return the URL of a page as it is sent, but without the key; raise if a part is the key."""
        query = urlencode(sorted((parameters or {}).items()))
        url = f"{self._base_url}{path}" + (f"?{query}" if query else "")
        if self._key.redact_data(url.encode()) != url.encode():
            raise InvalidInputError(
                "An id, a query or another part of the address to request contains the API key. "
                "Nothing was requested or stored.",
                hint="Pass it as the key of Directory alone, or set DIRFRAME_API_KEY.",
            )
        return as_sent(url) if "%" in url else url

    def warn_if_stale(self, pages: Sequence[FetchedPage | ReceivedPage]) -> None:
        """Warn if any of the cached pages has expired."""
        oldest = min((page.retrieved for page in pages if not page.attempts), default=None)
        if oldest is not None and (age := datetime.now(UTC) - oldest) > self._cache.expire_after:
            when = f"{age / timedelta(days=1):,.1f} days ago, at {oldest:%Y-%m-%d %H:%M} UTC"
            warn(StaleWarning(f"Old pages from the cache are used: the oldest was fetched {when}."))

    def close(self) -> None:
        """Close the connections, the cache and the quota file."""
        self._http.close()
        self._cache.close()
        self.quota.close()

    def _fetch(self, url: str, store: bool) -> FetchedPage:
        """Return a page of the directory; an error has the number of requests, and not the key."""
        receipts: list[int] = []  # of the quota, for each request that arrived
        try:
            with self._first:
                return self._follow(url, receipts, store)
        except BaseException as error:  # noqa: BLE001  # Ctrl-C too: its frames hold the key
            if isinstance(error, RequestError | UnreadableResponseError):
                error.attempts = len(receipts)
            for name, value in vars(error).items():
                if name in _REPEATED and value:
                    setattr(error, name, self._key.redact(value))
            error.args = tuple(map(self._key.redact, map(str, error.args)))
            error.__context__ = None
            raise error.with_traceback(None) from error.__cause__
        finally:
            self._first = nullcontext()

    def _follow(self, requested: str, receipts: list[int], store: bool) -> FetchedPage:
        """Return the success that a URL leads to, with redirects within the host."""
        url = first = self._resolve(requested)
        for _ in range(1 + _MAX_REDIRECTS):
            response = self._request(url, receipts)
            if not response.is_redirect:
                break
            url = self._redirected(response)
        else:
            circle = f"{requested} redirects in a circle and was not followed further."
            raise ServiceError(circle, url=requested)
        content = self._key.redact_data(response.body)
        try:
            page = check_response(content, response, first if self._is_of_one(first, url) else None)
        except (QuotaExceededError, InvalidKeyError) as error:
            self.quota.release(receipts[-1])  # a directory does not count what it refuses
            if isinstance(error, QuotaExceededError):
                error.resets_at = self.quota.mark_exhausted(error.resets_at)
            raise
        self._learn(requested, url)
        date, now = parse_date(response.headers.get("Date", "")), datetime.now(UTC)
        if store:
            self._cache.put(requested, content, now, url)
        return FetchedPage(content, requested, now, page, len(receipts), date)

    def _request(self, url: str, receipts: list[int]) -> Any:
        """Return the response to a request, with its body, after several attempts."""
        request = requests.Request("GET", url, params={KEY_PARAMETER: self._key.reveal()})
        signed, pauses = self._http.prepare_request(request), iter(PAUSES)
        options: Any = self._http.merge_environment_settings(url, {}, True, None, None)
        while True:
            receipts.append(self.quota.acquire(url))
            with self._turn:  # the others wait behind
                if (early := self._next_turn - time.monotonic()) > 0:
                    time.sleep(early)
                self._next_turn = time.monotonic() + self._interval
            pause = next(pauses, math.inf)
            try:
                adapter = self._http.get_adapter(url)
                response: Any = adapter.send(signed, timeout=self._timeout, **options)
                response.url = url
                response.body = read_body(response, self._timeout)
            except FAILURES as error:
                proxies = options["proxies"]
                failure, is_temporary = network_error(error, url, proxies, self._timeout)
                if not failure.attempts:
                    self.quota.release(receipts.pop())
                if not is_temporary or pause > _LONGEST_PAUSE:
                    raise failure from failure.__cause__
            else:
                pause = max(pause, parse_retry_after(response.headers) or 0.0)
                if response.status_code not in _TEMPORARY or pause > _LONGEST_PAUSE:
                    return response
            time.sleep(pause)

    def _redirected(self, response: requests.Response) -> str:
        """Return where a response redirects to; raise if that is not on the same host."""
        url, own = response.url, _host(self._base_url)
        try:
            # Headers are decoded as Latin-1.
            location = response.headers["Location"].encode("latin-1").decode()
            target = as_sent(self._key.unsign(urldefrag(urljoin(url, location)).url))
        except ValueError:
            target = "no address of the web"
        if _host(target) != own:
            raise ServiceError(
                f"{url} redirects to {_host(target)}, not to {own}. It was not followed, so that the "
                "key stays with the directory.",
                url=url,
            )
        return target

    def _learn(self, requested: str, final: str) -> None:
        """Remember a redirect that changes one name: today's service has /p… for /projects…."""
        (old, rest), (new, same) = (self._split(url).groups() for url in (requested, final))
        if old != new and rest == same:
            self._moved[old] = new

    def _resolve(self, url: str) -> str:
        """Return the URL that a URL is redirected to, as far as it was seen."""
        name: str = self._split(url)[1]
        return self._moved.get(name, name) + url.removeprefix(name)

    def _is_of_one(self, first: str, final: str) -> bool:
        """Return whether a redirect is about one record, such as to /accounts/ada/disabled.

        A page that the record before it led to as well, such as a login, is about neither.
        """
        is_record, page = self._split(first)[2].startswith("/"), urlsplit(final).path
        (before, same), self._last = self._last, (first, page)
        return first != final and is_record and (page != same or first == before)


def as_sent(url: str) -> str:
    """Return a URL in the form in which it is sent; raise ValueError if it cannot be."""
    return str(requests.Request("GET", url).prepare().url)


def _host(url: str) -> str:
    """Return scheme, host and port of a URL as it is sent, which ends them by a slash."""
    return "/".join(url.split("/", 3)[:3])


def _hide_key(record: logging.LogRecord) -> bool:
    """Take the key out of a log line of urllib3, which holds the whole URL."""
    message = record.getMessage()
    if KEY_PARAMETER in message:
        # What follows "unparsed data" repeats text of the response.
        record.msg, record.args = hide_keys(message).partition("unparsed data: ")[0], ()
        record.exc_info = record.exc_text = None
    return True
