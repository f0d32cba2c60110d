"""Examples that start kernels and need extras, the recorded figures, and the check of built pages."""

import ast
import doctest
import json
import re
import sys
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO

import pytest
from matplotlib import pyplot as plt


def test_all_examples_of_docstrings_give_what_they_show(root, tmp_path, monkeypatch):
    pytest.importorskip("statsmodels", reason="inference is an extra")
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


def test_published_figures_are_found_in_recorded_pages(root, shared, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DIRFRAME_RECORDED_PAGES", str(shared / "real" / "pages"))
    notebook = json.loads((root / "notebooks" / "published_results.ipynb").read_text("utf-8"))
    names = {}
    with redirect_stdout(StringIO()):
        for cell in notebook["cells"]:
            code = "".join(cell["source"]) if cell["cell_type"] == "code" else ""
            exec(code, names)
            if cell.get("id") == "comparison":
                last = ast.unparse(ast.parse(code).body[-1])
                here = eval(last, names).set_index("figure")["here"].astype(float)
    assert here["developers, median"] == 4
    assert here["developers, mode"] == 1
    assert here["with one developer"] == pytest.approx(47 / 184, abs=1e-4)
    assert here["with more than 10"] == pytest.approx(45 / 184, abs=1e-4)
    assert here["doubling time (months)"] == pytest.approx(25.4, abs=0.1)
    assert here["of those, two or more"] == pytest.approx(137 / 184, abs=1e-4)


def test_check_of_built_pages_finds_what_loads_or_leads_nowhere(root, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "docs"))
    findings = import_module("checks").findings
    sys.modules.pop("checks")
    assert len(findings(tmp_path)) == 1  # holds no page
    (tmp_path / "good.html").write_text(
        '<h1 id="top">x</h1><a href="#top"></a><a href="https://elsewhere.example/">prose</a>'
    )
    assert findings(tmp_path) == []
    (tmp_path / "bad.html").write_text(
        '<script src="https://cdn.example/a.js"></script><img src="//cdn.example/b.png">'
        "<style>@import 'https://cdn.example/c.css';</style>"
        '<script>load("https://cdn.example/d.js")</script>'
        '<a href="gone.html"></a><a href="good.html#nothing"></a>'
    )
    (tmp_path / "bad.css").write_text("a { background: url(https://cdn.example/e.png) }")
    found = findings(tmp_path)
    assert len(found) == 7
    for expected in ("a.js", "b.png", "c.css", "d.js", "e.png", "gone.html", "good.html#nothing"):
        assert any(re.search(rf"\b{re.escape(expected)}", line) for line in found), expected
