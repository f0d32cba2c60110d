"""Private parts of records: passwords, which no frame holds, and e-mail addresses."""

# Today's service sends the login of a repository beside its address (`code_location/username` and
# `code_location/password`). Names are recognised at any depth, in any case and with any separators,
# because no description says which other collections have such elements.

from __future__ import annotations

import re
from functools import lru_cache

#: Each e-mail address has one of these, by which the sign in it begins in one of its spellings.
ADDRESS_SIGNS = ("@", "%40", "&", "\uff20", "\ufe6b")
#: Text that replaces an e-mail address.
MASKED_ADDRESS = "…@…"

_SEPARATORS = re.compile(r"[-_.]")
_SECRET_PARTS = ("password", "passwd", "passphrase")
_SECRET_ENDS = (
    "accesskey",
    "apikey",
    "credential",
    "credentials",
    "privatekey",
    "pwd",
    "secret",
    "secretkey",
    "secrets",
    "token",
    "tokens",
)
_LOGIN_ENDS = ("username", "usernames")  # user_name is a name for people

#: Login before the host of an address behind its scheme. The user of ssh and CVS is no secret.
_HTTP_LOGIN = re.compile(
    r"^((?:[a-z]+\+)?(?:https?|ftps?|svn|git|hg|bzr)://)[^/?#\s]*@", re.IGNORECASE
)
_SSH_PASSWORD = re.compile(r"^([a-z][a-z+.-]*://[^:/?#\s]*):[^/?#\s]*(?=@)", re.IGNORECASE)
_CVS_PASSWORD = re.compile(r"^(:[a-z]+(?:;[^:]*)?:[^:@/\s]*):[^@/\s]*(?=@)", re.IGNORECASE)

_LOCAL = r"[\w.!#$%&'*+=^`{|}~-]"
_AT = r"(?:[@\uff20\ufe6b]|%40|&#0*64;|&#x0*40;|&commat;)"
_DOMAIN = r"(?:(?:[\w-]+\.)+(?:xn--[\w-]+|[^\W\d_]{2,})|\[[\w.:]+\])"
_ADDRESS = re.compile(
    # The user of a repository is no person: git@github.com:owner/name.
    rf"(?P<repository>(?<!{_LOCAL})(?:git|hg|svn|cvs|anoncvs|anonymous)@[\w.-]+[:/](?=\S))"
    rf'|(?:"[^"\n]{{1,64}}"|(?<!{_LOCAL}){_LOCAL}+){_AT}{_DOMAIN}',
    re.IGNORECASE,
)


@lru_cache(1024)
def is_secret(name: str) -> bool:
    """Return whether an element or attribute of this name holds a login, password, key or token."""
    name = name.lower()
    letters = _SEPARATORS.sub("", name)
    return (
        any(part in letters for part in _SECRET_PARTS)
        or letters.endswith(_SECRET_ENDS)
        or name.endswith(_LOGIN_ENDS)
    )


@lru_cache(1024)
def is_email(name: str) -> bool:
    """Return whether an element or attribute of this name is about an e-mail address.

    The SHA1 digest is not, which the specification demands.
    """
    letters = _SEPARATORS.sub("", name.lower())
    return letters != "emailsha1" and ("email" in letters or letters.endswith("mail"))


def without_login(address: str) -> str:
    """Return the address of a resource without the login before its host."""
    if "@" not in address:
        return address
    for pattern in (_HTTP_LOGIN, _SSH_PASSWORD, _CVS_PASSWORD):
        address = pattern.sub(r"\1", address)
    return address


def mask_addresses(text: str) -> str:
    """Return a text whose e-mail addresses are masked, in any spelling of the sign between."""
    if not any(sign in text for sign in ADDRESS_SIGNS):  # faster than the pattern
        return text
    return _ADDRESS.sub(lambda found: found["repository"] or MASKED_ADDRESS, text)
