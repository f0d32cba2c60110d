"""A table of people and its map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = """no;full name;joined;town;mail;points
1;Ada & "A" <b>;10.12.2015;London;Ada@Example.org ;12
2;=cmd|' /C calc'!A0;28.02.2016;../../etc/passwd;;1,200
"""
MAP = """
[accounts.fields]
id = "no"
name = "full name"
created_at = { column = "joined", format = "%d.%m.%Y" }
location = "town"
email = "mail"
posts_count = "points"
avatar_url = { value = "https://images.example/none.png" }
"""


@pytest.fixture
def mapping(tmp_path: Path) -> Path:
    path = tmp_path / "map.toml"
    path.write_text(MAP, encoding="utf-8")
    return path


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path
