"""Where a directory keeps what it redirects: learnt once, so that one hop is paid and not each."""

from __future__ import annotations

from urllib.parse import urlsplit

__all__ = ["MovedPaths"]

_EXTENSION = ".xml"


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
