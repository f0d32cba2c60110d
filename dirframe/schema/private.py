"""Private parts of records: passwords, which no frame holds, and elements with e-mail addresses."""

# Today's service sends the login of a repository beside its address (`code_location/username` and
# `code_location/password`). Names are recognised at any depth, in any case and with any separators,
# because no description says which other collections have such elements.

from __future__ import annotations

import re
from functools import lru_cache

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
