"""Lists of values of our own: what must resolve, to what, and what must not."""

from __future__ import annotations

import string
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.clean._vocabulary.iso import countries
from dirframe.clean._vocabulary.territories import STATES_OF
from tests.clean import code

if TYPE_CHECKING:
    from collections.abc import Iterator

PROBES = Path(__file__).parent / "probes"
RESOLVED = sorted(path.stem for path in PROBES.glob("*.txt") if path.stem != "unresolved")

#: Signs that are put around a value and mean nothing.
SIGNS = st.text(alphabet=" .,;:!*_-–—\"'()[]{}<>/|\\\t#", max_size=3)


def probes(name: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the lines of a list: a code or a class, and values."""
    for line in (PROBES / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            head, _, values = line.partition(": ")
            yield head, values.split(" | ")


MARKERS = dict(probes("unresolved"))["null"]


@pytest.mark.parametrize("name", RESOLVED)
def test_every_value_of_a_list_resolves_to_its_country(name: str) -> None:
    lines = list(probes(name))
    assert lines
    found = {value: (alpha_2, code(value)) for alpha_2, values in lines for value in values}
    assert {value: pair for value, pair in found.items() if pair[0] != pair[1]} == {}


@pytest.mark.parametrize(("kind", "values"), list(probes("unresolved")))
def test_no_value_of_a_class_without_a_country_resolves(kind: str, values: list[str]) -> None:
    assert values, kind
    assert {value: found for value in values if (found := code(value))} == {}


@given(st.sampled_from(MARKERS), SIGNS, SIGNS, st.sampled_from([str, str.lower, str.upper]))
def test_a_null_marker_never_resolves_however_it_is_decorated(
    marker: str, before: str, after: str, case: object
) -> None:
    raw = f"{before}{case(marker)}{after}"  # type: ignore[operator]  # a method of str
    if raw.strip() != "NA":
        assert code(raw) is None


@given(SIGNS, SIGNS)
def test_namibia_is_its_two_capital_letters_alone(before: str, after: str) -> None:
    raw = f"{before}NA{after}"
    assert code(raw) == ("NA" if raw.strip() == "NA" else None)
    assert code("NAM") == code("Namibia") == code("NA - Namibia") == "NA"


@given(
    st.sampled_from(MARKERS),
    st.sampled_from(MARKERS),
    st.sampled_from([" ", ", ", "/", " - ", ": ", "\n"]),
)
def test_two_null_markers_never_resolve(one: str, other: str, between: str) -> None:
    assert code(f"{one}{between}{other}") is None


@pytest.mark.parametrize("alpha_2", ["AE", "GB", "US"])
def test_a_name_made_of_forms_of_government_before_another_country_is_two(alpha_2: str) -> None:
    name = countries()[alpha_2].name
    others = [other.name for other in countries().values() if other.alpha_2 != alpha_2]
    found = {other: code(f"{name} {other}") for other in others}
    # The words of United Mexican States, in another order.
    expected = {"Mexico": "MX"} if alpha_2 == "US" else {}
    assert {other: answer for other, answer in found.items() if answer} == expected


@pytest.mark.parametrize("raw", ["China Republic", "Republic China", "China (Republic)"])
def test_a_republic_of_china_that_is_nobody_s_people_s_is_taiwan(raw: str) -> None:
    assert code(raw) == "TW"
    assert code(raw.replace("Republic", "People's Republic")) == "CN"


@given(st.sampled_from(sorted(countries())), st.data())
def test_a_name_beside_another_country_has_no_single_answer(
    alpha_2: str, data: st.DataObject
) -> None:
    other = data.draw(st.sampled_from(sorted(set(countries()) - {alpha_2})))
    between = data.draw(st.sampled_from([" ", " / ", " - ", " + ", " and ", "; ", " & ", "|"]))
    assert code(f"{countries()[alpha_2].name}{between}{countries()[other].name}") is None


@given(st.sampled_from(sorted(countries())), st.sampled_from([" ", ", ", "/", " - ", " ("]))
def test_a_name_that_is_written_twice_resolves(alpha_2: str, between: str) -> None:
    name = countries()[alpha_2].name
    if set(name) & set(",()-") or (" and " in name and between != " "):
        return
    assert code(f"{name}{between}{name.upper()}") == alpha_2


@given(st.sampled_from(sorted(countries())))
def test_a_name_with_a_blank_between_all_letters_resolves(alpha_2: str) -> None:
    name = countries()[alpha_2].name
    if set(name) <= set(string.ascii_letters):
        assert code(" ".join(name)) == code(" ".join(name.upper())) == alpha_2


@given(st.sampled_from(sorted(countries())))
def test_a_domain_ending_or_a_spreadsheet_error_is_no_code(alpha_2: str) -> None:
    one = countries()[alpha_2]
    raws = [f"{sign}{c}" for sign in (".", "#", "*.") for c in (one.alpha_2, one.alpha_3.lower())]
    assert {raw: found for raw in raws if (found := code(raw))} == {}


_STATES = (
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ "
    "NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY"
)
STATES = _STATES.split()


#: Arab Republic and West Indies, which stand behind these names alone.
_NOT_STATES = {("EG", "AR"), ("YE", "AR"), ("GD", "WI")}


@pytest.mark.parametrize("state", STATES)
def test_a_name_with_the_code_of_a_state_is_no_country_but_that_code_or_its_territory(
    state: str,
) -> None:
    wrong = {
        raw: found
        for alpha_2, country in countries().items()
        if (alpha_2, state) not in _NOT_STATES
        for form in ("{}, {}", "{} ({})", "{} {}")
        if (found := code(raw := form.format(country.name, state))) is not None
        and not (found == state and alpha_2 in (state, STATES_OF.get(state)))
    }
    assert wrong == {}
