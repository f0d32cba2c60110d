"""No value gets a wrong country, and few that have one get none."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pycountry
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.clean import unify_countries
from dirframe.clean._reasons import Reason
from dirframe.clean._vocabulary.iso import countries
from dirframe.clean.name_index import Resolution, names
from dirframe.clean.resolver import resolve
from dirframe.clean.suggest import suggest
from tests.clean import RAW, code, frame, rows_of

CODES = {country.alpha_2 for country in pycountry.countries} | {"XK"}

DOCUMENT = Path(__file__).parents[2] / "docs" / "countries.md"


def test_no_value_of_the_development_set_gets_a_wrong_country(shared: Path) -> None:
    wrong = [
        (row["raw"], row["expected"], found)
        for row in rows_of(shared, "dev.csv")
        if (found := code(row["raw"])) is not None and found != row["expected"]
    ]
    assert wrong == []


def test_all_but_typing_errors_of_the_development_set_are_resolved(shared: Path) -> None:
    missed = [
        row["raw"]
        for row in rows_of(shared, "dev.csv")
        if row["expected"] and row["category"] != "typo" and code(row["raw"]) is None
    ]
    assert missed == []


def test_every_typing_error_of_the_development_set_gets_the_right_suggestion(shared: Path) -> None:
    typos = [row for row in rows_of(shared, "dev.csv") if row["category"] == "typo"]
    assert [suggest(row["raw"]) for row in typos] == [row["expected"] for row in typos]


@pytest.mark.parametrize("country", list(pycountry.countries), ids=lambda c: str(c.alpha_2))
def test_a_country_is_found_by_its_codes_and_names(country: Any) -> None:
    alpha_2, alpha_3 = country.alpha_2, country.alpha_3
    written = [alpha_2, alpha_2.lower(), f" {alpha_2},", f"({alpha_2})", alpha_3, alpha_3.lower()]
    fields = ("name", "official_name", "common_name")
    written += [text for field in fields if (text := getattr(country, field, None))]
    if alpha_2 == "CG":
        written.remove("Congo")
    if alpha_2 == "NA":  # in any other form it is a marker of a missing value
        written = [raw for raw in written if raw == "NA" or len(raw.strip(" ,()")) > 2]
    assert {raw: code(raw) for raw in written} == dict.fromkeys(written, alpha_2)


def test_only_codes_that_pycountry_knows_and_xk_stand_in_the_tables() -> None:
    known = names()
    found = {answer.alpha_2 for answer in (known.index | known.codes | known.exact).values()}
    found |= set(known.english.values()) | set(known.lost.values())
    assert found - {None} <= CODES
    assert set(countries()) == CODES


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("UK", "GB"),
        ("EL", "GR"),
        ("XKX", "XK"),
        ("U.S.A.", "US"),
        ("Zaire", "CD"),
        ("BU", "MM"),
        ("GDR", "DE"),
        ("Northern Ireland", "GB"),
        ("Wales, UK", "GB"),
        ("S&atilde;o Tom&eacute; and Pr&iacute;ncipe", "ST"),
        ("&amp;#220;rd&amp;#252;n", "JO"),
        ("C<U+00F4>te d<U+2019>Ivoire", "CI"),
        ("R\\u00e9union", "RE"),
        ("TÃ¼rkiye", "TR"),
        ("CamerÃƒÂºn", "CM"),
        ("Cura\ufffdao", "CW"),
        ("C?te d'Ivoire", "CI"),
        ("Burkina.Faso", "BF"),
        ("new_zealand", "NZ"),
        ("NewZealand", "NZ"),
        ("S\u00adpain", "ES"),
        ("Sri\u00a0Lanka", "LK"),
        ("\uff30\uff45\uff52\uff55", "PE"),
        ("Isla de Norfolk", "NF"),
        ("République d'Irak", "IQ"),
        ("Lao People's Dem. Rep.", "LA"),
        ("Korea, Republic of", "KR"),
        ("Korea (the Democratic People's Republic of)", "KP"),
        ("Çad", "TD"),
    ],
)
def test_a_country_is_recognised_however_it_is_written(raw: str, expected: str) -> None:
    assert code(raw) == expected


@pytest.mark.parametrize(
    "raw",
    """Korea;Congo;Guiana;Virgin Islands;Saint;Federation;USSR;Yugoslavia;Netherlands Antilles;SU;
    European Union;Africa;Southern Europe;Bavaria;Perugia;Georgia, USA;Peru, Maine;Bermuda - Iran;
    Cape Verde / Barbados;Australia and New Zealand;World excl. China;Indianapolis;Paris;CAD;sad;
    bananas;hungry;stain;pain;to the;I'd;Sé;N.A.;n/a;unknown;0xffffffff;250;½;★;?ad;\ufffdin;
    State of Georgia;Estado de México;Île-de-France;Grand Island;La Argentina;Sudan (former)
    """.replace("\n", "").split(";"),
)
def test_what_names_no_single_country_has_no_answer_but_a_reason(raw: str) -> None:
    answer = resolve(raw.strip())
    assert answer.alpha_2 is None
    assert answer.reason


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("x y", Reason.NO_CODE),  # a code is not written with blanks
        ("f r a", Reason.NO_CODE),
        ("a.e", Reason.ABBREVIATION),
        ("no data", Reason.NULL_MARKER),
        ("not known", Reason.NULL_MARKER),
        ("known", Reason.UNKNOWN),
    ],
)
def test_the_reason_is_that_of_the_rule_that_refuses(raw: str, reason: Reason) -> None:
    assert resolve(raw) == Resolution(None, "", reason)


def documented() -> list[tuple[str, str]]:
    text = DOCUMENT.read_text(encoding="utf-8").partition("## Readings")[2]
    rows = re.findall(r"^\| (.+?) \| ([A-Z]{2}|none) \|", text, re.MULTILINE)
    return [(raw, answer) for raw, answer in rows if raw != "Value"]


@pytest.mark.parametrize(("raw", "answer"), documented())
def test_a_contested_reading_is_decided_as_documented(raw: str, answer: str) -> None:
    assert (code(raw) or "none") == answer


def test_every_contested_reading_is_documented(shared: Path) -> None:
    raw = {row["raw"] for row in rows_of(shared, "policy.csv")}
    assert raw <= {value for value, _ in documented()}


def test_namibia_survives_a_csv_file_that_is_read_as_documented() -> None:
    text = unify_countries(frame("NA", None)).to_csv(index=False)
    again = pd.read_csv(io.StringIO(text), keep_default_na=False, na_values=[""])
    assert again["country_alpha_2"].tolist()[0] == "NA"
    assert again["country_alpha_2"].isna().tolist() == [False, True]


@given(st.lists(RAW, max_size=12), st.randoms())
def test_an_answer_depends_on_its_own_value_alone(values: list[str | None], random: object) -> None:
    together = unify_countries(frame(*values))["country_alpha_2"].fillna("-").tolist()
    alone = [code(value) or "-" for value in values]
    assert together == alone


@given(RAW)
def test_an_answer_is_a_code_that_pycountry_knows_or_xk(raw: str | None) -> None:
    answer = resolve(raw)
    assert answer.alpha_2 is None or answer.alpha_2 in CODES
    assert bool(answer.rule) == (answer.alpha_2 is not None)
    assert bool(answer.reason) == (answer.alpha_2 is None)


def test_a_very_long_value_is_refused_quickly() -> None:
    assert resolve("((" * 10**5).reason == "too long for a name"
    assert resolve("a - " * 60).alpha_2 is None


def test_an_abbreviation_begins_as_the_word_does() -> None:
    assert code("Papua N. Guinea") == "PG"
    assert code("Papua W. Guinea") is None  # West Papua is in Indonesia


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        ("Arab Emirates United", "words rearranged"),
        ("Rep Dominican", "abbreviation spelt out"),
    ],
)
def test_the_rule_that_is_named_is_the_one_that_was_needed(raw: str, rule: str) -> None:
    assert resolve(raw).rule == rule
