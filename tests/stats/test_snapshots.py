"""What changed between two loads, recomputed by plain Python."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import compare, load_projects, provenance, sample_directory
from dirframe.errors import InvalidInputError

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
    one = provenance.attach(frame({"a": ("C", 1)}), complete=False, question={"query": "x"})
    other = provenance.attach(frame({"b": ("C", 1)}), complete=False)
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
    before = provenance.attach(frame({"a": ("C", 1)}), source="Then")
    after = provenance.attach(frame({"b": ("C", 1)}), source="Now")
    found = compare(before, after)
    assert provenance.describe(found.gone)["source"] == "Then"
    assert provenance.describe(found.new)["source"] == "Now"


def test_ids_that_are_there_twice_and_mixed_resources_are_refused() -> None:
    one = frame({"a": ("C", 1)})
    with pytest.raises(InvalidInputError, match="In `after`, 1 ids are there twice"):
        compare(one, pd.concat([one, one]))
    with pytest.raises(InvalidInputError, match="of projects and of accounts"):
        compare(
            provenance.attach(one.copy(), resource="project"),
            provenance.attach(one.copy(), resource="account"),
        )
    with pytest.raises(InvalidInputError, match="no column id"):
        compare(pd.DataFrame(), one)
