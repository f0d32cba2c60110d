"""Answers without a body that keep their connection open."""

from __future__ import annotations

from waitress.task import WSGITask

__all__ = ["PersistentTask"]


class PersistentTask(WSGITask):  # type: ignore[misc]  # waitress ships no types
    """A task that keeps the connection after 204 and 304.

    waitress closes it after each answer without Content-Length. These two have none by RFC
    9110, section 8.6, and end with their header all the same (RFC 9112, section 6.3).
    """

    _closes: bool | None = None

    def build_response_header(self) -> bytes:
        """Return the header, and decide whether the connection ends with the answer."""
        asked = self.request.headers.get("CONNECTION", "").lower()
        if self.version == "1.1" and not self.has_body and asked != "close":
            self._closes = self.close_on_finish
        header: bytes = super().build_response_header()
        self._closes = None
        return header

    def set_close_on_finish(self) -> None:
        """Close the connection after the answer, unless the answer's end is known."""
        if self._closes is not False:
            super().set_close_on_finish()
