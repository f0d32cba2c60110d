"""Send the requests of one directory with its key, and return what it answers without it."""

# The key is added as a request is sent, only for the configured host, and taken out of whatever comes
# back, so that no cache file, error, log line or traceback holds it.

from __future__ import annotations

import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse
from urllib3.exceptions import HTTPError

from dirframe.client.http.api_key import redact, redact_body, remove_key, sign
from dirframe.client.http.responses import (
    RUN_AGAIN_LATER,
    SLOW,
    Failure,
    check_response,
    explain_failure,
    parse_retry_after,
    proxy_refusal,
)
from dirframe.client.page import MAX_BYTES
from dirframe.errors import (
    InvalidKeyError,
    NetworkError,
    QuotaExceededError,
    ServiceError,
    UnreadableResponseError,
)

if TYPE_CHECKING:
    from dirframe.client.directory import Directory
    from dirframe.client.http.quota import DailyQuota

#: Seconds before each further attempt; the first one is made at once.
PAUSES = (0.0, 1.0, 2.0)
#: An overloaded or restarting server. 429 is not included: it refers to the quota of the whole day.
_TEMPORARY = {502, 503, 504}
#: Seconds. A server that asks for a longer pause is not asked again.
_LONGEST_PAUSE = 30.0
#: Sent only by proxies.
_PROXY_REFUSES = 407
#: The time for a body, in times of the time-out for its next bytes.
_BODY_TIME = 4
_MAX_REDIRECTS = 5
_CHUNK = 65_536
_EXTENSION = ".xml"


