"""Of a record that was read more than once, the newest reading counts."""

from __future__ import annotations

from dirframe.archive.manifest import Manifest, Round
from dirframe.archive.pages import Kept, Pages
from dirframe.archive.selection import Selection
from dirframe.schema import PROJECT


def page(number: int, minute: int, *ids: str | None) -> Kept:
    return Kept(
        page=number,
        session=1,
        sha256="0" * 64,
        bytes=1,
        packed=1,
        retrieved=f"2026-11-21T10:{minute:02}:00+00:00",
        first=None,
        available=None,
        names=Kept.joined(ids),
        low=None,
        high=None,
        ordered=True,
        paid=1,
        synthetic=False,
    )


def chosen(*rounds: Round) -> list[str | None]:
    selection = Selection(Manifest(PROJECT, "", "x", None), list(rounds))
    kept: list[str | None] = []
    for one, (*_, mask) in zip(selection.pages, selection.wanted(), strict=True):
        kept += [n for at, n in enumerate(one.ids) if mask is None or mask[at]]
    assert selection.records == len(kept)
    return kept


def test_the_newest_reading_counts_within_a_round_and_between_rounds() -> None:
    drifted = Round(
        1, "whole", None, "", Pages([page(1, 5, "1", "2", None), page(2, 1, "2", "3", "9")])
    )
    assert chosen(drifted) == ["1", "2", None, "3", "9"]
    drifted.end = {"available": 3} | drifted.settled(["1", "2", "3"])
    assert chosen(drifted) == ["1", "2", None, "3"]
    whole = Round(1, "whole", None, "", Pages([page(1, 1, "1", "2"), page(2, 2, "3")]))
    whole.end = {"pages": 2, "available": 3} | whole.settled(["1", "2", "3"])
    assert whole.end["order"] is None
    changes = Round(2, "changes", None, "", Pages([page(1, 3, "2", "4"), page(1, 4, "4")]))
    assert chosen(whole, changes) == ["1", "3", "2", "4"]


def test_ids_are_kept_as_one_text_and_given_back_as_they_were() -> None:
    for ids in ((), (None,), ("1",), ("1", None, "3")):
        kept = page(1, 1, *ids)
        assert (kept.ids, kept.count) == (ids, len(ids))
        assert Kept.of(kept.event(1) | {"ids": list(ids)}) == kept
