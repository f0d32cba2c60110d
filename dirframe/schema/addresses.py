"""Find and mask addresses of e-mail in text."""

# Found are ada@example.org, also between quotation marks, with another sign than @, percent-encoded,
# as a character reference, with blanks around the sign, or spelled ada (at) example (dot) org and
# ada at example dot org; and the user in https://ada:secret@example.org. "hosted at example.org" is
# no address, and neither is the user of a repository that stands for everybody, such as in
# git@example.org:owner/name.

from __future__ import annotations

import re

#: Text that replaces an address.
MASK = "…@…"

#: Users of source code repositories who are nobody.
_NOBODY = {"git", "hg", "svn", "bzr", "cvs", "anonymous", "anoncvs", "anonsvn", "anon"}
_GAP = r"[\s\u200b-\u200d\u2060\u00ad\ufeff]{0,2}"
#: A text without any of these holds no address.
_SIGNS = re.compile(
    rf"[@\uff20\ufe6b]|%40|&#|&commat;|[\[({{<]{_GAP}(?:at|ät)| at [\w-]+ dot | (?-i:AT) ",
    re.IGNORECASE,
)
_SIGN = r"[@\uff20\ufe6b]|%40|&#0*64;|&#x0*40;|&commat;"
_AT = rf"{_GAP}(?:{_SIGN}|[\[({{<]{_GAP}(?:at|@|ät){_GAP}[\])}}>]){_GAP}"
_DOT = rf"(?:[.\uff0e\u3002]|&#0*46;|&#x0*2e;|&period;|{_GAP}[\[({{<]{_GAP}(?:dot|punkt|\.){_GAP}[\])}}>]{_GAP})"
_LABEL = r"[\w-]+"
_TOP = r"(?:xn--[\w-]+|[^\W\d_]{2,})"
_HOST = rf"(?:{_LABEL}{_DOT})+{_TOP}|\[[\dA-Fa-f:.IPv]+\]|localhost\b"
_NAME = r"[\w.!#$%&'’*+=^`{|}~-]"
#: A name is taken whole, but for a sign at its end, so that the time is linear in the text.
_WHOLE_NAME = rf"(?<!{_NAME})(?:(?!{_SIGN}){_NAME})++"
_ADDRESS = re.compile(
    rf"(?P<name>{_WHOLE_NAME}|\"[^\"\n]{{1,64}}\")(?:{_AT})(?!www\.)(?:{_HOST})(?P<is_path>(?=[:/]\S))?"
    rf"|{_WHOLE_NAME} at (?:{_LABEL} dot )+{_TOP}\b"
    rf"|{_WHOLE_NAME} (?-i:AT) (?:{_LABEL}(?:\.| (?-i:DOT) ))+{_TOP}\b",
    re.IGNORECASE,
)
_USER_OF_ADDRESS = re.compile(r"(?<=://)(?P<name>[^/\s@?#…]++)@(?=[\w\[])")


def may_hold_address(text: str) -> bool:
    """Return whether a text may hold an address, which takes less time than to look for one."""
    return _SIGNS.search(text) is not None


def mask_addresses(text: str) -> tuple[str, int]:
    """Return a text with its addresses of e-mail masked, and their number."""
    if not may_hold_address(text):
        return text, 0
    count = 0

    def mask_user(match: re.Match[str]) -> str:
        nonlocal count
        if match["name"].casefold() in _NOBODY:
            return match[0]
        count += 1
        return "…@"

    def mask(match: re.Match[str]) -> str:
        nonlocal count
        is_nobody = (match["name"] or "").casefold() in _NOBODY
        is_of_repository = match["is_path"] is not None or match.string.endswith(
            "://", 0, match.start()
        )
        if is_nobody and is_of_repository:
            return match[0]
        count += 1
        return MASK

    text = _USER_OF_ADDRESS.sub(mask_user, text)
    text = _ADDRESS.sub(mask, text)
    return text, count


def without_addresses(text: str) -> str:
    """Return a text with its addresses of e-mail masked."""
    return mask_addresses(text)[0]