class Signer(HTTPAdapter):
    """Send requests to one host with the key, and return validated successes without it."""

    def __init__(self, directory: Directory, quota: DailyQuota) -> None:
        # urllib3 itself does not retry: retries are decided here, where the quota is charged.
        super().__init__(max_retries=0, pool_maxsize=directory.workers)
        self._base_url, self._key, self._quota = directory.base_url, directory.api_key, quota
        self._timeout = directory.timeout
        self._interval, self._next_turn = 1 / directory.rate, 0.0
        self._turn, self._first = threading.Lock(), threading.Lock()
        self._has_sent = False
        #: Folders and collections that the directory redirects to another name, by their paths.
        self._moved: dict[tuple[str, ...], str] = {}

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:  # type: ignore[override]  # options are passed through
        """Send one request with its redirects and retries; see `requests.adapters.HTTPAdapter`."""
        try:
            return self._send_first_alone(request, options | {"stream": True})
        except BaseException as error:  # noqa: BLE001  # Ctrl-C too: its frames hold the key
            error.__context__ = None
            raise error.with_traceback(None) from error.__cause__

    def resolve(self, url: str) -> str:
        """Return the URL that a URL is redirected to, as far as it was seen."""
        names = _names(url)
        for moved, name in list(self._moved.items()):
            if tuple(names[: len(moved)]) == moved:
                names[len(moved) - 1] = name
        path = "/".join(names) + _EXTENSION
        return urlsplit(url)._replace(path=path).geturl() if names != _names(url) else url

    def learn(self, requested: str, final: str) -> None:
        """Remember a redirect that changes only one name in the path.

        Today's live service redirects ``/projects.xml`` and ``/projects/1.xml`` to ``/p.xml`` and
        ``/p/1.xml``: after the first redirect, other pages are requested at their new URLs.
        """
        before, after = _names(requested), _names(final)
        if len(before) != len(after) or urlsplit(requested).query != urlsplit(final).query:
            return
        differing = [n for n, name in enumerate(before) if name != after[n]]
        if len(differing) == 1:
            self._moved[tuple(before[: differing[0] + 1])] = after[differing[0]]

    def _send_first_alone(
        self, request: requests.PreparedRequest, options: dict[str, Any]
    ) -> requests.Response:
        """Make the first request alone: the others then know a moved folder."""
        if not self._has_sent:
            with self._first:
                if not self._has_sent:
                    try:
                        return self._follow(request, options)
                    finally:
                        self._has_sent = True
        return self._follow(request, options)

    def _follow(
        self, request: requests.PreparedRequest, options: dict[str, Any]
    ) -> requests.Response:
        """Request a page, and follow redirects within the host."""
        requested = request.url or ""
        url, attempts = self.resolve(requested), 0
        for _ in range(1 + _MAX_REDIRECTS):
            response, body, receipt, arrived = self._request(request, url, options)
            attempts += arrived
            if not response.is_redirect:
                checked = self._checked(request, response, body, receipt)
                checked.attempts = attempts  # type: ignore[attr-defined]  # our own attribute
                if url != requested:
                    self.learn(requested, url)
                return checked
            url = self._redirect_target(response, url)
        raise ServiceError(
            f"{requested} redirects in a circle and was not followed further.", url=requested
        )

    def _request(
        self, request: requests.PreparedRequest, url: str, options: dict[str, Any]
    ) -> tuple[requests.Response, bytes, int, int]:
        """Send a request until it is answered or given up.

        Returns the response, its body, the receipt of the quota, and how many attempts arrived.
        """
        signed = request.copy()
        signed.url = sign(url, self._key)
        failure: NetworkError | None = None
        arrived = 0
        for pause in (*PAUSES, None):
            receipt = self._acquire(url, failure)
            self._wait_for_turn()
            try:
                response = super().send(signed, **options)
                response.url = url
                body = self._read(response, url)
            except (requests.RequestException, HTTPError, HTTPException, OSError, ValueError) as e:
                why = explain_failure(e, url, options.get("proxies") or {}, self._timeout)
                failure = self._network_error(why, url)
                arrived += why.has_arrived
                if not why.has_arrived:
                    self._quota.release(receipt)
                if not why.is_temporary or pause is None:
                    raise failure from failure.__cause__
                time.sleep(pause)
                continue
            if response.status_code == _PROXY_REFUSES:
                self._quota.release(receipt)
                raise self._network_error(proxy_refusal(url, options.get("proxies") or {}), url)
            arrived += 1
            if response.status_code not in _TEMPORARY or pause is None:
                break
            wait = parse_retry_after(response.headers) or pause
            if wait > _LONGEST_PAUSE:
                break
            time.sleep(wait)
        return response, body, receipt, arrived

    def _acquire(self, url: str, failure: NetworkError | None) -> int:
        """Count a request; if the quota is used up, raise the failure so far, or say that it is."""
        receipt = self._quota.acquire()
        if receipt is not None:
            return receipt
        raise failure or self._quota_error(url)

    def _wait_for_turn(self) -> None:
        """Wait until the rate allows one more request."""
        with self._turn:
            now = time.monotonic()
            pause = max(self._next_turn - now, 0.0)
            self._next_turn = now + pause + self._interval
        if pause:
            time.sleep(pause)

    def _read(self, response: requests.Response, url: str) -> bytes:
        """Return the body as its bytes come: so many, and no longer than four times the time-out."""
        body, is_late = bytearray(), False
        end = time.monotonic() + _BODY_TIME * self._timeout
        try:
            while chunk := response.raw.read1(_CHUNK, decode_content=True):
                body += chunk
                if len(body) > MAX_BYTES:
                    found = f"an answer of more than {MAX_BYTES:,} bytes"
                    raise UnreadableResponseError(
                        f"{url} sent {found}; the rest was not read.", found=found, source=url
                    )
                if is_late:
                    span = f"{_BODY_TIME * self._timeout:g} seconds"
                    raise NetworkError(
                        f"{url} could not be fetched: the response took longer than {span}.",
                        url=url,
                        hint=SLOW,
                    )
                is_late = time.monotonic() > end  # complete by now, unless more follows
        except BaseException:
            response.close()
            raise
        return bytes(body)

    def _redirect_target(self, response: requests.Response, url: str) -> str:
        """Return where a response redirects to; raise if that is not on the same host."""
        try:
            # Headers are decoded as Latin-1.
            location = response.headers["Location"].encode("latin-1").decode()
            target = self._redact(remove_key(urldefrag(urljoin(url, location)).url))
            if _origin(target) == _origin(url):
                return target
            sites = _site(target), _site(url)
        except ValueError:
            raise ServiceError(
                f"{url} redirects to what is not an address of the web.", url=url
            ) from None
        raise ServiceError(
            f"{url} redirects to {sites[0]}, which is another host, port or scheme than {sites[1]}. "
            "It was not followed, so that the key stays with the directory.",
            url=url,
        )

    def _checked(
        self,
        request: requests.PreparedRequest,
        response: requests.Response,
        body: bytes,
        receipt: int,
    ) -> requests.Response:
        """Return a success without the key, or raise the error that a response means."""
        requested, url = request.url or "", response.url
        content = redact_body(body, self._key)
        try:
            page = check_response(
                content,
                status=response.status_code,
                headers=response.headers,
                url=url if url != self.resolve(requested) else requested,
                redact=self._redact,
            )
        except (QuotaExceededError, InvalidKeyError) as error:
            self._quota.release(receipt)  # a directory does not count what it refuses to serve
            if isinstance(error, QuotaExceededError):
                self._quota.mark_exhausted(error.resets_at)
                error.resets_at = error.resets_at or self._quota.resets_at()
            raise
        except UnreadableResponseError:
            if not _is_page_of(url, requested, self._base_url):
                raise
            raise ServiceError(
                f"{requested} redirects to {url}, which is a web page: the directory does not give "
                "this record out as data. It may be disabled, private or removed.",
                url=requested,
                status=302,
            ) from None
        # A new object: the response of urllib3 holds the URL with the key.
        raw = HTTPResponse(
            BytesIO(content),
            headers={"Content-Type": self._redact(response.headers.get("Content-Type", ""))},
            status=response.status_code,
            request_url=url,
            preload_content=False,
        )
        checked: Any = self.build_response(request, raw)
        checked.url, checked.page = url, page
        checked.retrieved, checked.server_time = datetime.now(UTC), None
        with suppress(ValueError):  # there is none, or it is not one
            checked.server_time = parsedate_to_datetime(response.headers.get("Date", ""))
        return checked  # type: ignore[no-any-return]  # its attributes are not in the stubs

    def _redact(self, text: str) -> str:
        return redact(text, self._key)

    def _network_error(self, why: Failure, url: str) -> NetworkError:
        free = "" if why.has_arrived else " The request did not arrive and was not counted."
        reason = self._redact(f"{why.reason}.{free}")
        error = NetworkError(f"{url} could not be fetched: {reason}", url=url, hint=why.advice)
        text = str(why.cause)
        # The errors of requests hold the request with the key, and others repeat what came.
        is_of_system = isinstance(why.cause, OSError) and not isinstance(
            why.cause, requests.RequestException
        )
        if is_of_system and self._redact(text) == text:
            error.__cause__ = why.cause.with_traceback(None)
            why.cause.__context__ = why.cause.__cause__ = None
        return error

    def _quota_error(self, url: str) -> QuotaExceededError:
        resets_at = self._quota.resets_at()
        reset_note = (
            f" The next request is free at {resets_at:%Y-%m-%d %H:%M} UTC." if resets_at else ""
        )
        return QuotaExceededError(
            f"{url} was not requested: the quota of {self._quota.limit:,} requests within 24 hours "
            f"is used up for this key.{reset_note}",
            url=url,
            resets_at=resets_at,
            hint=RUN_AGAIN_LATER,
        )


def _names(url: str) -> list[str]:
    """Return the names in the path of a URL, the last one without ``.xml``."""
    return urlsplit(url).path.removesuffix(_EXTENSION).split("/")


def _origin(url: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port; ValueError if there is a user, easily mistaken for the host."""
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise ValueError(parts.netloc)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname or "", port


def _site(url: str) -> str:
    """Return scheme, host and port of a URL as text."""
    scheme, host, port = _origin(url)
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}" + (f":{port}" if port else "")


def _is_page_of(url: str, requested: str, base_url: str) -> bool:
    """Return whether a URL is a page below a record: /accounts/1/disabled of /accounts/1.xml.

    Any other page, for example a maintenance page, is not specific to the record.
    """
    folder = requested.rpartition("/")[0]
    rest = url.removeprefix(f"{folder}/")
    return folder != base_url and rest != url and "/" in rest and not rest.endswith(_EXTENSION)
