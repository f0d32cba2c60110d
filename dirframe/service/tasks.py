"""Keep connections open after responses without a body, unlike waitress."""

from __future__ import annotations

from waitress.task import WSGITask


class PersistentTask(WSGITask):  # type: ignore[misc]  # waitress ships no types
    """A task that keeps the connection open after 204 and 304.

    waitress closes the connection after a response without Content-Length. 204 and 304 have none
    (RFC 9110, section 8.6) and end with their header (RFC 9112, section 6.3).
    """

    _closes: bool | None = None

    def build_response_header(self) -> bytes:
        """Return the header, and decide whether to close the connection."""
        connection = self.request.headers.get("CONNECTION", "").lower()
        if self.version == "1.1" and not self.has_body and connection != "close":
            self._closes = self.close_on_finish
        header: bytes = super().build_response_header()
        self._closes = None
        return header

    def set_close_on_finish(self) -> None:
        """Close the connection after the response, unless its end is known."""
        if self._closes is not False:
            super().set_close_on_finish()
