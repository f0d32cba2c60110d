"""One country from two formats of `country_code`, never a wrong one."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pandas as pd
import pycountry
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import provenance
from dirframe.clean import country_audit, country_note, unify_countries
from dirframe.clean.iso import countries
from dirframe.clean.names import names
from dirframe.clean.own import own_lines
from dirframe.clean.resolve import resolve
from dirframe.clean.suggest import suggest
from dirframe.clean.territories import STATES_OF
from dirframe.clean.text import fold, readable
from dirframe.errors import InvalidInputError, UnresolvedCountriesError

ADDED = ["country_alpha_2", "country_alpha_3", "country_name"]
CODES = {country.alpha_2 for country in pycountry.countries} | {"XK"}
DOCUMENT = Path(__file__).parents[1] / "docs" / "countries.md"


def code(raw: object) -> str | None:
    return resolve(raw).alpha_2


def frame(*values: object) -> pd.DataFrame:
    return pd.DataFrame({"country_code": pd.Series(values, dtype="object")})


def development_set(shared: Path) -> list[dict[str, str]]:
    path = shared / "countries" / "dev.csv"
    if not path.exists():
        pytest.skip("the development set is not beside this checkout")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# ---- the development set --------------------------------------------------------------------


def test_no_value_of_the_development_set_gets_a_wrong_country(shared: Path) -> None:
    wrong = [
        (row["raw"], row["expected"], found)
        for row in development_set(shared)
        if (found := code(row["raw"])) is not None and found != row["expected"]
    ]
    assert wrong == []


def test_all_but_typing_errors_of_the_development_set_are_resolved(shared: Path) -> None:
    missed = [
        row["raw"]
        for row in development_set(shared)
        if row["expected"] and row["category"] != "typo" and code(row["raw"]) is None
    ]
    assert missed == []


def test_every_typing_error_of_the_development_set_gets_the_right_suggestion(shared: Path) -> None:
    typos = [row for row in development_set(shared) if row["category"] == "typo"]
    assert [suggest(row["raw"]) for row in typos] == [row["expected"] for row in typos]


# ---- what is a country ----------------------------------------------------------------------


@pytest.mark.parametrize("country", list(pycountry.countries), ids=lambda c: str(c.alpha_2))
def test_a_country_is_found_by_its_codes_and_names(country: object) -> None:
    alpha_2, alpha_3 = country.alpha_2, country.alpha_3  # type: ignore[attr-defined]  # untyped
    written = [alpha_2, alpha_2.lower(), f" {alpha_2},", f"({alpha_2})", alpha_3, alpha_3.lower()]
    fields = ("name", "official_name", "common_name")
    written += [text for field in fields if (text := getattr(country, field, None))]
    if alpha_2 == "CG":
        written.remove("Congo")
    assert {raw: code(raw) for raw in written} == dict.fromkeys(written, alpha_2)


def test_only_codes_that_pycountry_knows_and_xk_stand_in_the_tables() -> None:
    known = names()
    found = {answer.alpha_2 for answer in (known.index | known.codes | known.exact).values()}
    found |= set(known.english.values()) | set(known.lost.values())
    assert found - {None} <= CODES
    assert set(countries()) == CODES


def test_every_country_has_one_name_that_leads_back_to_it() -> None:
    for alpha_2, country in countries().items():
        assert code(country.name) == alpha_2, country
        assert "," not in country.name.removeprefix("Bonaire,").removeprefix("Saint Helena,")


def test_a_territory_beside_its_state_is_the_territory() -> None:
    for territory, state in STATES_OF.items():
        inner, outer = countries()[territory].name, countries()[state].name
        assert code(f"{inner} ({outer})") == territory
        if not set(inner) & set(",("):
            assert code(f"{outer}, {inner}") == territory


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


@pytest.mark.parametrize("raw", ["amrenia", "phillipines", "UnitesStates", "Germny"])
def test_a_typing_error_is_suggested_and_never_answered(raw: str) -> None:
    table = country_audit(frame(raw))
    assert table["country_alpha_2"].isna().all()
    assert re.fullmatch(r"[A-Z]{2} \(.+\)\?", table["suggestion"][0])


def test_a_suggestion_needs_one_nearest_country() -> None:
    assert suggest("Nigera") is None or code("Nigera") is None
    assert suggest("Nowhere at all") is None
    assert suggest("xx") is None


# ---- our own lines, and the documented decisions ---------------------------------------------


def test_an_own_line_has_a_reason_and_a_source_and_is_what_happens() -> None:
    for line in own_lines():
        assert line.reason, line
        assert line.source, line
        assert resolve(line.name).alpha_2 == line.alpha_2, line


def test_the_keys_of_own_lines_are_up_to_date() -> None:
    known = names()
    for line in own_lines():
        key = fold(readable(line.name))
        found = known.index.get(key) or known.codes.get(key)
        assert found is not None, f"{line.name}: run tools/build_country_table.py"
        assert found.alpha_2 == line.alpha_2, line


def documented() -> list[tuple[str, str]]:
    text = DOCUMENT.read_text(encoding="utf-8").partition("## Readings")[2]
    rows = re.findall(r"^\| (.+?) \| ([A-Z]{2}|none) \|", text, re.MULTILINE)
    return [(raw, answer) for raw, answer in rows if raw != "Value"]


@pytest.mark.parametrize(("raw", "answer"), documented())
def test_a_contested_reading_is_decided_as_documented(raw: str, answer: str) -> None:
    assert (code(raw) or "none") == answer


def test_every_contested_reading_is_documented(shared: Path) -> None:
    path = shared / "countries" / "policy.csv"
    if not path.exists():
        pytest.skip("the contested readings are not beside this checkout")
    with path.open(encoding="utf-8", newline="") as file:
        raw = {row["raw"] for row in csv.DictReader(file)}
    assert raw <= {value for value, _ in documented()}


# ---- frames ---------------------------------------------------------------------------------


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
        unify_countries(frame("DE"), errors="ignore")  # type: ignore[arg-type]  # likewise


def test_errors_raise_lists_every_unresolved_value_with_count_and_reason() -> None:
    with pytest.raises(UnresolvedCountriesError, match=r"'Korea' \(2\): could be more") as caught:
        unify_countries(frame("Korea", "DE", "Korea", "Atlantis"), errors="raise")
    assert [(value, count) for value, count, _ in caught.value.unresolved] == [
        ("Korea", 2),
        ("Atlantis", 1),
    ]


def test_errors_raise_accepts_missing_values() -> None:
    assert len(unify_countries(frame("DE", None), errors="raise")) == 2


def test_namibia_survives_a_csv_file_that_is_read_as_documented() -> None:
    text = unify_countries(frame("NA", None)).to_csv(index=False)
    again = pd.read_csv(io.StringIO(text), keep_default_na=False, na_values=[""])
    assert again["country_alpha_2"].tolist()[0] == "NA"
    assert again["country_alpha_2"].isna().tolist() == [False, True]


def test_provenance_is_handed_on_with_the_counts() -> None:
    loaded = provenance.attach(frame("DE", None, "Korea"), source="A directory")
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


# ---- overrides and the audit ------------------------------------------------------------------


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
    accounts = provenance.attach(frame("DE", "Korea", None, None), resource="account")
    assert country_note(unify_countries(accounts)).startswith(
        "3 of 4 accounts (75.0%) have no country: 2 without a value, 1 with a value that names none."
    )
    assert country_note(unify_countries(frame())) == "There are no records."
    with pytest.raises(InvalidInputError, match="unify_countries"):
        country_note(frame("DE"))


# ---- properties -----------------------------------------------------------------------------

RAW = st.one_of(
    st.text(max_size=40),
    st.sampled_from([country.name for country in pycountry.countries]),
    st.builds(
        lambda one, between, other: one + between + other,
        st.sampled_from([country.name for country in pycountry.countries]),
        st.sampled_from([", ", " - ", " / ", " (", " and ", ".", "_", "\x00", "Ã©", "\ufffd", "?"]),
        st.text(max_size=12),
    ),
    st.none(),
)


@given(st.lists(RAW, max_size=12))
def test_doing_it_twice_is_doing_it_once(values: list[str | None]) -> None:
    once = unify_countries(frame(*values))
    twice = unify_countries(once)
    pd.testing.assert_frame_equal(twice, once)
    assert twice.attrs == once.attrs


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


@given(st.sampled_from(sorted(countries())), st.data())
def test_two_different_countries_have_no_answer(alpha_2: str, data: st.DataObject) -> None:
    others = [o for o in sorted(countries()) if {alpha_2, o} - {None} and o != alpha_2]
    other = data.draw(st.sampled_from(others))
    between = data.draw(st.sampled_from([" / ", " - ", " + ", " and ", "; ", " & "]))
    one, two = countries()[alpha_2].name, countries()[other].name
    assert code(f"{one}{between}{two}") is None


@given(st.sampled_from(sorted(countries())), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_the_unicode_form_makes_no_difference(alpha_2: str, form: str) -> None:
    name = countries()[alpha_2].name
    assert code(unicodedata.normalize(form, name)) == alpha_2  # type: ignore[arg-type]  # a literal


@given(st.text(max_size=60))
def test_a_key_is_its_own_key(text: str) -> None:
    key = fold(readable(text))
    assert fold(fold(key)) == fold(key)


def test_a_very_long_value_is_refused_quickly() -> None:
    assert resolve("((" * 10**5).reason == "too long for a name"
    assert resolve("a - " * 60).alpha_2 is None


# ---- the tables -----------------------------------------------------------------------------


def test_the_tables_are_read_once_and_only_when_needed() -> None:
    statement = (
        "import dirframe.clean, dirframe.clean.names as n; assert n.names.cache_info().misses == 0;"
        "n.names(); n.names(); assert n.names.cache_info().misses == 1"
    )
    subprocess.run([sys.executable, "-c", statement], check=True)


def test_every_source_ships_with_its_licence(root: Path) -> None:
    folder = root / "dirframe" / "clean" / "data"
    notice = (folder / "README.md").read_text(encoding="utf-8")
    for table in folder.glob("*.tsv"):
        assert f"`{table.name}`" in notice
    for link in re.findall(r"\]\((licences/.+?)\)", notice):
        assert len((folder / link).read_text(encoding="utf-8")) > 1000
