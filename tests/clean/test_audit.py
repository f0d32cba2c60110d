"""Every decision is shown, and can be pasted back."""

from __future__ import annotations

import html

import pandas as pd
import pytest

from dirframe import provenance
from dirframe.clean import country_audit, country_note, unify_countries
from dirframe.errors import InvalidInputError
from tests.clean import frame


def test_the_audit_shows_every_value_once_with_answer_or_reason() -> None:
    table = country_audit(frame("DE", "Korea", "DE", None, "Bomet", "NA"))
    assert table["count"].sum() == 6
    assert table["raw"].tolist()[0] == "DE"
    by_raw = table.set_index("raw")
    assert by_raw.loc["DE", "rule"] == "two-letter code"
    assert by_raw.loc["NA", "country_name"] == "Namibia"
    assert by_raw.loc["Korea", "reason"] == "could be more than one country"
    assert "KE-02" in str(by_raw.loc["Bomet", "reason"])
    assert table.loc[table["raw"].isna(), "reason"].tolist() == ["no value"]
    assert ((table["rule"] == "") != (table["reason"] == "")).all()


def test_the_most_frequent_values_come_first_and_equally_frequent_ones_by_their_text() -> None:
    table = country_audit(frame("Peru", "FR", "DE", "Chad", "DE"))
    assert table["raw"].tolist() == ["DE", "Chad", "FR", "Peru"]


def test_the_audit_as_it_is_changes_nothing_when_it_is_pasted_back() -> None:
    given_frame = frame("DE", "Korea", None, "amrenia")
    audit = country_audit(given_frame)
    pd.testing.assert_frame_equal(
        unify_countries(given_frame, overrides=audit), unify_countries(given_frame)
    )


def test_an_edited_audit_decides() -> None:
    given_frame = frame("Korea", "amrenia")
    audit = country_audit(given_frame)
    audit.loc[audit["raw"] == "amrenia", "country_alpha_2"] = "AM"
    found = unify_countries(given_frame, overrides=audit)
    assert found["country_alpha_2"].fillna("-").tolist() == ["-", "AM"]


def test_the_audit_escapes_markup_in_a_notebook() -> None:
    shown = country_audit(frame("<script>alert(1)</script>")).to_html()
    assert "<script>" not in shown
    assert html.escape("<script>") in shown


def test_the_note_says_how_many_have_no_country() -> None:
    accounts = provenance.set_provenance(frame("DE", "Korea", None, None), resource="account")
    assert country_note(unify_countries(accounts)).startswith(
        "3 of 4 accounts (75.0%) have no country: 2 without a value, 1 with a value that names none."
    )
    assert country_note(unify_countries(frame())) == "There are no records."
    with pytest.raises(InvalidInputError, match="unify_countries"):
        country_note(frame("DE"))
