"""A template runs in a kernel of its own, and a failing cell is named."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import nbformat
import pandas as pd
import pytest

from dirframe.errors import InvalidInputError, MissingExtraError, ReportError
from dirframe.reports.execute import TEMPLATE, execute, read_template, require_package
from dirframe.reports.inputs import collect_inputs
from tests.reports.templates import notebook, write

if TYPE_CHECKING:
    from pathlib import Path

MATERIAL = collect_inputs(pd.DataFrame({"stack_count": [1]}), "T")


def printed(result: Any) -> str:
    outputs = [output for cell in result.cells for output in cell.get("outputs", ())]
    return "".join(output.get("text", "") for output in outputs)


def test_the_shipped_template_is_a_notebook_without_outputs() -> None:
    template = read_template(None)
    nbformat.validate(template)
    assert not [cell for cell in template.cells if cell.get("outputs")]
    known = {"guide", "projects", "accounts"}
    assert {tag for cell in template.cells for tag in cell.metadata.get("tags", ())} == known


def test_the_kernel_is_this_interpreter_and_has_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIRFRAME_API_KEY", "hidden")
    code = """
import json, os, sys, dirframe
print(json.dumps([sys.executable, os.environ.get("DIRFRAME_API_KEY"), dirframe.__file__]))
"""
    import dirframe

    said = json.loads(printed(execute(notebook(code), MATERIAL)))
    assert said == [sys.executable, None, dirframe.__file__]


def test_cells_for_an_absent_frame_and_for_editors_are_left_out() -> None:
    template = notebook("print('a')", "print('b')", "print('c')", "print('d')")
    for cell, tag in zip(template.cells, ("guide", "projects", "accounts", "own"), strict=True):
        cell.metadata["tags"] = [tag]
    assert printed(execute(template, MATERIAL)).split() == ["b", "d"]


def test_a_failing_cell_is_named_with_its_heading_and_error() -> None:
    said = r"Cell 3 .*'Mine'.*ZeroDivisionError \(division by zero\)\. Nothing"
    with pytest.raises(ReportError, match=said) as caught:
        execute(notebook("1", "# Mine", "1/0", "print('never')"), MATERIAL)
    error = caught.value
    assert (error.cell, error.heading, error.error) == (3, "Mine", "ZeroDivisionError")
    assert error.text == "division by zero"


def test_a_kernel_that_dies_is_a_report_error() -> None:
    with pytest.raises(ReportError, match=r"Cell 2 .*DeadKernelError"):
        execute(notebook("1", "import os\nos._exit(3)"), MATERIAL)


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", "# no notebook", '{"cells": 3, "nbformat": 4}']
)
def test_what_is_no_notebook_is_refused_by_name(content: str, tmp_path: Path) -> None:
    (tmp_path / "mine.ipynb").write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"mine\.ipynb is not a notebook"):
        read_template(tmp_path / "mine.ipynb")


def test_a_template_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="not a notebook"):
        read_template(tmp_path / "none.ipynb")


def test_an_older_notebook_is_a_template_too(tmp_path: Path) -> None:
    old = json.loads(TEMPLATE.read_text(encoding="utf-8"))
    old["nbformat_minor"] = 4
    for cell in old["cells"]:
        del cell["id"]
    (tmp_path / "old.ipynb").write_text(json.dumps(old), encoding="utf-8")
    assert read_template(tmp_path / "old.ipynb").nbformat == 4
    assert read_template(write(notebook("1"), tmp_path / "new.ipynb")).nbformat == 4


def test_a_missing_extra_names_the_line_for_pip() -> None:
    with pytest.raises(MissingExtraError, match=r"dirframe\[report\]"):
        require_package("no_such_package_here")
