"""An executed notebook becomes a page, Markdown with its pictures, or stays a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["html", "markdown", "notebook_text"]

_HERE = Path(__file__).parent
_PICTURES = ["image/svg+xml", "image/png", "image/jpeg"]
# No scripts and no widgets: neither works without a kernel or the network.
_PAGE = ["text/html", "text/markdown", *_PICTURES, "text/plain"]
_TEXT = ["text/markdown", *_PICTURES, "text/plain"]


def html(notebook: Any, title: str) -> str:
    """Make one page of it that needs no network and runs no script.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The executed notebook.
    title : str
        Title of the page.

    Returns
    -------
    str
        HTML. Its content security policy allows no script and no address but pictures in the
        page itself.
    """
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(  # type: ignore[no-untyped-call]  # nbconvert has no types
        template_name="page",
        extra_template_basedirs=[str(_HERE)],
        exclude_input=True,
        exclude_anchor_links=True,
        config=_config(_PAGE),
    )
    page: str = exporter.from_notebook_node(notebook, {"metadata": {"name": title}})[0]
    return page


def markdown(notebook: Any, pictures: str) -> tuple[str, dict[str, bytes]]:
    """Make Markdown of it, with its pictures as files.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The executed notebook.
    pictures : str
        Name of the folder beside the file that will hold the pictures.

    Returns
    -------
    tuple of str and dict
        The text; and the content of each picture by its name in the folder.
    """
    from nbconvert import MarkdownExporter

    exporter = MarkdownExporter(  # type: ignore[no-untyped-call]  # as above
        template_name="text",
        extra_template_basedirs=[str(_HERE)],
        exclude_input=True,
        config=_config(_TEXT),
    )
    text, resources = exporter.from_notebook_node(
        notebook, {"unique_key": "chart", "output_files_dir": pictures}
    )
    files = {Path(name).name: content for name, content in resources["outputs"].items()}
    return text.strip() + "\n", files


def notebook_text(notebook: Any) -> str:
    """Give the executed notebook as the text of its file.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The executed notebook.

    Returns
    -------
    str
        JSON, as Jupyter writes it.
    """
    import nbformat

    text = nbformat.writes(notebook)  # type: ignore[no-untyped-call]  # nbformat has no types
    return str(text) + "\n"


def _config(priority: list[str]) -> Any:
    from traitlets.config import Config

    return Config({"NbConvertBase": {"display_data_priority": priority}})
