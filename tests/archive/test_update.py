"""An update pays for what changed, says what it cannot know, and forgets nothing."""

from __future__ import annotations

import importlib
import warnings
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from random import Random
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import dirframe
from dirframe.archive import writer
from dirframe.client.http import client
from dirframe.errors import ArchiveError, IncompleteWarning, QuotaExceededError, ServiceError
from tests.archive.living import LivingShelf
from tests.archive.test_harvest import LINE as HARVEST
from tests.faults import faults
from tests.faults.service import FaultyService, numbered
from tests.forked import kill_after_requests

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo
    from pathlib import Path

    from dirframe.service.server import Service
    from tests.archive.test_harvest import Ask


LINE = HARVEST.replace('dirframe.harvest("projects", folder', "dirframe.update(folder")


@pytest.fixture
def shelf() -> LivingShelf:
    """Hold 300 projects on thirty pages."""
    return LivingShelf(300)


@pytest.fixture
def service(shelf: LivingShelf) -> Iterator[FaultyService]:
    with FaultyService(shelf) as service:
        yield service


@pytest.fixture
def folder(service: FaultyService, ask: Ask, tmp_path: Path) -> Path:
    """Harvest everything, and forget that it was asked for."""
    archive = dirframe.harvest("projects", tmp_path / "a", directory=ask(service))
    assert archive.status().complete
    service.forget()
    return archive.path


def names(frame: pd.DataFrame) -> dict[str, str]:
    assert frame["id"].is_unique
    return dict(zip(frame["id"], frame["name"], strict=True))


def true_names(service: FaultyService, ask: Ask) -> dict[str, str]:
    loaded = dirframe.load_projects(directory=ask(service), progress=False, refresh=True)
    return names(loaded)


def test_only_what_changed_is_paid_for_and_the_old_state_stays(
    shelf: LivingShelf, service: FaultyService, ask: Ask, folder: Path
) -> None:
    before, at = dirframe.open_archive(folder).frame(), datetime.now(UTC)
    for one in ("7", "150", "299"):
        shelf.touch(one)
    shelf.add("301")
    archive = dirframe.update(folder, directory=ask(service))
    assert len(service.asked) == 2  # the newest page, and whether the oldest is another
    assert names(archive.frame()) == true_names(service, ask)
    assert archive.frame().attrs["dirframe"]["complete"] is True
    assert names(archive.frame(as_of=at)) == names(before)
    found = dirframe.compare(archive.frame(as_of=at), archive.frame())
    assert set(found.changed["id"]) == {"7", "150", "299"}
    assert (list(found.new["id"]), len(found.gone)) == (["301"], 0)


