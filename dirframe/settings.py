"""The API key, environment variables and the folders that they name, addresses of this machine."""

from __future__ import annotations

import ipaddress
import os
import re
from hashlib import sha256
from html import escape, unescape
from pathlib import Path
from urllib.parse import quote, quote_plus, unquote

import platformdirs

from dirframe.errors import ConfigurationError

#: The parameter that requests have the key in.
KEY_PARAMETER = "api_key"
#: The address of Open Hub, and of the form where a member makes a key, by the name of the login.
OPEN_HUB = "https://www.openhub.net"
OPEN_HUB_KEYS = f"{OPEN_HUB}/accounts/LOGIN/api_keys/new"

#: Characters of the shortest key that cannot be a word of a text.
_SHORTEST_UNIQUE = 16
_REMOVED = "[api key removed]"
_IN_TEXT = re.compile(r"(api_key(?:=|%3[dD]|['\"]?\s*:\s*['\"]?))(?!\[api key)[^&\s'\"<>]+")
_IN_QUERY = re.compile(r"(?<=[?&])api_key=[^&#]*&?")


def cache_folder(folder: str | Path | None = None) -> Path:
    """Return a folder, or the user's cache folder of dirframe; DIRFRAME_CACHE_DIR overrides it."""
    place = os.environ.get("DIRFRAME_CACHE_DIR") if folder is None else folder
    return _expand(place or platformdirs.user_cache_dir("dirframe"))


def user_data_folder() -> Path:
    """Return the user's data folder of dirframe; DIRFRAME_DATA_DIR overrides it."""
    return _expand(os.environ.get("DIRFRAME_DATA_DIR") or platformdirs.user_data_dir("dirframe"))


def _expand(place: str | Path) -> Path:
    """Return a folder below a home folder, if there is one."""
    try:
        return Path(place).expanduser()
    except RuntimeError:
        raise ConfigurationError(
            f"The folder {place} cannot be used: this user has no home folder.",
            hint="Set DIRFRAME_CACHE_DIR and DIRFRAME_DATA_DIR to folders that exist.",
        ) from None


def is_loopback(host: str) -> bool:
    """Return whether a host name is a loopback address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def hide_keys(text: str) -> str:
    """Return a text without the value of any parameter ``api_key``."""
    return _IN_TEXT.sub(rf"\1{_REMOVED}", text)


class ApiKey:
    """An API key that takes itself out of what is written; shown is its fingerprint alone."""

    __slots__ = ("_pattern", "_secret")

    def __init__(self, secret: str) -> None:
        if not isinstance(secret, str):
            raise ConfigurationError(f"The API key must be text; got a {type(secret).__name__}.")
        if not secret or secret != secret.strip() or not secret.isprintable():
            raise ConfigurationError(
                "The API key is empty or contains blanks or control characters; "
                "copy it again as the directory shows it."
            )
        spelt = secret, escape(secret, quote=False), quote_plus(secret), quote(secret, safe="")
        self._secret = secret
        self._pattern = "|".join(map(re.escape, sorted(spelt, key=len, reverse=True)))

    def reveal(self) -> str:
        """Return the key itself, to be used in requests only."""
        return self._secret

    @property
    def fingerprint(self) -> str:
        """Eight hexadecimal digits that identify the key without revealing it."""
        return sha256(b"dirframe:" + self._secret.encode()).hexdigest()[:8]

    def unsign(self, url: str) -> str:
        """Return a URL without the key and the parameter that holds it."""
        return self.redact(_IN_QUERY.sub("", url).rstrip("?&"))

    def redact(self, text: str) -> str:
        """Return a text without the key, as it is or as XML and URLs spell it."""
        return hide_keys(re.sub(self._pattern, _REMOVED, text, flags=re.IGNORECASE))

    def redact_data(self, data: bytes) -> bytes:
        """Return data without the key; one of less than 16 characters may be a word, and stays."""
        if len(self._secret) < _SHORTEST_UNIQUE:
            return data
        return re.sub(self._pattern.encode(), _REMOVED.encode(), data, flags=re.IGNORECASE)

    def redact_xml(self, xml: str) -> str:
        """Return decoded XML without the key, in whatever mixture of escapes a directory repeats it.

        A key of less than 16 characters may be a word: it is removed behind the name of its
        parameter alone.
        """
        is_word = len(self._secret) < _SHORTEST_UNIQUE
        if KEY_PARAMETER not in xml.lower() if is_word else not _is_spelt(self._secret, xml):
            return xml
        key = "".join(map(_spellings, self._secret))
        if is_word:
            begin = rf"({KEY_PARAMETER}\s*(?:{_spellings('=')}|:|>)\s*['\"]?){key}(?!\w)"
            return re.sub(begin, rf"\1{_REMOVED}", xml, flags=re.IGNORECASE)
        return re.sub(key, _REMOVED, xml, flags=re.IGNORECASE)

    def __repr__(self) -> str:
        return f"<API key {self.fingerprint}>"

    __str__ = __repr__

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("An API key is not pickled: set it again where it is needed.")


def _is_spelt(secret: str, text: str) -> bool:
    """Return whether a text holds a secret, escaped up to three times for XML or addresses."""
    sought = secret.casefold()
    for _ in range(4):
        if sought in text.casefold() or sought in text.replace("+", " ").casefold():
            return True
        text = unquote(unescape(text))
    return False


def _spellings(character: str) -> str:
    """Return a pattern for a character as XML and addresses spell it, also if escaped again."""
    reference = r"&(?:amp;)*"
    names = [
        name for name in ("amp", "lt", "gt", "quot", "apos") if unescape(f"&{name};") == character
    ]
    escaped = "".join(f"%(?:25)*{byte:02X}" for byte in character.encode())
    spelt = [
        re.escape(character),
        escaped,
        rf"{reference}#0*{ord(character)};",
        rf"{reference}#x0*{ord(character):x};",
        *(f"{reference}{name};" for name in names),
    ]
    if character == " ":
        spelt.append(r"\+")
    if character == "&":
        spelt.insert(0, reference)
    return f"(?:{'|'.join(spelt)})"
