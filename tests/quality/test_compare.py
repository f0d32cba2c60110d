"""What changed between two loads: each record is new, gone, changed or the same."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import compare, provenance
from dirframe.errors import InvalidInputError
from tests.oracle import LANGUAGE, PEOPLE

SAME = "0 new, 0 gone, 0 changed, {} the same"


def frame(records):
    languages, people = zip(*records.values(), strict=True) if records else ((), ())
    return pd.DataFrame(
        {
            "id": pd.Series([*records], dtype="str"),
            "name": pd.Series([f"Name of {key}" for key in records], dtype="str"),
            LANGUAGE: pd.Series([*languages], dtype="str"),
            PEOPLE: pd.Series([*people], dtype="Int64"),
        }
    )


rows = st.dictionaries(
    st.sampled_from("abcdef"),
    st.tuples(st.none() | st.sampled_from(["C", "Java"]), st.none() | st.integers(-1, 3)),
)


@given(rows, rows)
def test_compare_finds_each_record_new_gone_changed_or_the_same(before, after):
    found = compare(frame(before), frame(after))
    both = [key for key in after if key in before]
    new = [key for key in after if key not in before]
    gone = [key for key in before if key not in after]
    assert found.new["id"].tolist() == new
    assert found.gone["id"].tolist() == gone
    assert [*found.new] == [*found.gone] == [*frame({})]
    cells = [
        (key, column, *pair)
        for key in both
        for column, *pair in zip((LANGUAGE, PEOPLE), before[key], after[key], strict=True)
        if pair[0] != pair[1]
    ]
    shown = found.changed.astype("object").where(found.changed.notna(), None).to_numpy().tolist()
    assert shown == [[None if cell is None else str(cell) for cell in row] for row in cells]
    changed = len({key for key, *_ in cells})
    numbers = f"{len(new)} new, {len(gone)} gone, {changed} changed, {len(both) - changed} the same"
    assert found.title == numbers


def test_compare_finds_no_change_by_a_file(sample_projects):
    buffer = io.BytesIO()
    some = sample_projects.head(50)
    some.to_parquet(buffer)
    assert compare(some, pd.read_parquet(buffer)).title == SAME.format(50)
    assert compare(some, some.iloc[::-1]).title == SAME.format(50)


def test_compare_says_both_sources():
    found = compare(frame({"a": ("C", 1)}), frame({"b": ("C", 1)}))
    assert len(found.notes) == 2


@pytest.mark.parametrize(
    ("first", "second", "facts"),
    [
        ({"complete": False}, {}, ["`before`"]),
        ({}, {"complete": False}, ["`after`"]),
        ({"query": {"query": "x"}}, {}, []),
        ({"items_loaded": 2}, {"items_loaded": 1}, ["`before`", "1 of 2"]),
    ],
)
def test_compare_says_what_is_not_whole_or_of_another_query(first, second, facts):
    before = provenance.set_provenance(frame({"a": ("C", 1)}), **first)
    after = provenance.set_provenance(frame({"b": ("C", 1)}), **second)
    note, *sources = compare(before, after).notes
    assert len(sources) == 2
    assert [fact for fact in facts if fact not in note] == []


def test_compare_is_shown_as_text_and_html():
    found = compare(frame({"a": ("C", 9)}), frame({"a": ("C", 2)}).assign(**{"<script>": 1}))
    assert PEOPLE in str(found)
    assert "<script>" in str(found)
    assert "<script>" not in found._repr_html_()


def test_new_and_gone_keep_the_provenance_of_their_snapshot():
    before = provenance.set_provenance(frame({"a": ("C", 1)}), source="Then")
    after = provenance.set_provenance(frame({"b": ("C", 1)}), source="Now")
    found = compare(before, after)
    assert provenance.get_provenance(found.gone)["source"] == "Then"
    assert provenance.get_provenance(found.new)["source"] == "Now"
    assert "Then" in found.notes[-2]
    assert "Now" in found.notes[-1]


TWO = frame({"7": ("C", 1), "8": ("C", 1)})


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        (TWO, pd.concat([TWO, TWO]), "`after`.*2.*drop_duplicates"),
        (TWO.assign(id=[7, "7"]), TWO, "`before`.*1"),
        (TWO.assign(id=pd.Series(["7", None])), TWO, "`before`.*1"),
        (TWO, TWO.assign(id=[7.0, 8.0]), "`after`"),
        (TWO, pd.concat([TWO, TWO[["name"]]], axis=1), "name"),
        (
            provenance.set_provenance(TWO.copy(), resource="project"),
            provenance.set_provenance(TWO.copy(), resource="account"),
            "project.*account",
        ),
        (pd.DataFrame(), TWO, "id"),
        ([1], TWO, None),
    ],
    ids=[
        "ids twice",
        "ids of two types",
        "id missing",
        "ids with fractions",
        "columns twice",
        "two kinds",
        "no id",
        "no frame",
    ],
)
def test_snapshots_that_cannot_be_matched_are_refused(before, after, named):
    with pytest.raises(InvalidInputError, match=named):
        compare(before, after)


def test_columns_of_one_side_are_said():
    before = frame({"a": ("C", 1)})
    found = compare(before.assign(old=1), before.drop(columns="name").assign(new=1))
    assert found.title == SAME.format(1)
    assert re.search("`before` .* name, old", found.notes[0])
    assert re.search("`after` .* new", found.notes[1])


@pytest.mark.parametrize("dtype", ["int64", "Int64", "category", "object", "string"])
def test_ids_are_matched_whatever_their_dtype(dtype):
    one = frame({"7": ("C", 1), "12": ("Java", 2)})
    other = one.assign(id=one["id"].astype("int64").astype(pd.api.types.pandas_dtype(dtype)))
    assert compare(one, other).title == SAME.format(2)
    assert compare(other, one).title == SAME.format(2)


# What counts as the same value


def array(*values):
    """Return an array of these objects, which may be lists and arrays."""
    return np.array([*values, None], dtype=object)[:-1]


def changed_rows(before, after):
    """Compare two columns record by record; return the places of those that changed."""
    frames = [
        pd.DataFrame({"id": [str(n) for n in range(len(column))], "cell": column})
        for column in (before, after)
    ]
    return [int(number) for number in compare(*frames).changed["id"]]


def test_compare_of_lists_and_mappings_ignores_their_order():
    pairs = [
        ([1, "a", None], array(None, "a", 1)),
        ([[1, 2], [2]], array([2], array(2, 1))),
        ([{"x": 1, "y": [1, {"z": 2}]}], [{"y": [{"z": 2}, 1], "x": 1}]),
        ({"x": None, "y": 2}, {"y": 2}),
        ([1], [1, 1]),
        ([1], ["1"]),
        ([], None),
        ({"x": 1}, {"x": 1, "y": 2}),
        ([[1], [2]], [[1, 2]]),
    ]
    before, after = (array(*side) for side in zip(*pairs, strict=True))
    assert changed_rows(before, after) == changed_rows(after, before) == [4, 5, 6, 7, 8]


def test_compare_shows_a_changed_list_or_mapping_in_one_order():
    frames = [
        pd.DataFrame({"id": ["1", "2"], "cell": array(*cells)})
        for cells in ([[1, "a"], {"x": [1, {"y": 2}]}], [["b", 1], {"x": [{"y": 3}, 1]}])
    ]
    assert compare(*frames).changed["after"].tolist() == ['[1, "b"]', '{"x": [{"y": 3}, 1]}']


MOMENTS = pd.to_datetime(pd.Series(["1990-01-01 00:00:00", "2029-12-31 23:59:59"]), utc=True)


@pytest.mark.parametrize(
    "other",
    [
        MOMENTS.dt.tz_convert("Asia/Tokyo"),
        MOMENTS.dt.tz_localize(None),
        MOMENTS.dt.as_unit("ns"),
    ],
    ids=["Tokyo", "without a zone", "ns"],
)
def test_compare_of_moments_ignores_zone_and_unit(other):
    known = MOMENTS.dt.as_unit("us")
    assert changed_rows(known, other) == changed_rows(other, known) == []
    assert changed_rows(other, MOMENTS + pd.Timedelta(1, "s")) == [0, 1]


SMALL = pd.Series([7, -3, None, 0, 2**53 - 1], dtype="Int64")
LARGE = pd.Series([2**62, None], dtype="Int64")
BOOLEANS = pd.Series([True, False])


@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [
        (SMALL, "object"),
        (SMALL, "category"),
        (SMALL, "Float64"),
        (LARGE, "object"),
        (LARGE, "category"),
        (BOOLEANS, "int64"),
        (BOOLEANS, "float64"),
        (BOOLEANS, "object"),
    ],
)
def test_compare_of_numbers_ignores_their_dtype(numbers, dtype):
    known = numbers.notna().to_numpy().nonzero()[0].tolist()
    other = numbers.astype(dtype)
    assert changed_rows(numbers, other) == changed_rows(other, numbers) == []
    assert changed_rows(other, numbers.astype("Int64") + 1) == known


def test_compare_of_numbers_and_rounded_ones_or_texts_is_a_change():
    rounded = pd.Series([2**53 + 1], dtype="Int64")
    assert changed_rows(rounded, pd.Series([float(2**53)])) == [0]
    assert changed_rows(pd.Series([1, 2]), pd.Series(["1", "2"])) == [0, 1]
