"""The notebooks run from top to bottom, offline, and are kept without what they printed.

nbmake runs them, in the folder of the notebook: of a copy, so that no file stays in the repository.
It takes a cell that prints a warning for a good one; the tests do not.
"""

from __future__ import annotations

import os
import re
import shutil
from io import StringIO
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbmake.nb_run import NotebookRun

from dirframe import plot

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(path.name for path in FOLDER.glob("*.ipynb"))


def notebook(name: str) -> nbformat.NotebookNode:
    # nbformat has no types.
    content: nbformat.NotebookNode = nbformat.read(FOLDER / name, as_version=4)
    return content


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_valid_and_kept_without_its_outputs(name: str) -> None:
    content = notebook(name)
    nbformat.validate(content)
    for cell in content.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_opens_with_its_result_and_the_line_to_change(name: str) -> None:
    opening = notebook(name).cells[0].source
    assert opening.startswith("# ")
    assert opening.split("\n\n")[1].startswith("This notebook ")
    assert "dirframe.Directory(" in opening


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_from_top_to_bottom_without_a_warning(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    before = set(FOLDER.iterdir())
    copy = Path(shutil.copy(FOLDER / name, tmp_path))
    # Harvests go on from what an earlier run left.
    for _ in range(2 if name == "harvesting.ipynb" else 1):
        ran = NotebookRun(copy, default_timeout=120).execute()
        assert ran.error is None, ran.error.trace
    content = ran.nb
    outputs = [output for cell in content.cells for output in cell.get("outputs", ())]
    said = [output.text for output in outputs if output.get("name") == "stderr"]
    assert not [text for text in said if "Warning" in text]
    assert set(FOLDER.iterdir()) == before
    if name == "gallery.ipynb":
        shown = {"image/png", "application/vnd.plotly.v1+json"}
        drawn = [output for output in outputs if shown & set(output.get("data", {}))]
        assert len(drawn) == len(re.findall(r"^plot\.|^with plot", source(content), re.MULTILINE))


def test_the_published_figures_are_found_in_recorded_pages(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    monkeypatch.setenv("DIRFRAME_RECORDED_PAGES", str(shared / "real" / "pages"))
    copy = Path(shutil.copy(FOLDER / "published_results.ipynb", tmp_path))
    ran = NotebookRun(copy, default_timeout=120).execute()
    assert ran.error is None, ran.error.trace
    (cell,) = (one for one in ran.nb.cells if one.get("id") == "comparison")
    (table,) = pd.read_html(StringIO(cell.outputs[0]["data"]["text/html"]), index_col=0)
    here = table.set_index("figure")["here"].astype(float)
    assert here["developers, median"] == 4
    assert here["developers, mode"] == 1
    assert here["with one developer"] == pytest.approx(47 / 184, abs=1e-4)
    assert here["with more than 10"] == pytest.approx(45 / 184, abs=1e-4)
    assert here["doubling time (months)"] == pytest.approx(25.4, abs=0.1)
    assert here["of those, two or more"] == pytest.approx(137 / 184, abs=1e-4)


def test_the_gallery_shows_every_chart() -> None:
    shown = set(re.findall(r"plot\.(\w+)\(", source(notebook("gallery.ipynb"))))
    charts = {name for name in plot.__all__ if name.islower()}
    assert charts - shown == {"language_colour"}


def source(content: nbformat.NotebookNode) -> str:
    return "\n".join(cell.source for cell in content.cells if cell.cell_type == "code")
