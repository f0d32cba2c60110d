"""Find and mask addresses of e-mail in text."""

# Found are ada@example.org, also between quotation marks, with another sign than @, percent-encoded,
# as a character reference, with blanks around the sign, or spelled ada (at) example (dot) org and
# ada at example dot org; and the user in https://ada:secret@example.org. "hosted at example.org" is
# no address, and neither are users that stand for everybody, such as git@example.org.

from __future__ import annotations

import re

MASK = "…@…"

#: Users of source code repositories who are nobody.
_NOBODY = {"git", "hg", "svn", "bzr", "cvs", "anonymous", "anoncvs", "anonsvn", "anon"}
#: A text without any of these holds no address.
_SIGNS = re.compile(r"[@\uff20\ufe6b]|%40|&#(?:64|x40);|&commat;|\bat\b", re.IGNORECASE)
_GAP = r"[\s\u200b-\u200d\u2060\u00ad\ufeff]{0,2}"
_AT = rf"{_GAP}(?:[@\uff20\ufe6b]|%40|&#0*64;|&#x0*40;|&commat;|[\[({{<]{_GAP}(?:at|@|ät){_GAP}[\])}}>]){_GAP}"
_DOT = rf"(?:[.\uff0e\u3002]|&#0*46;|&#x0*2e;|&period;|{_GAP}[\[({{<]{_GAP}(?:dot|punkt|\.){_GAP}[\])}}>]{_GAP})"
_LABEL = r"[\w-]+"
_TOP = r"(?:xn--[\w-]+|[^\W\d_]{2,})"
_HOST = rf"(?:{_LABEL}{_DOT})+{_TOP}|\[[\dA-Fa-f:.IPv]+\]|localhost\b"
_NAME = r"[\w.+'’~*!$^-]"  # as far as names have such signs in practice
#: A name is taken whole, so that the time is linear in the text.
_ADDRESS = re.compile(
    rf"(?<!{_NAME})(?P<name>{_NAME}++|\"[^\"\n]{{1,64}}\")(?:{_AT})(?!www\.)(?:{_HOST})"
    rf"|(?<!{_NAME}){_NAME}++ at (?:{_LABEL} dot )+{_TOP}\b"
    rf"|(?<!{_NAME}){_NAME}++ (?-i:AT) (?:{_LABEL}(?:\.| (?-i:DOT) ))+{_TOP}\b",
    re.IGNORECASE,
)
_USER_OF_ADDRESS = re.compile(r"(?<=://)(?P<name>[^/\s@?#…]++)@(?=[\w\[])")


def mask_addresses(text: str) -> tuple[str, int]:
    """Return a text with its addresses of e-mail masked, and their number."""
    if not _SIGNS.search(text):
        return text, 0
    count = 0

    def mask(match: re.Match[str], words: str) -> str:
        nonlocal count
        if (match["name"] or "").casefold() in _NOBODY:
            return match[0]
        count += 1
        return words

    text = _USER_OF_ADDRESS.sub(lambda match: mask(match, "…@"), text)
    text = _ADDRESS.sub(lambda match: mask(match, MASK), text)
    return text, count
