"""Starting is cheap because little is loaded; a pandas that is too old is refused by name."""

import json

import pytest

from tests.processes import run

#: What a person should not wait for before it is needed.
HEAVY = {
    "flask", "hypothesis", "ipywidgets", "lxml", "matplotlib", "numpy", "pandas",
    "pyarrow", "pycountry", "requests", "requests_cache", "waitress", "werkzeug",
}  # fmt: skip
ENGINES = {"dask", "distributed", "duckdb", "polars"}

#: Runs each argument, and prints as JSON which modules are loaded after each.
STEPS = """
import json, runpy, sys
steps, before, loaded = sys.argv[1:], set(sys.modules), []
for step in steps:
    try:
        exec(step)
    except SystemExit:
        pass
    loaded.append(sorted(set(sys.modules) - before))
print()
print(json.dumps(loaded))
"""


def loaded_after(*steps):
    """Return the modules that are loaded after each step, in a new interpreter."""
    done = run(*steps, program=STEPS)
    assert done.code == 0, done.err
    return [set(names) for names in json.loads(done.out.splitlines()[-1])]


#: What a person does, one after the other, and a name for what is loaded after each.
SESSION = {
    "package": "import dirframe",
    "error": "dirframe.QuotaExceededError",
    "loader": "dirframe.load_projects",
    "stats": "import dirframe.stats",
    "statistic": "import pandas as pd; dirframe.stats.language_share(pd.DataFrame("
    "{'analysis_main_language_name': ['C'], 'analysis_total_code_lines': [1]}))",
    "home": "dirframe.provenance.copy_provenance, dirframe.errors.NetworkError",
    "service": "with dirframe.serve(): pass",
    "load": "with dirframe.sample_directory() as d: dirframe.load_projects(d, max_items=1)",
    "explorer": "dirframe.Explorer",
}


@pytest.fixture(scope="module")
def session():
    """Return the modules that are loaded after each step of a session, by its name."""
    return dict(zip(SESSION, loaded_after(*SESSION.values()), strict=True))


def test_imports_load_only_what_is_used(session):
    package, error = session["package"], session["error"]
    own = {"dirframe", "dirframe._modules"}
    assert {name for name in package if name.startswith("dirframe")} == own
    assert not package & HEAVY
    errors = {"dirframe.errors", "dirframe._printable"}
    assert {name for name in error if name.startswith("dirframe")} == own | errors
    assert not error & HEAVY
    assert not session["loader"] & {"matplotlib", "ipywidgets", "flask", "waitress"}
    assert not session["stats"] & {"dirframe.clean", "pycountry", "matplotlib"}
    assert not session["statistic"] & ENGINES
    assert not session["home"] & ENGINES


def test_widgets_are_imported_by_the_explorer_alone(session):
    widgets = {"anywidget", "ipywidgets"}
    found = {name: session[name] & widgets for name in ("service", "load", "explorer")}
    assert found == {"service": set(), "load": set(), "explorer": widgets}


def test_help_of_the_command_line_loads_nothing_heavy():
    help_of = "sys.argv[1:] = {}; runpy.run_module('dirframe', None, '__main__')"
    all_commands, one = loaded_after(
        help_of.format("['--help']"), help_of.format("['accounts', '--help']")
    )
    assert "dirframe.cli" in all_commands
    assert not (all_commands | one) & HEAVY
