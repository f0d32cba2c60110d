"""Records that are created, changed and removed, and services that sort them as they are asked."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from typing import TYPE_CHECKING

import pandas as pd

import dirframe
from dirframe.schema import PAGE_SIZE
from dirframe.service.dialects.xml_writer import record_xml
from dirframe.service.store.store import Page
from tests.faults.service import Shelf, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from dirframe.schema import Resource
    from dirframe.service.server import Service
    from tests.archive.test_harvest import Ask
    from tests.faults.service import FaultyService

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


class Accounts:
    """Accounts under ids of any form, each with the times of its creation and its change."""

    def __init__(self, form: str, count: int, chance: Random) -> None:
        self.form, self._chance = form, chance
        self.began = datetime.now(UTC) - timedelta(days=60)
        self.times: dict[str, tuple[datetime, datetime]] = {}
        for number in chance.sample(range(1, 10**6, 10), count):
            digest = sha1(str(number).encode(), usedforsecurity=False).hexdigest()[:8]
            moment = self.began + timedelta(minutes=chance.randrange(50))
            own = {
                "hex": f"u{digest}",
                "numbers": str(number),
                "mixed": f"{'uU'[number % 4 // 2]}{number}",
            }
            self.times[own[form]] = moment, moment

    @property
    def ids(self) -> list[str]:
        return sorted(self.times, key=int if self.form == "numbers" else None)

    @property
    def names(self) -> dict[str, str]:
        return {
            own: f"{own} of {changed:%Y-%m-%d %H:%M:%S.%f}"
            for own, (_, changed) in self.times.items()
        }

    def tables(self) -> dict[str, pd.DataFrame]:
        created, updated = zip(*self.times.values(), strict=True)
        names = self.names
        table = pd.DataFrame({"id": list(names), "name": list(names.values())})
        picture = "https://x.example/a.png"
        return {
            "accounts": table.assign(
                created_at=created, updated_at=updated, posts_count=1, avatar_url=picture
            )
        }

    def add_beside(self, own: str, *, at: datetime | None = None) -> str:
        numeric = self.form == "numbers"
        new = str(int(own) + self._chance.randrange(1, 9)) if numeric else f"{own[:-1]}~"
        self.times[new] = at or datetime.now(UTC), datetime.now(UTC)
        return new

    def change(self, *, backdated: float) -> None:
        """Add, remove and change some that are neighbours in the order of ids."""
        chance = self._chance
        first = chance.randrange(len(self.times) - 7)
        beside = self.ids[first : first + 7]
        added, removed = chance.choice([(0, 1), (1, 1), (2, 2), (1, 2), (1, 0), (0, 0)])
        for own in chance.sample(beside, removed):
            del self.times[own]
        for own in chance.sample(beside, added):
            at = self.began + timedelta(minutes=chance.randrange(50))
            self.add_beside(own, at=at if chance.random() < backdated else None)
        changed = chance.choice(self.ids)
        self.times[changed] = self.times[changed][0], datetime.now(UTC)


@contextmanager
def served(accounts: Accounts) -> Iterator[tuple[Service, dirframe.Directory]]:
    service = dirframe.serve(accounts.tables(), name="any ids")
    assert service.api_key is not None
    with (
        service as url,
        dirframe.Directory(
            url, service.api_key.reveal(), name="any ids", cache=False, quota_dir=None
        ) as directory,
    ):
        yield service, directory


def names(frame: pd.DataFrame) -> dict[str, str]:
    assert frame["id"].is_unique
    return dict(zip(frame["id"], frame["name"], strict=True))


def true_names(service: FaultyService, ask: Ask) -> dict[str, str]:
    loaded = dirframe.load_projects(directory=ask(service), progress=False, refresh=True)
    return names(loaded)
