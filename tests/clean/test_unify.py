"""One country from two formats of `country_code`, the raw value kept."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import provenance
from dirframe.clean import unify_countries
from dirframe.errors import InvalidInputError, UnresolvedCountriesError
from tests.clean import RAW, frame

ADDED = ["country_alpha_2", "country_alpha_3", "country_name"]


def test_a_frame_gets_three_text_columns_and_keeps_the_raw_one() -> None:
    before = frame("DE", "Namibia", "Atlantis", None)
    after = unify_countries(before)
    assert list(after.columns) == ["country_code", *ADDED]
    assert after["country_code"].equals(before["country_code"])
    assert after["country_alpha_2"].tolist()[:2] == ["DE", "NA"]
    assert after["country_alpha_3"].tolist()[:2] == ["DEU", "NAM"]
    assert after["country_name"].tolist()[:2] == ["Germany", "Namibia"]
    assert after[ADDED].iloc[2:].isna().all(axis=None)
    assert [str(dtype) for dtype in after[ADDED].dtypes] == ["str"] * 3
    assert list(before.columns) == ["country_code"]


def test_changing_the_result_leaves_the_given_frame_alone() -> None:
    before = frame("DE")
    after = unify_countries(before)
    after.loc[0, "country_code"] = "FR"
    assert before["country_code"].tolist() == ["DE"]


def test_a_series_becomes_the_three_columns_with_its_index() -> None:
    found = unify_countries(pd.Series(["FR", "??"], index=["a", "b"], name="where"))
    assert list(found.columns) == ADDED
    assert found.index.tolist() == ["a", "b"]
    assert found.iloc[0].tolist() == ["FR", "FRA", "France"]


@pytest.mark.parametrize("dtype", ["object", "str", "category", "string"])
def test_every_kind_of_text_column_is_read(dtype: str) -> None:
    found = unify_countries(frame("DE", None, "DE").astype(pd.api.types.pandas_dtype(dtype)))
    assert found["country_alpha_2"].fillna("-").tolist() == ["DE", "-", "DE"]


@pytest.mark.parametrize("values", [[], [None, None], [1, 2.5, b"DE", True]])
def test_a_column_without_text_has_no_countries(values: list[object]) -> None:
    found = unify_countries(frame(*values))
    assert len(found) == len(values)
    assert found[ADDED].isna().all(axis=None)
    assert [str(dtype) for dtype in found[ADDED].dtypes] == ["str"] * 3


def test_a_missing_column_is_named_with_those_that_are_there() -> None:
    with pytest.raises(InvalidInputError, match=r"no column 'country'.*'country_code'"):
        unify_countries(frame("DE"), column="country")


def test_a_column_that_is_there_twice_is_refused() -> None:
    twice = pd.DataFrame([["DE", "FR"]], columns=["country_code", "country_code"])
    with pytest.raises(InvalidInputError, match="2 columns"):
        unify_countries(twice)


def test_something_else_than_a_frame_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="not list"):
        unify_countries(["DE"])  # type: ignore[arg-type]  # that is the mistake
    with pytest.raises(InvalidInputError, match="ignore"):
        unify_countries(frame("DE"), errors="ignore")  # type: ignore[arg-type]  # that is the mistake


def test_errors_raise_lists_every_unresolved_value_with_count_and_reason() -> None:
    with pytest.raises(UnresolvedCountriesError, match=r"'Korea' \(2\): could be more") as caught:
        unify_countries(frame("Nemo", "Korea", "DE", "Korea", "Atlantis"), errors="raise")
    assert [(value, count) for value, count, _ in caught.value.unresolved] == [
        ("Korea", 2),
        ("Atlantis", 1),
        ("Nemo", 1),
    ]


def test_errors_raise_accepts_missing_values() -> None:
    assert len(unify_countries(frame("DE", None), errors="raise")) == 2


def test_provenance_is_handed_on_with_the_counts() -> None:
    loaded = provenance.set_provenance(frame("DE", None, "Korea"), source="A directory")
    record = unify_countries(loaded).attrs["dirframe"]
    assert record["source"] == "A directory"
    assert record["steps"] == ["unify_countries"]
    assert record["countries"] == {
        "records": 3,
        "resolved": 1,
        "missing": 1,
        "unresolved": 1,
        "unresolved_values": 1,
    }
    assert json.dumps(record)
    assert "countries" not in loaded.attrs["dirframe"]


def test_the_step_is_recorded_once_and_after_any_other() -> None:
    loaded = provenance.set_provenance(frame("DE", None), source="A directory")
    for earlier in ("a choice of rows", "without duplicates"):
        chosen = provenance.copy_provenance(loaded, loaded.copy(), earlier)
        twice = unify_countries(unify_countries(chosen))
        assert provenance.get_provenance(twice)["steps"] == [earlier, "unify_countries"]


def test_an_override_goes_before_every_rule() -> None:
    found = unify_countries(frame("DE", "Korea"), overrides={"DE": None, "Korea": "KR"})
    assert found["country_alpha_2"].fillna("-").tolist() == ["-", "KR"]


@pytest.mark.parametrize("answer", ["XX", "Korea", "kr", 5])
def test_an_override_that_names_no_country_is_refused(answer: str) -> None:
    with pytest.raises(InvalidInputError, match="two-letter code"):
        unify_countries(frame("Korea"), overrides={"Korea": answer})


def test_overrides_of_another_form_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="not list"):
        unify_countries(frame("DE"), overrides=["DE"])  # type: ignore[arg-type]  # the mistake
    with pytest.raises(InvalidInputError, match="'raw'"):
        unify_countries(frame("DE"), overrides=frame("DE"))


@given(st.lists(RAW, max_size=12))
def test_doing_it_twice_is_doing_it_once(values: list[str | None]) -> None:
    once = unify_countries(frame(*values))
    twice = unify_countries(once)
    pd.testing.assert_frame_equal(twice, once)
    assert twice.attrs == once.attrs
