"""For every schedule of faults and edits: a proven complete frame, or an error; nothing else."""

import re
from itertools import cycle

import pytest
from hypothesis import example, given

import dirframe
from tests.faults import error_of, load
from tests.faults.schedules import LIES, SCHEDULES, check_schedule
from tests.rig import faults

USUAL = {"size": 5, "past_end_is_first": False, "workers": 1, "incomplete": "raise", "schedule": {}}


@given(**SCHEDULES)
@example(count=11, changes=("growing", {1: ("turn", 2)}), **USUAL)
@example(count=11, changes=("growing", dict.fromkeys((1, 2), ("to the front", 0))), **USUAL)
def test_load_is_a_whole_state_of_the_collection_or_is_said_not_to_be(**schedule):
    check_schedule(**schedule)


def test_load_over_pages_that_lost_a_record_reads_them_again_or_is_an_error(rig):
    rig.on_page[3] = [LIES["a record lost"]]
    assert load(rig.directory()) == rig.ids
    assert rig.pages.count(3) == 2
    rig.forget()
    rig.on_page[3] = [LIES["a record lost"]] * 99
    error = error_of(rig.directory())
    assert isinstance(error, dirframe.IncompleteCollectionError)
    assert len(error.frame) == 54
    assert len(rig.requests) < 60


@pytest.mark.parametrize(("workers", "more"), [(1, [0, 1]), (4, range(100))])
def test_load_with_a_count_that_changes_all_the_time_is_an_error(workers, more, rig):
    numbers = cycle(more)
    rig.items_available = lambda count: count + next(numbers)
    error = error_of(rig.directory(workers=workers))
    assert isinstance(error, dirframe.IncompleteCollectionError)
    assert len(rig.requests) < 60


def test_load_without_positions_is_proven_by_the_count(rig):
    without = re.compile(rb"<first_item_position>\d+</first_item_position>")
    rig.always = faults.rewrites(lambda body: without.sub(b"", body))
    assert load(rig.directory()) == rig.ids


def test_stored_page_without_a_count_is_asked_for_again(rig, tmp_path):
    directory = rig.directory(tmp_path)
    rig.on_page[6] = [LIES["no count"]] * 2
    rig.on_page[3] = [faults.FAULTS["500"]] * 2
    outcomes = []
    for _ in range(3):
        try:
            outcomes.append(load(directory))
        except dirframe.DirframeError as error:
            outcomes.append(error)
    assert outcomes[-1] == rig.ids
