"""States in which the live service can be, and its records: a file names them.

The file is TOML, and is read again when it changes, so that a service goes into maintenance and
comes back while it runs::

    maintenance = false
    deleted_projects = ["3", "7"]
    disabled_accounts = ["5"]
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from dirframe.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["States", "StatesFile"]


@dataclass(frozen=True)
class States:
    """What is not as usual.

    Attributes
    ----------
    maintenance : bool
        Every answer is a web page, with status 200.
    deleted_projects : frozenset of str
        Ids of projects whose own page is 200 with a failure.
    disabled_accounts : frozenset of str
        Ids of accounts whose own page redirects to a web page.
    """

    maintenance: bool = False
    deleted_projects: frozenset[str] = frozenset()
    disabled_accounts: frozenset[str] = frozenset()

    @property
    def out_of_use(self) -> bool:
        """Whether there are such records."""
        return bool(self.deleted_projects or self.disabled_accounts)


class StatesFile:
    """A file of states, read again when it has changed.

    Parameters
    ----------
    path
        The file; None: everything is as usual.

    Raises
    ------
    ConfigurationError
        The file cannot be read, or says something else.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self._states = States()
        self.read()

    def read(self) -> States:
        """Return the states as the file has them now."""
        if self._path is None:
            return self._states
        try:
            facts = self._path.stat()
            seen = (facts.st_mtime_ns, facts.st_size)
            if seen != self._seen:
                self._states = _parse(self._path)
                self._seen = seen
        except OSError as error:
            raise ConfigurationError(
                f"The file of states {self._path} cannot be read: {error}."
            ) from error
        return self._states


def _parse(path: Path) -> States:
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The file of states {path} is no TOML: {error}.") from error
    known = [field.name for field in fields(States)]
    if wrong := sorted(set(said) - set(known)):
        raise ConfigurationError(
            f"The file of states {path} has {', '.join(wrong)}; there are {', '.join(known)}."
        )
    maintenance = said.pop("maintenance", False)
    if not isinstance(maintenance, bool):
        raise ConfigurationError(f"maintenance in {path} is {maintenance!r}; say true or false.")
    for name, ids in said.items():
        if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
            raise ConfigurationError(
                f'{name} in {path} is {ids!r}; it must be a list of ids, such as ["3", "7"].'
            )
    return States(maintenance, **{name: frozenset(ids) for name, ids in said.items()})
