"""A shelf whose records are created, changed and removed, and that sorts by what it is asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from dirframe.schema import PAGE_SIZE
from dirframe.service.dialects.xml_writer import record_xml
from dirframe.service.store.store import Page
from tests.faults.service import Shelf, numbered

if TYPE_CHECKING:
    from dirframe.schema import Resource

__all__ = ["LivingShelf"]

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


class LivingShelf(Shelf):
    """Projects that were created a day after one another, and never changed since.

    `honours` names the sorts that it knows; any other is that of `default`.
    """

    def __init__(self, count: int, *, size: int = 10) -> None:
        super().__init__(numbered(count), size=size)
        self.honours: tuple[str, ...] = ("id", "created_at", "updated_at", "updated_at_reverse")
        self.default = "created_at_reverse"
        self.created = {one: LONG_AGO + timedelta(days=int(one)) for one in numbered(count)}
        self.updated = dict(self.created)
        self.cut_to_days = False

    def add(self, one: str) -> None:
        self.created[one] = self.updated[one] = datetime.now(UTC)
        self.change(lambda held: [*held, one])

    def touch(self, one: str) -> None:
        self.updated[one] = datetime.now(UTC)

    def remove(self, one: str) -> None:
        self.change(lambda held: [other for other in held if other != one])

    def page(
        self,
        resource: Resource,
        *,
        query: str = "",
        sort: str | None = None,
        page: int = 1,
        page_size: int = PAGE_SIZE,
    ) -> Page:
        wanted = sort if sort in self.honours else self.default
        assert wanted is not None
        key = wanted.removesuffix("_reverse")
        times = {"created_at": self.created, "updated_at": self.updated}.get(key)
        ids = sorted(
            self._ids,
            key=lambda one: (times[one] if times else LONG_AGO, int(one)),
            reverse=wanted.endswith("_reverse"),
        )
        first = (page - 1) * self.size
        shown = [self._living(resource, one) for one in ids[first : first + self.size]]
        return Page(shown, self.told(len(ids)), first)

    def _living(self, resource: Resource, one: str) -> str:
        times = {"created_at": self.created[one], "updated_at": self.updated[one]}
        form = "%Y-%m-%dT00:00:00Z" if self.cut_to_days else "%Y-%m-%dT%H:%M:%SZ"
        texts = {name: f"{time:{form}}" for name, time in times.items()}
        name = f"project {one}, changed {self.updated[one]:%Y-%m-%d %H:%M:%S.%f}"
        return record_xml(resource, {"id": one, "name": name} | texts)
