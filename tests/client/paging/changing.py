"""A collection that changes while it is read, and the walk through it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from dirframe.client.paging.paginator import Paginator
from dirframe.schema import PROJECT
from tests.client import fetched, page_xml, record

if TYPE_CHECKING:
    from collections.abc import Callable

    from dirframe.client.http.client import FetchedPage
    from dirframe.client.paging.paginator import CollectionResult, Fetch

#: When the first page is fetched.
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class Changing:
    """A collection that may change before each reading, paged by its positions."""

    def __init__(
        self,
        ids: list[str],
        *,
        size: int = 25,
        past: str = "empty",
        edit: Callable[[int, list[str]], list[str]] | None = None,
        count: Callable[[int, int], int | None] = lambda _, true: true,
    ) -> None:
        self.ids, self.size, self.past = ids, size, past
        self.edit, self.count = edit, count
        self.states = [list(ids)]
        self.asked: list[tuple[int, bool]] = []

    def __call__(self, page: int, *, refresh: bool = False) -> FetchedPage:
        self.asked.append((page, refresh))
        reading = len(self.asked)
        if self.edit is not None and reading > 1:
            self.ids = self.edit(reading, list(self.ids))
            self.states.append(list(self.ids))
        start = (page - 1) * self.size
        if start >= len(self.ids) and self.past == "page 1":
            start = 0
        shown = self.ids[start : start + self.size]
        content = page_xml(
            map(record, shown),
            available=self.count(reading, len(self.ids)),
            first=start,
            result=bool(shown) or self.past != "no result",
        )
        moment = BEGIN + timedelta(seconds=reading)
        return fetched(content, f"http://127.0.0.1/projects.xml?page={page}", moment, 1)


def ids(count: int) -> list[str]:
    return [str(number) for number in range(1, count + 1)]


def walk(fetch: Fetch, **options: Any) -> CollectionResult:
    return Paginator(fetch, PROJECT, **options).run()