@pytest.mark.parametrize("hours", [5, 40 * 24])
def test_a_clock_that_was_ahead_hides_no_change(
    shelf: LivingShelf,
    service: FaultyService,
    ask: Ask,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    hours: int,
) -> None:
    class Ahead(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # as asked for
            return datetime.now(tz) + timedelta(hours=hours)

    with monkeypatch.context() as patch:
        for module in (client, writer):
            patch.setattr(module, "datetime", Ahead)
        archive = dirframe.harvest(
            "projects", tmp_path / "a", directory=ask(service), requests_per_day=40
        )
    for one in numbered(25):
        shelf.touch(one)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        archive = dirframe.update(archive.path, directory=ask(service))
    assert names(archive.frame()) == true_names(service, ask)
    with pytest.raises(QuotaExceededError) as caught:
        dirframe.update(archive.path, directory=ask(service), requests_per_day=1)
    assert caught.value.resets_at is not None
    assert caught.value.resets_at <= datetime.now(UTC) + timedelta(days=1)


def test_an_update_when_nothing_changed_costs_two_requests(
    service: FaultyService, ask: Ask, folder: Path
) -> None:
    for number in range(1, 4):
        archive = dirframe.update(folder, directory=ask(service))
        assert (len(service.asked), archive.status().rounds) == (2 * number, 1 + number)
    assert (len(archive.frame()), archive.status().complete) == (300, True)


def test_it_stops_at_the_quota_and_goes_on_while_pages_move(
    shelf: LivingShelf, service: FaultyService, ask: Ask, folder: Path
) -> None:
    for one in numbered(75):
        shelf.touch(one)
    with pytest.raises(QuotaExceededError, match="3 pages of changes"):
        dirframe.update(folder, directory=ask(service), requests_per_day=31 + 4)
    assert not dirframe.open_archive(folder).status().finished
    assert len(dirframe.open_archive(folder).frame()) == 300  # the state before
    for one in ("5", "200", "201", "202"):
        shelf.touch(one)
    for one in ("301", "302"):
        shelf.add(one)
    archive = dirframe.update(folder, directory=ask(service))
    assert names(archive.frame()) == true_names(service, ask)
    assert archive.status().complete


def test_what_was_removed_is_named_and_stays_in_the_state_before(
    shelf: LivingShelf, service: FaultyService, ask: Ask, folder: Path
) -> None:
    at = datetime.now(UTC)
    shelf.remove("42")
    shelf.touch("43")
    shelf.add("301")
    archive = dirframe.update(folder, directory=ask(service))
    assert len(service.asked) <= 2 + 10
    assert archive.status().complete
    assert names(archive.frame()) == true_names(service, ask)
    found = dirframe.compare(archive.frame(as_of=at), archive.frame())
    assert (list(found.gone["id"]), list(found.new["id"])) == (["42"], ["301"])
    service.forget()
    archive = dirframe.update(folder, directory=ask(service))
    assert (len(service.asked), archive.status().complete) == (2, True)
    shelf.add("42")  # and it is there again
    archive = dirframe.update(folder, directory=ask(service))
    assert names(archive.frame()) == true_names(service, ask)


def test_the_quota_may_end_while_the_removed_are_looked_for(
    shelf: LivingShelf, service: FaultyService, ask: Ask, folder: Path
) -> None:
    for one in ("20", "150", "290"):
        shelf.remove(one)
    with pytest.raises(QuotaExceededError):
        dirframe.update(folder, directory=ask(service), requests_per_day=31 + 6)
    with pytest.warns(IncompleteWarning, match="3 records were removed"):
        assert len(dirframe.open_archive(folder).frame()) == 300
    shelf.touch("21")
    shelf.remove("22")
    archive = dirframe.update(folder, directory=ask(service))
    assert names(archive.frame()) == true_names(service, ask)
    assert archive.status().complete


def test_what_was_removed_is_named_by_the_time_of_creation_too(
    shelf: LivingShelf, service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    shelf.honours = ("created_at", "updated_at", "updated_at_reverse")
    folder = dirframe.harvest("projects", tmp_path / "b", directory=ask(service)).path
    service.forget()
    for one in ("42", "43"):
        shelf.remove(one)
    for one in ("301", "302"):
        shelf.add(one)
    archive = dirframe.update(folder, directory=ask(service))
    assert len(service.asked) <= 2 + 10
    assert archive.status().complete
    assert names(archive.frame()) == true_names(service, ask)


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_any_instant_nothing_is_lost_or_counted_twice(
    seed: int, shelf: LivingShelf, service: FaultyService, ask: Ask, folder: Path
) -> None:
    chance = Random(seed)
    before = names(dirframe.open_archive(folder).frame())
    for one in numbered(45):
        shelf.touch(one)
    for one in ("100", "200"):
        shelf.remove(one)
    service.always = faults.late(0.01)
    for _ in range(3):
        kill_after_requests(service, chance, LINE, service.url, str(folder))
        archive = dirframe.open_archive(folder)
        kept = sum(one.pages for one in archive.rounds) - 31
        # What was on its way is lost, and what only looked whether the directory can sort so.
        assert kept <= len(service.asked) <= kept + 3 * 3
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IncompleteWarning)  # that some are gone is known
            assert names(archive.frame()).keys() == before.keys()
    asked = len(service.asked)
    archive = dirframe.update(folder, directory=ask(service))
    assert len(service.asked) - asked <= 2 + 5 + 20
    assert names(archive.frame()) == true_names(service, ask)
    assert archive.status().complete


def test_what_was_removed_is_counted_where_no_order_keeps_still(
    shelf: LivingShelf, service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    shelf.honours = ("updated_at", "updated_at_reverse")
    folder = dirframe.harvest("projects", tmp_path / "b", directory=ask(service)).path
    service.forget()
    shelf.remove("42")
    archive = dirframe.update(folder, directory=ask(service))
    assert len(service.asked) == 2
    assert "1 record was removed" in str(archive.status())
    with pytest.warns(IncompleteWarning, match="1 record was removed"):
        assert "42" in set(archive.frame()["id"])
    at = datetime.now(UTC)
    archive = dirframe.update(folder, directory=ask(service), full=True)
    assert archive.status().complete
    assert names(archive.frame()) == true_names(service, ask)
    with pytest.warns(IncompleteWarning):
        found = dirframe.compare(archive.frame(as_of=at), archive.frame())
    assert list(found.gone["id"]) == ["42"]


@pytest.mark.parametrize("seed", range(4))
def test_any_history_is_followed_and_every_day_of_it_stays(
    seed: int, ask: Ask, tmp_path: Path
) -> None:
    chance, shelf = Random(seed), LivingShelf(60 + 20 * seed)
    acts = [
        lambda: shelf.add(str(1_000 + len(shelf.states))),
        lambda: shelf.remove(chance.choice(shelf.states[-1])),
        lambda: shelf.touch(chance.choice(shelf.states[-1])),
    ]

    def seldom(_: object) -> None:
        if chance.random() < 0.1:
            chance.choice(acts)()

    with FaultyService(shelf) as service:
        folder = dirframe.harvest("projects", tmp_path / "b", directory=ask(service)).path
        days = [(datetime.now(UTC), set(shelf.states[-1]))]
        for _ in range(5):
            for _ in range(chance.randrange(12)):
                chance.choice(acts)()
            service.before = seldom
            dirframe.update(folder, directory=ask(service))
            service.before = None
            archive = dirframe.update(folder, directory=ask(service))
            assert names(archive.frame()) == true_names(service, ask)
            assert archive.status().complete
            days.append((datetime.now(UTC), set(shelf.states[-1])))
    for at, ids in days:
        assert set(archive.frame(as_of=at)["id"]) == ids


@pytest.mark.parametrize("less", [1, 5, 10, 20, 100])
def test_a_count_that_is_too_small_names_nothing(
    less: int, shelf: LivingShelf, service: FaultyService, ask: Ask, folder: Path
) -> None:
    shelf.told = lambda true: true - less
    archive = dirframe.update(folder, directory=ask(service))
    assert not archive.status().complete
    with pytest.warns(IncompleteWarning):
        assert len(archive.frame()) == 300


@pytest.mark.parametrize("default", ["created_at_reverse", "id", "updated_at_reverse"])
def test_a_directory_that_ignores_the_sort_is_asked_for_everything(
    default: str, shelf: LivingShelf, service: FaultyService, ask: Ask, folder: Path
) -> None:
    shelf.honours, shelf.default = (), default
    for one in ("100", "301", "302"):
        (shelf.touch if one == "100" else shelf.add)(one)
    archive = dirframe.update(folder, directory=ask(service))
    assert len(service.asked) > 30
    assert archive.status().complete
    assert names(archive.frame()) == true_names(service, ask)


def test_times_cut_to_midnight_and_equal_ones_lose_nothing(
    shelf: LivingShelf, service: FaultyService, ask: Ask, folder: Path
) -> None:
    shelf.cut_to_days = True
    for one in numbered(25):
        shelf.touch(one)
    archive = dirframe.update(folder, directory=ask(service))
    assert len(service.asked) <= 5
    assert names(archive.frame()) == true_names(service, ask)


def test_a_service_that_fails_begins_no_full_round(
    service: FaultyService, ask: Ask, folder: Path
) -> None:
    service.always = faults.fails("Out of order", 503)
    with pytest.raises(ServiceError):
        dirframe.update(folder, directory=ask(service))
    assert dirframe.open_archive(folder).status().rounds == 1


def test_an_empty_archive_and_none_at_all_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="no file"):
        dirframe.update(tmp_path / "none")


# -- records that are added between others ---------------------------------------------------


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


@pytest.mark.parametrize("form", ["hex", "numbers"])
def test_one_that_is_added_beside_a_removed_one_is_not_taken_for_it(
    form: str, tmp_path: Path
) -> None:
    accounts = Accounts(form, 300, Random(1))
    ids = accounts.ids
    with served(accounts) as (service, directory):
        folder = dirframe.harvest("accounts", tmp_path / "a", directory=directory).path
        new = accounts.add_beside(ids[152])
        for own in (ids[155], ids[40]):
            del accounts.times[own]
        service.reload(accounts.tables())
        for _ in range(2):
            archive = dirframe.update(folder, directory=directory)
            assert archive.status().complete
            assert names(archive.frame()) == accounts.names
    [found] = [one.outcome for one in archive.rounds if one.kind == "removals"]
    assert found is not None
    assert new not in found.gone


@pytest.mark.parametrize("sort", [None, "id_reverse", "created_at"])
@pytest.mark.parametrize("form", ["hex", "numbers", "mixed"])
def test_what_is_called_complete_is_what_there_is_wherever_ids_are_added(
    form: str, sort: str | None, tmp_path: Path
) -> None:
    accounts = Accounts(form, 120, Random(f"{form} {sort}"))
    proven = 0
    with served(accounts) as (service, directory):
        folder = dirframe.harvest("accounts", tmp_path / "a", directory=directory, sort=sort).path
        for step in range(4):
            for _ in range(step):
                accounts.change(backdated=0.3)
            service.reload(accounts.tables())
            archive = dirframe.update(folder, directory=directory)
            before = dirframe.update(folder, directory=directory)
            for one in (archive, before):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", IncompleteWarning)
                    frame = one.frame()
                assert accounts.times.keys() <= set(frame["id"])
                if one.status().complete:
                    assert names(frame) == accounts.names
                    proven += 1
        archive = dirframe.update(folder, directory=directory, full=True)
        assert archive.status().complete
        assert names(archive.frame()) == accounts.names
    assert proven == 8 or sort == "created_at"


def test_one_that_was_created_between_others_is_not_taken_for_a_removed_one(
    shelf: LivingShelf, service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    shelf.honours = ("created_at", "updated_at", "updated_at_reverse")
    folder = dirframe.harvest("projects", tmp_path / "b", directory=ask(service)).path
    shelf.add("301")
    shelf.created["301"] = shelf.created["223"] + timedelta(hours=1)
    for one in ("226", "20"):
        shelf.remove(one)
    archive = dirframe.update(folder, directory=ask(service))
    assert "which records were removed could not be found" in str(archive.status())
    with pytest.warns(IncompleteWarning):
        assert set(archive.frame()["id"]) >= set(shelf.states[-1])
    archive = dirframe.update(folder, directory=ask(service), full=True)
    assert names(archive.frame()) == true_names(service, ask)


def test_one_that_was_added_since_the_harvest_may_be_removed_in_the_order_of_creation(
    shelf: LivingShelf, service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    shelf.honours = ("created_at", "updated_at", "updated_at_reverse")
    folder = dirframe.harvest("projects", tmp_path / "b", directory=ask(service)).path
    for one in ("301", "302"):
        shelf.add(one)
    assert dirframe.update(folder, directory=ask(service)).status().complete
    shelf.remove("301")
    archive = dirframe.update(folder, directory=ask(service))
    assert archive.status().complete
    assert names(archive.frame()) == true_names(service, ask)


def test_one_added_and_one_removed_while_changes_are_read_do_not_cancel_out(
    shelf: LivingShelf, service: FaultyService, ask: Ask, folder: Path
) -> None:
    for one in numbered(35):
        shelf.touch(one)
    acts = {3: lambda: shelf.add("301"), 4: lambda: shelf.remove("200")}

    def act(_: object) -> None:
        acts.pop(len(service.asked), lambda: None)()

    service.before = act
    archive = dirframe.update(folder, directory=ask(service))
    assert not acts
    assert archive.status().complete
    assert names(archive.frame()) == true_names(service, ask)


def test_one_that_no_time_of_change_shows_stays_missing_until_a_full_update(
    shelf: LivingShelf, service: FaultyService, ask: Ask, folder: Path
) -> None:
    shelf.add("301")
    shelf.updated["301"] = shelf.updated["150"]
    for gone in (None, "200"):  # the counts agree again, the records do not
        if gone:
            shelf.remove(gone)
        archive = dirframe.update(folder, directory=ask(service))
        assert "300 different records are kept of 301" in str(archive.status())
    archive = dirframe.update(folder, directory=ask(service), full=True)
    assert archive.status().complete
    assert names(archive.frame()) == true_names(service, ask)


def test_changes_that_were_read_with_gaps_are_read_again(
    shelf: LivingShelf,
    service: FaultyService,
    ask: Ask,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class LastWeek(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # as asked for
            return datetime.now(tz) - timedelta(days=7)

    with monkeypatch.context() as patch:
        for module in (client, writer):
            patch.setattr(module, "datetime", LastWeek)
        folder = dirframe.harvest("projects", tmp_path / "b", directory=ask(service)).path
    for one in numbered(25):
        shelf.updated[one] = datetime.now(UTC) - timedelta(days=3, minutes=int(one))
    with monkeypatch.context() as patch:
        patch.setattr(importlib.import_module("dirframe.archive.update"), "_STEPS_BACK", -1_000)
        archive = dirframe.update(folder, directory=ask(service))
    assert "changed too often while its changes were read" in str(archive.status())
    archive = dirframe.update(folder, directory=ask(service))
    assert (archive.rounds[-1].pages, archive.status().complete) == (3, True)


def test_one_added_and_one_removed_behind_a_full_round_do_not_cancel_out(
    shelf: LivingShelf, service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    shelf.remove("100")
    folder = dirframe.harvest("projects", tmp_path / "b", directory=ask(service)).path
    service.forget()

    def act(_: object) -> None:
        if len(service.asked) == 20:
            shelf.add("100")
            for one in ("102", "20"):
                shelf.remove(one)

    service.before = act
    archive = dirframe.update(folder, directory=ask(service), full=True)
    service.before = None
    assert archive.status().complete
    assert names(archive.frame()) == true_names(service, ask)
