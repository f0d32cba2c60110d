"""The API key, environment variables and the folders that they name, addresses of this machine."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from html import escape, unescape
from html.entities import html5
from operator import xor
from pathlib import Path
from secrets import token_bytes
from typing import ParamSpec, TypeVar
from urllib.parse import quote, quote_plus, unquote
from weakref import WeakSet

import platformdirs

from dirframe._printable import printable
from dirframe.errors import ConfigurationError, InvalidInputError

P = ParamSpec("P")
R = TypeVar("R")

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
_IN_ADDRESS = re.compile(rb"[?&]api_key=[\w-]{8,}")


def check_switches(**values: object) -> None:
    """Raise if a value is neither True nor False: "no" would be taken for True."""
    for name, value in values.items():
        if not isinstance(value, bool):
            raise InvalidInputError(f"{name} is {shown_value(value)}; it must be True or False.")


def check_name(name: str, text: object) -> None:
    """Raise if a value is no text of one line, such as for captions and pages."""
    if not isinstance(text, str) or not text.strip() or printable(text) != text:
        raise InvalidInputError(
            f"{name} is {text!r:.120}; it must be text of one line, without control characters."
        )


def check_path(name: str, path: object) -> None:
    """Raise if a value is no name of a file or folder."""
    is_path = isinstance(path, (str, os.PathLike)) and str(path).strip()
    if not is_path or not str(path).isprintable():
        raise InvalidInputError(
            f"{name} is {path!r:.120}; it must be the name of a file or folder, without control "
            "characters."
        )


def cache_folder(folder: str | Path | None = None) -> Path:
    """Return a folder, or the user's cache folder of dirframe; DIRFRAME_CACHE_DIR overrides it."""
    if folder is not None:
        check_path("cache", folder)
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


