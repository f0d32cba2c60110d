"""A key does not depend on how a name is encoded."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from dirframe.clean._vocabulary.iso import countries
from dirframe.clean.normalize import clean_text, normalize
from tests.clean import code


@given(st.sampled_from(sorted(countries())), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_the_unicode_form_makes_no_difference(alpha_2: str, form: str) -> None:
    name = countries()[alpha_2].name
    assert code(unicodedata.normalize(form, name)) == alpha_2  # type: ignore[arg-type]  # a literal


@given(st.text(max_size=60))
def test_a_key_is_its_own_key(text: str) -> None:
    key = normalize(clean_text(text))
    assert normalize(normalize(key)) == normalize(key)
