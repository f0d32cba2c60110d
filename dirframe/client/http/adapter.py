"""Send requests to one host with the key: counted, tried again, and believed if they succeed."""

# The key is added here, for the configured host alone, and taken out of whatever comes back. Only a
# complete, validated success is returned; everything else is raised, and so is never stored.

from __future__ import annotations

import logging
import math
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Self
from urllib.parse import SplitResult, urldefrag, urljoin, urlsplit, urlunsplit
from weakref import WeakSet

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection

from dirframe.client.http.connection import Connection, as_sent
from dirframe.client.http.proxies import Route, route_to
from dirframe.client.http.quota import DailyQuota
from dirframe.client.http.responses import (
    FAILURES,
    check_response,
    connection_error,
    parse_date,
    parse_retry_after,
    read_body,
    response_error,
    route_error,
)
from dirframe.client.xml.page import Page, redact
from dirframe.errors import (
    DirframeError,
    InvalidKeyError,
    NetworkError,
    QuotaExceededError,
    RequestError,
    ServiceError,
)
from dirframe.settings import KEY_PARAMETER, hide_keys, is_loopback

#: Seconds before each further attempt; the first one is made at once.
PAUSES = (0.0, 1.0, 2.0)
#: An overloaded or restarting server. 429 is not included: it refers to the quota of the whole day.
_TEMPORARY = {502, 503, 504}
#: Seconds. A server that asks for a longer pause is not asked again.
_LONGEST_PAUSE = 30.0
_MAX_REDIRECTS = 5
_DEFAULT_PORTS = {"http": 80, "https": 443}
#: Ids of projects in the address of a request, of which a log line names the first and the last.
_IDS = re.compile(r"\bids=([0-9]+),[0-9,]*?([0-9]+)(?![0-9,])")
#: The facts of an error that repeat text of a response.
_REPEATED = {"help_text", "reported", "found", "title", "moved_to", "web_page", "hint"}


class Success(requests.Response):
    """A validated page, without the key; `url` is the address that it came from in the end."""

    page: Page
    requests: int  # that were made for it
    received_at: datetime
    server_time: datetime | None  # as the directory has it

    @classmethod
    def of(cls, content: bytes, url: str, page: Page, requests: int, date: str) -> Self:
        """Return the success of a validated page that was just received."""
        success = cls()
        success.status_code = 200
        success.raw = BytesIO(content)
        success.url = url
        success.page = page
        success.requests = requests
        success.received_at = datetime.now(UTC)
        success.server_time = parse_date(date)
        return success


class _NotConnected(Exception):  # noqa: N818  # an event; callers see a NetworkError
    """There was no connection, so that no request was sent; the cause says why."""


class _Connecting(HTTPConnection):
    """Tells a connection that fails from a request that fails: only requests are counted."""

    #: Whatever http.client is set to: its output has the line of the request, with the key.
    debuglevel = 0

    #: The thread that uses it.
    thread = 0

    def connect(self) -> None:
        self.thread = threading.get_ident()
        try:
            super().connect()
        except Exception as error:
            raise _NotConnected from error

    def request(self, *arguments: Any, **options: Any) -> None:
        self.thread = threading.get_ident()
        super().request(*arguments, **options)

    def end(self) -> None:
        """End what is received, so that the thread that waits for it gets an error."""
        with suppress(OSError, AttributeError):  # it is closed, or was not opened
            self.sock.shutdown(socket.SHUT_RDWR)


def _forget_headers(response: requests.Response) -> None:
    """Empty the headers that an open connection keeps of its last response: they may hold the key."""
    kept = getattr(response.raw, "_original_response", None)
    if kept is not None:
        for name in set(kept.headers):
            del kept.headers[name]


