"""Send requests to the directory: validate responses, retry, and charge the quota."""

# `SingleOriginAdapter` adds the key only when a request is sent, and only for the configured host.
# It returns a response only if that is a complete, validated success (or a redirect within the
# host); anything else is raised, and so is never stored.

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import requests
from pyrate_limiter import Duration, Limiter, Rate
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError

from dirframe.client.http.auth import ApiKeyAuth
from dirframe.client.http.connections import DEADLINE_POOLS, Attempt, Deadline
from dirframe.client.http.failures import (
    Failure,
    classify_failure,
    deadline_failure,
    proxy_of,
    proxy_refusal,
)
from dirframe.client.http.redaction import remove_key
from dirframe.client.http.redirects import cross_origin_error, origin, redirect_target
from dirframe.client.http.responses import (
    RUN_AGAIN_LATER,
    check_response,
    parse_retry_after,
)
from dirframe.client.http.retry import RetryPolicy
from dirframe.errors import (
    DirframeError,
    InvalidKeyError,
    NetworkError,
    QuotaExceededError,
    ServiceError,
    UnreadableResponseError,
)

if TYPE_CHECKING:
    from dirframe.client.http.quota import DailyQuota
    from dirframe.client.page import Page
    from dirframe.settings import Settings


_CHUNK = 64 * 1024
_PROXY_REFUSES = 407


class DirectoryResponse(requests.Response):
    """A validated response without the key.

    Attributes
    ----------
    attempts
        Number of requests used.
    page
        Its parsed body; None for a redirect.
    """

    attempts: int = 0
    page: Page

    @property
    def all_attempts(self) -> int:
        """The attempts, including those of the redirects."""
        hops = (hop for hop in self.history if isinstance(hop, DirectoryResponse))
        return self.attempts + sum(hop.attempts for hop in hops)


@dataclass(frozen=True, slots=True)
class _Reply:
    """A response as received; `body` is an error if it is too long."""

    response: requests.Response
    body: bytes | UnreadableResponseError
    has_arrived: bool = True


