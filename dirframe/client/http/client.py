"""From settings to checked bytes: ask the cache, else the directory.

What stays out: the key (`dirframe.client.http.transport`), the format of the cache
(`dirframe.client.http.cache`), and what the bytes say.
"""

from __future__ import annotations

import os
import time
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, urlencode, urlsplit

import requests
from requests.utils import get_netrc_auth

from dirframe import __version__
from dirframe.client.http.transport import KeyAdapter, requests_sent
from dirframe.client.http.quota import Allowance
from dirframe.client.http.cache import PageCache
from dirframe.client.http.certificates import trusted_certificates
from dirframe.client.http.policy import Manner
from dirframe.client.http.redirects import MovedPaths
from dirframe.client.http.redaction import silence_logs
from dirframe.errors import CacheError, QuotaExceededError, ServiceError, StaleWarning

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from dirframe.client.http.cache import Stored
    from dirframe.settings import Settings

__all__ = ["Answer", "Session", "StaleWarning"]

_HOME_PAGE = "https://github.com/dirframe/dirframe"


@dataclass(frozen=True, slots=True)
class Answer:
    """One document, when it was fetched, and how many requests it cost now."""

    content: bytes
    url: str
    retrieved: datetime
    paid: int

    @property
    def from_cache(self) -> bool:
        """Whether it was at hand already."""
        return self.paid == 0


class Session:
    """Fetch documents of one directory, through the cache.

    Parameters
    ----------
    settings
        The directory and the manners towards it.
    """

    def __init__(self, settings: Settings) -> None:
        silence_logs()
        self._settings = settings
        # What comes with a person's grant may be private: it is neither stored nor looked up.
        self.cache = PageCache(settings.cache_dir if settings.auth is None else None)
        self.allowance = Allowance(
            settings.allowance_dir, settings.api_key.fingerprint, settings.daily_allowance
        )
        self._adapter = KeyAdapter(settings, self.allowance)
        self._moved = MovedPaths()
        self._session = requests.Session()
        self._take_from_environment(settings)
        self._session.headers["User-Agent"] = f"dirframe/{__version__} (+{_HOME_PAGE})"
        self._session.headers["Accept"] = "application/xml"
        self._session.max_redirects = 5
        # The interface needs no cookies, and a stored one could repeat the key.
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._session.mount("https://", self._adapter)
        self._session.mount("http://", self._adapter)

    def _take_from_environment(self, settings: Settings) -> None:
        """Look proxies, certificates and netrc up once: requests would do so for each page.

        Nothing but the one host of the base URL is ever asked, so they do not change.
        """
        session, url = self._session, settings.base_url
        found = session.merge_environment_settings(url, {}, stream=None, verify=None, cert=None)
        session.proxies = found["proxies"]
        if urlsplit(url).scheme == "https":
            session.verify = trusted_certificates(os.environ) or True
        session.auth = settings.auth or get_netrc_auth(url)
        session.trust_env = False

    def get(self, path: str, parameters: Mapping[str, str], manner: Manner | None = None) -> Answer:
        """Return the document at a path below the base URL.

        Parameters
        ----------
        path
            Begins with a slash and ends in ``.xml``.
        parameters
            Query parameters, without the key.
        manner
            How the cache and the allowance may be used.

        Returns
        -------
        Answer
            A document that was read as a success.

        Raises
        ------
        RequestError
            If the directory cannot be reached or answers with a failure.
        UnreadableResponseError
            If the answer is not the interface's XML.
        CacheError
            If the cache alone is to be asked and does not have the document.
        """
        manner = manner or Manner()
        answer = self.at_hand(path, parameters, manner)
        return answer or self._pay(self.address(path, parameters), manner)

    def at_hand(self, path: str, parameters: Mapping[str, str], manner: Manner) -> Answer | None:
        """Return a document from the cache, if it is there and may be used."""
        if manner.refresh:
            return None
        url = self.address(path, parameters)
        stored = self.cache.get(self._key(url))
        if stored is not None and (manner.stale or self._is_fresh(stored)):
            return Answer(stored.content, url, stored.retrieved, paid=0)
        if manner.offline:
            raise self._miss(url, stored)
        return None

    def has(self, path: str, parameters: Mapping[str, str]) -> bool:
        """Tell whether a document would come from the cache."""
        stored = self.cache.get(self._key(self.address(path, parameters)))
        return stored is not None and self._is_fresh(stored)

    def address(self, path: str, parameters: Mapping[str, str]) -> str:
        """Return the whole address of a document, without the key."""
        query = urlencode(sorted(parameters.items()))
        return f"{self._settings.base_url}{path}" + (f"?{query}" if query else "")

    def warn_of_age(self, answers: list[Answer]) -> None:
        """Warn if documents are older than they should be."""
        oldest = min(answer.retrieved for answer in answers)
        age = datetime.now(UTC) - oldest
        if age > self._settings.expire_after and any(answer.from_cache for answer in answers):
            warnings.warn(
                f"Pages from the cache are used although they are old: the oldest was fetched "
                f"{_words(age)} ago, at {oldest:%Y-%m-%d %H:%M} UTC.",
                StaleWarning,
                stacklevel=4,
            )

    def close(self) -> None:
        """Close connections, the cache and the count of requests."""
        self._session.close()
        self.cache.close()
        self.allowance.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _pay(self, url: str, manner: Manner) -> Answer:
        patience_ends = time.monotonic() + manner.wait
        while True:
            try:
                return self._ask(url, keep=manner.keep)
            except QuotaExceededError as error:
                if error.resets_at is None:
                    raise
                # A second more, so that the allowance is surely back.
                pause = max((error.resets_at - datetime.now(UTC)).total_seconds(), 0.0) + 1.0
                if time.monotonic() + pause > patience_ends:
                    raise
            time.sleep(pause)

    def _ask(self, url: str, *, keep: bool) -> Answer:
        timeouts: Any = (self._settings.connect_timeout, self._settings.read_timeout)
        try:
            response = self._session.get(self._moved.resolve(url), timeout=timeouts)
        except requests.TooManyRedirects:
            response = None
        if response is None:
            raise ServiceError(f"{url} redirects in a circle; it was given up.", url=url)
        if response.history:
            self._moved.learn(response.history[0].url, response.url)
        content_type = response.headers.get("Content-Type", "")
        retrieved = datetime.now(UTC)
        if keep:
            retrieved = self.cache.put(self._key(url), url, response.content, content_type)
        return Answer(response.content, url, retrieved, requests_sent(response))

    def _is_fresh(self, stored: Stored) -> bool:
        return stored.age <= self._settings.expire_after

    def _miss(self, url: str, stored: Stored | None) -> CacheError:
        has = (
            "is not in the cache"
            if stored is None
            else f"is in the cache, but {_words(stored.age)} old"
        )
        return CacheError(
            f"{url} {has}, and offline=True forbids to ask the directory. Load it once without "
            "offline=True" + ("." if stored is None else ", or pass stale=True to take it.")
        )

    def _key(self, url: str) -> str:
        namespace = self._settings.cache_namespace
        if namespace is not None:
            url = namespace + url.removeprefix(self._settings.base_url)
        # requests-cache puts the key between quotes in its SQL.
        return quote(url, safe="/:?&=%+-._~")


def _words(age: timedelta) -> str:
    hours = age.total_seconds() / 3600
    if hours < 1:
        return f"{max(age.total_seconds() / 60, 0):.0f} minutes"
    return f"{hours:.0f} hours" if hours < 48 else f"{age.days:,} days"