class SigningAdapter(HTTPAdapter):
    """Send requests to one host with the key, and return validated successes without it."""

    def __init__(self, connection: Connection, quota: DailyQuota) -> None:
        # urllib3 itself does not retry: retries are decided here, where the quota is charged.
        super().__init__(max_retries=0, pool_maxsize=connection.workers)
        for name in ("connection", "connectionpool", "util.retry"):
            logging.getLogger(f"urllib3.{name}").addFilter(_hide_key)
        self._base_url, self._key = connection.base_url, connection.key
        self._timeout = connection.timeout
        self._quota = quota
        self._turn = threading.Lock()
        self._next_turn = 0.0
        self._interval = 1 / connection.rate
        #: By thread: what tells it to send nothing more.
        self._stops: dict[int, threading.Event] = {}
        self._connections = WeakSet[_Connecting]()
        #: The first request is made alone: it shows the others whether the paths are redirected.
        self._first: AbstractContextManager[object] = threading.Lock()
        # The base URL with the first name of a path, and what follows up to the query.
        self._split: Any = re.compile(rf"({re.escape(self._base_url)}/[^/.?]*|)([^?]*)").match
        self._moved: dict[str, str] = {}
        #: The names of `_moved` that the directory itself confirmed or denied since it was opened.
        self._asked: set[str] = set()
        #: Of each thread, what stands for a long value in its addresses, and what is sent instead.
        self._spelling = threading.local()
        #: The last URL that was requested, and the path of what it led to.
        self._last = "", ""

    def send(self, request: Any, **options: Any) -> requests.Response:  # type: ignore[override]  # options are passed through
        """Send one request with its redirects and retries; see `requests.adapters.HTTPAdapter`."""
        receipts: list[int] = []  # of the quota, for each request that was sent
        try:
            with self._first:
                return self._follow(request, receipts, options)
        except BaseException as error:  # noqa: BLE001  # Ctrl-C too: its frames hold the key
            error.__context__ = None
            error.__traceback__ = None
            if isinstance(error, RequestError):
                error.attempts = len(receipts)
            self._redact_error(error)
            raise error.with_traceback(None) from error.__cause__
        finally:
            self._first = nullcontext()

    @contextmanager
    def spelled_out(self, short: str, long: str) -> Iterator[None]:
        """Send a long text instead of the one that stands for it in the addresses of this thread.

        So the long one is in no message, and in no cache key.
        """
        self._spelling.short, self._spelling.long = short, long
        try:
            yield
        finally:
            self._spelling.short = self._spelling.long = ""

    def _spell_out(self, url: str) -> str:
        """Return an address as it is sent."""
        short = getattr(self._spelling, "short", "")
        return url.replace(short, self._spelling.long) if short else url

    def _shorten(self, url: str) -> str:
        """Return an address as it is in messages."""
        long = getattr(self._spelling, "long", "")
        for spelling in filter(None, dict.fromkeys((long, long.replace(",", "%2C")))):
            url = url.replace(spelling, self._spelling.short)
        return url

    def _redact_error(self, error: BaseException) -> None:
        """Take the key out of the text of an error, and of what it repeats of a response."""
        error.args = tuple(map(self._key.redact, map(str, error.args)))
        facts = vars(error)
        if not isinstance(error, DirframeError):
            facts.clear()  # those of a library are the signed request, and the response to it
        for name in _REPEATED & facts.keys():
            if facts[name]:
                setattr(error, name, self._key.redact(facts[name]))

    def get_connection_with_tls_context(self, *arguments: Any, **options: Any) -> Any:
        """Return the pool of connections to a host; see `requests.adapters.HTTPAdapter`."""
        pool: Any = super().get_connection_with_tls_context(*arguments, **options)
        if isinstance(pool.ConnectionCls, type):
            kind = type("_Connection", (_Connecting, pool.ConnectionCls), {})
            pool.ConnectionCls = partial(self._connection, kind)
        return pool

    def _connection(self, kind: Callable[..., _Connecting], **options: Any) -> _Connecting:
        """Return a connection that can be ended by another thread."""
        connection = kind(**options)
        self._connections.add(connection)
        return connection

    def join(self, stop: threading.Event) -> None:
        """Let this thread send requests until it is told to stop."""
        self._stops[threading.get_ident()] = stop

    def end(self, stop: threading.Event) -> None:
        """End the requests of the threads that were told to stop."""
        threads = {thread for thread, of_it in self._stops.copy().items() if of_it is stop}
        for connection in list(self._connections):
            if connection.thread in threads:
                connection.end()

    def leave(self, stop: threading.Event) -> None:
        """Forget the threads that were told to stop: others may have their numbers."""
        for thread, of_it in self._stops.copy().items():
            if of_it is stop:
                del self._stops[thread]

    def _is_stopped(self) -> bool:
        stop = self._stops.get(threading.get_ident())
        return stop is not None and stop.is_set()

    def _pause(self, seconds: float) -> None:
        """Wait, unless this thread is told to stop: then raise."""
        stop = self._stops.get(threading.get_ident())
        if stop is None:
            time.sleep(seconds)
        elif stop.wait(seconds):
            raise DirframeError("The load was stopped; no further request is made.")

    def _follow(self, request: Any, receipts: list[int], options: Any) -> Success:
        """Return the success that a request leads to, with redirects within the host."""
        requested = request.url
        first = self.resolve(requested)
        response = self._request(request, first, receipts, options)
        if response.status_code == 404 and self._is_hearsay(requested):
            # A cached page taught a redirect that may be gone: the original address is asked once.
            original = self._request(request, requested, receipts, options)
            if not self._confirm(requested, first, original):
                first, response = requested, original
        for _ in range(_MAX_REDIRECTS):
            if response.is_redirect:
                target = self._redirected(response)
                response = self._request(request, target, receipts, options)
        if response.is_redirect:
            circle = f"{requested} redirects in a circle and was not followed further."
            raise ServiceError(circle, url=requested)
        url = response.url
        content = redact(self._key.redact_data(response.body), self._key.redact_xml)
        try:
            page = check_response(content, response, first if self._is_of_one(first, url) else None)
        except (QuotaExceededError, InvalidKeyError) as error:
            self._quota.release(receipts[-1])  # a directory does not count what it refuses
            if isinstance(error, QuotaExceededError):
                error.resets_at = self._quota.mark_exhausted(error.resets_at)
            raise
        self._learn(requested, url)
        # The headers of the response are not stored, nor those of the request.
        date = response.headers.get("Date", "")
        return Success.of(content, url, page, len(receipts), date)

    def _request(self, request: Any, url: str, receipts: list[int], options: Any) -> Any:
        """Return the response to a request, with its body, after several attempts."""
        route = route_to(url)
        signed = self._sign(request, url)
        self._check_route(signed, url, route)
        options = options | {
            "stream": True,
            "timeout": self._timeout,
            "proxies": route.proxies,
            "verify": route.certificates,
        }
        pauses = iter(PAUSES)
        while True:
            self._wait_for_turn()
            receipts.append(self._quota.acquire(url))
            pause = next(pauses, math.inf)
            try:
                response: Any = super().send(signed, **options)
                response.url = url
                response.body = read_body(response, self._timeout)
                _forget_headers(response)
            except _NotConnected as error:
                self._quota.release(receipts.pop())
                failure, is_temporary = connection_error(error, url, route)
                if not is_temporary or pause > _LONGEST_PAUSE:
                    raise failure from failure.__cause__
            except FAILURES as error:
                if pause > _LONGEST_PAUSE:
                    failure = response_error(error, url, self._timeout)
                    raise failure from failure.__cause__
            else:
                pause = max(pause, parse_retry_after(response.headers) or 0.0)
                if response.status_code not in _TEMPORARY or pause > _LONGEST_PAUSE:
                    return response
            self._pause(pause)

    def _sign(self, request: Any, url: str) -> requests.PreparedRequest:
        """Return a request for a URL with the key."""
        signed: requests.PreparedRequest = request.copy()
        parts = urlsplit(url)
        host = parts.hostname or ""
        if parts.scheme == "http" and is_loopback(host) and host.endswith(".localhost"):
            # A name server may send such a name to another machine, and the key is readable.
            signed.headers["Host"] = parts.netloc
            url = urlunsplit(parts._replace(netloc=f"localhost:{parts.port or 80}"))
        signed.prepare_url(self._spell_out(url), {KEY_PARAMETER: self._key.reveal()})
        return signed

    def _check_route(self, signed: requests.PreparedRequest, url: str, route: Route) -> None:
        """Raise if a request cannot be sent, or may not: nothing is counted."""
        if route.proxy and urlsplit(url).scheme == "http":
            raise NetworkError(
                f"{url} was not requested: it is not encrypted, so the proxy "
                f"{route.proxy_name} could read the API key.",
                url=url,
                hint="Use https://, or name the host in the environment variable NO_PROXY.",
            )
        if isinstance(route.certificates, str) and not Path(route.certificates).exists():
            raise NetworkError(
                f"{url} was not requested: REQUESTS_CA_BUNDLE (or CURL_CA_BUNDLE) names certificates "
                f"that do not exist: {route.certificates}.",
                url=url,
                hint="Set it to the PEM file of the authority, or remove it.",
            )
        if route.proxy and route.proxy_host is None:
            raise route_error(url, route)
        try:
            self.get_connection_with_tls_context(signed, route.certificates, route.proxies)
        except Exception:  # noqa: BLE001  # libraries raise many kinds, and repeat the password
            raise route_error(url, route) from None

    def _wait_for_turn(self) -> None:
        """Wait until the rate allows another request; other threads wait behind."""
        with self._turn:
            early = self._next_turn - time.monotonic()
            if early > 0 or self._is_stopped():
                self._pause(max(early, 0.0))
            self._next_turn = time.monotonic() + self._interval

    def _redirected(self, response: requests.Response) -> str:
        """Return where a response redirects to; raise if that is not on the same host."""
        url, own = response.url, urlsplit(self._base_url)
        try:
            # Headers are decoded as Latin-1.
            location = response.headers["Location"].encode("latin-1").decode()
            address = as_sent(self._key.unsign(urldefrag(urljoin(url, location)).url))
            target = urlsplit(self._shorten(address))
            is_own = _is_same_host(target, own)
        except ValueError:
            raise ServiceError(
                f"{url} redirects to an address that is invalid.",
                url=url,
                status=response.status_code,
            ) from None
        if is_own:
            # Behind a server that ends TLS, a directory may write http:// into its redirects.
            return urlunsplit(target._replace(scheme=own.scheme, netloc=own.netloc))
        address = _address_of(target, own)
        raise ServiceError(
            f"{url} redirects to {address}. The redirect was not followed, because the key is sent "
            f"only to {own.scheme}://{own.netloc}.",
            url=url,
            status=response.status_code,
            moved_to=address,
            hint=f'If that is the address of the directory, pass base_url="{address}" (--base-url), or set '
            "DIRFRAME_BASE_URL to it.",
        )

    def learn_from_cache(self, requested: str, final: str) -> None:
        """Remember the redirect of a cached page, unless the directory itself was asked."""
        name = self._split(requested)[1]
        if name not in self._asked:
            self._remember(requested, final)

    def _learn(self, requested: str, final: str) -> None:
        """Remember the redirect of a page that was just received, or that there is none."""
        name = self._split(requested)[1]
        self._asked.add(name)
        if self._split(final)[1] == name:
            self._moved.pop(name, None)
        self._remember(requested, final)

    def _remember(self, requested: str, final: str) -> None:
        """Remember a redirect that changes one name: today's service has /p… for /projects…."""
        old, rest = self._split(requested).groups()
        new, same = self._split(final).groups()
        if old != new and rest == same:
            self._moved[old] = new

    def _is_hearsay(self, url: str) -> bool:
        """Return whether a redirect of a URL is known from the cache alone."""
        name = self._split(url)[1]
        return name in self._moved and name not in self._asked

    def _confirm(self, requested: str, first: str, original: requests.Response) -> bool:
        """Return whether the original address still redirects as the cache says; else forget it."""
        name = self._split(requested)[1]
        self._asked.add(name)
        if original.is_redirect and self._redirected(original) == first:
            return True
        self._moved.pop(name, None)
        return False

    def resolve(self, url: str) -> str:
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


