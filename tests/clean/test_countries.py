"""No value gets a wrong country, few that have one get none; a frame keeps what it had."""

import csv
import json
import re
import string
import unicodedata
from functools import cache
from io import StringIO
from itertools import product
from pathlib import Path

import pandas as pd
import pycountry
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import country_audit, country_note, provenance, unify_countries
from dirframe.errors import InvalidInputError, UnresolvedCountriesError
from tests.cases import slow_except

PROBES = Path(__file__).parent / "probes"
CODES = sorted({country.alpha_2 for country in pycountry.countries} | {"XK"})

#: Territories with a code of their own, by state.
TERRITORIES = {
    "AU": "CC CX HM NF", "CN": "HK MO TW", "DK": "FO GL", "FI": "AX",
    "FR": "BL GF GP MF MQ NC PF PM RE TF WF YT",
    "GB": "AI BM FK GG GI GS IM IO JE KY MS PN SH TC VG",
    "NL": "AW BQ CW SX", "NO": "BV SJ", "NZ": "CK NU TK", "US": "AS GU MP PR UM VI",
}  # fmt: skip

#: Signs that are put around a value and mean nothing.
SIGNS = st.text(alphabet=" .,;:!*_-–—\"'()[]{}<>/|\\\t#", max_size=3)
ENGLISH = st.sampled_from([country.name for country in pycountry.countries])
RAW = st.one_of(
    st.text(max_size=40),
    ENGLISH,
    st.builds(
        lambda one, between, other: one + between + other,
        ENGLISH,
        st.sampled_from([", ", " - ", " / ", " (", " and ", ".", "_", "\x00", "Ã©", "\ufffd", "?"]),
        st.text(max_size=12),
    ),
    st.none(),
)


def codes(values):
    """Return the code of each value, or None."""
    values = list(values)
    found = unify_countries(pd.Series(values, dtype="object"))["country_alpha_2"]
    return dict(zip(values, found.astype("object").where(found.notna(), None), strict=True))


def code(raw):
    """Return the code of one value, or None."""
    return codes([raw])[raw]


def wrong(expected):
    """Return the values whose answer is not the expected one, with both."""
    found = codes(expected)
    return {raw: (code, found[raw]) for raw, code in expected.items() if found[raw] != code}


def answered(values):
    """Return the values that have an answer, with it."""
    return {raw: found for raw, found in codes(values).items() if found}


def audit(*values):
    """Return the audit of values, by the value."""
    return country_audit(pd.Series(values, dtype="object")).set_index("raw")


@cache
def names():
    """Return the name of each country by its code."""
    return dict(zip(CODES, unify_countries(pd.Series(CODES))["country_name"], strict=True))


