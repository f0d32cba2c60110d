"""Check the rules of this repository that ruff, mypy and import-linter do not know.

::

    python -m tools.house

Prints file, line and rule of each finding, and exits with 1 if there is one.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent

#: What no text file may hold.
FORBIDDEN = {
    "host of a package registry": re.compile(
        r"\b(?:pypi|pythonhosted|npmjs|deb\.debian|anaconda)\.org"
    ),
    "path of a machine": re.compile(
        r"/(?:work|farm|root|tmp)/[a-z.]|(?<!\w)/(?:home|Users)/[A-Za-z.]"
    ),
    # Twenty or more letters and digits, mixed, assigned to something called a key.
    "API key": re.compile(r"api_?key\W{1,6}(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{20,}", re.IGNORECASE),
}
SILENCED = re.compile(r"#\s*(?:noqa|type:\s*ignore|pragma:\s*no cover)[^#\n]*(?P<reason>#.*)?")
#: Code that decides by the text of an error breaks when the text is improved.
DECIDES = re.compile(
    r"\bin (?:str|repr)\((?:error|exc|e)\)|\bin (?:error|exc)\.(?:args|message)"
    r"|\b(?:str|repr)\((?:error|exc|e)\)\.(?:lower|startswith|endswith|find|index)\b"
    r"|\bre\.\w+\(.*\b(?:str|repr)\((?:error|exc|e)\)"
)
SKIPS = {"importorskip", "skip", "skipif", "xfail"}


def read_texts(root: Path) -> dict[str, str]:
    """Return the text files that a clone has, and new ones, by their name."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)  # noqa: S603  # constant
    texts = {}
    for name in listed.stdout.split("\0"):
        path = root / name
        if not path.is_file():
            continue
        content = path.read_bytes()
        if b"\0" not in content:
            texts[name] = content.decode("utf-8")
    return texts


def forbidden(name: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield line and rule of forbidden texts; the data of a picture may contain anything."""
    if name.endswith(".svg"):
        return
    for rule, pattern in FORBIDDEN.items():
        for found in pattern.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield line, f"{rule}: {found[0]}"


def without_reason(name: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield silenced checks with no reason beside or above them, and decisions by an error's text."""
    above = ""
    for number, line in enumerate(text.splitlines(), 1):
        found = SILENCED.search(line)
        if found and not found["reason"] and not above.lstrip().startswith("# "):
            yield number, "silenced check without a reason beside or above it"
        if name.startswith("dirframe/") and DECIDES.search(line):
            yield number, "decision by the text of an error"
        above = line


def skipped_without_reason(text: str) -> Iterator[tuple[int, str]]:
    """Yield skips and expected failures of tests that give no reason."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name = node.func.attr
        has_reason = any(keyword.arg == "reason" for keyword in node.keywords)
        if name == "skip" and node.args:  # its first argument is the reason
            has_reason = True
        if name in SKIPS and not has_reason:
            yield node.lineno, f"{name} without a reason"


def wrong_version(texts: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Yield the line of CITATION.cff if it states another version than the package has."""
    stated = re.search(r"^version: (.+)$", texts["CITATION.cff"], re.MULTILINE)
    version = re.search(r'^__version__ = "(.+)"$', texts["dirframe/__init__.py"], re.MULTILINE)
    if not stated or not version or stated[1] != version[1]:
        yield 1, "version other than that of the package"


def check(texts: dict[str, str]) -> list[str]:
    """Return every finding as file:line: rule."""
    found = [("CITATION.cff", *one) for one in wrong_version(texts)]
    for name, text in texts.items():
        found += [(name, *one) for one in forbidden(name, text)]
        if name.endswith(".py") and name != "tools/house.py":
            found += [(name, *one) for one in without_reason(name, text)]
            if name.startswith("tests/"):
                found += [(name, *one) for one in skipped_without_reason(text)]
    return [f"{name}:{line}: {rule}" for name, line, rule in found]


if __name__ == "__main__":
    findings = check(read_texts(ROOT))
    print("\n".join(findings))
    sys.exit(bool(findings))
