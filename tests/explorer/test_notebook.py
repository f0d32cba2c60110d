"""The explorer in a kernel: what it displays, and what it leaves as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
