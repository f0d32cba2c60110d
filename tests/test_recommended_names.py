"""Every dotted name that errors and docs recommend works after a bare ``import dirframe``."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
#: A name as a person would type it; what is imported by name, or an entry point, is not.
_DOTTED = re.compile(r"(?<![\w./-])dirframe\.[a-z_]\w*(?:\.\w+)*(?![\w.]*:\w)")
_IMPORTED = re.compile(r"(?:from|import)\s+dirframe[\w.]*")


def _texts_of_errors() -> str:
    """Return the texts in the package's code, without docstrings."""
    texts = []
    for path in sorted((ROOT / "dirframe").rglob("*.py")):
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise | ast.Call):
                texts += [
                    one.value
                    for one in ast.walk(node)
                    if isinstance(one, ast.Constant)
                    and isinstance(one.value, str)
                    and " " in one.value
                ]
    return "\n".join(texts)


def _texts_of_docs() -> str:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return "\n".join(page.read_text() for page in pages if "_build" not in page.parts)


@cache
def _recommended() -> tuple[str, ...]:
    text = _IMPORTED.sub("", _texts_of_errors() + _texts_of_docs())
    return tuple(sorted({name.rstrip(".") for name in _DOTTED.findall(text)}))


def test_errors_and_docs_recommend_names_that_are_looked_at_here() -> None:
    assert {"dirframe.provenance.copy_provenance", "dirframe.sample_directory"} <= set(
        _recommended()
    )


@pytest.mark.parametrize(
    "name", ["dirframe.provenance.copy_provenance", "dirframe.errors.NetworkError"]
)
def test_a_module_is_there_in_a_fresh_interpreter(name: str) -> None:
    subprocess.run([sys.executable, "-c", f"import dirframe; {name}"], check=True)


def test_every_recommended_name_works_in_a_fresh_interpreter() -> None:
    code = f"""
import dirframe
gone = []
for name in {_recommended()!r}:
    try:
        exec(name)
    except AttributeError as error:
        gone.append(str(error))
raise SystemExit(chr(10).join(gone) or 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0
