"""The API key, environment variables and the folders that they name, addresses of this machine."""

from __future__ import annotations

import ipaddress
import os
from hashlib import sha256
from pathlib import Path

import platformdirs

from dirframe.errors import ConfigurationError, InvalidInputError

BASE_URL_VARIABLE = "DIRFRAME_BASE_URL"
API_KEY_VARIABLE = "DIRFRAME_API_KEY"
CACHE_VARIABLE = "DIRFRAME_CACHE_DIR"
DATA_VARIABLE = "DIRFRAME_DATA_DIR"


def cache_folder(folder: str | Path | None = None) -> Path:
    """Return a folder, or the user's cache folder of dirframe; DIRFRAME_CACHE_DIR overrides it."""
    if not isinstance(folder, str | Path | None):
        raise InvalidInputError(
            f"The cache is named by its folder; got a {type(folder).__name__}. Leave it out for your "
            "own, or pass a path, such as directory.cache_folder."
        )
    default = os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("dirframe")
    return Path(default if folder is None else folder).expanduser()


def data_folder() -> Path:
    """Return the user's data folder of dirframe; DIRFRAME_DATA_DIR overrides it."""
    default = os.environ.get(DATA_VARIABLE) or platformdirs.user_data_dir("dirframe")
    return Path(default).expanduser()


def is_loopback(host: str) -> bool:
    """Return whether a host name is a loopback address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class ApiKey:
    """An API key that is not displayed.

    Its str and repr show the fingerprint, so that a traceback with local variables, the output
    of a notebook or a log line cannot leak the key. It cannot be pickled.

    Parameters
    ----------
    secret : str
        The key.

    Raises
    ------
    ConfigurationError
        If it is no text, is empty, or contains blanks or control characters.

    Examples
    --------
    >>> from dirframe.settings import ApiKey
    >>> ApiKey("0123456789abcdef")
    <API key 47e2d2a3>
    """

    __slots__ = ("_secret",)

    def __init__(self, secret: str) -> None:
        if not isinstance(secret, str):
            raise ConfigurationError(f"The API key must be text; got a {type(secret).__name__}.")
        if not secret or secret != secret.strip() or not secret.isprintable():
            raise ConfigurationError(
                "The API key is empty or contains blanks or control characters; "
                "copy it again as the directory shows it."
            )
        self._secret = secret

    def reveal(self) -> str:
        """Return the key itself, to be used in requests only."""
        return self._secret

    @property
    def fingerprint(self) -> str:
        """Eight hexadecimal digits that identify the key without revealing it."""
        return sha256(b"dirframe:" + self._secret.encode()).hexdigest()[:8]

    def __repr__(self) -> str:
        return f"<API key {self.fingerprint}>"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ApiKey) and other._secret == self._secret

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("An API key is not pickled: set it again where it is needed.")
