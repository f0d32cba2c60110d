"""What must hold of the built pages: they need no other host, and no link of theirs is broken.

``python docs/checks.py FOLDER`` says what does not hold and ends with 1. Sphinx itself checks
references that it resolves; links of notebooks, themes and raw HTML are checked here alone.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import html

#: Attributes by which a page loads something by itself.
LOADING = (
    "//script/@src | //link/@href | //img/@src | //img/@srcset | //source/@src | //iframe/@src"
)
IN_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?\s*((?:https?:)?//[^'\")\s]+)")
IN_SCRIPT = re.compile(r"https?://[^'\"\s]+\.(?:js|mjs|css|woff2?|json)\b")


def findings(folder: Path) -> list[str]:
    """Say what does not hold of the pages in a folder."""
    pages = sorted(folder.rglob("*.html"))
    if not pages:
        return [f"{folder} holds no page"]
    found = []
    for page in pages:
        name = page.relative_to(folder)
        found += [f"{name}: {text}" for text in (*_foreign(page), *_broken(page))]
    for sheet in sorted(folder.rglob("*.css")):
        name = sheet.relative_to(folder)
        loaded = IN_STYLE.findall(sheet.read_text(encoding="utf-8"))
        found += [f"{name}: loads {address}" for address in loaded]
    return found


@cache
def _tree(page: Path) -> html.HtmlElement:
    return html.parse(page, html.HTMLParser(encoding="utf-8")).getroot()


@cache
def _anchors(page: Path) -> frozenset[str]:
    return frozenset(_tree(page).xpath("//@id | //a/@name"))


def _foreign(page: Path) -> list[str]:
    tree = _tree(page)
    loaded = [str(one) for one in tree.xpath(LOADING) if urlsplit(one).netloc]
    for style in tree.xpath("//style/text() | //@style"):
        loaded += IN_STYLE.findall(style)
    # The state of widgets is data, which nothing on these pages reads.
    for script in tree.xpath("//script[not(@src or contains(@type, 'json'))]/text()"):
        loaded += IN_SCRIPT.findall(script)
    return [f"loads {one}" for one in loaded]


def _broken(page: Path) -> list[str]:
    broken = []
    for link in map(
        str, _tree(page).xpath("//a/@href | //img/@src | //link/@href | //script/@src")
    ):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not target.is_file():
            broken.append(f"links to {link}, which is not there")
        elif parts.fragment and target.suffix == ".html":
            name = unquote(parts.fragment)
            if name not in _anchors(target):
                broken.append(f"links to {link}, where nothing is called {name}")
    return broken


if __name__ == "__main__":
    what_fails = findings(Path(sys.argv[1]).resolve())
    print("\n".join(what_fails) or "every page stands by itself, and no link is broken")
    sys.exit(bool(what_fails))