def _without_frames(method: Callable[P, R]) -> Callable[P, R]:
    """Return a method whose errors hold no frames: in these the key is a text, also at Ctrl-C."""

    @wraps(method)
    def call(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return method(*arguments, **options)
        except BaseException as error:  # noqa: BLE001  # Ctrl-C, too
            raise error.with_traceback(None) from error.__cause__

    return call


def holds_key(content: bytes) -> bool:
    """Return whether a file holds a key of this process, or an address with any key."""
    if _IN_ADDRESS.search(content):
        return True
    return any(key.redact_data(content) != content for key in _known_keys())


def shown_value(value: object) -> str:
    """Return a value as a message repeats it, without a key that was passed as another argument."""
    text = value if isinstance(value, str) else repr(value)
    for key in _known_keys():
        text = key.redact(text)
    return repr(text) if isinstance(value, str) else text


def _known_keys() -> list[ApiKey]:
    """Return the keys of this process, and that of the environment."""
    keys = [*_KEYS]
    if secret := os.environ.get("DIRFRAME_API_KEY", "").strip():
        keys.append(ApiKey(secret))
        del secret
    return keys


#: The keys of this process.
_KEYS: WeakSet[ApiKey] = WeakSet()


class ApiKey:
    """An API key that removes itself from texts, and shows only its fingerprint.

    It is kept as two parts, neither of which reveals it. Its text exists while a request is signed, or
    while something is searched for it.
    """

    __slots__ = ("__weakref__", "_mask", "_masked")

    def __init__(self, secret: str) -> None:
        try:
            if not isinstance(secret, str):
                raise ConfigurationError(f"The API key must be text, not {type(secret).__name__}.")
            if not secret or secret != secret.strip() or not secret.isprintable():
                raise ConfigurationError(
                    "The API key is empty or contains blanks or control characters; "
                    "copy it again as the directory shows it."
                )
            self._mask = token_bytes(len(secret.encode()))
            self._masked = bytes(map(xor, secret.encode(), self._mask))
            _KEYS.add(self)
        finally:
            del secret  # from the frame, which an error holds

    def reveal(self) -> str:
        """Return the key itself, to be used in requests only."""
        return bytes(map(xor, self._masked, self._mask)).decode()

    @property
    @_without_frames
    def fingerprint(self) -> str:
        """Eight hexadecimal digits that identify the key without revealing it."""
        return sha256(b"dirframe:" + self.reveal().encode()).hexdigest()[:8]

    @property
    @_without_frames
    def may_be_a_word(self) -> bool:
        """Whether it is so short that it may be part of a text by chance."""
        return len(self.reveal()) < _SHORTEST_UNIQUE

    @_without_frames
    def is_in(self, address: str) -> bool:
        """Return whether an address holds the key, however it is escaped; a short one may be a word."""
        return not self.may_be_a_word and _is_spelt(self.reveal(), address)

    def unsign(self, url: str) -> str:
        """Return a URL without the key and the parameter that holds it."""
        return self.redact(_IN_QUERY.sub("", url).rstrip("?&"))

    @_without_frames
    def redact(self, text: str) -> str:
        """Return a text without the key, in whatever mixture of escapes XML and URLs spell it."""
        secret = self.reveal()
        if _is_spelt(secret, text):
            text = re.sub(_pattern_of(secret), _REMOVED, text, flags=re.IGNORECASE)
        return hide_keys(text)

    @_without_frames
    def redact_data(self, data: bytes) -> bytes:
        """Return data without the key; one of fewer than 16 characters may be a word, and stays."""
        if self.may_be_a_word:
            return data
        secret = self.reveal()
        spelt = {secret, escape(secret, quote=False), quote_plus(secret), quote(secret, safe="")}
        folded = data.lower()
        for spelling in sorted(spelt, key=len, reverse=True):
            if spelling.encode().lower() in folded:
                pattern = re.escape(spelling.encode())
                data = re.sub(pattern, _REMOVED.encode(), data, flags=re.IGNORECASE)
                folded = data.lower()
        return data

    @_without_frames
    def redact_xml(self, xml: str) -> str:
        """Return decoded XML without the key, in whatever mixture of escapes a directory repeats it.

        A key of fewer than 16 characters may be a word: it is removed behind the name of its
        parameter alone.
        """
        secret = self.reveal()
        is_word = self.may_be_a_word
        if KEY_PARAMETER not in xml.lower() if is_word else not _is_spelt(secret, xml):
            return xml
        key = _pattern_of(secret)
        if is_word:
            begin = rf"({KEY_PARAMETER}\s*(?:{_spellings('=')}|:|>)\s*['\"]?){key}(?!\w)"
            return re.sub(begin, rf"\1{_REMOVED}", xml, flags=re.IGNORECASE)
        return re.sub(key, _REMOVED, xml, flags=re.IGNORECASE)

    def __repr__(self) -> str:
        return f"<API key {self.fingerprint}>"

    __str__ = __repr__

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("An API key is not pickled: set it again where it is needed.")


def _pattern_of(secret: str) -> str:
    return "".join(map(_spellings, secret))


def _is_spelt(secret: str, text: str) -> bool:
    """Return whether a text holds a secret, escaped up to three times for XML or addresses.

    A blank and a plus are the same here: forms spell the one as the other.
    """
    sought = secret.casefold().replace("+", " ")
    for _ in range(4):
        if sought in text.casefold().replace("+", " "):
            return True
        text = unquote(unescape(text))
    return False


def _spellings(character: str) -> str:
    """Return a pattern for a character as XML and addresses spell it, also if escaped again."""
    if character == " ":
        return f"(?:{_escapes(' ')}|{_escapes('+')})"  # forms spell it as a plus
    return f"(?:{_escapes(character)})"


def _escapes(character: str) -> str:
    """Return the alternatives of a pattern for a character and its escapes."""
    reference = r"&(?:amp;)*"
    names = [name for name, text in html5.items() if text == character and name.endswith(";")]
    names = sorted({name.lower() for name in names} - {"amp;"})  # `reference` reads that one
    escaped = "".join(f"%(?:25)*{byte:02X}" for byte in character.encode())
    return "|".join(
        [
            # Each text fits one alternative: with two, a long run would be tried in all their mixtures.
            reference if character == "&" else re.escape(character),
            escaped,
            rf"{reference}#0*{ord(character)};",
            rf"{reference}#x0*{ord(character):x};",
            *(f"{reference}{name}" for name in names),
        ]
    )
