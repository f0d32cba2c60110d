"""The year in which programming languages first appeared (``first_appearance.csv``).

Only well-known languages, by their names in the directory. Sources: PLDB, the Programming
Language Database (pldb.io, "appeared"), and Wikipedia's "first appeared" as stored by PLDB. If
they, or another cited source, differ, the earliest year is used, so that no project is flagged
that one of them would clear. Where the table names no source, both agree.
"""

from __future__ import annotations

from pathlib import Path

from dirframe._tables import read_rows

#: Year of first appearance by main language.
FIRST_APPEARANCE: dict[str, int] = {
    row["language"]: int(row["year"])
    for row in read_rows(Path(__file__).with_name("first_appearance.csv"))
}
