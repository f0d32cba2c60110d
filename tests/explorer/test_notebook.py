"""The explorer in a kernel: what it displays, and what it leaves as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lxml.html
import nbformat
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")

LOAD = """
import dirframe
with dirframe.sample_directory() as directory:
    projects = dirframe.load_projects(max_items=100, directory=directory, progress=False)
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run cells in a kernel that displays charts in the notebook."""
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")

    def execute(*cells: str) -> Any:
        notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
        return nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute(
            cwd=str(tmp_path)
        )

    return execute


def pictures(cell: Any) -> int:
    """Count the pictures that a cell displays."""
    return sum("image/png" in output.get("data", {}) for output in cell.outputs)


@pytest.mark.parametrize(
    "before",
    [
        "dirframe.Explorer(projects)",
        "with dirframe.plot.style():\n    dirframe.plot.tags(projects)",
    ],
)
def test_charts_are_still_displayed_after(before: str, run: Callable[..., Any]) -> None:
    own = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
    cells = run(LOAD, before, "dirframe.plot.tags(projects);", own).cells
    assert pictures(cells[2]) == pictures(cells[3]) == 1


def test_the_chart_of_the_explorer_is_displayed_once(run: Callable[..., Any]) -> None:
    cells = run(LOAD, "dirframe.Explorer(projects)").cells
    assert pictures(cells[1]) == 1


@pytest.mark.parametrize(
    "shown",
    [
        "many = projects.head(40)\ndirframe.Explorer(many)",
        "dirframe.Explorer(projects.head(40))",
        "mine = dirframe.Explorer(projects.head(40))\nmine",
    ],
)
def test_the_code_of_an_explorer_of_a_frame_runs(shown: str, run: Callable[..., Any]) -> None:
    paste = "get_ipython().run_cell((_ if isinstance(_, dirframe.Explorer) else mine).code)"
    cells = run(LOAD, shown, f"{paste}.raise_error()", "print(len(projects), len(shown))").cells
    assert cells[3].outputs[0].text == "40 40\n"


@pytest.mark.parametrize("has_widgets", [True, False])
def test_a_page_made_of_the_notebook_has_the_picture_and_no_text_of_widgets(
    has_widgets: bool, run: Callable[..., Any]
) -> None:
    nbconvert = pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    notebook = run(LOAD, "dirframe.Explorer(projects)")
    if not has_widgets:  # as saved by JupyterLab
        notebook.metadata.pop("widgets")
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    tree: Any = lxml.html.fromstring(page)
    (static,) = tree.xpath("//div[@class='dirframe-static']")
    assert len(static.xpath(".//tbody/tr")) == 10
    assert static.xpath(".//img/@src")[0].startswith("data:image/png")
    assert "VBox(" not in "".join(tree.xpath("//pre//text()"))
