"""Countries of a frame: the raw value is kept, every decision is shown, and overrides win."""

import html
import json

import pandas as pd
import pytest

from dirframe import country_audit, country_note, provenance, unify_countries
from dirframe.errors import InvalidInputError, UnresolvedCountriesError

ADDED = ["country_alpha_2", "country_alpha_3", "country_name"]


def frame(*values):
    """Return a frame with these raw values."""
    return pd.DataFrame({"country_code": pd.Series(values, dtype="object")})


def found(*values, **options):
    """Return the codes of raw values; a dash where there is none."""
    return unify_countries(frame(*values), **options)["country_alpha_2"].fillna("-").tolist()


def test_unify_adds_three_text_columns_and_keeps_the_raw_one():
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
    after.loc[0, "country_code"] = "FR"
    assert before["country_code"].tolist()[0] == "DE"


def test_unify_gives_a_series_the_three_columns_with_its_index():
    table = unify_countries(pd.Series(["FR", "??"], index=["a", "b"], name="where"))
    assert list(table.columns) == ADDED
    assert table.index.tolist() == ["a", "b"]
    assert table.iloc[0].tolist() == ["FR", "FRA", "France"]


def test_unify_reads_every_kind_of_text_column():
    for dtype in ("object", "str", "category", "string"):
        table = unify_countries(frame("DE", None, "DE").astype(dtype))
        assert table["country_alpha_2"].fillna("-").tolist() == ["DE", "-", "DE"], dtype


def test_unify_finds_no_countries_in_a_column_without_text():
    for values in ([], [None, None], [1, 2.5, b"DE", True]):
        table = unify_countries(frame(*values))
        assert len(table) == len(values)
        assert table[ADDED].isna().all(axis=None)
        assert [str(dtype) for dtype in table[ADDED].dtypes] == ["str"] * 3


def test_unify_refuses_what_cannot_be_meant():
    twice = pd.DataFrame([["DE", "FR"]], columns=["country_code", "country_code"])
    with pytest.raises(InvalidInputError, match="country_code"):
        unify_countries(twice)
    with pytest.raises(InvalidInputError, match=r"'place'.*'country_code'"):
        unify_countries(frame("DE"), column="place")
    with pytest.raises(InvalidInputError, match="list"):
        unify_countries(["DE"])
    with pytest.raises(InvalidInputError, match="ignore"):
        unify_countries(frame("DE"), errors="ignore")


def test_errors_raise_lists_every_unresolved_value_with_count_and_reason():
    values = ("Nemo", "Korea", "DE", "Korea", "Atlantis", None)
    with pytest.raises(UnresolvedCountriesError) as caught:
        unify_countries(frame(*values), errors="raise")
    unresolved = {value: (count, reason) for value, count, reason in caught.value.unresolved}
    assert list(unresolved) == ["Korea", "Atlantis", "Nemo"]
    reasons = country_audit(frame(*values)).set_index("raw")["reason"]
    for value, (count, reason) in unresolved.items():
        assert count == values.count(value)
        assert reason == reasons[value]
        assert value in str(caught.value)
    assert len(unify_countries(frame("DE", None), errors="raise")) == 2


def test_unify_hands_provenance_on_with_the_counts():
    loaded = provenance.set_provenance(frame("DE", None, "Korea"), source="A directory")
    record = unify_countries(loaded).attrs["dirframe"]
    assert record["source"] == "A directory"
    assert record["countries"] == {
        "records": 3,
        "resolved": 1,
        "missing": 1,
        "unresolved": 1,
        "unresolved_values": 1,
    }
    assert json.dumps(record)
    assert "countries" not in loaded.attrs["dirframe"]


def test_unify_is_recorded_once_and_after_any_other_step():
    loaded = provenance.set_provenance(frame("DE", None), source="A directory")
    for earlier in ("a choice of rows", "without duplicates"):
        chosen = provenance.copy_provenance(loaded, loaded.copy(), earlier)
        twice = unify_countries(unify_countries(chosen))
        assert provenance.get_provenance(twice)["steps"] == [earlier, "unify_countries"]


def test_an_override_goes_before_every_rule():
    assert found("DE", "Korea", overrides={"DE": None, "Korea": "KR"}) == ["-", "KR"]


def test_an_override_that_names_no_country_is_refused():
    for answer in ("XX", "Korea", "kr", 5):
        with pytest.raises(InvalidInputError, match="Korea"):
            unify_countries(frame("Korea"), overrides={"Korea": answer})
    with pytest.raises(InvalidInputError, match="list"):
        unify_countries(frame("DE"), overrides=["DE"])
    with pytest.raises(InvalidInputError, match="'raw'"):
        unify_countries(frame("DE"), overrides=frame("DE"))


def test_audit_shows_every_value_once_with_answer_or_reason():
    table = country_audit(frame("DE", "Korea", "DE", None, "Bomet", "NA"))
    assert table["count"].sum() == 6
    assert table["raw"].tolist()[0] == "DE"
    assert ((table["rule"] == "") != (table["reason"] == "")).all()
    by_raw = table.set_index("raw")
    assert by_raw.loc["NA", "country_name"] == "Namibia"
    assert "KE-02" in str(by_raw.loc["Bomet", "reason"])  # a county of Kenya
    assert by_raw.loc[by_raw.index.isna(), "reason"].all()


def test_audit_has_the_most_frequent_values_first_then_by_their_text():
    table = country_audit(frame("Peru", "FR", "DE", "Chad", "DE"))
    assert table["raw"].tolist() == ["DE", "Chad", "FR", "Peru"]


def test_audit_pasted_back_changes_nothing_and_an_edited_one_decides():
    values = ("DE", "Korea", None, "amrenia")
    audit = country_audit(frame(*values))
    pd.testing.assert_frame_equal(
        unify_countries(frame(*values), overrides=audit), unify_countries(frame(*values))
    )
    audit.loc[audit["raw"] == "amrenia", "country_alpha_2"] = "AM"
    assert found(*values, overrides=audit) == ["DE", "-", "-", "AM"]


def test_audit_escapes_markup_in_a_notebook():
    shown = country_audit(frame("<script>alert(1)</script>")).to_html()
    assert "<script>" not in shown
    assert html.escape("<script>") in shown


def test_note_says_how_many_have_no_country():
    accounts = provenance.set_provenance(frame("DE", "Korea", None, None), resource="account")
    note = country_note(unify_countries(accounts))
    for figure in ("3 of 4 accounts", "75.0%", "2 without", "1 with"):
        assert figure in note
    assert country_note(unify_countries(frame()))
    with pytest.raises(InvalidInputError):
        country_note(frame("DE"))
