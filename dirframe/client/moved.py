"""Where a directory keeps what it redirects: learnt once, so that one hop is paid and not each."""

from __future__ import annotations

from urllib.parse import urlsplit

__all__ = ["MovedPaths"]


class MovedPaths:
    """Folders of a directory that redirect to another folder, record by record.

    Today's live service answers ``/projects/1.xml`` with a redirect to ``/p/1.xml``. After the
    first one the others of that folder are asked for where they are.
    """

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def learn(self, asked: str, answered: str) -> None:
        """Note a redirect, if the name of what was asked for stayed the same.

        Parameters
        ----------
        asked, answered
            The addresses of the request and of its answer, on the same host.
        """
        before, after = urlsplit(asked), urlsplit(answered)
        folder, name = _split(before.path)
        to_folder, to_name = _split(after.path)
        if name == to_name and folder != to_folder and before.query == after.query:
            self._folders[folder] = to_folder

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
        parts = urlsplit(url)
        folder, name = _split(parts.path)
        return parts._replace(path=self._folders.get(folder, folder) + name).geturl()


def _split(path: str) -> tuple[str, str]:
    folder, slash, name = path.rpartition("/")
    return folder + slash, name
