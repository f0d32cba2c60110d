"""Connections that record whether a request was sent, and the rate of its response."""

# An attempt without a connection (unknown host, refused, no TLS, no tunnel) is distinguished from an
# interrupted one by the state of the connection, not by the text of an error.
#
# The timeouts of requests apply to each read from the socket. A server that sends one byte a minute
# never exceeds them, not even in the headers. So no read, and no connection, may wait longer than
# is left of the whole exchange.

from __future__ import annotations

import http.client
import io
import ssl
import time
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from dirframe.errors import ConfigurationError, Hint

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping


#: The first variable that is set counts: those of requests and curl, then those of OpenSSL.
_CERTIFICATE_VARIABLES = (
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)

#: urllib3 chooses the connection in a call that takes no custom argument.
_current: ContextVar[Attempt] = ContextVar("attempt")


class Deadline:
    """The time by which an exchange has to end.

    Parameters
    ----------
    seconds
        Maximum duration of the exchange.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def passed(self) -> bool:
        """Whether the time is up."""
        return not self.allows(0.0)

    def allows(self, pause: float) -> bool:
        """Return whether there is time for a pause and another attempt."""
        return time.monotonic() + pause < self._end

    def bound(self, timeout: float | None) -> float:
        """Return a timeout that does not exceed the time left.

        Raises
        ------
        TimeoutError
            If no time is left.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left if timeout is None else min(timeout, left)


class Attempt:
    """One attempt of this thread to get a response, as seen by its connection.

    Parameters
    ----------
    deadline
        Bounds every wait for the connection and for bytes.
    min_bytes_per_second
        A slower response is aborted; 0 for no limit.
    slow_time
        Seconds of waiting for bytes over which the rate is measured.

    Attributes
    ----------
    sent
        Whether sending of the request began on a ready connection.
    too_slow
        Whether the response was aborted because it was too slow.
    rate
        Rate measured last, in bytes per second.
    """

    def __init__(
        self, deadline: Deadline, *, min_bytes_per_second: float = 0.0, slow_time: float = 30.0
    ) -> None:
        self.deadline = deadline
        self.min_bytes_per_second = min_bytes_per_second
        self.slow_time = slow_time
        self.sent = False
        self.too_slow = False
        self.rate = 0.0
        self._has_begun = False
        self._received = 0
        self._waited = 0.0

    def __enter__(self) -> Self:
        self._token = _current.set(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        _current.reset(self._token)

    def count(self, size: int, seconds: float) -> None:
        """Count bytes and the time waited for them; the time to the first byte is not counted."""
        if self._has_begun:
            self._waited += seconds
        self._has_begun = True
        self._received += size

    def check_rate(self) -> None:
        """Abort an incomplete response that is too slow.

        Raises
        ------
        TimeoutError
            If the rate over `slow_time` was too low.
        """
        if self._waited < self.slow_time or not self.min_bytes_per_second:
            return
        self.rate = self._received / self._waited
        if self.rate < self.min_bytes_per_second:
            self.too_slow = True
            raise TimeoutError
        self._received, self._waited = 0, 0.0


class _MeteredReader(io.RawIOBase):
    """Read from a socket until the deadline and report the number of bytes to the attempt."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, attempt: Attempt) -> None:
        self._raw, self._sock, self._attempt = raw, sock, attempt
        self._timeout = sock.gettimeout()

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def readinto(self, buffer: Any) -> int | None:
        self._attempt.check_rate()
        self._sock.settimeout(self._attempt.deadline.bound(self._timeout))
        begin = time.monotonic()
        size: int | None = self._raw.readinto(buffer)
        self._attempt.count(size or 0, time.monotonic() - begin)
        return size

    def close(self) -> None:
        try:
            self._raw.close()
        finally:
            super().close()


class _MeteredResponse(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp = io.BufferedReader(_MeteredReader(self.fp.detach(), sock, _current.get()))


class _DeadlineConnection(HTTPConnection):
    response_class = _MeteredResponse

    def connect(self) -> None:
        self.timeout = _current.get().deadline.bound(self.timeout)
        super().connect()

    def endheaders(self, *args: Any, **options: Any) -> None:
        if self.sock is None:
            self.connect()
        _current.get().sent = True
        super().endheaders(*args, **options)


class _DeadlineHTTPSConnection(_DeadlineConnection, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _DeadlineConnection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _DeadlineHTTPSConnection


#: For `urllib3.PoolManager.pool_classes_by_scheme`.
DEADLINE_POOLS = {"http": _Pool, "https": _SecurePool}


def trusted_certificates(environment: Mapping[str, str]) -> str | None:
    """Return the path of the certificates that the environment names.

    Parameters
    ----------
    environment
        The environment variables.

    Returns
    -------
    str or None
        The path of a file or folder; None for the certificates of certifi, the default of requests.

    Raises
    ------
    ConfigurationError
        If the path does not exist, or the file contains no certificate.
    """
    name = next((name for name in _CERTIFICATE_VARIABLES if environment.get(name)), None)
    if name is None:
        return None
    path = Path(environment[name])
    problem = "" if path.exists() else "does not exist"
    if path.is_file():
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
        except OSError as error:
            problem = f"cannot be read as certificates in PEM ({error.strerror or error})"
    if problem:
        raise ConfigurationError(
            f"{name} is {str(path)!r}, which {problem}.",
            hint=Hint(
                "Set it to a PEM file with the certificates of the authorities that you trust, or "
                "unset it to trust the usual ones."
            ),
        )
    return str(path)
