"""Follow redirects within one origin and remember them, so that each is paid only once."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin, urlsplit

from dirframe.client.http.redaction import remove_key
from dirframe.errors import ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable

    import requests


_EXTENSION = ".xml"


def origin(url: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port of a URL.

    Raises
    ------
    ValueError
        If it is invalid, or contains a user name, which is easily mistaken for the host.
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
        The response; only its status and headers are used.
    url
        The URL of its request, without the key.
    redact
        Removes the key from a text.

    Returns
    -------
    str, ServiceError or None
        The target URL, without the key; the error for a target that must not be requested;
        None if the response is not a redirect.
    """
    if not response.is_redirect:
        return None
    try:
        # Headers are decoded as Latin-1.
        target = urljoin(url, response.headers["Location"].encode("latin-1").decode())
        target = redact(remove_key(urldefrag(target).url))
        if origin(target) == origin(url):
            return target
        return cross_origin_error(url, target)
    except ValueError:
        return ServiceError(f"{url} redirects to what is not an address of the web.", url=url)


def cross_origin_error(url: str, target: str) -> ServiceError:
    """Return the error for a URL with another host, port or scheme."""
    return ServiceError(
        f"{remove_key(url)} redirects to {_site(target)}, which is another host, port or scheme "
        f"than {_site(url)}. It was not followed, so that the key stays with the directory.",
        url=remove_key(url),
    )


def _site(url: str) -> str:
    """Return scheme, host and port, including the default port of a scheme."""
    scheme, host, port = origin(url)
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}" + (f":{port}" if port else "")


class MovedPaths:
    """Folders and collections that a directory redirects to another name.

    Today's live service redirects ``/projects.xml`` and ``/projects/1.xml`` to ``/p.xml`` and
    ``/p/1.xml``. After the first redirect, other documents are requested at their new URLs.
    """

    def __init__(self) -> None:
        self._names: dict[tuple[str, ...], str] = {}

    def learn(self, requested: str, final: str) -> None:
        """Record a redirect if it changes only one name in the path.

        Parameters
        ----------
        asked, answered
            The URLs of the request and of its response, on the same host.
        """
        before, after = _segments(requested), _segments(final)
        if len(before) != len(after) or urlsplit(requested).query != urlsplit(final).query:
            return
        differing = [n for n, name in enumerate(before) if name != after[n]]
        if len(differing) == 1:
            at = differing[0]
            self._names[tuple(before[: at + 1])] = after[at]

    def resolve(self, url: str) -> str:
        """Return the URL of a document, according to the redirects so far.

        Parameters
        ----------
        url
            The URL of the document in the interface.

        Returns
        -------
        str
            That URL, or the one that it would be redirected to.
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
