"""What the operator says about a directory on its pages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dirframe.settings import check_name, check_switches

#: Name of a site that has none.
SITE_NAME = "Open source directory"
_WEB = re.compile(r"https?://[^/?#\s]\S*", re.IGNORECASE)
_EMAIL = re.compile(r"[^\s@:/?#]+@[^\s@:/?#]+")


@dataclass(frozen=True, kw_only=True)
class Site:
    """Texts of one line for the pages, and what is offered beyond the interface."""

    name: str = SITE_NAME
    description: str | None = None
    contact: str | None = None
    terms: str | None = None
    accounts_csv: bool = False

    def __post_init__(self) -> None:
        check_name("name", self.name)
        for option in ("description", "contact", "terms"):
            text = getattr(self, option)
            if text is not None:
                check_name(option, text)
        check_switches(accounts_csv=self.accounts_csv)


def link_of(text: str) -> str:
    """Return the URL for a text that is a URL or an e-mail address; empty for another text."""
    text = text.strip()
    if _WEB.fullmatch(text):
        return text
    return f"mailto:{text}" if _EMAIL.fullmatch(text) else ""
