"""Reports of a template of one's own, as Markdown, notebook and PDF, from a kernel."""

import shutil

import pandas as pd
import pytest

import dirframe
from dirframe.errors import ConfigurationError, InvalidInputError, ReportError

FRAME = pd.DataFrame({"id": ["1"], "stack_count": [1]})
CELL = """
import os
import pandas as pd
from dirframe import plot
from dirframe.reports import report_data, show
print("key", os.environ.get("DIRFRAME_API_KEY"))
show(plot.growth, report_data().projects.assign(created_at=pd.Timestamp("2020-01-01", tz="UTC")))
"""


@pytest.fixture
def template(tmp_path):
    for package in ("nbclient", "nbconvert", "ipykernel"):
        pytest.importorskip(package, reason=f"{package} is an extra")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is an extra")

    def write(*cells):
        made = [
            nbformat.v4.new_markdown_cell("# Mine"),
            *map(nbformat.v4.new_code_cell, cells),
        ]
        nbformat.write(nbformat.v4.new_notebook(cells=made), tmp_path / "mine.ipynb")
        return tmp_path / "mine.ipynb"

    return write


def test_template_makes_a_report_without_the_key(template, tmp_path, monkeypatch):
    monkeypatch.setenv("DIRFRAME_API_KEY", "hidden")
    file = dirframe.report(FRAME, tmp_path / "r.md", template=template(CELL), title="T")
    text = file.read_text(encoding="utf-8")
    assert "# Mine" in text
    assert "key None" in text
    assert "plot.growth" in text
    assert "report_data" not in text  # no code
    (picture,) = (tmp_path / "r_files").iterdir()
    assert picture.read_bytes().startswith(b"<?xml")


def test_failing_template_is_named_and_leaves_the_old_file(template, tmp_path):
    mine = template("1/0")
    (tmp_path / "old.ipynb").write_text("old", encoding="utf-8")
    with pytest.raises(ReportError) as caught:
        dirframe.report(FRAME, tmp_path / "old.ipynb", template=mine, overwrite=True)
    assert (caught.value.cell, caught.value.heading) == (2, "Mine")
    assert (caught.value.error, caught.value.text) == ("ZeroDivisionError", "division by zero")
    assert (tmp_path / "old.ipynb").read_text(encoding="utf-8") == "old"
    mine.write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"mine\.ipynb"):
        dirframe.report(FRAME, tmp_path / "new.ipynb", template=mine)


def test_pdf_is_printed_by_chromium_or_refused(template, tmp_path, monkeypatch):
    if shutil.which("chromium"):
        file = dirframe.report(FRAME, tmp_path / "r.pdf", template=template("1"))
        assert file.read_bytes().startswith(b"%PDF-")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigurationError):
        dirframe.report(FRAME, tmp_path / "other.pdf")
    assert not (tmp_path / "other.pdf").exists()
