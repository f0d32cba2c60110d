"""What the server does after an answer without a body."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.service.door import Door


def test_an_answer_without_a_body_keeps_the_connection(door: Door) -> None:
    tag = door.keyed("/projects.xml").headers["Etag"]
    same = door.keyed("/projects.xml", "Host: a", f"If-None-Match: {tag}")
    assert (same.status, same.body, same.kept) == (304, b"", True)
    assert "Connection" not in same.headers
    assert door.ask("/projects.xml", method="OPTIONS").kept
    ended = door.keyed("/projects.xml", "Host: a", f"If-None-Match: {tag}", "Connection: close")
    assert (ended.status, ended.kept) == (304, False)
