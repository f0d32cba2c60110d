"""Render an executed notebook as HTML, Markdown or notebook JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dirframe.reports.contents import add_contents

_HERE = Path(__file__).parent
#: Content security policy of a page that fetches and runs nothing.
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_PICTURES = ["image/svg+xml", "image/png", "image/jpeg"]
# No scripts and widgets, which need a kernel or the network.
_PAGE = ["text/html", "text/markdown", *_PICTURES, "text/plain"]
_TEXT = ["text/markdown", *_PICTURES, "text/plain"]


def html(notebook: Any, title: str) -> str:
    """Render a notebook as one HTML page without network access, and scripts of others.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The executed notebook.
    title : str
        Title of the page.

    Returns
    -------
    str
        HTML. Its content security policy allows no scripts, and no URLs except embedded
        images.
    """
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(
        template_name="page",
        extra_template_basedirs=[str(_HERE)],
        exclude_input=True,
        exclude_anchor_links=True,
        config=_config(_PAGE),
    )
    resources = {"metadata": {"name": title}, "has_contents": add_contents(notebook)}
    resources["policy"] = _POLICY
    page: str = exporter.from_notebook_node(notebook, resources)[0]
    return page


def markdown(notebook: Any, pictures: str) -> tuple[str, dict[str, bytes]]:
    """Render a notebook as Markdown with image files.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The executed notebook.
    pictures : str
        Name of the folder for the images, beside the file.

    Returns
    -------
    tuple of str and dict
        The text, and the content of each image by file name.
    """
    from nbconvert import MarkdownExporter

    exporter = MarkdownExporter(
        template_name="text",
        extra_template_basedirs=[str(_HERE)],
        exclude_input=True,
        config=_config(_TEXT),
    )
    add_contents(notebook)
    text, resources = exporter.from_notebook_node(
        notebook, {"unique_key": "chart", "output_files_dir": pictures}
    )
    files = {Path(name).name: content for name, content in resources["outputs"].items()}
    return text.strip() + "\n", files


def notebook_text(notebook: Any) -> str:
    """Serialize the executed notebook.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The executed notebook.

    Returns
    -------
    str
        Notebook JSON.
    """
    import nbformat

    text = nbformat.writes(notebook)
    return str(text) + "\n"


def _config(priority: list[str]) -> Any:
    from traitlets.config import Config

    return Config({"NbConvertBase": {"display_data_priority": priority}})
