"""The tables hold countries alone, are up to date, and ship with their licences."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

from dirframe.clean._vocabulary.iso import countries
from dirframe.clean.name_index import names
from dirframe.clean.normalize import clean_text, normalize
from dirframe.clean.resolver import resolve
from tests.clean import code
from tools.country_aliases import own_lines

if TYPE_CHECKING:
    from pathlib import Path


def test_every_country_has_one_name_that_leads_back_to_it() -> None:
    for alpha_2, country in countries().items():
        assert code(country.name) == alpha_2, country
        assert "," not in country.name.removeprefix("Bonaire,").removeprefix("Saint Helena,")


def test_an_own_line_has_a_reason_and_a_source_and_is_what_happens() -> None:
    for line in own_lines():
        assert line.reason, line
        assert line.source, line
        assert resolve(line.name).alpha_2 == line.alpha_2, line


def test_the_keys_of_own_lines_are_up_to_date() -> None:
    known = names()
    for line in own_lines():
        key = normalize(clean_text(line.name))
        found = known.index.get(key) or known.codes.get(key)
        assert found is not None, f"{line.name}: run tools/build_country_table.py"
        assert found.alpha_2 == line.alpha_2, line


def test_the_tables_are_read_once_and_only_when_needed() -> None:
    statement = (
        "import dirframe.clean, dirframe.clean.name_index as n; assert n.names.cache_info().misses == 0;"
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
