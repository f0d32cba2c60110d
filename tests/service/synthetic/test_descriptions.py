from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from dirframe.service.synthetic import descriptions

SEEDS = st.integers(0, 2**40)


@given(SEEDS)
def test_a_name_has_a_word_that_can_stand_in_an_address(seed: int) -> None:
    name, word = descriptions.project_name(Random(seed).random)
    assert name == name.strip() != ""
    assert word.isascii()
    assert word.isalpha()
    assert word == word.lower()


@given(SEEDS)
def test_a_description_is_made_of_whole_sentences_without_gaps(seed: int) -> None:
    text = descriptions.description("Reskix", Random(seed).random)
    assert "{" not in text
    assert " a a" not in text.lower()
    assert text == text.strip() != ""


@given(SEEDS)
def test_no_sentence_of_two_gaps_says_one_thing_twice(seed: int) -> None:
    text = descriptions.description("Reskix", Random(seed).random)
    for sentence in text.split(". "):
        start, _, place = sentence.partition("Works on ")
        if not start and place:
            one, two = place.rstrip(".").split(" and ", 1)
            assert one != two


@given(SEEDS, st.integers(0, 178), st.sampled_from(["C#", "Java", None]))
def test_tags_are_as_many_as_asked_for_and_differ(
    seed: int, count: int, language: str | None
) -> None:
    found = descriptions.tags(count, language, Random(seed).random)
    assert len(found) == len(set(found)) == count
