"""A map that cannot be meant is refused by its entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dirframe.errors import ConfigurationError
from dirframe.service.server import serve

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[accounts.fields]\nid = 'number'\nname = 'full name'", "does not have; it has no,"),
        ("[accounts.fields]\nnaame = 'full name'", "there is name"),
        ("[people.fields]\nid = 'no'", "people, which does not exist; there is accounts, projects"),
        ("[accounts.fields]\nid = 'no'", "no column for name"),
        ("[accounts.fields]\nid = {}", "either a column or a value"),
        ("[accounts.fields]\nid = {column = 'no', decimal = ';'}", 'decimal in .* must be "."'),
        ("[accounts.fields]\nid = 7", "must be a table"),
        ("accounts = 7", "must be a table"),
        (
            "[accounts.fields]\ncreated_at = {column = 'no', format = '%d.%m.%Y %d'}",
            "created_at.format in .* is '%d.%m.%Y %d', .*a directive twice",
        ),
        (
            "[accounts.fields]\ncreated_at = {column = 'no', format = '%Y-%Q'}",
            "'Q' is a bad directive",
        ),
        ("[accounts", "is not TOML"),
        ("a = " + "[" * 10_000, "is nested too deeply"),
        ("", "is empty"),
    ],
)
def test_a_map_that_cannot_be_meant_is_refused_by_its_entry(
    people: Path, mapping: Path, text: str, told: str
) -> None:
    mapping.write_text(text)
    with pytest.raises(ConfigurationError, match=told):
        serve(people, mapping=mapping)
