"""How the pages are built: `make docs`, without the network.

Notebooks and the pages with code are executed; what they print is kept until dirframe changes.
"""

from __future__ import annotations

import json
import os
import re
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docutils.nodes import Element
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = HERE / "_build"
sys.path.insert(0, str(HERE))

# Nothing of the person who builds gets into the pages: no directory, no key, no cache of theirs.
for variable in ("DIRFRAME_BASE_URL", "DIRFRAME_API_KEY"):
    os.environ.pop(variable, None)
os.environ |= {
    "DIRFRAME_CACHE_DIR": str(BUILD / "cache"),
    "DIRFRAME_DATA_DIR": str(BUILD / "data"),
    "PYTHONPATH": str(ROOT),  # kernels run what is documented, not what else is installed
}

import names  # this and what follows reads what was set above
import pictures
import tables

import dirframe
from dirframe.charts import CHARTS


def digest_of_the_package() -> str:
    """Name the state of code and data, so that outputs of an older one are not shown."""
    digest = sha256()
    for folder in ("dirframe", "data"):
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def quiet_kernels() -> str:
    """Give kernels a folder of settings of their own: they need not warn of sockets on loopback."""
    folder = BUILD / "ipython"
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text("get_config().Application.log_level = 40\n")
    return str(folder)


def copy_notebooks() -> None:
    """Put the notebooks where Sphinx finds them, with a link to each; an unchanged one keeps its time."""
    target = HERE / "guide"
    target.mkdir(exist_ok=True)
    sources = {file.name: file for file in (ROOT / "notebooks").glob("*.ipynb")}
    for old in target.glob("*.ipynb"):
        if old.name not in sources:
            old.unlink()
    for name, source in sources.items():
        content = json.loads(source.read_text(encoding="utf-8"))
        link = f"\n\n{{download}}`Download this notebook <../../notebooks/{name}>`"
        content["cells"][0]["source"].append(link)
        text = json.dumps(content)
        copy = target / name
        if not copy.exists() or copy.read_text(encoding="utf-8") != text:
            copy.write_text(text, encoding="utf-8")


def draw_charts() -> None:
    """Draw the charts anew if the package has changed since."""
    folder = HERE / "charts"
    stamp = folder / "digest"
    digest = digest_of_the_package()
    if not stamp.exists() or stamp.read_text() != digest:
        pictures.draw(folder)
        stamp.write_text(digest)


copy_notebooks()
draw_charts()
os.environ["IPYTHONDIR"] = quiet_kernels()

project = "dirframe"
author = "The dirframe maintainers"
copyright = author  # noqa: A001  # Sphinx wants this name
release = version = dirframe.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build", "**/.ipynb_checkpoints"]
nitpicky = True
# A name in backticks in a docstring is a link if it is ours; see `plain_unless_ours`.
default_role = "py:obj"
toc_object_entries_show_parents = "hide"
add_function_parentheses = False
smartquotes = False  # two hyphens and straight quotes are what one has to type

# Types are in the docstrings, in words and with units: signatures stay readable.
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_attributes_as_param_list = True

myst_enable_extensions = ["substitution", "colon_fence", "deflist"]
myst_heading_anchors = 3
myst_substitutions = (
    tables.substitutions()
    | {f"api_{theme}": names.reference(theme) for theme in names.themes()}
    | {"loads": pictures.loads(), "gallery": pictures.gallery("charts")}
)

nb_execution_mode = "cache"
nb_execution_cache_path = str(BUILD / "executed" / digest_of_the_package())
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
# Widgets would ask another host for their scripts. What has a picture is shown by it; what has
# none, a progress bar that stands still, by nothing (its place is before that of plain text).
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
nb_mime_priority_overrides = [("*", "application/vnd.jupyter.widget-view+json", 75)]

html_theme = "furo"
html_title = f"dirframe {release}"
html_static_path = ["_static"]
html_css_files = ["dirframe.css"]
html_js_files = ["accessible.js"]
html_copy_source = False
html_show_sphinx = False
# Prompts and outputs are not what one pastes.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {
        "color-brand-primary": "#0b5c8c",
        "color-brand-content": "#0b5c8c",
        "color-brand-visited": "#5b4a8a",
    },
    "dark_css_variables": {
        "color-brand-primary": "#7cc4ee",
        "color-brand-content": "#7cc4ee",
        "color-brand-visited": "#b9a7ea",
    },
}


def picture_of_a_chart(
    _app: Sphinx, _what: str, name: str, _value: Any, _options: Any, lines: list[str]
) -> None:
    """Show a chart below the first paragraph of its docstring."""
    own_name = name.removeprefix("dirframe.plot.")
    chart = CHARTS.get(own_name)
    if chart is None or not name.startswith("dirframe.plot."):
        return
    summary = next(number for number, line in enumerate(lines) if line)
    end = lines.index("", summary)
    image = [
        f".. image:: /charts/{own_name}.png",
        f"   :alt: {chart.title}",
        "   :width: 70%",
    ]
    lines[end:end] = ["", *image, ""]


def plain_unless_ours(
    _app: Sphinx, _env: Any, node: pending_xref, content: Element
) -> Element | None:
    """Show parameters and other libraries' names in backticks without a link.

    A name that begins with ``dirframe.`` has to lead to a page, or the build fails.
    """
    ours = node["reftarget"].startswith("dirframe.")
    return None if ours or node["reftype"] != "obj" else content


def examples_as_commands(_app: Sphinx, _context: Any, lines: list[str]) -> None:
    """Show the examples of a command's help as what one types, not as lines of prose."""
    for start, line in enumerate(lines):
        if re.fullmatch(r"\| Examples?:", line):
            commands = [one.removeprefix("| ").strip() for one in lines[start + 1 :]]
            block = ["", ".. code-block:: console", ""]
            lines[start:] = block + [f"   $ {command}" for command in commands if command] + [""]
            return


def plain_defaults(_app: Sphinx, _context: Any, lines: list[str]) -> None:
    """Show a default as one types it."""
    lines[:] = [re.sub(r"``(?:\w+Path\()?'(.*?)'\)?``", r"``\1``", line) for line in lines]


def no_epilog(_app: Sphinx, _context: Any, lines: list[str]) -> None:
    """Leave out the exit codes of the help: the page has a table of them."""
    lines.clear()


def setup(app: Sphinx) -> None:
    """Tell Sphinx about the above."""
    app.connect("autodoc-process-docstring", picture_of_a_chart, priority=900)  # after numpydoc
    app.connect("missing-reference", plain_unless_ours)
    app.connect("sphinx-click-process-description", examples_as_commands)
    app.connect("sphinx-click-process-options", plain_defaults)
    app.connect("sphinx-click-process-epilog", no_epilog)
