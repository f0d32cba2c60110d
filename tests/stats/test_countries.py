"""Accounts by country, recomputed by plain Python."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import provenance, stats
from dirframe.errors import InvalidInputError

DTYPES = {
    "country_alpha_2": "str",
    "country_name": "str",
    "accounts": "Int64",
    "share": "Float64",
}
NAMES = {"DE": "Germany", "NA": "Namibia", "GB": "United Kingdom", "CI": "Côte d'Ivoire"}
RAW = {"Germany": "DE", "United Kingdom": "GB", "Atlantis": None, None: None, "": None} | {
    code: code for code in NAMES
}


def frame(raw: list[str | None]) -> pd.DataFrame:
    """Give what cleaning gives for these values of country_code."""
    codes = [RAW[value] for value in raw]
    return pd.DataFrame(
        {
            "country_code": pd.Series(raw, dtype="str"),
            "country_alpha_2": pd.Series(codes, dtype="str"),
            "country_name": pd.Series([NAMES[c] if c else None for c in codes], dtype="str"),
        }
    )


@given(st.lists(st.sampled_from(list(RAW))))
def test_accounts_are_what_plain_python_counts(raw: list[str | None]) -> None:
    table = stats.accounts_by_country(frame(raw))
    codes = [code for value in raw if (code := RAW[value])]
    expected = sorted(Counter(codes).items(), key=lambda item: (-item[1], NAMES[item[0]]))
    assert list(zip(table["country_alpha_2"], table["accounts"], strict=True)) == expected
    assert table["country_name"].tolist() == [NAMES[code] for code, _ in expected]
    assert table.empty or table["share"].sum() == pytest.approx(1)
    assert {column: str(dtype) for column, dtype in table.dtypes.items()} == DTYPES
    assert provenance.get_provenance(table)["counted"] == {
        "accounts": len(raw),
        "with_country": len(codes),
        "country_missing": sum(not value for value in raw),
        "country_unresolved": raw.count("Atlantis"),
        "countries": len(expected),
        "countries_in_other": 0,
    }


def test_namibia_is_a_country_and_not_a_missing_value() -> None:
    table = stats.accounts_by_country(frame(["NA", "NA", None]))
    assert table["country_alpha_2"].tolist() == ["NA"]
    assert table["accounts"].tolist() == [2]


def test_namibia_counts_even_where_a_file_has_lost_its_code() -> None:
    accounts = frame(["NA", "DE"])
    accounts.loc[0, ["country_code", "country_alpha_2"]] = None
    table = stats.accounts_by_country(accounts)
    assert table["country_name"].tolist() == ["Germany", "Namibia"]
    assert table["country_alpha_2"].isna().tolist() == [False, True]


def test_the_other_countries_share_a_last_row_without_a_code() -> None:
    table = stats.accounts_by_country(frame(["DE", "DE", "NA", "GB", "CI", None]), top=2)
    assert table["country_name"].tolist() == ["Germany", "Côte d'Ivoire", "other (2 countries)"]
    assert table["accounts"].tolist() == [2, 1, 2]
    assert table["country_alpha_2"].isna().tolist() == [False, False, True]
    assert provenance.get_provenance(table)["counted"]["countries_in_other"] == 2


def test_one_country_left_over_keeps_its_name() -> None:
    table = stats.accounts_by_country(frame(["DE", "DE", "NA"]), top=1)
    assert table["country_name"].tolist() == ["Germany", "Namibia"]


def test_a_frame_whose_countries_are_not_unified_is_sent_to_unify_countries() -> None:
    with pytest.raises(InvalidInputError, match=r"country_alpha_2.*dirframe\.unify_countries"):
        stats.accounts_by_country(pd.DataFrame({"country_code": ["DE"]}))


def test_the_provenance_is_carried_on() -> None:
    accounts = provenance.set_provenance(
        frame(["DE"]), source="A directory", steps=["unify_countries"]
    )
    record = provenance.get_provenance(stats.accounts_by_country(accounts))
    assert record["steps"] == ["unify_countries", "accounts_by_country"]
    assert record["resource"] == "account"
