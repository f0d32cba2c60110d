"""The last step before the wire: here the key is put on, and here it is taken off again.

A request travels through requests and requests-cache without the key, so that no cache file,
no history, no error and no log line can hold it. `KeyAdapter` adds it to a copy, and only for
the configured host. It counts each request, and hands over an answer only when that is a
complete, validated success (or a redirect within the host); anything else is raised, and so
is never stored.

What stays out: the cache, and choosing what to ask for.
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus, urldefrag, urljoin, urlsplit

import requests
from pyrate_limiter import Duration, Limiter, Rate
from requests.adapters import HTTPAdapter
from requests.exceptions import ChunkedEncodingError
from urllib3.exceptions import HTTPError

from dirframe.client.answers import check_answer
from dirframe.client.bounds import POOLS, BoundedRetry, Deadline
from dirframe.client.redaction import KEY_PARAMETER, remove_from_body, remove_key, scrub
from dirframe.errors import (
    InvalidKeyError,
    NetworkError,
    QuotaExceededError,
    RequestError,
    ServiceError,
    UnreadableResponseError,
)

if TYPE_CHECKING:
    from dirframe.client.allowance import Allowance
    from dirframe.errors import DirframeError
    from dirframe.settings import Settings

__all__ = ["KeyAdapter"]

_CHUNK = 64 * 1024
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class KeyAdapter(HTTPAdapter):
    """Send requests with the key, to one host, and hand over validated answers only.

    Parameters
    ----------
    settings
        The host, the key and the bounds.
    allowance
        Counts the requests.
    """

    def __init__(self, settings: Settings, allowance: Allowance) -> None:
        self._settings = settings
        self._allowance = allowance
        self._counts = threading.local()
        rate = settings.max_per_second
        # A window of two seconds lets slower rates than one a second be said in whole numbers.
        self._polite = (
            None if rate is None else Limiter(Rate(max(round(rate * 2), 1), Duration.SECOND * 2))
        )
        retry = BoundedRetry(
            total=settings.retries,
            backoff_factor=settings.backoff,
            backoff_max=settings.longest_pause,
            status_forcelist=(502, 503, 504),
            allowed_methods=("GET",),
            retry_after_max=math.ceil(settings.longest_pause),
            raise_on_status=False,
            before_retry=self._count_retry,
        )
        super().__init__(max_retries=retry, pool_maxsize=settings.max_workers)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        """Make the pools; their connections are watched for the deadline."""
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = POOLS

    def proxy_manager_for(self, *args: Any, **options: Any) -> Any:
        """Make the pools of a proxy, watched as well."""
        manager = super().proxy_manager_for(*args, **options)
        manager.pool_classes_by_scheme = POOLS
        return manager

    def sent_by_this_thread(self) -> int:
        """Return how many requests went on the wire for this thread, retries included."""
        return int(getattr(self._counts, "sent", 0))

    def send(  # type: ignore[override]  # keyword arguments are handed on as they come
        self, request: requests.PreparedRequest, **options: Any
    ) -> requests.Response:
        """Send one request; see `requests.adapters.HTTPAdapter.send`."""
        url = request.url or ""
        if _origin(url) != _origin(self._settings.base_url):
            raise _strange(url, url)
        interruption: BaseException | None = None
        try:
            outcome = self._exchange(request, url, options)
        except BaseException as error:  # noqa: BLE001  # an interrupted request held the key too
            interruption = error.with_traceback(None)
        # Raised here, outside of any handler: frames that held the key are gone by now.
        if interruption is not None:
            interruption.__context__ = None
            raise interruption
        if not isinstance(outcome, requests.Response):
            raise outcome
        return outcome

    def _exchange(
        self, request: requests.PreparedRequest, url: str, options: dict[str, Any]
    ) -> requests.Response | DirframeError:
        if not self._allowance.spend():
            return self._used_up(url)
        if self._polite is not None:
            self._polite.try_acquire("request")
        self._counts.sent = self.sent_by_this_thread() + 1
        secret = self._settings.api_key.reveal()
        keyed = request.copy()
        joint = "&" if urlsplit(url).query else "?"
        keyed.url = f"{url}{joint}{KEY_PARAMETER}={quote_plus(secret)}"
        url = remove_key(url)  # a grant may have put its token there
        options["stream"] = True
        with Deadline(self._settings.total_timeout) as deadline:
            try:
                response, content = self._fetch(keyed, url, options)
            except (requests.RequestException, HTTPError, OSError, ValueError) as error:
                return self._no_answer(error, deadline, url, secret)
        if deadline.passed:
            return self._no_answer(TimeoutError(), deadline, url, secret)
        if not isinstance(content, bytes):
            return content
        response.request, response.url = request, url
        wrong: DirframeError | None
        if response.status_code in _REDIRECTS and "Location" in response.headers:
            wrong, content = self._redirect(response, url, secret), b""
        else:
            content = remove_from_body(content, secret)
            of_type = response.headers.get("Content-Type", "")
            response.headers["Content-Type"] = scrub(of_type, secret)
            wrong = check_answer(
                content,
                status=response.status_code,
                headers=response.headers,
                url=url,
                max_bytes=self._settings.max_body,
            )
        if wrong is not None:
            self._learn(wrong)
            return _scrubbed(wrong, secret)
        response._content = content  # what requests itself does after reading
        return response

    def _fetch(
        self, keyed: requests.PreparedRequest, url: str, options: dict[str, Any]
    ) -> tuple[requests.Response, bytes | UnreadableResponseError]:
        """Send and read; urllib3 tries again up to the headers, this when the body is cut."""
        retry = self.max_retries
        while True:
            response = super().send(keyed, **options)
            try:
                return response, self._read_body(response, url)
            except (requests.ConnectionError, ChunkedEncodingError) as error:
                response.close()
                retry = retry.increment("GET", error=error)  # raises when it was the last try
                retry.sleep()

    def _redirect(self, response: requests.Response, url: str, secret: str) -> ServiceError | None:
        """Take the key out of the address that is to be asked next, if it may be asked."""
        try:
            # Headers are read as Latin-1, and what follows redirects expects that.
            target = urljoin(url, response.headers["Location"].encode("latin-1").decode())
            target = scrub(remove_key(urldefrag(target).url), secret)
            if _origin(target) != _origin(url):
                return _strange(url, target)
        except ValueError:
            return ServiceError(f"{url} redirects to what is no address of the web.", url=url)
        response.headers["Location"] = target.encode().decode("latin-1")
        return None

    def _count_retry(self) -> bool:
        if not self._allowance.spend():
            return False
        self._counts.sent = self.sent_by_this_thread() + 1
        return True

    def _learn(self, wrong: DirframeError) -> None:
        """Take over what a refusal says of the allowance: it was not counted itself."""
        if isinstance(wrong, QuotaExceededError):
            self._allowance.give_back()
            self._allowance.exhaust(wrong.resets_at)
            # The count knows when the first request of the day went out, if the answer does not.
            wrong.resets_at = wrong.resets_at or self._allowance.resets_at()
        elif isinstance(wrong, InvalidKeyError):
            self._allowance.give_back()

    def _used_up(self, url: str) -> QuotaExceededError:
        resets_at = self._allowance.resets_at()
        when = f" The next request is free at {resets_at:%Y-%m-%d %H:%M} UTC." if resets_at else ""
        return QuotaExceededError(
            f"{url} was not asked for: the allowance of {self._allowance.limit:,} requests within "
            f"24 hours is used up for this key.{when} What was loaded is in the cache: run the "
            "same line again then, and only the rest is asked for.",
            url=url,
            resets_at=resets_at,
        )

    def _no_answer(
        self, error: BaseException, deadline: Deadline, url: str, secret: str
    ) -> NetworkError:
        if isinstance(error, requests.ConnectTimeout) or "establish" in str(error):
            self._allowance.give_back()  # it never arrived
        reason = (
            f"it took longer than {deadline.seconds:g} seconds"
            if deadline.passed
            else scrub(_reason(error), secret)
        )
        return NetworkError(
            f"{url} could not be fetched: {reason}. Check the address and the connection; what "
            "was loaded is in the cache, so run the same line again.",
            url=url,
        )

    def _read_body(self, response: requests.Response, url: str) -> bytes | UnreadableResponseError:
        bound = self._settings.max_body
        body = bytearray()
        for chunk in response.iter_content(_CHUNK):
            body += chunk
            if len(body) > bound:
                response.close()
                found = f"an answer of more than {bound:,} bytes"
                return UnreadableResponseError(
                    f"{url} sent {found}; the rest was not read.", found=found, source=url
                )
        return bytes(body)


def _reason(error: BaseException) -> str:
    """Say what went wrong without the address, which the libraries repeat with the key."""
    while error.args and isinstance(error.args[0], BaseException):
        error = error.args[0]
    inner = getattr(error, "reason", None) or error
    return str(inner).rpartition("): ")[2].rpartition(">: ")[2] or type(inner).__name__


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    if "@" in parts.netloc:  # what stands before it is easily taken for the host
        raise ValueError(parts.netloc)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname or "", port


def _strange(url: str, target: str) -> ServiceError:
    parts = urlsplit(target)
    return ServiceError(
        f"{remove_key(url)} redirects to {parts.scheme}://{parts.hostname}, which is another host, "
        "port or scheme. It was not followed, so that the key stays with the directory.",
        url=remove_key(url),
    )


def _scrubbed(wrong: DirframeError, secret: str) -> DirframeError:
    """Take out of an error what it quotes of the answer, as far as that is the key."""
    wrong.args = tuple(scrub(text, secret) for text in wrong.args)
    if isinstance(wrong, RequestError) and wrong.help_text:
        wrong.help_text = scrub(wrong.help_text, secret)
    # What the parser says repeats the answer too; its words are in the message.
    wrong.__cause__ = wrong.__context__ = None
    return wrong.with_traceback(None)
