"""Wherever records are added or removed meanwhile, what is called complete is what there is."""

from __future__ import annotations

import warnings
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING

import pytest

import dirframe
from dirframe.archive import writer
from dirframe.archive.rounds import changes
from dirframe.client.http import client
from dirframe.errors import IncompleteWarning, QuotaExceededError
from tests.archive.living import Accounts, LivingShelf, names, served, true_names
from tests.faults.service import FaultyService, Shelf, numbered

if TYPE_CHECKING:
    from datetime import tzinfo
    from pathlib import Path

    from tests.archive.test_harvest import Ask


@pytest.fixture
def shelf() -> LivingShelf:
    """Hold 300 projects on thirty pages."""
    return LivingShelf(300)


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
        patch.setattr(changes, "_STEPS_BACK", -1_000)
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


@pytest.mark.parametrize("form", ["hex", "numbers"])
def test_one_added_and_one_removed_between_two_days_of_a_harvest_do_not_cancel_out(
    form: str, tmp_path: Path
) -> None:
    accounts = Accounts(form, 300, Random(2))
    ids = accounts.ids
    with served(accounts) as (service, directory):
        with pytest.raises(QuotaExceededError):
            dirframe.harvest("accounts", tmp_path / "a", directory=directory, requests_per_day=8)
        new = accounts.add_beside(ids[52])
        del accounts.times[ids[55]]
        service.reload(accounts.tables())
        archive = dirframe.harvest("accounts", tmp_path / "a", directory=directory)
        assert archive.status().complete
        assert names(archive.frame()) == accounts.names
        assert new in accounts.names
        rounds = archive.status().rounds
        archive = dirframe.harvest("accounts", tmp_path / "a", directory=directory)
    assert archive.status().rounds == rounds


def test_a_full_update_over_two_days_does_not_take_one_for_another(
    shelf: LivingShelf, service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    shelf.remove("100")
    folder = dirframe.harvest("projects", tmp_path / "b", directory=ask(service)).path
    with pytest.raises(QuotaExceededError):
        dirframe.update(folder, directory=ask(service), full=True, requests_per_day=30 + 20)
    shelf.add("100")
    shelf.remove("102")
    archive = dirframe.update(folder, directory=ask(service))
    assert archive.status().complete
    assert names(archive.frame()) == true_names(service, ask)


def test_the_quota_may_end_wherever_a_harvest_of_days_is_checked(
    shelf: LivingShelf, service: FaultyService, ask: Ask, tmp_path: Path
) -> None:
    with pytest.raises(QuotaExceededError):
        dirframe.harvest("projects", tmp_path / "b", directory=ask(service), requests_per_day=20)
    shelf.add("301")
    for one in numbered(25):
        shelf.touch(one)
    shelf.remove("150")
    archive = dirframe.open_archive(tmp_path / "b")
    while not archive.status().finished:
        a_day = sum(one.pages for one in archive.rounds) + 6
        with suppress(QuotaExceededError):
            dirframe.harvest(
                "projects", tmp_path / "b", directory=ask(service), requests_per_day=a_day
            )
        archive = dirframe.open_archive(tmp_path / "b")
        assert len(service.asked) < 100
    assert archive.status().complete
    assert names(archive.frame()) == true_names(service, ask)


@pytest.mark.parametrize("added", ["u010~", "u060"])
def test_ids_that_are_texts_prove_nothing_over_days_where_changes_cannot_be_asked_for(
    added: str, ask: Ask, tmp_path: Path
) -> None:
    shelf = Shelf([f"u{number:03}" for number in range(60)], size=10)
    with FaultyService(shelf) as service:
        with pytest.raises(QuotaExceededError):
            dirframe.harvest("projects", tmp_path / "a", directory=ask(service), requests_per_day=4)
        shelf.change(lambda held: sorted({*held, added, "u061"} - {"u012"}))
        archive = dirframe.harvest("projects", tmp_path / "a", directory=ask(service))
        assert "in an order that does not keep still" in str(archive.status())
        archive = dirframe.update(archive.path, directory=ask(service))
    assert archive.status().complete
    assert set(archive.frame()["id"]) == set(shelf.states[-1])


def test_one_that_is_seen_between_others_disproves_that_ids_are_added_at_one_end(
    ask: Ask, tmp_path: Path
) -> None:
    with FaultyService(Shelf([str(number) for number in range(10, 1_000, 10)], size=10)) as service:
        with pytest.raises(QuotaExceededError):
            dirframe.harvest("projects", tmp_path / "a", directory=ask(service), requests_per_day=5)

        def swap(held: list[str]) -> list[str]:
            return sorted({*held, "55", "455"} - {"70", "460"}, key=int)

        service.shelf.change(swap)
        archive = dirframe.harvest("projects", tmp_path / "a", directory=ask(service))
    assert "in an order that does not keep still" in str(archive.status())
