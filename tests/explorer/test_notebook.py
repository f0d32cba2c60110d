"""The explorer in a kernel: what it displays, and what it leaves as it was."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import lxml.html
import nbformat
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")

LOAD = """
import dirframe
with dirframe.sample_directory() as directory:
    projects = dirframe.load_projects(max_items=100, directory=directory, progress=False)
"""


OWN = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
STYLE = "with dirframe.plot.style():\n    dirframe.plot.tags(projects)"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Any]]:
    """Run cells in a kernel that displays charts in the notebook."""
    folder = tmp_path_factory.mktemp("kernel")

    def execute(*cells: str) -> Any:
        notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
        return nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute(
            cwd=str(folder)
        )

    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
            patch.setenv(name, str(folder / name.lower()))
        patch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        yield execute


@pytest.fixture(scope="module")
def explored(run: Callable[..., Any]) -> Any:
    """Run a notebook with an explorer and then two charts, for tests that only read it."""
    return run(LOAD, "dirframe.Explorer(projects)", "dirframe.plot.tags(projects);", OWN)


def pictures(cell: Any) -> int:
    """Count the pictures that a cell displays."""
    return sum("image/png" in output.get("data", {}) for output in cell.outputs)


def test_charts_are_still_displayed_after_an_explorer(explored: Any) -> None:
    assert pictures(explored.cells[2]) == pictures(explored.cells[3]) == 1


def test_charts_are_still_displayed_after_a_style(run: Callable[..., Any]) -> None:
    cells = run(LOAD, STYLE, "dirframe.plot.tags(projects);", OWN).cells
    assert pictures(cells[2]) == pictures(cells[3]) == 1


def test_the_chart_of_the_explorer_is_displayed_once(explored: Any) -> None:
    assert pictures(explored.cells[1]) == 1


SHOWN = [
    "many = projects.head(40)\ndirframe.Explorer(many)",
    "dirframe.Explorer(projects.head(40))",
    "mine = dirframe.Explorer(projects.head(40))\nmine",
]


@pytest.fixture(scope="module")
def pasted(run: Callable[..., Any]) -> dict[str, Any]:
    """Show explorers in one kernel, as new for each, and run the code of each; what it prints."""
    paste = "get_ipython().run_cell((_ if isinstance(_, dirframe.Explorer) else mine).code)"
    forget = "get_ipython().reset()"
    steps = ("print(len(projects), len(shown))", forget)
    cells = run(
        *(cell for shown in SHOWN for cell in (LOAD, shown, f"{paste}.raise_error()", *steps))
    ).cells
    return {shown: cells[5 * place + 3] for place, shown in enumerate(SHOWN)}


@pytest.mark.parametrize("shown", SHOWN)
def test_the_code_of_an_explorer_of_a_frame_runs(shown: str, pasted: dict[str, Any]) -> None:
    # A kernel may send one line in several parts.
    assert "".join(output.text for output in pasted[shown].outputs) == "40 40\n"


@pytest.mark.parametrize("has_widgets", [True, False])
def test_a_page_made_of_the_notebook_has_the_picture_and_no_text_of_widgets(
    has_widgets: bool, explored: Any
) -> None:
    nbconvert = pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    notebook = deepcopy(explored)
    del notebook.cells[2:]
    if not has_widgets:  # as saved by JupyterLab
        notebook.metadata.pop("widgets")
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    tree: Any = lxml.html.fromstring(page)
    (static,) = tree.xpath("//div[@class='dirframe-static']")
    assert len(static.xpath(".//tbody/tr")) == 10
    assert static.xpath(".//img/@src")[0].startswith("data:image/png")
    assert "VBox(" not in "".join(tree.xpath("//pre//text()"))
