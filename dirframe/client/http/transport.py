"""The last step before the wire: here the key is put on, and here it is taken off again.

A request travels through requests and requests-cache without the key, so that no cache file,
no history, no error and no log line can hold it. `KeyAdapter` adds it to a copy, and only for
the configured host. It tries again and counts each request that arrived, and hands over an
answer only when that is a complete, validated success (or a redirect within the host); anything
else is raised, and so is never stored.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus, urldefrag, urljoin, urlsplit

import requests
from pyrate_limiter import Duration, Limiter, Rate
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError

from dirframe.client.http.responses import check_answer
from dirframe.client.http.deadline import BoundedRetry, Deadline
from dirframe.client.http.connections import POOLS, Attempt
from dirframe.client.http.failures import (
    Failure,
    classify_failure,
    proxy_of,
    proxy_refusal,
    time_is_up,
)
from dirframe.client.http.redaction import (
    KEY_PARAMETER,
    holds_key,
    remove_from_body,
    remove_key,
    scrub,
)
from dirframe.errors import (
    InvalidKeyError,
    NetworkError,
    QuotaExceededError,
    RequestError,
    ServiceError,
    UnreadableResponseError,
    WeakKeyWarning,
)

if TYPE_CHECKING:
    from dirframe.client.http.quota import Allowance
    from dirframe.errors import DirframeError
    from dirframe.settings import Settings

    #: An answer with its whole body, or why there is none.
    Outcome = tuple[requests.Response, bytes] | Failure | UnreadableResponseError

__all__ = ["KeyAdapter", "requests_sent"]

_CHUNK = 64 * 1024
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PROXY_REFUSES = 407
#: Attribute of a response: how many requests were counted for it.
_SENT = "_requests_sent"


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
        rate = settings.max_per_second
        # A window of two seconds lets slower rates than one a second be said in whole numbers.
        self._polite = (
            None if rate is None else Limiter(Rate(max(round(rate * 2), 1), Duration.SECOND * 2))
        )
        self._retry = BoundedRetry(
            total=settings.retries,
            backoff_factor=settings.backoff,
            backoff_max=settings.longest_pause,
            status_forcelist=(502, 503, 504),
            allowed_methods=("GET",),
            retry_after_max=math.ceil(settings.longest_pause),
        )
        # urllib3 itself tries once: what is tried again is decided here, where it is counted.
        super().__init__(max_retries=0, pool_maxsize=settings.max_workers)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        """Make the pools; their connections are watched for the deadline."""
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = POOLS

    def proxy_manager_for(self, *args: Any, **options: Any) -> Any:
        """Make the pools of a proxy, watched as well."""
        manager = super().proxy_manager_for(*args, **options)
        manager.pool_classes_by_scheme = POOLS
        return manager

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
        secret = self._settings.api_key.reveal()
        keyed = request.copy()
        joint = "&" if urlsplit(url).query else "?"
        keyed.url = f"{url}{joint}{KEY_PARAMETER}={quote_plus(secret)}"
        url = remove_key(url)  # a grant may have put its token there
        options["stream"] = True
        outcome: Outcome | None = None
        sent = 0
        retry: BoundedRetry | None = self._retry
        with Deadline(self._settings.total_timeout) as deadline:
            while retry is not None and self._allowance.spend():
                attempt = self._attempt(deadline)
                try:
                    outcome = self._try(keyed, url, options, attempt)
                    arrived = not isinstance(outcome, Failure) or outcome.has_arrived
                except BaseException:
                    arrived = attempt.sent
                    raise
                finally:
                    if arrived:
                        sent += 1
                    else:
                        self._allowance.give_back()
                retry = _next_try(retry, outcome, deadline)
        if outcome is None:
            return self._used_up(url)
        if deadline.passed:
            outcome = time_is_up(deadline.seconds, has_arrived=sent > 0)
        if isinstance(outcome, Failure):
            text = scrub(outcome.text, secret)
            return NetworkError(f"{url} could not be fetched: {text}", url=url)
        if isinstance(outcome, UnreadableResponseError):
            return outcome
        response, content = outcome
        response.request, response.url = request, url
        response.__dict__[_SENT] = sent
        return self._checked(response, content, url, secret)

    def _attempt(self, deadline: Deadline) -> Attempt:
        if self._polite is not None:
            self._polite.try_acquire("request")
        return Attempt(
            deadline,
            min_bytes_per_second=self._settings.min_bytes_per_second,
            slow_time=self._settings.slow_time,
        )

    def _try(
        self,
        keyed: requests.PreparedRequest,
        url: str,
        options: dict[str, Any],
        attempt: Attempt,
    ) -> Outcome:
        """Send once and read the whole answer."""
        proxies = options.get("proxies") or {}
        try:
            with attempt:
                response = super().send(keyed, **options)
                if response.status_code == _PROXY_REFUSES:  # no directory answers so
                    response.close()
                    return proxy_refusal(proxy_of(url, proxies), said=str(_PROXY_REFUSES))
                content = self._read_body(response, url)
        except (requests.RequestException, HTTPError, OSError, ValueError) as error:
            return classify_failure(
                error, attempt, url=url, proxies=proxies, settings=self._settings
            )
        return content if isinstance(content, UnreadableResponseError) else (response, content)

    def _checked(
        self, response: requests.Response, content: bytes, url: str, secret: str
    ) -> requests.Response | DirframeError:
        """Hand over a success without the key, or the error that an answer means."""
        wrong: DirframeError | None
        if response.status_code in _REDIRECTS and "Location" in response.headers:
            wrong, content = self._redirect(response, url, secret), b""
        else:
            of_type = response.headers.get("Content-Type", "")
            response.headers["Content-Type"] = scrub(of_type, secret)
            content = self._without_key(content, secret)
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

    def _without_key(self, content: bytes, secret: str) -> bytes:
        """Take out the key where it can be nothing else; otherwise leave records as they are."""
        if not holds_key(content, secret):
            return content
        if self._settings.api_key.is_unmistakable:
            return remove_from_body(content, secret)
        warnings.warn(
            "The text of the API key stands in an answer of the directory. It is too short or too "
            "ordinary a text to tell a repeated key from data, so the records were left as they "
            "are; they may hold the key, in the cache and in exports too. Ask the directory for a "
            "longer key.",
            WeakKeyWarning,
            stacklevel=2,
        )
        return content

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


def requests_sent(response: requests.Response) -> int:
    """Return how many requests an answer cost, with those of the redirects before it."""
    return sum(one.__dict__[_SENT] for one in (*response.history, response))


def _next_try(retry: BoundedRetry, outcome: Outcome, deadline: Deadline) -> BoundedRetry | None:
    """Wait for the next try; None if this outcome is the last one."""
    if isinstance(outcome, Failure):
        return retry.pause(deadline) if outcome.is_temporary else None
    if isinstance(outcome, UnreadableResponseError):
        return None
    response, _ = outcome
    if not retry.is_retry("GET", response.status_code, "Retry-After" in response.headers):
        return None
    return retry.pause(deadline, response.raw)


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    if "@" in parts.netloc:  # what stands before it is easily taken for the host
        raise ValueError(parts.netloc)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname or "", port


def _strange(url: str, target: str) -> ServiceError:
    return ServiceError(
        f"{remove_key(url)} redirects to {_site(target)}, which is another host, port or scheme "
        f"than {_site(url)}. It was not followed, so that the key stays with the directory.",
        url=remove_key(url),
    )


def _site(url: str) -> str:
    """Return scheme, host and port, the port even where the scheme implies it."""
    scheme, host, port = _origin(url)
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}" + (f":{port}" if port else "")


def _scrubbed(wrong: DirframeError, secret: str) -> DirframeError:
    """Take out of an error what it quotes of the answer, as far as that is the key."""
    wrong.args = tuple(scrub(text, secret) for text in wrong.args)
    if isinstance(wrong, RequestError) and wrong.help_text:
        wrong.help_text = scrub(wrong.help_text, secret)
    # What the parser says repeats the answer too; its words are in the message.
    wrong.__cause__ = wrong.__context__ = None
    return wrong.with_traceback(None)
