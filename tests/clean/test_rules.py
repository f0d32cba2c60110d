"""A rule rearranges a value and never guesses."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dirframe.clean._vocabulary.iso import countries
from dirframe.clean._vocabulary.territories import STATES_OF
from tests.clean import code


def test_a_territory_beside_its_state_is_the_territory() -> None:
    for territory, state in STATES_OF.items():
        inner, outer = countries()[territory].name, countries()[state].name
        assert code(f"{inner} ({outer})") == territory
        if not set(inner) & set(",("):
            assert code(f"{outer}, {inner}") == territory


@given(st.sampled_from(sorted(countries())), st.data())
def test_two_different_countries_have_no_answer(alpha_2: str, data: st.DataObject) -> None:
    others = [o for o in sorted(countries()) if {alpha_2, o} - {None} and o != alpha_2]
    other = data.draw(st.sampled_from(others))
    between = data.draw(st.sampled_from([" / ", " - ", " + ", " and ", "; ", " & "]))
    one, two = countries()[alpha_2].name, countries()[other].name
    assert code(f"{one}{between}{two}") is None