class SingleOriginAdapter(HTTPAdapter):
    """Send requests with the key, to one origin, and return validated responses only.

    Parameters
    ----------
    settings
        The origin, the key and the limits.
    quota
        Charged for each request that arrived.
    """

    def __init__(self, settings: Settings, quota: DailyQuota) -> None:
        self._settings = settings
        self._quota = quota
        self._auth = ApiKeyAuth(settings.api_key)
        rate = settings.max_per_second
        # A window of two seconds allows rates below one per second as whole numbers.
        self._limiter = (
            None if rate is None else Limiter(Rate(max(round(rate * 2), 1), Duration.SECOND * 2))
        )
        self._retry = RetryPolicy(
            retries=settings.retries, backoff=settings.backoff, max_pause=settings.max_backoff
        )
        # urllib3 itself does not retry: retries are decided here, where the quota is charged.
        super().__init__(max_retries=0, pool_maxsize=settings.max_workers)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        """Create pools whose connections know the deadline."""
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = DEADLINE_POOLS

    def proxy_manager_for(self, *args: Any, **options: Any) -> Any:
        """Create proxy pools whose connections know the deadline."""
        manager = super().proxy_manager_for(*args, **options)
        manager.pool_classes_by_scheme = DEADLINE_POOLS
        return manager

    def send(  # type: ignore[override]  # keyword arguments are passed through
        self, request: requests.PreparedRequest, **options: Any
    ) -> DirectoryResponse:
        """Send one request; see `requests.adapters.HTTPAdapter.send`."""
        result: DirectoryResponse | DirframeError
        interruption: BaseException | None = None
        try:
            result = self._exchange(request, options | {"stream": True})
        except BaseException as error:  # noqa: BLE001  # an interrupted request held the key too
            interruption = error.with_traceback(None)
        # Raised outside of any handler, so that no traceback holds frames with the key.
        if interruption is not None:
            interruption.__context__ = None
            raise interruption
        if isinstance(result, DirframeError):
            raise result
        return result

    def _exchange(
        self, request: requests.PreparedRequest, options: dict[str, Any]
    ) -> DirectoryResponse | DirframeError:
        """Attempt a request until it succeeds or is given up."""
        requested, base_url = request.url or "", self._settings.base_url
        if origin(requested) != origin(base_url):
            return cross_origin_error(requested, requested)
        url = remove_key(requested)  # a grant may add its token to the URL
        signed = self._auth.sign(request)
        outcome: _Reply | Failure | None = None
        tries = attempts = 0
        deadline = Deadline(self._settings.total_timeout)
        while (receipt := self._quota.acquire()) is not None:
            charged = receipt
            outcome = self._attempt(signed, url, options, deadline, charged)
            tries += 1
            attempts += outcome.has_arrived
            pause = self._pause(outcome, tries)
            if pause is None or not deadline.allows(pause):
                break
            if pause:
                time.sleep(pause)
        if outcome is None:
            return self._quota_error(url)
        if deadline.passed:
            outcome = deadline_failure(deadline.seconds, has_arrived=attempts > 0)
        if isinstance(outcome, Failure):
            reason = self._auth.redact(outcome.text)
            return NetworkError(f"{url} could not be fetched: {reason}", url=url, hint=outcome.hint)
        checked = self._check(outcome, url, charged)
        if isinstance(checked, DirectoryResponse):
            checked.request, checked.url, checked.attempts = request, url, attempts
        return checked

    def _attempt(
        self,
        signed: requests.PreparedRequest,
        url: str,
        options: dict[str, Any],
        deadline: Deadline,
        receipt: int,
    ) -> _Reply | Failure:
        """Wait for the rate limit, send once, read the body, and release a request not received."""
        settings, proxies = self._settings, options.get("proxies") or {}
        if self._limiter is not None:
            self._limiter.try_acquire("request")
        attempt = Attempt(
            deadline,
            min_bytes_per_second=settings.min_bytes_per_second,
            slow_time=settings.slow_time,
        )
        outcome: _Reply | Failure | None = None
        try:
            with attempt:
                response = super().send(signed, **options)
                outcome = _Reply(response, self._read_body(response, url))
            if response.status_code == _PROXY_REFUSES:  # sent only by proxies
                outcome = proxy_refusal(proxy_of(url, proxies), answer=str(_PROXY_REFUSES))
        except (requests.RequestException, HTTPError, OSError, ValueError) as error:
            outcome = classify_failure(error, attempt, url=url, proxies=proxies, settings=settings)
        finally:
            if not (attempt.sent if outcome is None else outcome.has_arrived):
                self._quota.release(receipt)
        return outcome

    def _read_body(self, response: requests.Response, url: str) -> bytes | UnreadableResponseError:
        limit = self._settings.max_response_bytes
        body = bytearray()
        for chunk in response.iter_content(_CHUNK):
            body += chunk
            if len(body) > limit:
                response.close()
                found = f"an answer of more than {limit:,} bytes"
                return UnreadableResponseError(
                    f"{url} sent {found}; the rest was not read.", found=found, source=url
                )
        return bytes(body)

    def _pause(self, outcome: _Reply | Failure, tries: int) -> float | None:
        """Return the seconds until the next attempt; None if this was the last one."""
        if isinstance(outcome, Failure):
            return self._retry.pause(tries) if outcome.is_temporary else None
        response = outcome.response
        if not self._retry.is_temporary(response.status_code):
            return None
        return self._retry.pause(tries, parse_retry_after(response.headers))

    def _check(self, reply: _Reply, url: str, receipt: int) -> DirectoryResponse | DirframeError:
        """Return a success without the key, or the error that a response means."""
        if isinstance(reply.body, UnreadableResponseError):
            return reply.body
        response, redact = reply.response, self._auth.redact
        headers = {"Content-Type": redact(response.headers.get("Content-Type", ""))}
        content, page = b"", None
        target = redirect_target(response, url, redact)
        if isinstance(target, ServiceError):
            return target
        if target is not None:
            # requests decodes headers as Latin-1.
            headers["Location"] = target.encode().decode("latin-1")
        else:
            content = self._auth.redact_body(reply.body)
            parsed = check_response(
                content,
                status=response.status_code,
                headers=response.headers,
                url=url,
                max_bytes=self._settings.max_response_bytes,
                redact=redact,
            )
            if isinstance(parsed, DirframeError):
                return self._charge_failure(parsed, receipt)
            page = parsed
        # A new object: the response of urllib3 holds the URL with the key.
        checked = DirectoryResponse()
        checked.status_code, checked.reason = response.status_code, response.reason
        checked.headers.update(headers)
        if page is not None:
            checked.page = page
        checked._content, checked._content_consumed = content, True  # type: ignore[attr-defined]  # as requests does
        return checked

    def _charge_failure(self, error: DirframeError, receipt: int) -> DirframeError:
        """Update the quota: a directory does not count a request that it refuses to serve."""
        if isinstance(error, QuotaExceededError | InvalidKeyError):
            self._quota.release(receipt)
        if isinstance(error, QuotaExceededError):
            self._quota.mark_exhausted(error.resets_at)
            error.resets_at = error.resets_at or self._quota.resets_at()
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
