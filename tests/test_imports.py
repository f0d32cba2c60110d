"""Starting is cheap because little is loaded; a pandas that is too old is refused by name."""

import json

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


def test_imports_load_only_what_is_used():
    package, error, loader, stats, statistic, home = loaded_after(
        "import dirframe",
        "dirframe.QuotaExceededError",
        "dirframe.load_projects",
        "import dirframe.stats",
        "import pandas as pd; dirframe.stats.language_share(pd.DataFrame("
        "{'analysis_main_language_name': ['C'], 'analysis_total_code_lines': [1]}))",
        "dirframe.provenance.copy_provenance, dirframe.errors.NetworkError",
    )
    assert package - {"__future__", "runpy"} == {"dirframe"}
    assert {n for n in error if n.startswith("dirframe")} == {"dirframe", "dirframe.errors"}
    assert not error & HEAVY
    assert not loader & {"matplotlib", "ipywidgets", "flask", "waitress"}
    assert not stats & {"dirframe.clean", "pycountry", "matplotlib"}
    assert not statistic & ENGINES
    assert not home & ENGINES


def test_help_of_the_command_line_loads_nothing_heavy():
    help_of = "sys.argv[1:] = {}; runpy.run_module('dirframe', None, '__main__')"
    all_commands, one = loaded_after(
        help_of.format("['--help']"), help_of.format("['accounts', '--help']")
    )
    assert "dirframe.cli" in all_commands
    assert not (all_commands | one) & HEAVY


OLD = """
import sys
import dirframe
dirframe.NetworkError  # needs no pandas
uses = [
    "dirframe.read_export('a.csv')",
    "dirframe.Explorer",
    "from dirframe import stats",
    "import dirframe.stats",
    "sys.argv = ['dirframe', 'summary', 'README.md']; import dirframe.__main__ as m; m.main()",
]
for use in uses:
    try:
        exec(use)
    except SystemExit as ended:
        print(ended.code)
    except dirframe.ConfigurationError as error:
        print(error)
"""


def test_a_pandas_that_is_too_old_is_refused_at_first_use(tmp_path):
    metadata = tmp_path / "pandas-2.3.3.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: pandas\nVersion: 2.3.3\n")
    done = run(program=OLD, env={"PYTHONPATH": str(tmp_path)})
    *errors, code = done.out.splitlines()
    assert len(errors) == 4
    for text in (*errors, done.err):
        assert "2.3.3" in text
        assert '"pandas>=3"' in text
    assert code == "3"
