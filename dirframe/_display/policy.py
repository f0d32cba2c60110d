"""Content security policy of pages that fetch nothing."""

from __future__ import annotations

import base64
import hashlib
import re

_SCRIPT = re.compile(r"<script[^>]*>(.*?)</script>", re.DOTALL)


def policy(html: str = "") -> str:
    """Return a policy that allows embedded images, styles and the scripts in a part of the page."""
    scripts = dict.fromkeys(_SCRIPT.findall(html))
    sums = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    rules = ["default-src 'none'", "img-src data:", "style-src 'unsafe-inline'"]
    if sums:
        # A downloaded picture is a blob until it is saved.
        rules[1] += " blob:"
        rules.append("script-src " + " ".join(f"'sha256-{text}'" for text in sums))
    return "; ".join(rules)
