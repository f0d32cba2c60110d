"""Loads and harvests of a collection that changes while it is read, by random histories."""

import warnings
from datetime import UTC, datetime, timedelta
from tempfile import TemporaryDirectory

import pytest
import time_machine

import dirframe
from dirframe.errors import IncompleteCollectionError, IncompleteWarning, QuotaExceededError
from tests.rig import histories
from tests.rig.server import Rig, numbered

START = datetime(2026, 11, 2, 9, tzinfo=UTC)


def load(directory, **options):
    """Load projects; return the frame also if it is not complete."""
    try:
        return dirframe.load_projects(directory, progress=False, **options)
    except IncompleteCollectionError as error:
        return error.frame


def harvest(directory):
    """Harvest projects into a file that is removed again, and return the frame."""
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", IncompleteWarning)
        archive = dirframe.harvest("projects", f"{folder}/kept.archive", directory=directory)
        return archive.frame()


@pytest.mark.parametrize("read", [load, harvest])
def test_completeness_of_a_count_that_falls_and_rises_is_of_no_frame_with_a_record_missing(read):
    with Rig(60).in_process() as rig:
        rig.edits = {
            4: lambda ids: [one for one in ids if one != "5"],
            6: lambda ids: [*ids, "new"],
        }
        frame = read(rig.directory())
    claims = frame.attrs["dirframe"]["completeness"]
    missing = {*numbered(60)} - {"5"} - {*frame["id"]}
    assert (claims in {"proven", "counted"} and missing) == set() or claims == "incomplete"
    if read is load:
        assert (claims, set(frame["id"])) == ("proven", set(rig.ids))


@pytest.mark.parametrize("read", [load, harvest])
def test_completeness_in_random_histories_is_never_claimed_of_too_few_records(read):
    faults, claims = histories.run(range(6), lambda rig: read(rig.directory()))
    assert (faults, claims["proven"] > 2) == ({}, True)


def load_over_days(rig, folder, *, each_day, daily_quota):
    """Repeat a load on further days, until it ends; return its frame and the number of days."""
    for day, edit in enumerate([list, *each_day]):
        moment = START + timedelta(days=day, minutes=day)
        with (
            warnings.catch_warnings(),
            time_machine.travel(moment, tick=True),
            rig.directory(folder, daily_quota=daily_quota) as directory,
        ):
            warnings.simplefilter("ignore", dirframe.QuotaWarning)
            rig.edit(edit)
            try:
                return load(directory), day + 1
            except QuotaExceededError:
                pass
    raise AssertionError("not ended")


def without(*removed):
    """Return a change of the ids that removes some."""
    return lambda ids: [one for one in ids if one not in removed]


#: What happens behind each day, and the records that may be missing.
CHANGES = [
    ([without("5")], {"5"}),
    ([without("5", "6", "7")], {"5", "6", "7"}),
    ([without("5"), without("51")], {"5", "51"}),
    ([without("5", "6", "7"), lambda ids: [*ids, "new"]], {"5", "6", "7"}),
    ([lambda ids: [*without("5")(ids), "new"]], {"5"}),
]
#: Six pages in three days, so that days are linked; fifteen in two, of which the last does not fit.
FEW, MANY = (60, 5), (150, 8)


@pytest.mark.parametrize(
    ("number", "daily_quota", "each_day", "lost"),
    [
        *((*FEW, *change) for change in CHANGES),
        *((*MANY, *CHANGES[place]) for place in (0, 4)),
        *(pytest.param(*MANY, *CHANGES[place], marks=pytest.mark.slow) for place in (1, 2, 3)),
    ],
)
def test_completeness_over_days_is_never_claimed_without_a_record_that_was_there(
    tmp_path, number, daily_quota, each_day, lost
):
    with Rig(number).in_process() as rig:
        frame, days = load_over_days(
            rig, tmp_path, each_day=[*each_day, list], daily_quota=daily_quota
        )
    assert days >= 2
    assert {*numbered(number)} - lost <= {*frame["id"]}


@pytest.mark.parametrize("removed", [(), ("5",), ("5", "6", "7")])
def test_completeness_over_days_is_the_same_from_the_cache(tmp_path, removed):
    with Rig(90).in_process() as rig:
        rig_days = [without(*removed), list, list]
        frame, _ = load_over_days(rig, tmp_path, each_day=rig_days, daily_quota=7)
        with time_machine.travel(START + timedelta(days=3), tick=True):
            again = load(rig.directory(tmp_path))
    claims = [one.attrs["dirframe"]["completeness"] for one in (frame, again)]
    assert claims == (["incomplete"] * 2 if removed else ["counted"] * 2)
    assert {*frame["id"]} == {*again["id"]} == {*numbered(90)}
