"""What changed between two loads, recomputed by plain Python."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import compare, load_projects, provenance, sample_directory
from dirframe.errors import InvalidInputError
from dirframe.stats._core.values import differing

if TYPE_CHECKING:
    from datetime import datetime

Row = tuple[str | None, int | None]

rows = st.dictionaries(
    st.sampled_from("abcdef"),
    st.tuples(st.none() | st.sampled_from(["C", "Java"]), st.none() | st.integers(-1, 3)),
)


def frame(records: dict[str, Row]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": pd.Series([*records], dtype="str"),
            "name": pd.Series([f"Name of {key}" for key in records], dtype="str"),
            "analysis_main_language_name": pd.Series(
                [language for language, _ in records.values()], dtype="str"
            ),
            "analysis_twelve_month_contributor_count": pd.Series(
                [people for _, people in records.values()], dtype="Int64"
            ),
        }
    )


@given(rows, rows)
def test_every_record_is_new_gone_changed_or_the_same(
    before: dict[str, Row], after: dict[str, Row]
) -> None:
    found = compare(frame(before), frame(after))
    both = [key for key in after if key in before]
    changed = [key for key in both if before[key] != after[key]]
    assert found.new["id"].tolist() == [key for key in after if key not in before]
    assert found.gone["id"].tolist() == [key for key in before if key not in after]
    assert list(dict.fromkeys(found.changed["id"])) == changed
    assert len(found.changed) == sum(
        one != other for key in both for one, other in zip(before[key], after[key], strict=True)
    )
    assert found.title.endswith(f"{len(changed)} changed, {len(both) - len(changed)} the same")


@given(rows, rows)
def test_gains_of_languages_and_losses_of_contributors_are_what_plain_python_counts(
    before: dict[str, Row], after: dict[str, Row]
) -> None:
    found = compare(frame(before), frame(after))
    gains = dict(zip(found.languages["language"], found.languages["change"], strict=True))
    for language in ("C", "Java"):
        change = sum(one == language for one, _ in after.values()) - sum(
            one == language for one, _ in before.values()
        )
        assert gains.get(language, 0) == change
    shown = [*zip(found.languages["language"], found.languages["change"], strict=True)]
    assert shown == sorted(shown, key=lambda row: (-row[1], row[0]))
    losses = dict(zip(found.contributors["id"], found.contributors["change"], strict=True))
    expected = {}
    for key in after:
        old, new = before.get(key, (None, None))[1], after[key][1]
        if old is not None and new is not None and min(old, new) >= 0 and old != new:
            expected[key] = new - old
    assert losses == expected
    assert found.contributors["change"].is_monotonic_increasing


def test_a_project_that_changes_its_language_shows_in_both_even_if_none_grows() -> None:
    found = compare(
        frame({"a": ("C", 1), "b": ("Java", 1)}), frame({"a": ("Java", 1), "b": ("C", 1)})
    )
    assert found.languages.to_numpy().tolist() == [["C", 1, 1, 0], ["Java", 1, 1, 0]]


def test_a_changed_value_is_shown_as_it_was_and_is() -> None:
    found = compare(frame({"a": ("C", 1)}), frame({"a": (None, 2)}))
    assert found.changed["column"].tolist() == [
        "analysis_main_language_name",
        "analysis_twelve_month_contributor_count",
    ]
    assert found.changed["before"].tolist() == ["C", "1"]
    assert found.changed["after"].isna().tolist() == [True, False]


def test_a_load_that_went_through_a_file_has_not_changed() -> None:
    with sample_directory(cache=False) as directory:
        projects = load_projects(max_items=50, directory=directory)
    buffer = io.BytesIO()
    projects.to_parquet(buffer)
    found = compare(projects, pd.read_parquet(buffer))
    assert found.title == "0 new, 0 gone, 0 changed, 50 the same"


def test_the_order_of_the_records_is_no_change() -> None:
    one = frame({"a": ("C", 1), "b": ("Java", 2)})
    assert compare(one, one.iloc[::-1]).title == "0 new, 0 gone, 0 changed, 2 the same"


def test_accounts_are_compared_as_well() -> None:
    before = pd.DataFrame({"id": ["1"], "name": ["Ann"], "posts_count": [1]})
    found = compare(before, before.assign(posts_count=2, extra="x"))
    assert found.changed["column"].tolist() == ["posts_count"]
    assert found.languages.empty
    assert found.contributors.empty


def test_an_incomplete_snapshot_and_another_question_are_said() -> None:
    one = provenance.set_provenance(frame({"a": ("C", 1)}), complete=False, query={"query": "x"})
    other = provenance.set_provenance(frame({"b": ("C", 1)}), complete=False)
    notes = " ".join(compare(one, other).notes)
    assert "what is new may have been there" in notes
    assert "what is gone may still be there" in notes
    assert "different questions" in notes
    assert not [n for n in compare(frame({}), frame({})).notes if "may" in n]


def test_it_shows_itself_as_text_and_html() -> None:
    found = compare(frame({"a": ("<script>", 9)}), frame({"a": ("C", 2)}))
    assert "-7" in str(found)
    assert "<script>" in str(found)
    assert "<script>" not in found._repr_html_()


def test_new_and_gone_keep_the_provenance_of_their_snapshot() -> None:
    before = provenance.set_provenance(frame({"a": ("C", 1)}), source="Then")
    after = provenance.set_provenance(frame({"b": ("C", 1)}), source="Now")
    found = compare(before, after)
    assert provenance.get_provenance(found.gone)["source"] == "Then"
    assert provenance.get_provenance(found.new)["source"] == "Now"


def test_ids_that_are_there_twice_and_mixed_resources_are_refused() -> None:
    one = frame({"a": ("C", 1)})
    with pytest.raises(InvalidInputError, match=r"In `after`, ids are repeated \(.*: 1\)"):
        compare(one, pd.concat([one, one]))
    with pytest.raises(InvalidInputError, match="of projects and of accounts"):
        compare(
            provenance.set_provenance(one.copy(), resource="project"),
            provenance.set_provenance(one.copy(), resource="account"),
        )
    with pytest.raises(InvalidInputError, match="no column id"):
        compare(pd.DataFrame(), one)


def test_columns_of_one_side_are_listed_and_said() -> None:
    before = frame({"a": ("C", 1)})
    found = compare(before.assign(old=1), before.drop(columns="name").assign(new=1))
    assert found.columns.to_dict("list") == {
        "column": ["name", "old", "new"],
        "only_in": ["before", "before", "after"],
    }
    said = [
        "Not compared, since only `before` has them: name, old.",
        "Not compared, since only `after` has them: new.",
    ]
    assert [note for note in found.notes if note in said] == said
    assert said[1] in str(found)
    assert compare(before, before).columns.empty


def test_a_language_that_one_side_did_not_load_is_no_gain() -> None:
    before = frame({"a": ("C", 1)})
    found = compare(before.drop(columns="analysis_main_language_name"), before)
    assert found.languages.empty


@pytest.mark.parametrize("dtype", ["int64", "Int64", "category", "object", "string"])
def test_ids_are_matched_whatever_their_dtype(dtype: str) -> None:
    one = frame({"7": ("C", 1), "12": ("Java", 2)})
    other = one.assign(id=one["id"].astype("int64").astype(pd.api.types.pandas_dtype(dtype)))
    for pair in ((one, other), (other, one)):
        assert compare(*pair).title == "0 new, 0 gone, 0 changed, 2 the same"


def test_ids_that_are_fractions_missing_or_alike_are_refused() -> None:
    one = frame({"7": ("C", 1), "8": ("C", 1)})
    with pytest.raises(InvalidInputError, match="In `after`, the ids are floating"):
        compare(one, one.assign(id=[7.0, 8.0]))
    with pytest.raises(InvalidInputError, match="In `before`, 1 records have no id"):
        compare(one.assign(id=pd.Series(["7", None])), one)
    with pytest.raises(InvalidInputError, match=r"In `before`, ids are repeated \(.*: 1\)"):
        compare(one.assign(id=[7, "7"]), one)
    with pytest.raises(InvalidInputError, match=r"several columns of one name \(name\)"):
        compare(one, pd.concat([one, one[["name"]]], axis=1))


cells = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", "b,c", "1"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
    ),
    max_leaves=6,
)


def canonical(cell: object) -> object:
    if isinstance(cell, list):
        return ("list", *sorted((canonical(inner) for inner in cell), key=repr))
    if isinstance(cell, dict):
        known = {key: inner for key, inner in cell.items() if inner is not None}
        return ("dict", *((key, canonical(known[key])) for key in sorted(known)))
    return cell


def turned(cell: object) -> object:
    """Give the same cell, with every list and all keys the other way round, as arrays."""
    if isinstance(cell, list):
        backwards = np.empty(len(cell), dtype=object)
        for place, inner in enumerate(reversed(cell)):
            backwards[place] = turned(inner)
        return backwards
    if isinstance(cell, dict):
        return {key: turned(cell[key]) for key in reversed(cell)}
    return cell


def of_cells(cell: object) -> pd.DataFrame:
    column = pd.Series([None, cell], dtype=object)
    return pd.DataFrame({"id": ["1", "2"], "cell": column})


# What differs is decided column by column, and read there: a comparison of two whole frames takes a
# hundred times as long.


@given(cells)
def test_the_order_of_lists_and_keys_is_no_change(cell: object) -> None:
    assert not differing(of_cells(cell)["cell"], of_cells(turned(cell))["cell"]).any()


@given(st.lists(cells, max_size=3), st.lists(cells, max_size=3))
def test_lists_that_hold_something_else_are_found(old: list[object], new: list[object]) -> None:
    is_changed = canonical(old) != canonical(new)
    found = differing(of_cells(old)["cell"], of_cells(new)["cell"])
    assert found.tolist() == [False, is_changed]


@pytest.mark.parametrize(("old", "new"), [([1, "a"], ["a", 1]), ([1, "a"], ["b", 1])], ids=str)
def test_a_list_is_compared_whatever_its_order(old: list[object], new: list[object]) -> None:
    changed = compare(of_cells(old), of_cells(new)).changed
    assert changed["id"].tolist() == ([] if canonical(old) == canonical(new) else ["2"])


def test_a_change_inside_a_mapping_is_found() -> None:
    changed = compare(of_cells({"x": [1, {"y": 2}]}), of_cells({"x": [1, {"y": 3}]})).changed
    assert changed["column"].tolist() == ["cell"]
    assert changed["after"].tolist() == ['{"x": [{"y": 3}, 1]}']


moments = st.datetimes(pd.Timestamp(1990, 1, 1), pd.Timestamp(2030, 1, 1))


@given(st.lists(moments.map(lambda moment: moment.replace(microsecond=0)), min_size=1, max_size=4))
def test_the_same_moment_in_another_zone_unit_or_writing_is_no_change(
    moments: list[datetime],
) -> None:
    at = pd.Series(pd.to_datetime(moments)).dt.tz_localize("UTC")
    for other in (
        at.dt.tz_convert("Asia/Tokyo"),
        at.dt.tz_localize(None),
        at.dt.as_unit("ns"),
        at.dt.tz_convert("America/New_York").map(lambda moment: moment.isoformat()),
    ):
        assert not differing(at.dt.as_unit("us"), other).any()
        assert differing(other, at + pd.Timedelta(1, "s")).all()


numbers = st.lists(st.none() | st.integers(-(2**62), 2**62), min_size=1, max_size=5)


@given(numbers)
def test_the_same_number_in_another_dtype_is_no_change(numbers: list[int | None]) -> None:
    whole = pd.Series(numbers, dtype="Int64")
    others = [whole.astype("str"), whole.astype(object), whole.astype("category")]
    if all(number is None or abs(number) < 2**53 for number in numbers):
        others.append(whole.astype("Float64"))
    for other in others:
        assert not differing(whole, other).any()
        assert not differing(other, whole).any()
        assert differing(other, whole + 1).sum() == whole.notna().sum()


def test_the_same_values_in_another_dtype_zone_and_unit_are_no_change_of_records() -> None:
    at = pd.Series(pd.to_datetime(["2012-03-04 05:06:07"] * 2)).dt.tz_localize("UTC")
    one = pd.DataFrame({"id": ["1", "2"], "number": [7, 8], "at": at})
    other = one.assign(number=["7", "8"], at=at.dt.tz_convert("Asia/Tokyo").dt.as_unit("ns"))
    assert compare(one, other).changed.empty
    changed = compare(other, one.assign(number=[7, 9])).changed
    [row] = changed[["id", "column", "after"]].to_dict("records")
    assert row == {"id": "2", "column": "number", "after": "9"}


def test_numbers_that_only_rounding_makes_the_same_are_changed() -> None:
    one = pd.DataFrame({"id": ["1"], "number": pd.Series([2**53 + 1], dtype="Int64")})
    assert len(compare(one, one.assign(number=[float(2**53)])).changed) == 1


def test_truth_as_text_or_numbers_and_short_fractions_are_no_change() -> None:
    one = pd.DataFrame({"id": ["1", "2"], "true": [True, False], "share": [0.1, 0.5]})
    other = one.assign(true=["True", "false"], share=one["share"].astype("float32"))
    assert compare(one, other).changed.empty
    assert compare(one, one.assign(true=[1, 0], share=["0.1", "0.50"])).changed.empty


def test_snapshots_that_are_not_what_was_loaded_are_said() -> None:
    one = provenance.set_provenance(frame({"a": ("C", 1), "b": ("C", 1)}), items_loaded=2)
    notes = compare(one, one.head(1)).notes
    assert any("`after` is not what was loaded (1 of 2 records loaded)" in note for note in notes)
    assert not any("not what was loaded" in note for note in compare(one, one.iloc[::-1]).notes)
