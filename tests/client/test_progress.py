"""The progress of a load: a bar in a terminal and in a notebook, with widgets or without."""

import pytest

from tests.cases import slow_except
from tests.processes import run
from tests.rig.server import Rig

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
with dirframe.Directory(*sys.argv[2:], cache=False) as directory:
    frame = dirframe.load_projects(directory)
print(len(frame), "tqdm.notebook" in sys.modules)
"""


@pytest.mark.parametrize(
    ("widgets", "bar", "is_widget"),
    slow_except([("with", "", True), ("without", "55/55", False)], [("with", "", True)]),
)
def test_progress_in_a_notebook_is_a_widget_or_text_and_never_a_warning(
    tmp_path, widgets, bar, is_widget
):
    folders = {"IPYTHONDIR": str(tmp_path), "DIRFRAME_DATA_DIR": str(tmp_path)}
    with Rig(55) as rig:
        done = run(widgets, rig.url, rig.key, program=KERNEL, env=folders)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == f"55 {is_widget}"
    assert bar in done.out
