"""Run the notebooks and keep what they show: ``python -m tools.notebooks [name ...]``.

What they show stands in the files, so that who reads them on a forge sees it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
#: Forms that need a running page; what has no other one but plain text is left out.
LIVE = {"application/vnd.jupyter.widget-view+json", "application/vnd.plotly.v1+json"}


def run(file: Path) -> None:
    """Run a notebook in an empty folder, as a person without a directory or a cache."""
    notebook = nbformat.read(file, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DIRFRAME_CACHE_DIR": folder, "DIRFRAME_DATA_DIR": folder}
        os.environ["PYTHONPATH"] = str(ROOT)
        resources = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # the times of this run
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if stands_alone(output)]
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.write(notebook, file)


def stands_alone(output: nbformat.NotebookNode) -> bool:
    """Take the live forms out of an output, and return whether it still shows something."""
    data = output.get("data", {})
    live = [data.pop(form) for form in LIVE & data.keys()]
    return not live or data.keys() > {"text/plain"}


if __name__ == "__main__":
    for variable in ("DIRFRAME_BASE_URL", "DIRFRAME_API_KEY"):
        os.environ.pop(variable, None)
    for file in sorted((ROOT / "notebooks").glob("*.ipynb")):
        if not sys.argv[1:] or file.stem in sys.argv[1:]:
            run(file)
            print(file.name)
