"""Check that no built page loads anything from another host: ``python docs/checks.py FOLDER``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

from lxml import html

#: Attributes by which a page loads something by itself.
LOADING = (
    "//script/@src | //link/@href | //img/@src | //img/@srcset | //source/@src | //iframe/@src"
)
SCRIPTS = "//script[not(@src or contains(@type, 'json'))]/text()"
IN_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?\s*((?:https?:)?//[^'\")\s]+)")
IN_SCRIPT = re.compile(r"https?://[^'\"\s]+\.(?:js|mjs|css|woff2?|json)\b")


def findings(folder: Path) -> list[str]:
    """Return what the pages and style sheets in a folder load from elsewhere."""
    pages = sorted(folder.rglob("*.html"))
    found = [] if pages else [f"{folder} holds no page"]
    for page in pages:
        tree = html.parse(page, html.HTMLParser(encoding="utf-8")).getroot()
        loaded = [str(link) for link in tree.xpath(LOADING) if urlsplit(link).netloc]
        loaded += IN_STYLE.findall("\n".join(tree.xpath("//style/text() | //@style")))
        loaded += IN_SCRIPT.findall("\n".join(tree.xpath(SCRIPTS)))
        found += [f"{page.relative_to(folder)} loads {address}" for address in loaded]
    for sheet in sorted(folder.rglob("*.css")):
        loaded = IN_STYLE.findall(sheet.read_text(encoding="utf-8"))
        found += [f"{sheet.relative_to(folder)} loads {address}" for address in loaded]
    return found


if __name__ == "__main__":
    foreign = findings(Path(sys.argv[1]).resolve())
    print("\n".join(foreign) or "no page loads anything from another host")
    sys.exit(bool(foreign))
