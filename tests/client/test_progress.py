"""The progress of a load: a bar in a terminal and in a notebook, with widgets or without."""

import pytest

from tests.cases import slow_except
from tests.processes import run

#: Makes a kernel of this process, as far as programs look, and loads there; its argument says whether
#: widgets are installed. Prints the number of records and whether a bar of widgets was loaded.
KERNEL = """
import sys, warnings
warnings.simplefilter("error")
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Any
from traitlets.config import Config
class KernelShell(InteractiveShell):
    kernel = Any()
KernelShell.instance(config=Config(IPKernelApp={"parent_appname": "test"}))
if sys.argv[1] == "without":
    sys.modules["ipywidgets"] = None
import dirframe
with dirframe.sample_directory() as directory:
    frame = dirframe.load_projects(directory, max_items=60)
print(len(frame), "tqdm.notebook" in sys.modules)
"""


@pytest.mark.parametrize(
    ("widgets", "bar", "is_widget"),
    slow_except([("with", "", True), ("without", "60/60", False)], [("with", "", True)]),
)
def test_progress_in_a_notebook_is_a_widget_or_text_and_never_a_warning(
    tmp_path, own_cache, widgets, bar, is_widget
):
    done = run(widgets, program=KERNEL, env={"IPYTHONDIR": str(tmp_path)})
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == f"60 {is_widget}"
    assert bar in done.out
