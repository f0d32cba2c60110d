"""How the pages are built: `make docs`, without the network. The notebooks are executed."""

from __future__ import annotations

import json
import os
import re
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

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
    "IPYTHONDIR": str(BUILD / "ipython"),
    "PYTHONPATH": str(ROOT),  # kernels run what is documented, not what else is installed
}
# Kernels need not warn of sockets on loopback.
profile = BUILD / "ipython" / "profile_default"
profile.mkdir(parents=True, exist_ok=True)
(profile / "ipython_kernel_config.py").write_text("get_config().Application.log_level = 40\n")

import tables  # this and what follows reads what was set above

import dirframe

#: Names the state of code and data, so that outputs of an older one are not shown.
digest = sha256()
for file in sorted(
    (*ROOT.glob("dirframe/**/*.*"), *ROOT.glob("data/**/*.*"), *ROOT.glob("rehearsal/**/*.*"))
):
    if "__pycache__" not in file.parts:
        digest.update(file.read_bytes())

# Sphinx finds a copy of each notebook, with a link to download it. An unchanged one keeps its time.
(HERE / "guide").mkdir(exist_ok=True)
for copy in (HERE / "guide").glob("*.ipynb"):
    if not (ROOT / "notebooks" / copy.name).exists():
        copy.unlink()
for notebook in (ROOT / "notebooks").glob("*.ipynb"):
    content = json.loads(notebook.read_text(encoding="utf-8"))
    link = f"{{download}}`Download this notebook <../../notebooks/{notebook.name}>`"
    content["cells"][0]["source"].append(f"\n\n{link}")
    text, copy = json.dumps(content), HERE / "guide" / notebook.name
    if not copy.exists() or copy.read_text(encoding="utf-8") != text:
        copy.write_text(text, encoding="utf-8")

project = "dirframe"
author = "The dirframe maintainers"
copyright = author  # noqa: A001  # Sphinx wants this name
release = version = dirframe.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc", "sphinx_click", "sphinx_copybutton"]
exclude_patterns = ["_build", "**/.ipynb_checkpoints"]
nitpicky = True
# Bases of errors and warnings, which are shown with theirs.
nitpick_ignore = [("py:class", f"dirframe.errors.{name}") for name in ("_Hinted", "_Incomplete")]
default_role = "py:obj"  # a name in backticks is a link if it is ours: see `plain_unless_ours`
toc_object_entries_show_parents = "hide"
add_function_parentheses = False
smartquotes = False  # two hyphens and straight quotes are what one has to type
autodoc_typehints = "none"  # types are in the docstrings, in words and with units
numpydoc_show_class_members = False
numpydoc_attributes_as_param_list = True
myst_enable_extensions = ["substitution"]
myst_heading_anchors = 3
myst_substitutions = tables.substitutions()

nb_execution_mode = "cache"
nb_execution_cache_path = str(BUILD / "executed" / digest.hexdigest()[:16])
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
html_copy_source = html_show_sphinx = False
copybutton_prompt_text = r"\$ |>>> |\.\.\. "  # prompts are not what one pastes
copybutton_prompt_is_regexp = True
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def link_to_copies(_app: Any, _name: str, source: list[str]) -> None:
    """Let the links of the pages to notebooks lead to their pages."""
    source[0] = source[0].replace("](../notebooks/", "](guide/")


def plain_unless_ours(_app: Any, _env: Any, node: Any, content: Any) -> Any:
    """Show other names in backticks without a link; a ``dirframe.`` name must lead to a page."""
    ours = node["reftarget"].startswith("dirframe.")
    return None if ours or node["reftype"] != "obj" else content


def examples_as_commands(_app: Any, _context: Any, lines: list[str]) -> None:
    """Show the examples of a command's help as code."""
    for start, line in enumerate(lines):
        if re.fullmatch(r"\| Examples?:", line):
            commands = [line.removeprefix("| ").strip() for line in lines[start + 1 :]]
            block = ["", ".. code-block:: console", ""]
            lines[start:] = block + [f"   $ {command}" for command in commands if command] + [""]
            return


def setup(app: Any) -> None:
    """Tell Sphinx about the above."""
    app.connect("source-read", link_to_copies)
    app.connect("missing-reference", plain_unless_ours)
    app.connect("sphinx-click-process-description", examples_as_commands)
