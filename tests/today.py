"""Our own service in the dialect of today's live one: analyses stand on own pages alone.

The application, the records and the keys are the real ones (`tests.faults.service`); the answers
are changed on their way out, as the live service gives them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from dirframe.service.store.sample import open_data
from tests.faults.service import KEY, FaultyService

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.service import Shelf

__all__ = ["KEY", "TodayService"]

_RECORD = re.compile(rb"<project>\s*<id>([^<]+)</id>.*?</project>", re.DOTALL)
_ANALYSIS = re.compile(rb"<analysis>.*?</analysis>\s*", re.DOTALL)
_ANALYSIS_ID = re.compile(rb"<analysis_id>[^<]*</analysis_id>")
_XML = {"Content-Type": "application/xml; charset=utf-8"}


class TodayService(FaultyService):
    """The service, with collections that hold no analysis.

    Attributes
    ----------
    whole
        Ids of projects that come with their analysis in collections too.
    bare
        Ids of projects that have no analysis: not on their own page either.
    gone, deleted, refused, broken
        Ids of projects whose own page is 404, 200 with a failure, 410 with one, or 500.
    silent
        Ids of projects whose own page has an error alone, without a status.
    others
        What comes instead of the own page of a project: that of another one.
    names
        The ids of projects and accounts that are asked for by a name.
    sends_ids
        Whether collections have the ids of analyses.
    redirects
        Whether own pages are found by a redirect to another path, as the live ones are.
    """

    def __init__(self, data: Path | None = None, **options: Any) -> None:
        self._store = open_data(data)
        self.whole: set[str] = set()
        self.bare: set[str] = set()
        self.gone: set[str] = set()
        self.deleted: set[str] = set()
        self.refused: set[str] = set()
        self.broken: set[str] = set()
        self.silent: set[str] = set()
        self.others: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.sends_ids = True
        self.redirects = False
        super().__init__(cast("Shelf", self._store), **options)

    def close(self) -> None:
        super().close()
        self._store.close()

    @property
    def own_pages(self) -> list[str]:
        """Return whose own pages were asked for, in order."""
        begin = "/projects/"
        return [a.path[len(begin) : -4] for a in self.asked if a.path.startswith(begin)]

    def answer(self, target: str) -> tuple[int, dict[str, str], bytes]:
        """Return what the live service would say: status, headers, body."""
        parts = urlsplit(target)
        if parts.path.startswith("/projects/") and self.redirects:
            where = parts._replace(path=parts.path.replace("/projects/", "/p/", 1)).geturl()
            return 302, {"Location": where, "Content-Length": "0"}, b""
        if parts.path.startswith(("/p/", "/projects/")):
            return self._own_page(target, parts.path.split("/")[2][:-4])
        if parts.path.startswith("/accounts/"):
            asked = parts.path[len("/accounts/") : -4]
            return super().answer(target.replace(asked, self.names.get(asked, asked), 1))
        status, headers, body = super().answer(target)
        if parts.path == "/projects.xml":
            body = _RECORD.sub(self._in_a_collection, body)
        return status, headers, body

    def _in_a_collection(self, record: re.Match[bytes]) -> bytes:
        one, text = record[1].decode(), record[0]
        if not self.sends_ids or one in self.bare:
            text = _ANALYSIS_ID.sub(b"<analysis_id/>" if self.sends_ids else b"", text)
        return text if one in self.whole - self.bare else _ANALYSIS.sub(b"", text)

    def _own_page(self, target: str, asked: str) -> tuple[int, dict[str, str], bytes]:
        one = self.names.get(asked, asked)
        if one in self.gone:
            return 404, _XML, _failed("there is nothing here")
        if one in self.deleted:
            return 200, _XML, _failed(f"{one} has been deleted")
        if one in self.refused:
            return 410, _XML, _failed("not any more")
        if one in self.broken:
            return 500, _XML, _failed("out of order")
        if one in self.silent:
            return 200, _XML, b"<response><error>No Analysis to display.</error></response>"
        one = self.others.get(one, one)
        there = urlsplit(target)._replace(path=f"/projects/{one}.xml").geturl()
        status, headers, body = super().answer(there)
        return status, headers, _ANALYSIS.sub(b"", body) if one in self.bare else body


def _failed(text: str) -> bytes:
    return f"<response><status>failed</status><error>{escape(text)}</error></response>".encode()
