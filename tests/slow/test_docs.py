"""All examples of docstrings, the recipes, and the check of built pages."""

import doctest
import json
import re
import sys
import warnings
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO

import pytest
from matplotlib import pyplot as plt


def test_all_examples_of_docstrings_give_what_they_show(root, tmp_path, monkeypatch):
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report = []
    for file in sorted((root / "dirframe").rglob("*.py")):
        name = ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        if name != "dirframe" and ">>> " in file.read_text("utf-8"):
            (tmp_path / name).mkdir()
            monkeypatch.chdir(tmp_path / name)  # where no other example has left a file
            for test in doctest.DocTestFinder().find(import_module(name)):
                runner.run(test, out=report.append)
            plt.close("all")
    assert runner.tries > 450
    assert runner.failures == 0, "".join(report)


@pytest.fixture(scope="module")
def recipes(root):
    """Run the recipes, whose cells assert their figures; return their names and the last cell."""
    cells = json.loads((root / "notebooks" / "recipes.ipynb").read_text(encoding="utf-8"))["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    names = {}
    with (
        redirect_stdout(StringIO()),
        warnings.catch_warnings(),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.delenv("DIRFRAME_RECORDED_PAGES", raising=False)
        warnings.simplefilter("error")
        # Python shows no such warning of a library's own code.
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="powerlaw")
        for code in codes:
            exec(code, names)
    return names, codes[-1]


def test_recipes_give_their_figures_without_a_warning(recipes):
    names, _ = recipes
    assert names["doubling"] == pytest.approx(28.353, abs=1e-3)


def test_recipe_of_a_published_figure_reads_recorded_pages(recipes, shared, monkeypatch):
    names, code = recipes
    monkeypatch.setenv("DIRFRAME_RECORDED_PAGES", str(shared / "real" / "pages"))
    exec(code, names)
    assert names["doubling"] == pytest.approx(25.408, abs=1e-3)


def test_check_of_built_pages_finds_what_loads(root, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "docs"))
    findings = import_module("checks").findings
    sys.modules.pop("checks")
    assert len(findings(tmp_path)) == 1  # holds no page
    (tmp_path / "good.html").write_text(
        '<h1 id="top">x</h1><a href="https://elsewhere.example/">prose</a>'
    )
    assert findings(tmp_path) == []
    (tmp_path / "bad.html").write_text(
        '<script src="https://cdn.example/a.js"></script><img src="//cdn.example/b.png">'
        "<style>@import 'https://cdn.example/c.css';</style>"
        '<script>load("https://cdn.example/d.js")</script>'
    )
    (tmp_path / "bad.css").write_text("a { background: url(https://cdn.example/e.png) }")
    found = findings(tmp_path)
    assert len(found) == 5
    for expected in ("a.js", "b.png", "c.css", "d.js", "e.png"):
        assert any(re.search(rf"\b{re.escape(expected)}", line) for line in found), expected
