"""A redirected folder is learnt from its first record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dirframe.client.http.redirects import MovedPaths
from tests.client import Asked, Reply, Server
from tests.client.http.test_client import ONE

if TYPE_CHECKING:
    from collections.abc import Callable

    from dirframe import Directory

HOST = "http://127.0.0.1:8080"


@pytest.mark.parametrize(
    ("asked", "answered", "then", "expected"),
    [
        ("/projects/1.xml", "/p/1.xml", "/projects/2.xml", "/p/2.xml"),
        ("/projects/1.xml", "/p/1.xml", "/projects.xml?page=2", "/p.xml?page=2"),
        ("/projects.xml?page=1", "/p.xml?page=1", "/projects/x%20y.xml", "/p/x%20y.xml"),
        ("/top/projects.xml", "/top/p.xml", "/top/projects.xml?page=2", "/top/p.xml?page=2"),
        ("/projects/1.xml", "/p/1.xml", "/accounts/2.xml?x=%20a", "/accounts/2.xml?x=%20a"),
        # What another name stands for says nothing of others.
        ("/projects/1.xml", "/p/one.xml", "/projects/2.xml", "/projects/2.xml"),
        ("/projects/1.xml", "/projects/one.xml", "/projects/2.xml", "/projects/2.xml"),
        ("/projects/1.xml", "/p/1.xml?moved=1", "/projects/2.xml", "/projects/2.xml"),
        ("/projects/1.xml", "/x/p/1.xml", "/projects/2.xml", "/projects/2.xml"),
    ],
)
def test_what_is_kept_under_another_name_is_asked_for_there(
    asked: str, answered: str, then: str, expected: str
) -> None:
    moved = MovedPaths()
    moved.learn(f"{HOST}{asked}", f"{HOST}{answered}")
    assert moved.resolve(f"{HOST}{then}") == f"{HOST}{expected}"


def test_one_redirect_is_paid_for_and_not_one_for_each_record(
    at: Callable[..., Directory],
) -> None:
    def answer(asked: Asked) -> Reply | bytes:
        if asked.path.startswith("/projects/"):
            return Reply(status=302, headers={"Location": asked.path.replace("projects", "p")})
        return ONE

    with Server(answer) as server:
        session = at(server).session
        paid = [session.get(f"/projects/{number}.xml", {}).attempts for number in range(1, 5)]
        assert paid == [2, 1, 1, 1]
        assert [asked.path for asked in server.asked[2:]] == ["/p/2.xml", "/p/3.xml", "/p/4.xml"]
        again = [session.get(f"/projects/{number}.xml", {}).attempts for number in range(1, 5)]
        assert again == [0, 0, 0, 0]