def probes(name):
    """Yield the lines of a list: a code or a class, and values."""
    for line in (PROBES / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            head, _, values = line.partition(": ")
            yield head, values.split(" | ")


@cache
def markers():
    return dict(probes("unresolved"))["null"]


@pytest.fixture(scope="module")
def development(shared):
    """Return the rows of the development set beside the checkout."""
    with (shared / "countries" / "dev.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# Lists: what must resolve, to what, and what must not


def test_probes_resolve_to_their_countries():
    lists = sorted(path.stem for path in PROBES.glob("*.txt") if path.stem != "unresolved")
    expected = {
        name: {value: code for code, values in probes(name) for value in values} for name in lists
    }
    assert len(expected) == 9
    assert [name for name in lists if not expected[name]] == []
    found = {name: wrong(codes) for name, codes in expected.items()}
    assert {name: answers for name, answers in found.items() if answers} == {}


def test_probes_without_a_country_resolve_to_none_and_have_a_reason():
    kinds = dict(probes("unresolved"))
    assert [kind for kind in kinds if not kinds[kind]] == []
    found = {kind: answered(values) for kind, values in kinds.items()}
    assert {kind: answers for kind, answers in found.items() if answers} == {}
    reasons = {kind: audit(*values)["reason"] for kind, values in kinds.items()}
    without = {kind: [*reason[reason == ""].index] for kind, reason in reasons.items()}
    assert {kind: values for kind, values in without.items() if values} == {}


def test_development_set_has_no_wrong_country_and_lacks_one_for_typing_errors_alone(development):
    expected = {r["raw"]: None if r["category"] == "typo" else r["expected"] or None
                for r in development}  # fmt: skip
    assert wrong(expected) == {}


def test_typing_errors_of_the_development_set_get_the_right_suggestion(development):
    typos = {row["raw"]: row["expected"] for row in development if row["category"] == "typo"}
    table = audit(*typos)
    assert table["country_alpha_2"].isna().all()
    assert {raw: text[:2] for raw, text in table["suggestion"].items()} == typos


def test_country_resolves_by_its_codes_and_names():
    expected = {}
    for country in pycountry.countries:
        alpha_2, alpha_3 = country.alpha_2, country.alpha_3
        written = [alpha_2, alpha_2.lower(), f" {alpha_2},", f"({alpha_2})", alpha_3]
        fields = ("name", "official_name", "common_name")
        written += [alpha_3.lower(), *(getattr(country, field, None) for field in fields)]
        if alpha_2 == "NA":  # in any other form it is a marker of a missing value
            written = [t for t in written if t and (t == "NA" or len(t.strip(" ,()")) > 2)]
        expected |= {text: alpha_2 for text in written if text and text != "Congo"}
    assert len(expected) > 1_900
    assert wrong(expected) == {}


def test_country_has_one_name_that_leads_back_to_it():
    assert wrong({name: code for code, name in names().items()}) == {}
    assert {name for name in names().values() if "," in name} <= {names()["BQ"], names()["SH"]}


def test_names_of_our_own_have_reason_and_source_and_are_what_happens(root):
    path = root / "dirframe" / "clean" / "data" / "own.tsv"
    lines = [
        line.split("\t")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    assert [line for line in lines if len(line) != 4 or not all(line)] == []
    assert wrong({name: None if code == "-" else code for name, code, _, _ in lines}) == {}


@pytest.fixture(scope="module")
def contested(root):
    """Return the answers of values that readers may expect otherwise."""
    with (root / "tests" / "clean" / "contested.csv").open(encoding="utf-8", newline="") as file:
        return {row["raw"]: row["alpha_2"] or None for row in csv.DictReader(file)}


def test_contested_readings_are_as_decided(contested, root):
    assert len(contested) >= 87
    assert wrong(contested) == {}
    page = (root / "docs" / "countries.md").read_text(encoding="utf-8").partition("## Disputed")[2]
    rows = re.findall(r"^\| (.+?) \| ([A-Z]{2}|none) \|", page, re.MULTILINE)
    assert len(rows) > 8
    assert [raw for raw, code in rows if contested[raw] != (code if code != "none" else None)] == []


def test_contested_readings_are_all_decided(contested, shared):
    with (shared / "countries" / "policy.csv").open(encoding="utf-8", newline="") as file:
        assert {row["raw"] for row in csv.DictReader(file)} <= contested.keys()


def test_country_tables_ship_with_their_licence(root):
    folder = root / "dirframe" / "clean" / "data"
    notice = (folder / "README.md").read_text(encoding="utf-8")
    assert [t.name for t in folder.glob("*.tsv") if f"`{t.name}`" not in notice] == []
    licences = re.findall(r"\]\((licences/.+?)\)", notice)
    assert licences
    sizes = {link: len((folder / link).read_text(encoding="utf-8")) for link in licences}
    assert {link: size for link, size in sizes.items() if size <= 1000} == {}


def test_signs_that_nobody_sees_make_no_difference():
    expected = {"Cura\ufffdao": "CW", "S\u00adpain": "ES", "Sri\u00a0Lanka": "LK"}
    assert wrong(expected | {"\uff30\uff45\uff52\uff55": "PE"}) == {}


def test_reasons_tell_codes_words_and_missing_values_apart():
    too_long = ["((" * 10**5, "a - " * 60, "Germany" + " " * 300]
    values = ("x y", "f r a", "a.e", "no data", "not known", "n/a", "known", "bananas", *too_long)
    table = audit(*values)
    assert table["country_alpha_2"].isna().all()
    reasons = table["reason"]
    assert reasons["x y"] == reasons["f r a"]  # a code is not written with blanks
    assert reasons["no data"] == reasons["not known"] == reasons["n/a"]
    assert reasons["known"] == reasons["bananas"]
    assert reasons[["x y", "a.e", "no data", "known"]].is_unique


def test_country_name_that_is_an_everyday_word_needs_a_capital_letter():
    expected = {
        "Indie": "IN", "Bene": "BJ", "Norra": "NO", "Togas": "TG", "Gales": "GB", "Suis": "CH",
        "Labanan": "LB", "Grenade": "GD", "Хорват": "HR", "NORRA": "NO", "Norra Norra": "NO",
    }  # fmt: skip
    assert wrong(expected) == {}
    written = ("{}", "({})", " {}.", "{} {}")
    assert answered(form.replace("{}", raw.lower()) for raw in expected for form in written) == {}
    assert audit("indie")["reason"].item() != audit("indices")["reason"].item()
    # Words of smaller languages, and names with an accent, stay names.
    kept = {"inde": "IN", "indien": "IN", "malte": "MT", "france": "FR", "gāna": "GH"}
    assert wrong(kept) == {}


def test_country_rule_is_the_one_that_was_needed():
    table = audit("Arab Emirates United", "Rep Dominican", "DE", "DEU", "TÃ¼rkiye")
    assert table["rule"].is_unique
    assert (table["rule"] != "").all()


@given(st.sampled_from(CODES), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_country_name_in_any_form_of_unicode_resolves_alike(alpha_2, form):
    assert code(unicodedata.normalize(form, names()[alpha_2])) == alpha_2


def test_country_name_in_other_letters_that_was_decoded_wrongly_resolves():
    expected = {
        name.encode().decode(encoding): alpha_2
        for name, alpha_2 in {"Китай": "CN", "日本": "JP", "Ελλάδα": "GR"}.items()
        for encoding in ("cp1252", "latin-1")
    }
    assert wrong(expected) == {}


@given(st.sampled_from(CODES), st.sampled_from([" ", ", ", "/", " - ", " ("]))
def test_country_name_that_is_written_twice_resolves(alpha_2, between):
    name = names()[alpha_2]
    if not set(name) & set(",()-") and (" and " not in name or between == " "):
        assert code(f"{name}{between}{name.upper()}") == alpha_2


@given(st.sampled_from(CODES))
def test_country_name_with_a_blank_between_all_letters_resolves(alpha_2):
    name = names()[alpha_2]
    if set(name) <= set(string.ascii_letters):
        assert code(" ".join(name)) == code(" ".join(name.upper())) == alpha_2


@given(
    st.sampled_from(sorted(markers())),
    SIGNS,
    SIGNS,
    st.sampled_from([str, str.lower, str.upper]),
)
def test_country_null_marker_never_resolves_however_it_is_decorated(marker, before, after, case):
    raw = f"{before}{case(marker)}{after}"
    if raw.strip() != "NA":
        assert code(raw) is None


@given(SIGNS, SIGNS)
def test_namibia_is_its_two_capital_letters_alone(before, after):
    raw = f"{before}NA{after}"
    assert code(raw) == ("NA" if raw.strip() == "NA" else None)
    assert answered(["NAM", "Namibia", "NA - Namibia"]) == dict.fromkeys(
        ["NAM", "Namibia", "NA - Namibia"], "NA"
    )


def test_country_code_is_no_domain_ending_or_spreadsheet_error():
    assert answered(f"{sign}{one}" for sign in (".", "#", "*.") for one in CODES) == {}


@given(st.sampled_from(CODES), st.data())
def test_country_name_beside_another_country_has_no_single_answer(alpha_2, data):
    other = data.draw(st.sampled_from([one for one in CODES if one != alpha_2]))
    between = data.draw(st.sampled_from([" ", " / ", " - ", " + ", " and ", "; ", " & ", "|"]))
    assert code(f"{names()[alpha_2]}{between}{names()[other]}") is None


@pytest.mark.parametrize("alpha_2", ["AE", "GB", "US"])
def test_country_name_of_forms_of_government_before_another_country_is_two(alpha_2):
    name = names()[alpha_2]
    found = answered(f"{name} {names()[other]}" for other in CODES if other != alpha_2)
    # The words of United Mexican States, in another order.
    assert found == ({f"{name} Mexico": "MX"} if alpha_2 == "US" else {})


def test_country_territory_beside_its_state_is_the_territory():
    expected = {}
    for state, territories in TERRITORIES.items():
        for territory in territories.split():
            inner, outer = names()[territory], names()[state]
            expected[f"{inner} ({outer})"] = territory
            if not set(inner) & set(",("):
                expected[f"{outer}, {inner}"] = territory
    assert wrong(expected) == {}


#: Parts of the United Kingdom, also in other languages and forms.
PARTS = (
    "England", "Scotland", "Wales", "Northern Ireland", "Great Britain", "N. Ireland",
    "NorthernIreland", "Ireland, Northern", "England and Wales", "Wales (UK)", "UK: Wales",
    "Principality of Wales", "the England", "Kingdom of Scotland", "Gales", "Écosse", "イングランド",
)  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
def test_part_of_a_state_beside_the_code_of_a_territory_has_no_answer(part):
    forms = (
        "{part}, {code}", "{part} ({code})", "{part} {code}", "{code} {part}", "{code}, {part}",
        "{code} ({part})", "{part} / {code}", "{part} - {code}", "{part},{code}",
    )  # fmt: skip
    values = [
        form.format(part=part, code=written)
        for territory in map(pycountry.countries.lookup, TERRITORIES["GB"].split())
        for written in (territory.alpha_2, territory.alpha_2.lower(), territory.alpha_3)
        for form in forms
    ]
    assert answered(values) == {}


def test_state_or_its_code_beside_the_code_of_a_territory_is_the_territory():
    assert wrong({
        "United Kingdom, KY": "KY", "UK, MS": "MS", "GB, GI": "GI", "U.K. (VG)": "VG",
        "UK KY": "KY", "KY (British)": "KY", "Cayman Islands (UK)": "KY", "GBR, IMN": "IM",
        "France, GP": "GP", "Frankreich, GP": "GP", "US, PR": "PR", "PR USA": "PR",
        "China, HK": "HK", "Scotland, UK": "GB", "Wales, GB": "GB", "Jersey, England": "JE",
    }) == {}  # fmt: skip


def test_name_in_several_scripts_as_on_maps():
    assert wrong({
        "Maroc ⵍⵎⵖⵔⵉⴱ المغرب": "MA", "Algérie / ⵍⵣⵣⴰⵢⴻⵔ / الجزائر": "DZ", "Tunisie تونس": "TN",
        "ⵍⵉⴱⵢⴰ ليبيا": "LY", "Djibouti جيبوتي": "DJ", "Tchad تشاد": "TD", "香港 Hong Kong": "HK",
        "澳門 Macau": "MO", "ኤርትራ Eritrea إرتريا": "ER", "ශ්‍රී ලංකාව இலங்கை": "LK",
        "العراق عێراق": None,  # one script, two languages
        "Singapore 新加坡 சிங்கப்பூர்": "SG", "Србија Srbija": "RS", "საქართველო Georgia": "GE",
        "Israel ישראל إسرائيل": "IL", "Κύπρος Cyprus": "CY",
        "Schweiz/Suisse/Svizzera/Svizra": "CH",
        # Two countries, or a place that no table knows.
        "France Россия": None, "Niger نيجيريا": None, "السودان South Sudan": None,
        "Maroc طنجة": None, "Paris فرنسا": None, "東京 Japan": None,
    }) == {}  # fmt: skip


def test_names_of_states_before_they_were_renamed_and_those_that_stay_open():
    assert wrong({
        "British East Africa": "KE", "Gilbert Islands": "KI", "Ellice Islands": "TV",
        "Moldovian SSR": "MD", "Moldovian Soviet Socialist Republic": "MD", "Moldavian SSR": "MD",
        "Gold Coast": None, "Formosa": None, "Mesopotamia": None, "German East Africa": None,
        "Gilbert and Ellice Islands": None, "Tanganyika": None,
    }) == {}  # fmt: skip


STATES = (
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ "
    "NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY"
)


@pytest.mark.parametrize("step", slow_except([1, 7], [7]), ids=["all", "each seventh"])
def test_country_name_with_the_code_of_a_state_is_that_code_or_its_territory(step):
    # Arab Republic and West Indies, which stand behind these names alone.
    not_states = {("EG", "AR"), ("YE", "AR"), ("GD", "WI")}
    forms = ("{}, {}", "{} ({})", "{} {}")
    cases = [*product(CODES, STATES.split(), forms)]  # each seventh has each of these
    parts = {
        form.format(names()[alpha_2], state): (alpha_2, state)
        for alpha_2, state, form in cases[::step]
        if (alpha_2, state) not in not_states
    }
    failures = {}
    for raw, found in answered(parts).items():
        alpha_2, state = parts[raw]
        allowed = state in [alpha_2, *TERRITORIES.get(alpha_2, "").split()]
        if not allowed or found != state:
            failures[raw] = found
    assert failures == {}


@given(st.lists(RAW, max_size=12))
def test_country_answer_is_a_known_code_with_a_rule_or_a_reason(values):
    table = country_audit(pd.Series(values, dtype="object"))
    assert set(table["country_alpha_2"].dropna()) <= set(CODES)
    assert ((table["rule"] != "") == table["country_alpha_2"].notna()).all()
    assert ((table["reason"] != "") == table["country_alpha_2"].isna()).all()


@given(st.lists(RAW, max_size=12))
def test_country_unification_done_twice_changes_nothing(values):
    once = unify_countries(pd.DataFrame({"country_code": pd.Series(values, dtype="object")}))
    twice = unify_countries(once)
    pd.testing.assert_frame_equal(twice, once)
    assert twice.attrs == once.attrs


def test_country_typing_error_is_suggested_and_never_answered():
    expected = {
        "amrenia": "AM", "phillipines": "PH", "UnitesStates": "US", "Germny": "DE",
        "Nowhere at all": "", "xx": "", "Nigera": "",  # Niger or Nigeria
        "Konya": "",  # a province
    }  # fmt: skip
    table = audit(*expected)
    assert table["country_alpha_2"].isna().all()
    assert {raw: text[:2] for raw, text in table["suggestion"].items()} == expected


def test_lone_surrogate_is_kept_by_unify():
    unified = unify_countries(frame("DE", "DE\ud83d"))
    assert unified["country_code"].tolist() == ["DE", "DE\ud83d"]
    assert unified["country_alpha_2"].tolist() == ["DE", "DE"]  # it is no letter


def test_lone_surrogate_is_named_by_its_row_in_an_audit():
    table = frame("DE", "DE\ud83d")
    with pytest.raises(InvalidInputError, match=r"country_code .* pair.* row 1"):
        country_audit(table)
    with pytest.raises(InvalidInputError, match=r"country_code .* pair.* row 1"):
        country_audit(table["country_code"])


# In frames: the raw value is kept, every decision is shown, and overrides win

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
    assert table.loc["a"].tolist() == ["FR", "FRA", "France"]


@pytest.mark.parametrize("dtype", ["object", "str", "category", "string"])
def test_unify_reads_every_kind_of_text_column(dtype):
    table = unify_countries(frame("DE", None, "DE").astype(dtype))
    assert table["country_alpha_2"].fillna("-").tolist() == ["DE", "-", "DE"]


@pytest.mark.parametrize("values", [[], [None, None], [1, 2.5, b"DE", True]])
def test_unify_finds_no_countries_in_a_column_without_text(values):
    table = unify_countries(frame(*values))
    assert table[ADDED].isna().all(axis=None)
    assert [str(dtype) for dtype in table[ADDED].dtypes] == ["str"] * 3


def test_unify_refuses_what_cannot_be_meant():
    with pytest.raises(InvalidInputError, match="country_code"):
        unify_countries(frame("DE", ["FR"]))
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
    names = ["Korea", "Atlantis", "Nemo"]
    reasons = country_audit(frame(*values)).set_index("raw")["reason"]
    expected = [(name, values.count(name), reasons[name]) for name in names]
    assert list(caught.value.unresolved) == expected
    assert [name for name in names if name not in str(caught.value)] == []
    assert len(unify_countries(frame("DE", None), errors="raise")) == 2


def test_unify_hands_provenance_on_with_the_counts():
    loaded = provenance.set_provenance(frame("DE", None, "Korea"), source="A directory")
    record = unify_countries(loaded).attrs["dirframe"]
    assert record["source"] == "A directory"
    counts = {"records": 3, "resolved": 1, "missing": 1, "unresolved": 1}
    assert record["countries"] == {"column": "country_code", **counts}
    assert json.dumps(record)
    assert loaded.attrs["dirframe"]["countries"] == {}
    again = provenance.set_provenance(frame(), **provenance.get_provenance(unify_countries(loaded)))
    assert again.attrs["dirframe"] == record


@pytest.mark.parametrize("earlier", ["a choice of rows", "without duplicates"])
def test_unify_is_recorded_once_and_after_any_other_step(earlier):
    loaded = provenance.set_provenance(frame("DE", None), source="A directory")
    chosen = provenance.copy_provenance(loaded, loaded.copy(), earlier)
    twice = unify_countries(unify_countries(chosen))
    assert provenance.get_provenance(twice)["steps"] == [earlier, "unify_countries"]


def test_country_override_goes_before_every_rule():
    assert found("DE", "Korea", overrides={"DE": None, "Korea": "KR"}) == ["-", "KR"]
    numbers = pd.read_csv(StringIO("raw,country_alpha_2\n840,US\n"))
    assert found("840", overrides=numbers) == ["US"]


@pytest.mark.parametrize("answer", ["XX", "Korea", "kr", 5])
def test_country_override_that_names_no_country_is_refused(answer):
    with pytest.raises(InvalidInputError, match="Korea"):
        unify_countries(frame("Korea"), overrides={"Korea": answer})


def test_country_overrides_in_another_form_are_refused():
    with pytest.raises(InvalidInputError, match="list"):
        unify_countries(frame("DE"), overrides=["DE"])
    with pytest.raises(InvalidInputError, match="'raw'"):
        unify_countries(frame("DE"), overrides=frame("DE"))


def test_country_override_given_twice_is_refused():
    twice = pd.DataFrame({"raw": ["Congo", "Congo"], "country_alpha_2": ["CD", "CG"]})
    with pytest.raises(InvalidInputError, match="Congo"):
        unify_countries(frame("Congo"), overrides=twice)
    twice["country_alpha_2"] = "CD"
    assert found("Congo", overrides=twice) == ["CD"]


def test_audit_shows_every_value_once_the_most_frequent_first_with_answer_or_reason():
    table = country_audit(frame("Korea", "DE", None, "DE", "Bomet", "NA"))
    assert table["count"].sum() == 6
    assert table["raw"].tolist()[:4] == ["DE", "Bomet", "Korea", "NA"]
    assert ((table["rule"] == "") != (table["reason"] == "")).all()
    by_raw = table.set_index("raw")
    assert by_raw.loc["NA", "country_name"] == "Namibia"


def test_audit_pasted_back_changes_nothing_and_an_edited_one_decides():
    values = ("DE", "Korea", None, "amrenia")
    audit = country_audit(frame(*values))
    pd.testing.assert_frame_equal(
        unify_countries(frame(*values), overrides=audit), unify_countries(frame(*values))
    )
    audit.loc[audit["raw"] == "amrenia", "country_alpha_2"] = "AM"
    assert found(*values, overrides=audit) == ["DE", "-", "-", "AM"]


def placed_accounts():
    """Return four accounts, of which one has a country, and two have no value."""
    return provenance.set_provenance(frame("DE", "Korea", None, None), resource="account")


def test_note_says_how_many_have_no_country():
    note = country_note(unify_countries(placed_accounts()))
    assert re.search(r"3 of 4 accounts \(75\.0%\) .* 2 without .* 1 with", note)
    assert country_note(unify_countries(frame()))


ONE_OF_TWO = r"1 of 2 \w+ \(50.0%\) .* 0 without a value, 1 with a value"


@pytest.mark.parametrize("column", ["country_code", "place"])
def test_note_of_some_rows_counts_these(column):
    accounts = placed_accounts().rename(columns={"country_code": column})
    whole = unify_countries(accounts, column=column)
    assert "3 of 4" in country_note(whole)
    assert re.search(ONE_OF_TWO, country_note(whole.head(2)))


def test_note_of_some_rows_of_an_audit_counts_these():
    whole = country_audit(placed_accounts())
    assert "3 of 4" in country_note(whole)
    assert re.search(ONE_OF_TWO, country_note(whole.iloc[1:3]))


def test_note_of_a_series_is_that_of_all_its_rows():
    alone = unify_countries(placed_accounts()["country_code"])
    assert "3 of 4" in country_note(alone)
    with pytest.raises(InvalidInputError):  # the raw values are not there
        country_note(alone.head(2))


def test_note_of_raw_countries_is_refused():
    with pytest.raises(InvalidInputError):
        country_note(frame("DE"))
