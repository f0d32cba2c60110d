"""What an archive says of itself is never more than it knows."""

import pytest

import dirframe
from dirframe.archive.archive import Archive
from dirframe.errors import (
    ArchiveError,
    DirframeError,
    IncompleteWarning,
    QuotaExceededError,
)
from dirframe.provenance import caption
from tests.archive.conftest import Reshuffled, kept
from tests.rig.server import Rig
from tests.rig.today import Today


def test_caption_and_citation_say_what_is_not_proven(harvests):
    rig = kept()
    harvest = harvests(rig)
    with rig.in_process():
        harvest.over_days(60)
    frame = harvest.check()
    texts = [caption(frame), *(dirframe.cite(frame, style=s) for s in ("text", "bibtex"))]
    assert all("ounted, not proven" in text for text in texts)
    assert {"2026-11-02", "2026-11-03"} <= set(
        frame.attrs["dirframe"]["incomplete_reason"].replace(",", "").split()
    )


def test_order_that_does_not_hold_names_the_one_that_would(harvests):
    cases = [
        (Today(300), {"sort": "users"}, "project_name", True),
        (Reshuffled(300, kind="account"), {}, "project_name", False),
    ]
    for rig, options, sort, is_named in cases:
        harvest = harvests(rig)
        harvest.path = harvest.folder / f"{rig.kind}.archive"
        with rig.in_process():
            status = harvest.run(**options).status()
            frame = harvest.check()
        assert status.completeness == "incomplete"
        assert len(rig.sent) <= 30 + 3
        assert f"{len(frame):,}" in status.reason
        assert "300" in status.reason
        assert (sort in status.reason) == is_named


def test_unfinished_archive_says_so(harvests):
    rig = Rig(55)
    harvest = harvests(rig)
    with rig.in_process(), pytest.raises(QuotaExceededError):
        harvest.run({"daily_quota": 2})
    archive = dirframe.open_archive(harvest.path)
    with pytest.warns(IncompleteWarning) as caught:
        frame = archive.frame()
    assert caught[0].filename == __file__
    assert (len(frame), frame.attrs["dirframe"]["complete"]) == (20, False)
    assert "20 of 55" in str(archive)
    assert "4 requests" in str(archive)
    assert "day" not in str(archive).replace("today", "")
    assert "1 day at 1,000" in str(Archive(harvest.path, 1_000))
    assert archive._repr_html_()


def test_archive_without_pages_says_so(harvests):
    rig = Rig(55, key="another")
    harvest = harvests(rig)
    with rig.in_process(), pytest.raises(DirframeError):
        harvest.run({"key": "wrong key 12345"})
    archive = dirframe.open_archive(harvest.path)
    assert (archive.status().records, archive.status().finished) == (0, False)
    assert str(archive)
    for read in (archive.frame, lambda: next(archive.chunks())):
        with pytest.raises(ArchiveError):
            read()
