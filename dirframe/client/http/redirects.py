"""Redirects: followed within one origin alone, and learnt, so that one hop is paid and not each."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin, urlsplit

from dirframe.client.http.redaction import remove_key
from dirframe.errors import ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable

    import requests

__all__ = ["MovedPaths", "cross_origin_error", "origin", "redirect_target"]

_EXTENSION = ".xml"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


def origin(url: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port of an address.

    Raises
    ------
    ValueError
        If it is none, or names a user, whose name is easily taken for the host.
    """
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise ValueError(parts.netloc)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname or "", port


def redirect_target(
    response: requests.Response, url: str, redact: Callable[[str], str]
) -> str | ServiceError | None:
    """Return where a response redirects to.

    Parameters
    ----------
    response
        The response; only its status and headers are read.
    url
        The address of its request, without the key.
    redact
        Takes the key out of a text.

    Returns
    -------
    str, ServiceError or None
        The address, without the key; the error for one that must not be asked; None if the
        response is no redirect.
    """
    if response.status_code not in _REDIRECTS or "Location" not in response.headers:
        return None
    try:
        # Headers are read as Latin-1.
        target = urljoin(url, response.headers["Location"].encode("latin-1").decode())
        target = redact(remove_key(urldefrag(target).url))
        if origin(target) == origin(url):
            return target
        return cross_origin_error(url, target)
    except ValueError:
        return ServiceError(f"{url} redirects to what is no address of the web.", url=url)


def cross_origin_error(url: str, target: str) -> ServiceError:
    """Return the error for an address on another host, port or scheme."""
    return ServiceError(
        f"{remove_key(url)} redirects to {_site(target)}, which is another host, port or scheme "
        f"than {_site(url)}. It was not followed, so that the key stays with the directory.",
        url=remove_key(url),
    )


def _site(url: str) -> str:
    """Return scheme, host and port, the port even where the scheme implies it."""
    scheme, host, port = origin(url)
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}" + (f":{port}" if port else "")


class MovedPaths:
    """Folders and collections that a directory redirects to another name.

    Today's live service answers ``/projects.xml`` and ``/projects/1.xml`` with redirects to
    ``/p.xml`` and ``/p/1.xml``. After the first one the others are asked for where they are.
    """

    def __init__(self) -> None:
        self._names: dict[tuple[str, ...], str] = {}

    def learn(self, asked: str, answered: str) -> None:
        """Note a redirect, if one name in the path is all that it changes.

        Parameters
        ----------
        asked, answered
            The addresses of the request and of its answer, on the same host.
        """
        before, after = _segments(asked), _segments(answered)
        if len(before) != len(after) or urlsplit(asked).query != urlsplit(answered).query:
            return
        differing = [n for n, name in enumerate(before) if name != after[n]]
        if len(differing) == 1:
            at = differing[0]
            self._names[tuple(before[: at + 1])] = after[at]

    def resolve(self, url: str) -> str:
        """Return where a document is, as far as that is known.

        Parameters
        ----------
        url
            The address that the interface has for it.

        Returns
        -------
        str
            That address, or the one that it would be redirected to.
        """
        if not self._names:
            return url
        segments = _segments(url)
        for moved, name in self._names.items():
            if tuple(segments[: len(moved)]) == moved:
                segments[len(moved) - 1] = name
        return urlsplit(url)._replace(path="/".join(segments) + _EXTENSION).geturl()


def _segments(url: str) -> list[str]:
    return urlsplit(url).path.removesuffix(_EXTENSION).split("/")
