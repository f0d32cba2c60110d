"""Starting is cheap because little is loaded; tests/benchmarks/imports.py measures how cheap."""

from __future__ import annotations

import json
import subprocess
import sys

LOADED = """
import json, sys
before = set(sys.modules)
try:
    {statement}
except SystemExit:
    pass
print()
print(json.dumps(sorted(set(sys.modules) - before)))
"""

#: What a person should not wait for before it is needed.
HEAVY = {
    "flask",
    "hypothesis",
    "ipywidgets",
    "lxml",
    "matplotlib",
    "narwhals",
    "numpy",
    "pandas",
    "pyarrow",
    "pycountry",
    "requests",
    "requests_cache",
    "waitress",
    "werkzeug",
}


def modules_loaded_by(statement: str) -> set[str]:
    """Run a statement in a fresh interpreter; what site loads at its start does not count."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(statement=statement)],
        check=True,
        capture_output=True,
        text=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_dirframe_loads_nothing_but_its_own_first_module() -> None:
    assert modules_loaded_by("import dirframe") - {"__future__"} == {"dirframe"}


def test_an_error_can_be_caught_without_loading_what_raises_it() -> None:
    loaded = modules_loaded_by("import dirframe; dirframe.QuotaExceededError")
    assert {name for name in loaded if name.startswith("dirframe")} == {
        "dirframe",
        "dirframe.errors",
    }
    assert not loaded & HEAVY


def test_the_help_of_the_command_line_loads_nothing_heavy() -> None:
    loaded = modules_loaded_by(
        "import runpy; sys.argv[1:] = ['--help']; runpy.run_module('dirframe', None, '__main__')"
    )
    assert "dirframe.cli" in loaded
    assert not loaded & HEAVY


def test_loading_a_frame_needs_neither_charts_nor_widgets_nor_the_service() -> None:
    loaded = modules_loaded_by("import dirframe; dirframe.load_projects")
    assert not loaded & {"matplotlib", "ipywidgets", "flask", "waitress"}


def test_statistics_load_no_names_of_countries() -> None:
    loaded = modules_loaded_by("import dirframe.stats")
    assert not loaded & {"dirframe.clean", "pycountry", "rapidfuzz"}