def _is_same_host(target: SplitResult, own: SplitResult) -> bool:
    """Return whether a redirect leads to the directory itself; raise ValueError if to nothing."""
    if target.scheme not in _DEFAULT_PORTS or not target.hostname:
        raise ValueError(target.scheme)
    if "@" in target.netloc or target.hostname != own.hostname:
        return False
    port = target.port or _DEFAULT_PORTS[target.scheme]
    own_port = own.port or _DEFAULT_PORTS[own.scheme]
    if target.scheme == own.scheme:
        return port == own_port
    # An http:// address of a host that is asked over TLS is asked over TLS, too.
    return own.scheme == "https" and port in {80, own_port}


def _address_of(target: SplitResult, own: SplitResult) -> str:
    """Return the base URL that a redirect to another host shows."""
    scheme, host = target.scheme, target.netloc.rpartition("@")[2]
    if own.scheme == "https" and scheme == "http":
        scheme, host = "https", host.removesuffix(":80")
    path = own.path if target.path.startswith(f"{own.path}/") else ""
    return f"{scheme}://{host}{path}"


def _hide_key(record: logging.LogRecord) -> bool:
    """Take the key out of a log line of urllib3, which holds the whole URL."""
    message = record.getMessage()
    if KEY_PARAMETER in message:
        # What follows "unparsed data" repeats text of the response.
        shown = hide_keys(message).partition("unparsed data: ")[0]
        record.msg, record.args = _IDS.sub(r"ids=\1-\2", shown), ()
        record.exc_info = record.exc_text = None
    return True
