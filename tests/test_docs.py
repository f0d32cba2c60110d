"""Pages, README, notebooks and docstrings name what there is; their code runs as printed.

`make docs` builds the pages, executes all notebooks and resolves every reference.
"""

import doctest
import json
import re
import shlex
import sys
import warnings
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from operator import attrgetter
from pathlib import Path

import click
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import dirframe
from dirframe import errors, plot, stats
from dirframe.cli import cli
from dirframe.schema import ALL_RESOURCES
from tests.cases import slow_except

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
NOTEBOOKS = [
    "countries",
    "gallery",
    "languages_and_contributors",
    "organization_portfolio",
    "quick_start",
    "real_directory",
    "recipes",
    "research_question",
]


@pytest.fixture
def pages():
    """Return the text of each page that a person reads, by its path."""
    return {file: file.read_text("utf-8") for file in (*ROOT.glob("*.md"), *DOCS.glob("*.md"))}


@pytest.fixture
def configured(monkeypatch, tmp_path):
    """Work in an empty folder, with address and key of a directory of today in the environment."""
    monkeypatch.chdir(tmp_path)
    with dirframe.serve(analyses=False) as service:
        monkeypatch.setenv("DIRFRAME_BASE_URL", service.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", service.api_key.reveal())
        yield


def cells_of(name):
    return json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text("utf-8"))["cells"]


def code_of(name):
    """Return the code of a notebook, a text for each cell."""
    return ["".join(cell["source"]) for cell in cells_of(name) if cell["cell_type"] == "code"]


def run(blocks):
    """Run blocks of code one after another, every warning an error; return their names."""
    names = {}
    for code in blocks:
        with redirect_stdout(StringIO()) as printed, warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", dirframe.IncompleteWarning)  # incomplete="warn" asks
            exec(code, names)
        names["printed"] = names.get("printed", "") + printed.getvalue()
    plt.close("all")
    return names


def test_troubleshooting_has_a_section_for_each_error_and_warning():
    text = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL))
    assert set(sections) == set(errors.__all__)
    assert [name for name, body in sections.items() if len(body.split()) < 4] == []


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    yield import_module("tables").substitutions()
    sys.modules.pop("tables")


def columns_of(resource):
    """Return the columns of a resource and those of the entries of its lists."""
    columns = set()
    for field in resource.fields:
        columns.add(field.column)
        columns |= {f"{field.column}[].{entry.column}" for entry in field.fields}
    return columns


def test_data_dictionary_has_each_field_with_its_type(tables, sample_projects):
    found = re.findall(r"\*\*(\w+)\*\*\n\n(.+?)(?=\n\n|\Z)", tables["fields"], re.DOTALL)
    assert [name for name, _ in found] == [*ALL_RESOURCES]
    types = {
        name: dict(re.findall(r"^\| `(\S+)` \| [^|]+ \| `([^`]+)`", section, re.MULTILINE))
        for name, section in found
    }
    lacking = {
        name: columns_of(resource) - types[name].keys() for name, resource in ALL_RESOURCES.items()
    }
    assert {name: columns for name, columns in lacking.items() if columns} == {}
    specified = [field.column for field in ALL_RESOURCES["project"].specified]
    dtypes = {column: str(sample_projects[column].dtype) for column in specified}
    assert {column: types["project"][column] for column in specified} == dtypes


def test_reference_has_each_public_name(tables):
    documented = set(re.findall(r"auto\w+:: dirframe\.([\w.]+)", "\n".join(tables.values())))
    public = set(dirframe.__all__) - {"errors", "plot", "provenance", "stats"} | {
        f"stats.{name}" for name in stats.__all__
    }
    public |= {f"plot.{name}" for name in plot.__all__ if name.islower()}
    assert public - documented == set()
    text = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))
    assert [name for name in tables if f"{{{{ {name} }}}}" not in text] == []


def test_names_that_docs_and_errors_recommend_exist(pages):
    sources = (file.read_text(encoding="utf-8") for file in (ROOT / "dirframe").rglob("*.py"))
    text = "\n".join([*pages.values(), *sources])
    called = set(re.findall(r"(?<![\w./-])dirframe\.([a-z_]\w*(?:\.[a-z_]\w*)*)\(", text))
    assert {"provenance.copy_provenance", "sample_directory", "plan"} <= called
    for name in called:
        attrgetter(name)(dirframe)  # raises what is gone
    assert {*re.findall(r"\(dirframe ([a-z]+)", text)} - {"the"} <= cli.commands.keys()


def test_commands_of_the_pages_can_be_typed(pages, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "\n".join(pages.values()).replace("\\\n", " ")
    lines = re.findall(r"^\$ dirframe (.+)$", text, re.MULTILINE)
    assert len(lines) > 15
    for line in lines:
        command, words = cli, shlex.split(line)
        for file in re.findall(r"\S+\.(?:csv|parquet|archive)\b", line):
            Path(file).touch()
        while isinstance(command, click.Group):
            command = command.commands[words.pop(0)]
        command.make_context(line, words)  # raises what is wrong with the options


def test_links_lead_somewhere(pages):
    links = [
        (file, link)
        for file, text in pages.items()
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text)
        if not link.startswith("https://")
    ]
    assert len(links) > 25
    assert [link for file, link in links if not (file.parent / link).exists()] == []


def test_modules_that_contributing_names_exist(pages):
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", pages[ROOT / "CONTRIBUTING.md"]))
    folders = [
        ROOT,
        *(
            ROOT / "dirframe" / part
            for part in ("", "client", "client/http", "client/paging", "plot")
        ),
        ROOT / "tests",
    ]
    assert len(named) > 15
    assert [name for name in named if not any((folder / name).exists() for folder in folders)] == []


