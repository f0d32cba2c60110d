"""The explorer in a kernel: what it displays, what it leaves as it was, and the code that it shows."""

from copy import deepcopy

import lxml.html
import pytest

LOAD = """
import dirframe
with dirframe.sample_directory() as directory:
    projects = dirframe.load_projects(max_items=100, directory=directory, progress=False)
"""
OWN = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
STYLE = "with dirframe.plot.style():\n    dirframe.plot.tags(projects)"
SHOWN = [
    "many = projects.head(40)\ndirframe.Explorer(many)",
    "dirframe.Explorer(projects.head(40))",
    "mine = dirframe.Explorer(projects.head(40))\nmine",
]
PASTE = (
    "get_ipython().run_cell((_ if isinstance(_, dirframe.Explorer) else mine).code).raise_error()"
)
FORGET = "get_ipython().reset()"


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """Run one notebook in a kernel that displays charts, for tests that only read it."""
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    folder = tmp_path_factory.mktemp("kernel")
    texts = [LOAD, "dirframe.Explorer(projects)", "dirframe.plot.tags(projects);", OWN]
    texts += [FORGET, LOAD, STYLE, "dirframe.plot.tags(projects);", OWN]
    for shown in SHOWN:
        texts += [FORGET, LOAD, shown, PASTE, "print(len(projects), len(shown))"]
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
            patch.setenv(name, str(folder / name.lower()))
        patch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, texts)))
        client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
        yield client.execute(cwd=str(folder))


def pictures(cell):
    return sum("image/png" in output.get("data", {}) for output in cell.outputs)


def test_chart_of_the_explorer_is_displayed_once_and_other_charts_still_are(cells):
    # After an explorer, and after a style.
    assert [pictures(cells.cells[place]) for place in (1, 2, 3, 7, 8)] == [1] * 5


def test_code_that_is_shown_runs_in_the_notebook(cells):
    # A kernel may send one line in several parts.
    printed = ["".join(o.text for o in cell.outputs) for cell in cells.cells[13::5]]
    assert printed == ["40 40\n"] * len(SHOWN)


def test_page_made_of_the_notebook_has_the_static_view_and_no_text_of_widgets(cells):
    nbconvert = pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    for has_widgets in (True, False):
        notebook = deepcopy(cells)
        del notebook.cells[2:]
        if not has_widgets:  # as saved by JupyterLab
            notebook.metadata.pop("widgets")
        page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
        tree = lxml.html.fromstring(page)
        (static,) = tree.xpath("//div[@class='dirframe-static']")
        assert len(static.xpath(".//tbody/tr")) == 10
        assert static.xpath(".//img/@src")[0].startswith("data:image/png")
        assert "VBox(" not in "".join(tree.xpath("//pre//text()"))
