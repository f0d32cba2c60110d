"""Pages, README, notebooks and docstrings name what there is; their code runs as printed.

`make docs` builds the pages, executes all notebooks and checks every link.
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
from dirframe import errors, plot, stats
from dirframe.cli import EXIT_CODES, cli
from dirframe.schema import RESOURCES
from dirframe.schema.extensions import ALL_RESOURCES

#: Their examples start kernels, services and archives, or need extras: see tests/slow.
SLOW_EXAMPLES = (
    "dirframe.__init__.",  # runs in test_public_names
    "dirframe.archive.",
    "dirframe.explorer.",
)


@pytest.fixture
def docs(root):
    return root / "docs"


@pytest.fixture
def of_docs(docs):
    """Import a module of the pages as Sphinx does, and leave none behind."""
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(docs))
        yield import_module
    for name in {"names", "tables"} - before:
        sys.modules.pop(name, None)


def code_of(notebook):
    """Return the code of a notebook, a text for each cell."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


# The reference


def test_every_public_name_is_in_one_theme_of_the_reference(of_docs, docs):
    names = of_docs("names")
    listed = [name for theme in names.themes().values() for name in theme]
    public = set(dirframe.__all__) - {"plot", "stats"}
    public |= {f"plot.{name}" for name in plot.__all__} | {f"stats.{n}" for n in stats.__all__}
    assert len(listed) == len(set(listed))
    beyond = {name for name in listed if name.startswith("provenance.")}
    assert {*listed, *names.CONSTANTS} - beyond == public
    pages = "\n".join(file.read_text(encoding="utf-8") for file in (docs / "api").glob("*.md"))
    assert [theme for theme in names.themes() if f"{{{{ api_{theme} }}}}" not in pages] == []


def test_every_error_and_warning_has_its_section_on_what_to_do(docs):
    text = (docs / "howto" / "failing.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL))
    assert set(sections) == set(errors.__all__)
    assert [name for name, body in sections.items() if f"{{{{ {name} }}}}" not in body] == []


def test_every_field_is_in_the_data_dictionary_with_its_type(of_docs, docs, sample_projects):
    found = of_docs("tables").substitutions()
    text = (docs / "reference" / "fields.md").read_text(encoding="utf-8")
    failures = []
    for resource in ALL_RESOURCES.values():
        tables = {f"fields_{resource.name}": resource.fields}
        for field in resource.fields:
            if field.items:
                tables[f"fields_{resource.name}_{field.path[-1]}"] = field.items.fields
        for name, fields in tables.items():
            failures += [name] * (f"{{{{ {name} }}}}" not in text)
            failures += [
                f.column for f in fields if f"\n| `{f.column}` | {f.meaning}" not in found[name]
            ]
    assert failures == []
    rows = [row.split("|") for row in found["fields_project"].splitlines()[2:]]
    stated = {cells[1].strip(" `"): cells[3].strip(" `") for cells in rows}
    for field in RESOURCES["project"].specified:
        assert stated[field.column] == str(sample_projects[field.column].dtype)


def test_every_command_and_exit_code_is_on_its_page(of_docs, docs):
    table = of_docs("tables").substitutions()["exit_codes"]
    assert "{{ exit_codes }}" in (docs / "reference" / "cli.md").read_text(encoding="utf-8")
    for error, code in EXIT_CODES.items():
        assert f"| {code} | {{py:exc}}`~dirframe.{error.__name__}` |" in table
    text = (docs / "reference" / "commands.rst").read_text(encoding="utf-8")
    assert ".. click:: dirframe.cli:cli\n" in text
    assert ":nested: full" in text
    assert cli.commands


def test_names_that_docs_and_errors_recommend_exist(root, docs):
    files = [root / "README.md", *docs.rglob("*.md"), *(root / "dirframe").rglob("*.py")]
    texts = [file.read_text(encoding="utf-8") for file in files if "_build" not in file.parts]
    called = re.findall(r"(?<![\w./-])dirframe((?:\.[a-z_]\w*)+)\(", "\n".join(texts))
    assert {".provenance.copy_provenance", ".sample_directory", ".plan"} <= set(called)
    gone = []
    for name in sorted(set(called)):
        try:
            attrgetter(name[1:])(dirframe)
        except AttributeError:
            gone.append(name)
    assert gone == []


# The README and the notebooks


def test_readme_code_runs_as_written(root):
    text = (root / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = {}
    with redirect_stdout(StringIO()) as printed:
        exec(code, names)
    names["directory"].close()
    assert len(names["projects"]) == 1_500
    assert printed.getvalue().startswith("@misc{")


def test_readme_links_lead_somewhere(root):
    text = (root / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    here = [link for link in links if not link.startswith("https://")]
    assert len(here) > 10
    assert [link for link in here if not (root / link).exists()] == []


def test_notebooks_are_kept_clean_and_are_linked_and_say_what_to_change(root, docs):
    pages = [docs / "index.md", docs / "guide.md"]
    linked = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    notebooks = sorted((root / "notebooks").glob("*.ipynb"))
    assert len(notebooks) == 9
    for notebook in notebooks:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
        opening = "".join(cells[0]["source"])
        assert opening.startswith("# "), notebook.name
        assert opening.split("\n\n")[1].startswith("This notebook "), notebook.name
        assert "dirframe.Directory(" in opening, notebook.name
        assert f"(guide/{notebook.name})" in linked


def test_gallery_shows_every_chart(root):
    code = "\n".join(code_of(root / "notebooks" / "gallery.ipynb"))
    shown = set(re.findall(r"plot\.(\w+)\(", code))
    assert {name for name in plot.__all__ if name.islower()} - shown == {"language_colour"}


def test_quick_start_runs_without_a_warning(root, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for code in code_of(root / "notebooks" / "quick_start.ipynb"):
        with redirect_stdout(StringIO()), warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(code, names)
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
    assert runner.tries > 100
    assert runner.failures == 0, "".join(report)