def test_pages_are_in_one_table_of_contents():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^([\w/-]+)$", index, re.MULTILINE))
    expected = {file.stem for file in DOCS.glob("*.md")} - {"index"}
    assert listed == expected | {f"guide/{name}" for name in NOTEBOOKS}


# The blocks of troubleshooting are answers to errors, each of a load of its own.
WITH_CODE = sorted(
    file.stem
    for file in DOCS.glob("*.md")
    if "\n```python\n" in file.read_text("utf-8") and file.stem != "troubleshooting"
)


#: They load, harvest or draw much: the slow tests run them.
LONG = [
    "analysis",
    "countries",
    "explorer",
    "large",
    "many-projects",
    "organizations",
    "real-directory",
    "reproducibility",
    "sample",
    "whole-directory",
]


@pytest.mark.parametrize("page", [page for page in WITH_CODE if page not in LONG])
def test_code_of_a_page_runs_in_its_order_without_a_warning(page, configured, monkeypatch):
    check_page(page, monkeypatch)


def check_page(page, monkeypatch):
    """Run the code of a page, with a directory of today in the environment."""
    monkeypatch.setattr("getpass.getpass", lambda _: "a key that a person types in")
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    if page == "large":
        pytest.importorskip("polars", reason="polars is an extra")
    run(blocks)


def test_csv_of_the_page_about_serving_is_served(tmp_path):
    text = (DOCS / "serving.md").read_text(encoding="utf-8")
    file = tmp_path / "projects.csv"
    file.write_text(re.search(r"```text\n(id,.*?)```", text, re.DOTALL)[1], encoding="utf-8")
    with dirframe.serve(file) as service, service.directory() as directory:
        projects = dirframe.load_projects(directory, sort="id", progress=False)
    assert projects["name"].tolist() == ["Catalogue", "Finder"]
    assert projects["tags"].tolist() == [["library", "ils"], ["library", "search"]]


def test_check_of_built_pages_finds_what_is_loaded_from_elsewhere(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    findings = import_module("checks").findings
    sys.modules.pop("checks")
    assert len(findings(tmp_path)) == 1  # holds no page
    (tmp_path / "good.html").write_text('<h1>x</h1><a href="https://elsewhere.example/">prose</a>')
    assert findings(tmp_path) == []
    (tmp_path / "bad.html").write_text(
        '<script src="https://cdn.example/a.js"></script><img src="//cdn.example/b.png">'
        "<style>@import 'https://cdn.example/c.css';</style>"
        '<script>load("https://cdn.example/d.js")</script>'
    )
    (tmp_path / "bad.css").write_text("a { background: url(https://cdn.example/e.png) }")
    found = "\n".join(findings(tmp_path))
    assert re.findall(r"cdn\.example/(\S+)", found) == ["a.js", "b.png", "c.css", "d.js", "e.png"]


def test_readme_code_runs_offline_and_with_a_key(configured):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    offline, with_key = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = run([offline])
    assert len(names["projects"]) == 1_500
    assert re.search(r"Java +\d+ +0\.\d+.*@misc\{", names["printed"], re.DOTALL)
    assert Path("language_share.png").read_bytes().startswith(b"\x89PNG")
    names = run([with_key])
    assert names["parsers"]["analysis_id"].notna().sum() > 5
    assert "requests" in names["printed"]


def test_notebooks_are_those_of_the_documentation():
    assert sorted(file.stem for file in (ROOT / "notebooks").glob("*.ipynb")) == NOTEBOOKS


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_shows_its_results_and_says_what_to_change(name):
    cells = cells_of(name)
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == [*range(1, len(code) + 1)]
    shown = json.dumps([cell["outputs"] for cell in code])
    assert "image/png" in shown
    assert not re.search(r'"output_type": "error"|"stderr"|127\.0\.0\.1:\d|/tmp/', shown)
    opening = "".join(cells[0]["source"])
    assert re.match(r"# .+\n\nThis notebook ", opening)
    assert "dirframe.Directory(" in opening


def test_gallery_shows_every_chart():
    code = "\n".join(code_of("gallery"))
    shown = set(re.findall(r"plot\.(\w+)", code))
    assert {*plot.__all__} <= shown


MODULES = sorted(
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for file in (ROOT / "dirframe").rglob("*.py")
    if ">>> " in file.read_text("utf-8")
)


#: They draw, harvest, read many pages or open an explorer: the slow tests have them.
LONG_MODULES = {
    "dirframe",  # of the package itself, in test_public_names
    "dirframe.archive.archive",
    "dirframe.archive.harvest",
    "dirframe.client.organizations",
    "dirframe.client.read_pages",
    "dirframe.explorer.explorer",
    "dirframe.plot.accounts",
    "dirframe.plot.contributors",
    "dirframe.plot.one_project",
    "dirframe.plot.panels",
    "dirframe.reports.report",
}
QUICK_MODULES = [name for name in MODULES if name not in LONG_MODULES]


@pytest.mark.parametrize(
    "name", slow_except([name for name in MODULES if name != "dirframe"], QUICK_MODULES)
)
def test_examples_of_docstrings_give_what_they_show(name, tmp_path, monkeypatch):
    """Those of the package itself are in test_public_names."""
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report = []
    known = {"dirframe": dirframe, "pd": pd}
    for test in doctest.DocTestFinder().find(import_module(name), extraglobs=known):
        runner.run(test, out=report.append)
    assert runner.tries > 0
    assert runner.failures == 0, "".join(report)


def test_examples_of_docstrings_are_many():
    texts = [file.read_text("utf-8") for file in (ROOT / "dirframe").rglob("*.py")]
    assert sum(text.count(">>> ") for text in texts) > 180
    assert len(MODULES) > 40
