"""Pages, README, notebooks and docstrings name what there is; their code runs as printed.

`make docs` builds the pages, executes all notebooks and resolves every reference.
"""

import doctest
import json
import re
import sys
import warnings
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from operator import attrgetter

import pytest
from matplotlib import pyplot as plt

import dirframe
from dirframe import errors, plot
from dirframe.schema.extensions import ALL_RESOURCES

#: Their examples start kernels, services and archives, or need extras: see tests/slow.
SLOW_EXAMPLES = ("dirframe.__init__.", "dirframe.archive.", "dirframe.explorer.")
NOTEBOOKS = (
    "countries",
    "gallery",
    "languages_and_contributors",
    "quick_start",
    "real_directory",
    "recipes",
    "research_question",
)


@pytest.fixture
def docs(root):
    return root / "docs"


@pytest.fixture
def pages(root, docs):
    """Return the text of each page that a person reads, by its path."""
    names = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
    files = [*(root / name for name in names), *sorted(docs.glob("*.md"))]
    return {file: file.read_text(encoding="utf-8") for file in files}


@pytest.fixture
def configured(monkeypatch, tmp_path):
    """Work in an empty folder, with address and key of a directory of today in the environment."""
    monkeypatch.chdir(tmp_path)
    service = dirframe.serve(analyses=False)
    with service as url:
        monkeypatch.setenv("DIRFRAME_BASE_URL", url)
        monkeypatch.setenv("DIRFRAME_API_KEY", service.api_key.reveal())
        yield


def code_of(notebook):
    """Return the code of a notebook, a text for each cell."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def run(blocks):
    """Run blocks of code one after another, every warning an error; return their names."""
    names = {}
    for code in blocks:
        with redirect_stdout(StringIO()) as printed, warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter(
                "default", dirframe.IncompleteWarning
            )  # which incomplete="warn" asks for
            exec(code, names)
        names["printed"] = names.get("printed", "") + printed.getvalue()
    plt.close("all")
    return names


# Pages


def test_every_error_and_warning_has_its_section_on_what_to_do(docs):
    text = (docs / "troubleshooting.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL))
    assert set(sections) == set(errors.__all__)
    assert [name for name, body in sections.items() if len(body.split()) < 4] == []


def test_every_field_is_in_the_data_dictionary_and_every_name_in_the_reference(
    docs, monkeypatch, sample_projects
):
    monkeypatch.syspath_prepend(str(docs))
    tables = import_module("tables").substitutions()
    sys.modules.pop("tables")
    for name, section in re.findall(
        r"\*\*(\w+)\*\*\n\n(.+?)(?=\n\n|\Z)", tables["fields"], re.DOTALL
    ):
        types = dict(re.findall(r"^\| `(\S+)` \| [^|]+ \| `([^`]+)`", section, re.MULTILINE))
        for field in ALL_RESOURCES[name].fields:
            entries = field.items.fields if field.items else ()
            assert {field.column, *(f"{field.column}[].{e.column}" for e in entries)} <= {*types}
        for field in ALL_RESOURCES[name].specified if name == "project" else ():
            assert types[field.column] == str(sample_projects[field.column].dtype)
    documented = set(re.findall(r"auto\w+:: dirframe\.([\w.]+)", "\n".join(tables.values())))
    assert set(dirframe.__all__) - documented == {"plot", "stats"}
    text = "".join(page.read_text(encoding="utf-8") for page in docs.glob("*.md"))
    assert [name for name in tables if f"{{{{ {name} }}}}" not in text] == []


def test_names_that_docs_and_errors_recommend_exist(root, pages):
    sources = (file.read_text(encoding="utf-8") for file in (root / "dirframe").rglob("*.py"))
    text = "\n".join([*pages.values(), *sources])
    called = set(re.findall(r"(?<![\w./-])dirframe((?:\.[a-z_]\w*)+)\(", text))
    assert {".provenance.copy_provenance", ".sample_directory", ".plan"} <= called
    gone = []
    for name in sorted(called):
        try:
            attrgetter(name[1:])(dirframe)
        except AttributeError:
            gone.append(name)
    assert gone == []


def test_links_lead_somewhere(pages):
    dead, count = [], 0
    for file, text in pages.items():
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            count += 1
            if not link.startswith("https://") and not (file.parent / link).exists():
                dead.append(f"{file.name}: {link}")
    assert count > 25
    assert dead == []


def test_pages_are_short_and_in_one_table_of_contents(docs, pages):
    lines = [
        line for file, text in pages.items() if file.parent == docs for line in text.split("\n")
    ]
    assert len(lines) < 1_100
    index = (docs / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^([\w/-]+)$", index, re.MULTILINE))
    expected = {file.stem for file in docs.glob("*.md")} - {"index"}
    assert listed == expected | {f"guide/{name}" for name in NOTEBOOKS}


@pytest.mark.parametrize(
    "page", ["start", "real-directory", "countries", "reproducibility", "large", "serving"]
)
def test_code_of_a_page_runs_in_its_order_without_a_warning(page, docs, configured):
    text = (docs / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert blocks
    run(blocks)


# The README and the notebooks


def test_readme_code_runs_offline_and_with_a_key(root, configured):
    text = (root / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 75
    offline, with_key = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = run([offline])
    assert len(names["projects"]) == 1_500
    assert names["printed"].startswith("@misc{")
    names = run(["import dirframe", with_key])
    assert names["parsers"]["analysis_id"].notna().sum() > 5
    assert "requests" in names["printed"]


def test_notebooks_are_kept_clean_and_say_what_to_change(root):
    notebooks = sorted((root / "notebooks").glob("*.ipynb"))
    assert tuple(notebook.stem for notebook in notebooks) == NOTEBOOKS
    for notebook in notebooks:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
        opening = "".join(cells[0]["source"])
        assert opening.startswith("# "), notebook.name
        assert opening.split("\n\n")[1].startswith("This notebook "), notebook.name
        assert "dirframe.Directory(" in opening, notebook.name


def test_gallery_shows_every_chart(root):
    code = "\n".join(code_of(root / "notebooks" / "gallery.ipynb"))
    shown = set(re.findall(r"plot\.(\w+)", code))
    assert {name for name in plot.__all__ if name.islower()} - shown == {"language_colour"}


def test_quick_start_runs_without_a_warning(root, configured):
    names = run(code_of(root / "notebooks" / "quick_start.ipynb"))
    assert len(names["projects"]) == 1_500
    assert names["accounts"]["country_alpha_2"].notna().sum() > 1_000


# The docstrings


def test_examples_of_docstrings_give_what_they_show(root, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report = []
    for file in sorted((root / "dirframe").rglob("*.py")):
        name = ".".join(file.relative_to(root).with_suffix("").parts)
        if not f"{name}.".startswith(SLOW_EXAMPLES) and ">>> " in file.read_text("utf-8"):
            module = import_module(name.removesuffix(".__init__"))
            for test in doctest.DocTestFinder().find(module):
                runner.run(test, out=report.append)
            plt.close("all")
    assert runner.tries > 200
    assert runner.failures == 0, "".join(report)
