"""The explorer in a kernel: what it displays, what it leaves as it was, and how soon it is there."""

import json

import lxml.html
import pytest

LOAD = """
import dirframe
with dirframe.sample_directory() as directory:
    projects = dirframe.load_projects(directory, max_items=100, progress=False)
"""
OWN = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
FIRST = """
import json, sys, time
import pandas, matplotlib.pyplot
import dirframe
directory = dirframe.sample_directory()
began = time.perf_counter()
explorer = dirframe.Explorer(directory)
explorer._repr_mimebundle_()
seconds = time.perf_counter() - began
print(json.dumps([seconds, [name for name in ("nbformat", "jsonschema") if name in sys.modules]]))
"""


@pytest.fixture(scope="module")
def kernel_cells(tmp_path_factory):
    """Run one notebook in a kernel that displays charts, for tests that only read it."""
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    folder = tmp_path_factory.mktemp("kernel")
    texts = [FIRST, LOAD, "explorer = dirframe.Explorer(projects)\nexplorer", OWN]
    texts += ["explorer.search.value = 'java'", OWN]
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
            patch.setenv(name, str(folder / name.lower()))
        patch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, texts)))
        client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
        yield client.execute(cwd=str(folder))


def pictures(cell):
    return sum("image/png" in output.get("data", {}) for output in cell.outputs)


def test_first_explorer_is_there_soon_and_imports_no_notebook_formats(kernel_cells):
    # A kernel may send one line in several parts.
    printed = "".join(output.get("text", "") for output in kernel_cells.cells[0].outputs)
    seconds, imported = json.loads(printed)
    assert imported == []
    assert seconds < 2  # some 0.3 s on a machine at rest


def test_charts_of_the_notebook_are_displayed_and_those_of_the_explorer_are_not(kernel_cells):
    assert [pictures(cell) for cell in kernel_cells.cells[2:6]] == [0, 1, 0, 1]


def test_page_made_of_the_notebook_has_the_static_view_and_no_text_of_widgets(kernel_cells):
    nbconvert = pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    page, _ = nbconvert.HTMLExporter().from_notebook_node(kernel_cells)
    tree = lxml.html.fromstring(page)
    (static,) = tree.xpath("//div[@class='dirframe-static']")
    assert "of 100 projects" in static.text_content()
    assert static.xpath(".//img/@src")[0].startswith("data:image/png")
    assert "Explorer(" not in "".join(tree.xpath("//pre//text()")).replace("dirframe.Explorer(", "")
