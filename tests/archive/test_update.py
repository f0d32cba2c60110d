"""An update pays for what changed, says what it cannot know, and forgets nothing."""

from __future__ import annotations

import warnings
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING

import pytest

import dirframe
from dirframe.archive import writer
from dirframe.client.http import client
from dirframe.errors import ArchiveError, IncompleteWarning, QuotaExceededError, ServiceError
from tests.archive.living import LivingShelf, names, true_names
from tests.archive.test_harvest import LINE as HARVEST
from tests.faults import faults
from tests.faults.service import FaultyService, numbered
from tests.forked import kill_after_requests

if TYPE_CHECKING:
    from datetime import tzinfo
    from pathlib import Path

    from tests.archive.test_harvest import Ask


LINE = HARVEST.replace('dirframe.harvest("projects", folder', "dirframe.update(folder")


@pytest.fixture
def shelf() -> LivingShelf:
    """Hold 300 projects on thirty pages."""
    return LivingShelf(300)


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
