from __future__ import annotations

import pytest

from dirframe.service.records import without_controls
from dirframe.service.synthetic.edge_cases import (
    ACCOUNTS,
    EDGE_CASE_PERIOD,
    PROJECTS,
    EdgeCase,
    texts,
)
from dirframe.service.synthetic.generate import generate_accounts, generate_projects


@pytest.mark.parametrize("choice", [ACCOUNTS, PROJECTS])
def test_one_record_in_fifty_is_peculiar_and_every_kind_has_its_turn(
    choice: tuple[EdgeCase, ...],
) -> None:
    size = EDGE_CASE_PERIOD * len(choice)
    found = [content for index in range(size) if (content := texts(choice, index))]
    assert found == [each.texts for each in choice]


@pytest.mark.parametrize("choice", [ACCOUNTS, PROJECTS])
def test_a_peculiar_text_can_stand_in_xml_and_survives_trimming(
    choice: tuple[EdgeCase, ...],
) -> None:
    for each in choice:
        assert each.texts.keys() <= {"name", "description"}
        for text in each.texts.values():
            assert without_controls(text) == text == text.strip() != ""


def test_the_sample_contains_every_peculiarity() -> None:
    names = {record["name"] for record in generate_accounts(2_000)}
    assert {each.texts["name"] for each in ACCOUNTS} <= names
    contents = [tuple(record.items()) for record in generate_projects(1_500)]
    for each in PROJECTS:
        assert any(set(each.texts.items()) <= {*content[:5]} for content in contents)
