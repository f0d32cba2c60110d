"""Small templates for the tests of reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nbformat

if TYPE_CHECKING:
    from pathlib import Path


def notebook(*cells: str) -> Any:
    """Make a notebook; a text that begins with "# " and a capital is Markdown."""
    content = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [_cell(number, source) for number, source in enumerate(cells)],
    }
    return nbformat.from_dict(content)


def write(content: Any, path: Path) -> Path:
    nbformat.write(content, path)
    return path


def _cell(number: int, source: str) -> dict[str, Any]:
    cell = {"id": f"cell-{number}", "metadata": {}, "source": source}
    if source.startswith("# "):
        return cell | {"cell_type": "markdown"}
    return cell | {"cell_type": "code", "execution_count": None, "outputs": []}
