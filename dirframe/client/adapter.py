"""The last step before the wire: here the key is put on, and here it is taken off again.

A request travels through requests and requests-cache without the key, so that no cache file,
no history, no error and no log line can hold it. `KeyAdapter` adds it to a copy, and only for
the configured host. It hands over an answer only when that is a complete, validated success
(or a redirect within the host); anything else is raised, and so is never stored.

What stays out: the cache, and choosing what to ask for.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus, urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError
from urllib3.util import Retry

from dirframe.client.answers import check_answer
from dirframe.client.redaction import KEY_PARAMETER, remove_key, scrub
from dirframe.errors import NetworkError, ServiceError, UnreadableResponseError

if TYPE_CHECKING:
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
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        retry = Retry(
            total=settings.retries,
            backoff_factor=settings.backoff,
            backoff_max=settings.longest_pause,
            status_forcelist=(502, 503, 504),
            allowed_methods=("GET",),
            retry_after_max=int(settings.longest_pause),
            raise_on_status=False,
        )
        super().__init__(max_retries=retry, pool_maxsize=settings.max_workers)

    def send(  # type: ignore[override]  # keyword arguments are handed on as they come
        self, request: requests.PreparedRequest, **options: Any
    ) -> requests.Response:
        """Send one request; see `requests.adapters.HTTPAdapter.send`."""
        url = request.url or ""
        if _origin(url) != _origin(self._settings.base_url):
            raise ServiceError(
                f"{self._settings.base_url} redirects to {_origin(url)}, which is another host. "
                "It was not followed, so that the key stays with the directory.",
                url=url,
            )
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
        options["stream"] = True
        try:
            response = super().send(keyed, **options)
            content = self._read_body(response, url)
        except (requests.RequestException, HTTPError, OSError, ValueError) as error:
            return NetworkError(
                f"{url} could not be fetched: {scrub(_reason(error), secret)}. Check the address and "
                "the connection; what was loaded is in the cache, so run the same line again.",
                url=url,
            )
        if not isinstance(content, bytes):
            return content
        response.request, response.url = request, url
        if response.status_code in _REDIRECTS and "Location" in response.headers:
            response.headers["Location"] = remove_key(response.headers["Location"])
            content = b""
        else:
            content = content.replace(secret.encode(), b"[api key removed]")
            wrong = check_answer(
                content,
                status=response.status_code,
                headers=response.headers,
                url=url,
                max_bytes=self._settings.max_body,
            )
            if wrong is not None:
                return wrong
        response._content = content  # what requests itself does after reading
        return response

    def _read_body(self, response: requests.Response, url: str) -> bytes | UnreadableResponseError:
        bound = self._settings.max_body
        deadline = time.monotonic() + self._settings.total_timeout
        body = bytearray()
        for chunk in response.iter_content(_CHUNK):
            body += chunk
            late = time.monotonic() > deadline
            if len(body) > bound or late:
                response.close()
                found = (
                    f"an answer that took longer than {self._settings.total_timeout:g} seconds"
                    if late
                    else f"an answer of more than {bound:,} bytes"
                )
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
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname or "", port
