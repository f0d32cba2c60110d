"""A key does not depend on how a name is encoded."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.clean._vocabulary.iso import countries
from dirframe.clean.normalize import clean_text, normalize, undo_mojibake
from tests.clean import code


@given(st.sampled_from(sorted(countries())), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_the_unicode_form_makes_no_difference(alpha_2: str, form: str) -> None:
    name = countries()[alpha_2].name
    assert code(unicodedata.normalize(form, name)) == alpha_2  # type: ignore[arg-type]  # a literal


@given(st.text(max_size=60))
def test_a_key_is_its_own_key(text: str) -> None:
    key = normalize(clean_text(text))
    assert normalize(normalize(key)) == normalize(key)


@pytest.mark.parametrize(("name", "alpha_2"), [("Китай", "CN"), ("日本", "JP"), ("Ελλάδα", "GR")])
@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_a_name_in_other_letters_that_was_decoded_wrongly_is_read(
    name: str, alpha_2: str, encoding: str
) -> None:
    assert code(name.encode().decode(encoding)) == alpha_2


@pytest.mark.parametrize("text", ["Rønne Â", "Þór Ã", "año Ã©"])
def test_accents_beside_what_cannot_be_decoded_were_never_decoded_wrongly(text: str) -> None:
    assert list(undo_mojibake(text)) == []
