"""The way to a directory: through which proxy, and with which certificates."""

# The environment names proxies (HTTPS_PROXY, NO_PROXY) and certificates (REQUESTS_CA_BUNDLE). It is
# read here instead of by requests, which would send the passwords of .netrc as well.

from __future__ import annotations

import os
import re
from base64 import b64encode
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from requests.utils import get_environ_proxies, select_proxy

from dirframe.settings import is_loopback

_HOST = re.compile(r"([\w.-]+|\[[0-9A-Fa-f:.]+\])(:\d+)?")
_REMOVED = "[password removed]"


@dataclass(frozen=True, slots=True)
class Route:
    """How requests are sent."""

    proxy: str | None = field(repr=False)  # with its password
    certificates: str | bool  # a file or folder; True: those of the package certifi

    @property
    def proxies(self) -> dict[str, str]:
        """The proxy in the form that requests takes."""
        return {"all": self.proxy} if self.proxy else {}

    @property
    def proxy_name(self) -> str:
        """Host and port of the proxy, without its password; a description if they cannot be read."""
        address = (self.proxy or "").rpartition("@")[2]
        host = address.removeprefix("http://").removeprefix("https://").partition("/")[0]
        return host if _HOST.fullmatch(host) else "that the environment names"

    def hide_password(self, text: str) -> str:
        """Return a text without the password of the proxy."""
        for secret in self._spellings():
            text = text.replace(secret, _REMOVED)
        return text

    def _spellings(self) -> list[str]:
        """Return user and password as addresses and headers spell them, the longest first."""
        address, at, _ = (self.proxy or "").rpartition("@")
        if not at:
            return []
        credentials = address.partition("://")[2] or address
        password = credentials.partition(":")[2]
        plain = unquote(credentials)
        spellings = {credentials, plain, b64encode(plain.encode()).decode()}
        spellings |= {password, unquote(password)}
        return sorted(filter(None, spellings), key=len, reverse=True)


def route_to(url: str) -> Route:
    """Return how requests of a URL are sent; those to this machine use no proxy."""
    proxy = None
    if not is_loopback(urlsplit(url).hostname or ""):
        proxy = select_proxy(url, get_environ_proxies(url))
    certificates = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    return Route(proxy, certificates or True)
