"""Each notebook in a kernel, as a person runs it: without an error, a warning, or a file that git sees."""

import json
import shutil
import subprocess
from importlib.util import find_spec

import pytest

from tests.test_docs import NOTEBOOKS

WITHOUT_WIDGETS = """
import sys
sys.modules["ipywidgets"] = None
import dirframe
with dirframe.sample_directory() as directory:
    dirframe.load_projects(directory, max_items=60)
"""
WITH_WIDGETS = WITHOUT_WIDGETS.replace('sys.modules["ipywidgets"] = None', "")


@pytest.fixture
def execute(tmp_path, monkeypatch):
    """Return a function that runs a notebook in a folder, in a kernel with nothing of a person's."""
    for library in ("ipykernel", "nbclient"):
        pytest.importorskip(library, reason=f"{library} is not installed")
    from nbclient import NotebookClient

    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.delenv("DIRFRAME_RECORDED_PAGES", raising=False)

    def run(notebook, folder):
        client = NotebookClient(notebook, timeout=300, kernel_name="python3")
        return client.execute(cwd=str(folder))

    return run


@pytest.fixture
def checkout(root, tmp_path):
    """Return a git repository that holds the notebooks and what git ignores."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "checkout"
    (folder / "notebooks").mkdir(parents=True)
    shutil.copy(root / ".gitignore", folder)
    for name in NOTEBOOKS:
        shutil.copy(root / "notebooks" / f"{name}.ipynb", folder / "notebooks")
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    subprocess.run(["git", "add", "--all"], cwd=folder, check=True)
    return folder


def printed(notebook, stream):
    """Return what the cells of a notebook wrote to a stream."""
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", []) if o.get("text")]
    return "".join(output["text"] for output in outputs if output.get("name") == stream)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_runs_in_a_kernel_without_a_warning_and_leaves_nothing_to_git(
    name, checkout, execute
):
    import nbformat

    if name == "recipes" and find_spec("powerlaw") is None:
        pytest.skip("the packages of the recipes are not installed, and are not fetched here")
    file = checkout / "notebooks" / f"{name}.ipynb"
    done = execute(nbformat.read(file, as_version=4), file.parent)
    assert printed(done, "stderr") == ""
    status = ["git", "status", "--porcelain", "--untracked-files=all"]
    after = subprocess.run(status, cwd=checkout, check=True, capture_output=True, text=True).stdout
    assert [line for line in after.splitlines() if not line.startswith("A  ")] == []


@pytest.mark.parametrize(
    ("code", "text", "is_widget"), [(WITH_WIDGETS, "", True), (WITHOUT_WIDGETS, "60/60", False)]
)
def test_progress_in_a_kernel_is_a_widget_or_text(execute, tmp_path, code, text, is_widget):
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    done = execute(notebook, tmp_path)
    assert printed(done, "stderr") == ""
    assert text in printed(done, "stdout")
    assert ("vnd.jupyter.widget-view" in json.dumps(done.cells[0].outputs)) is is_widget
