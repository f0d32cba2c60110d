"""`make lint` finds what tools/house.py forbids, and CONTRIBUTING.md names what tests patch."""

import re

from tools.house import check

CLEAN = {
    "CITATION.cff": "cff-version: 1.2.0\nversion: 1.0\n",
    "dirframe/__init__.py": '__version__ = "1.0"\n',
}


def test_house_finds_what_it_forbids_and_names_file_and_line():
    bad = {
        "a.md": "one\nhttps://py" + "pi.org/simple",
        "b.md": "see /ho" + "me/ada/notes",
        "c.toml": "api_" + 'key = "0123456789abcdefghij"',
        "dirframe/d.py": "x = 1  # no" + "qa: S101\n",
        "dirframe/e.py": 'if "locked" in str(error):\n    pass\n',
        "tests/f.py": "import pytest\npytest.import" + "orskip('duckdb')\n",
        "CITATION.cff": "version: 0.9\n",
    }
    assert check(CLEAN) == []
    found = check(CLEAN | bad)
    assert sorted(one.rpartition(": ")[0].split(": ")[0] for one in found) == [
        "CITATION.cff:1", "a.md:2", "b.md:1", "c.toml:1", "dirframe/d.py:1", "dirframe/e.py:1",
        "tests/f.py:2",
    ]  # fmt: skip


def test_house_accepts_reasons():
    reasons = {
        "dirframe/d.py": "x = 1  # no" + "qa: S101  # constant\n",
        "dirframe/e.py": "# The stubs lack it.\nx = y()  # type: ig" + "nore[misc]\n",
        "tests/f.py": "import pytest\npytest.import" + "orskip('duckdb', reason='an extra')\n",
    }
    assert check(CLEAN | reasons) == []


#: What is patched: an object and the name of its attribute, or a path that ends with it.
PATCH = re.compile(r'patch\.setattr\(\s*(?:[\w.]+,\s*)?f?"(?:[^"]*\.)?(\w+)"')


def test_patched_attributes_are_those_of_the_table_in_contributing(root):
    tests = "\n".join(file.read_text("utf-8") for file in root.glob("tests/**/*.py"))
    guide = (root / "CONTRIBUTING.md").read_text("utf-8")
    table = guide.partition("| Patched | Why |")[2].partition("\n\n")[0]
    first_cells = [row.split("|")[1] for row in table.strip().splitlines()]
    named = set(re.findall(r"`(?:[\w.]+\.)?(\w+)(?:\(\))?`", " ".join(first_cells)))
    patched = set(PATCH.findall(tests))
    words = set(re.findall(r"\w+", tests))
    found = {"not in the table": patched - named, "not in the tests": named - words}
    assert found == {"not in the table": set(), "not in the tests": set()}
