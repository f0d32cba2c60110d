"""Why no answer came: in words, with what to do, and whether another attempt may help.

Told by the types of the errors of requests, urllib3 and ssl and by their codes.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import requests
import urllib3.exceptions as urllib3_errors
from requests.utils import select_proxy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dirframe.client.http.connections import Attempt
    from dirframe.settings import Settings

__all__ = ["Failure", "classify_failure", "proxy_of", "proxy_refusal", "time_is_up"]

_LATER = "What was loaded is in the cache: run the same line again."
_AUTHORITY = (
    "If your institution or a proxy signs with its own authority, save that authority's "
    "certificate as a PEM file and set REQUESTS_CA_BUNDLE to its path (SSL_CERT_FILE is read too)."
)
_PROXY_ADVICE = (
    "If it asks for a name and a password, put them into HTTPS_PROXY and HTTP_PROXY "
    "(http://name:password@host:port); if the directory needs no proxy, put its host into NO_PROXY."
)
#: What OpenSSL says of a certificate (X509_V_ERR_...), and what to do then.
_OUT_OF_DATE = dict.fromkeys(
    (9, 10), "Look whether this machine's clock is right; otherwise the directory must renew it."
)
_OTHER_HOST = dict.fromkeys(
    (62, 64), "Ask by the host name that the certificate is made out for, or check the address."
)
_CERTIFICATE_ADVICE = _OUT_OF_DATE | _OTHER_HOST
#: OpenSSL's reasons where bytes came that are no TLS.
_NO_TLS = frozenset(
    {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE"}
)
#: In a handshake, these are a connection that was cut.
_CUT = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)
#: How an alert of TLS begins: content type, and the major version.
_TLS_ALERT = "\x15\x03"
_INTERRUPTIONS = (
    requests.ConnectionError,
    requests.Timeout,
    requests.exceptions.ChunkedEncodingError,
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why no answer came, what to do, and whether to try again."""

    reason: str
    advice: str = _LATER
    is_temporary: bool = False
    has_arrived: bool = True

    @property
    def text(self) -> str:
        """The reason and what to do, as sentences."""
        free = "" if self.has_arrived else " The request did not arrive and was not counted."
        return f"{self.reason}.{free} {self.advice}"


def classify_failure(
    error: BaseException,
    attempt: Attempt,
    *,
    url: str,
    proxies: Mapping[str, str],
    settings: Settings,
) -> Failure:
    """Say why an attempt failed.

    Parameters
    ----------
    error
        What requests raised.
    attempt
        What the connection saw.
    url
        What was asked, without the key.
    proxies
        The proxies that requests was given.
    settings
        The timeouts.

    Returns
    -------
    Failure
        Its texts may repeat what the server said: take the key out of them.
    """
    causes = list(_causes(error))
    if attempt.sent:
        return _cut_off(error, causes, attempt, settings)
    return _not_connected(error, causes, url, proxy_of(url, proxies), settings)


def time_is_up(seconds: float, *, has_arrived: bool) -> Failure:
    """Say that an exchange took too long as a whole."""
    return Failure(
        f"it took longer than {seconds:g} seconds",
        f"{_LATER} For a slow directory, pass a longer total_timeout=.",
        has_arrived=has_arrived,
    )


def proxy_refusal(proxy: str | None, *, said: str) -> Failure:
    """Say that a proxy refuses to pass a request on."""
    who = f"the proxy {proxy}" if proxy else "a proxy"
    return Failure(f"{who} refused it ({said})", _PROXY_ADVICE, has_arrived=False)


def proxy_of(url: str, proxies: Mapping[str, str]) -> str | None:
    """Return host and port of the proxy of an address; the whole may hold a password."""
    proxy = select_proxy(url, proxies)
    if not proxy:
        return None
    return _address(proxy if "//" in proxy else f"//{proxy}")


def _not_connected(
    error: BaseException,
    causes: list[BaseException],
    url: str,
    proxy: str | None,
    settings: Settings,
) -> Failure:
    root = causes[-1]
    address = _address(url)
    if isinstance(root, ssl.SSLCertVerificationError):
        advice = _CERTIFICATE_ADVICE.get(root.verify_code, _AUTHORITY)
        reason = f"the certificate of {address} was refused ({root.verify_message})"
        return Failure(reason, advice, has_arrived=False)
    if isinstance(root, ssl.SSLError) and not isinstance(root, _CUT):
        if root.reason in _NO_TLS:
            reason = f"{proxy or address} does not speak TLS on this port ({root.reason})"
            advice = "Check scheme and port of the address, and of HTTPS_PROXY if it is set."
        else:
            reason = f"no encrypted connection to {address} could be agreed on ({root.reason})"
            advice = "Update Python and its OpenSSL; otherwise ask whoever runs the directory."
        return Failure(reason, advice, has_arrived=False)
    # http.client raises a bare OSError for each answer to CONNECT but 200.
    if proxy and type(root) is OSError and root.errno is None:
        return proxy_refusal(proxy, said=str(root))
    if not isinstance(error, _INTERRUPTIONS):
        reason = f"it cannot be asked for ({_words(root)})"
        return Failure(reason, "Check the address.", has_arrived=False)
    target = f"the proxy {proxy}" if proxy else address
    if isinstance(root, socket.gaierror):
        reason = f"the host name of {target} was not found ({_words(root)})"
        advice = "Check its spelling and your connection to the network."
    elif any(isinstance(cause, TimeoutError) for cause in causes):
        reason = f"there was no connection to {target} within {settings.connect_timeout:g} seconds"
        advice = f"{_LATER} For a slow directory, pass a longer connect_timeout=."
    else:
        reason = f"there was no connection to {target} ({_words(root)})"
        advice = f"Check the address and the connection. {_LATER}"
    return Failure(reason, advice, is_temporary=True, has_arrived=False)


def _cut_off(
    error: BaseException, causes: list[BaseException], attempt: Attempt, settings: Settings
) -> Failure:
    root = causes[-1]
    if attempt.too_slow:
        return Failure(
            f"the answer came too slowly: {attempt.rate:.3g} bytes a second over "
            f"{attempt.slow_time:g} seconds, less than {attempt.min_bytes_per_second:g}",
            f"{_LATER} For a line that is this slow, pass a lower min_bytes_per_second=.",
        )
    if isinstance(root, http.client.BadStatusLine) and str(root.args[0]).startswith(_TLS_ALERT):
        advice = "Write https:// instead of http:// in the address."
        return Failure("the port speaks TLS", advice, has_arrived=False)
    is_temporary = isinstance(error, _INTERRUPTIONS)
    if any(isinstance(one, (TimeoutError, urllib3_errors.ReadTimeoutError)) for one in causes):
        return Failure(
            f"no byte of the answer came for {settings.read_timeout:g} seconds",
            f"{_LATER} For a slow directory, pass a longer read_timeout=.",
            is_temporary,
        )
    return Failure(f"the answer broke off ({_words(root)})", is_temporary=is_temporary)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Go from an error down to the first one; what else was being handled is left alone."""
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
        following = next((one for one in linked if isinstance(one, BaseException)), None)


def _words(error: BaseException) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


def _address(url: str) -> str:
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port}" if parts.port else f"{host}"
