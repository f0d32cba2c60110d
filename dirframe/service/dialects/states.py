"""Simulated states of the live service and its records, read from a file."""

# The file is TOML and is reloaded when it changes, so that a running service can enter and leave
# maintenance.

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from dirframe.errors import ConfigurationError
from dirframe.service.toml_file import check_names, read_toml

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class States:
    """Simulated states.

    Attributes
    ----------
    maintenance : bool
        Every response is a web page with status 200.
    deleted_projects : frozenset of str
        Ids of projects whose page is a failure with status 200.
    disabled_accounts : frozenset of str
        Ids of accounts whose page redirects to a web page.
    """

    maintenance: bool = False
    deleted_projects: frozenset[str] = frozenset()
    disabled_accounts: frozenset[str] = frozenset()

    @property
    def out_of_use(self) -> bool:
        """Whether any record is deleted or disabled."""
        return bool(self.deleted_projects or self.disabled_accounts)


class StatesFile:
    """A file of states, reloaded when it changes.

    Parameters
    ----------
    path
        The file; None for the default states.

    Raises
    ------
    ConfigurationError
        The file cannot be read or is invalid.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self._states = States()
        self.read()

    def read(self) -> States:
        """Return the current states."""
        if self._path is None:
            return self._states
        try:
            status = self._path.stat()
        except OSError as error:
            raise ConfigurationError(
                f"The file of states {self._path} cannot be read: {error.strerror}."
            ) from error
        version = (status.st_mtime_ns, status.st_size)
        if version != self._seen:
            self._states = _parse(self._path)
            self._seen = version
        return self._states


def _parse(path: Path) -> States:
    content = read_toml(path, "file of states")
    check_names(content, [field.name for field in fields(States)], path, "file of states")
    maintenance = content.pop("maintenance", False)
    if not isinstance(maintenance, bool):
        raise ConfigurationError(f"maintenance in {path} is {maintenance!r}; say true or false.")
    for name, ids in content.items():
        if not isinstance(ids, list) or not all(isinstance(entry, str) for entry in ids):
            raise ConfigurationError(
                f'{name} in {path} is {ids!r}; it must be a list of ids, such as ["3", "7"].'
            )
    return States(maintenance, **{name: frozenset(ids) for name, ids in content.items()})
