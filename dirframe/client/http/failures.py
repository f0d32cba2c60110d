"""Classify failed requests: reason, advice, and whether to retry."""

# The classification uses the types and codes of the errors of requests, urllib3 and ssl.

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

from dirframe.errors import Hint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dirframe.client.http.connections import Attempt
    from dirframe.settings import Settings


_AGAIN_PYTHON = "What was loaded is in the cache: run the same line again."
_AGAIN_SHELL = "What was loaded is in the cache: run the same command again."
_RUN_AGAIN = Hint(_AGAIN_PYTHON, shell=_AGAIN_SHELL)
_AUTHORITY = Hint(
    "If your institution or a proxy signs with its own authority, save that authority's "
    "certificate as a PEM file and set REQUESTS_CA_BUNDLE to its path (SSL_CERT_FILE is read too)."
)
_CHECK_CONNECTION = Hint(
    f"Check the address and the connection. {_AGAIN_PYTHON}",
    shell=f"Check the address and the connection. {_AGAIN_SHELL}",
)
_PROXY = Hint(
    "If it asks for a name and a password, put them into HTTPS_PROXY and HTTP_PROXY "
    "(http://name:password@host:port); if the directory needs no proxy, put its host into NO_PROXY."
)
#: OpenSSL's verification codes (X509_V_ERR_...), and the advice for each.
_OUT_OF_DATE = Hint(
    "Check that this machine's clock is correct; otherwise the directory must renew it."
)
_OTHER_HOST = Hint("Use the host name of the certificate, or check the address.")
_CERTIFICATE = {9: _OUT_OF_DATE, 10: _OUT_OF_DATE, 62: _OTHER_HOST, 64: _OTHER_HOST}
#: OpenSSL's reasons for bytes that are not TLS.
_NO_TLS = frozenset(
    {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE"}
)
#: In a handshake, these mean an interrupted connection.
_INTERRUPTED_TLS = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)
#: First bytes of a TLS alert: content type, and the major version.
_TLS_ALERT = "\x15\x03"
_INTERRUPTIONS = (
    requests.ConnectionError,
    requests.Timeout,
    requests.exceptions.ChunkedEncodingError,
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no response, what to do, and whether to retry."""

    reason: str
    hint: Hint = _RUN_AGAIN
    is_temporary: bool = False
    has_arrived: bool = True

    @property
    def text(self) -> str:
        """The reason, and whether the request was counted, as sentences."""
        free = "" if self.has_arrived else " The request did not arrive and was not counted."
        return f"{self.reason}.{free}"


def classify_failure(
    error: BaseException,
    attempt: Attempt,
    *,
    url: str,
    proxies: Mapping[str, str],
    settings: Settings,
) -> Failure:
    """Classify a failed attempt.

    Parameters
    ----------
    error
        The exception raised by requests.
    attempt
        The attempt as seen by its connection.
    url
        The requested URL, without the key.
    proxies
        The proxies used by requests.
    settings
        The timeouts.

    Returns
    -------
    Failure
        Its texts may repeat what the server sent, so the key has to be removed from them.
    """
    causes = list(_causes(error))
    if attempt.sent:
        return _interrupted(error, causes, attempt, settings)
    return _not_connected(error, causes, url, proxy_of(url, proxies), settings)


def deadline_failure(seconds: float, *, has_arrived: bool) -> Failure:
    """Return the failure of an exchange that exceeded its total timeout."""
    return Failure(
        f"it took longer than {seconds:g} seconds",
        _setting_hint("For a slow directory", "a longer total_timeout="),
        has_arrived=has_arrived,
    )


def _setting_hint(case: str, argument: str) -> Hint:
    """Return a hint to an argument that the command line has no option for."""
    return Hint(f"{_AGAIN_PYTHON} {case}, pass {argument}.", shell=_AGAIN_SHELL)


def proxy_refusal(proxy: str | None, *, answer: str) -> Failure:
    """Return the failure of a request that a proxy refused to forward."""
    sender = f"the proxy {proxy}" if proxy else "a proxy"
    return Failure(f"{sender} refused it ({answer})", _PROXY, has_arrived=False)


def proxy_of(url: str, proxies: Mapping[str, str]) -> str | None:
    """Return host and port of the proxy for a URL; its full address may contain a password."""
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
        hint = _CERTIFICATE.get(root.verify_code, _AUTHORITY)
        reason = f"the certificate of {address} was refused ({root.verify_message})"
        return Failure(reason, hint, has_arrived=False)
    if isinstance(root, ssl.SSLError) and not isinstance(root, _INTERRUPTED_TLS):
        if root.reason in _NO_TLS:
            reason = f"{proxy or address} does not speak TLS on this port ({root.reason})"
            hint = Hint("Check scheme and port of the address, and of HTTPS_PROXY if it is set.")
        else:
            reason = f"no encrypted connection to {address} could be agreed on ({root.reason})"
            hint = Hint(
                "Update Python and its OpenSSL; otherwise contact the operator of the directory."
            )
        return Failure(reason, hint, has_arrived=False)
    # http.client raises a bare OSError for each answer to CONNECT but 200.
    if proxy and type(root) is OSError and root.errno is None:
        return proxy_refusal(proxy, answer=str(root))
    if not isinstance(error, _INTERRUPTIONS):
        reason = f"it cannot be requested ({_message(root)})"
        return Failure(reason, Hint("Check the address."), has_arrived=False)
    target = f"the proxy {proxy}" if proxy else address
    if isinstance(root, socket.gaierror):
        reason = f"the host name of {target} was not found ({_message(root)})"
        hint = Hint("Check its spelling and your network connection.")
    elif any(isinstance(cause, TimeoutError) for cause in causes):
        reason = f"there was no connection to {target} within {settings.connect_timeout:g} seconds"
        hint = _setting_hint("For a slow directory", "a longer connect_timeout=")
    else:
        reason = f"there was no connection to {target} ({_message(root)})"
        hint = _CHECK_CONNECTION
    return Failure(reason, hint, is_temporary=True, has_arrived=False)


def _interrupted(
    error: BaseException, causes: list[BaseException], attempt: Attempt, settings: Settings
) -> Failure:
    root = causes[-1]
    if attempt.too_slow:
        return Failure(
            f"the response was too slow: {attempt.rate:.3g} bytes a second over "
            f"{attempt.slow_time:g} seconds, less than {attempt.min_bytes_per_second:g}",
            _setting_hint("For a connection this slow", "a lower min_bytes_per_second="),
        )
    if isinstance(root, http.client.BadStatusLine) and str(root.args[0]).startswith(_TLS_ALERT):
        hint = Hint("Write https:// instead of http:// in the address.")
        return Failure("the port speaks TLS", hint, has_arrived=False)
    is_temporary = isinstance(error, _INTERRUPTIONS)
    if any(isinstance(c, (TimeoutError, urllib3_errors.ReadTimeoutError)) for c in causes):
        return Failure(
            f"no data was received for {settings.read_timeout:g} seconds",
            _setting_hint("For a slow directory", "a longer read_timeout="),
            is_temporary,
        )
    return Failure(f"the response ended early ({_message(root)})", is_temporary=is_temporary)


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


def _message(error: BaseException) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


def _address(url: str) -> str:
    """Return host and port of a URL, without a user and a password."""
    return urlsplit(url).netloc.rpartition("@")[2]
