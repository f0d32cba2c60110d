"""Read TOML files that users write."""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from dirframe.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """Return the content of a file, called `what` in messages."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"The {what} {path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The {what} {path} is not TOML: {error}.") from None
    except RecursionError:
        raise ConfigurationError(f"The {what} {path} is nested too deeply.") from None


def check_names(content: Any, known: Iterable[str], path: Path, what: str, table: str = "") -> None:
    """Raise unless the content of a table is a table, with known names alone."""
    if not isinstance(content, dict):
        raise ConfigurationError(f"{table} in {path} must be a table of TOML.")
    known = list(known)
    for name in content:
        if name not in known:
            near = get_close_matches(name, known, n=3) or sorted(known)
            raise ConfigurationError(
                f"The {what} {path} has {f'{table}.' * bool(table)}{name}, which does not exist; "
                f"there is {', '.join(near)}."
            )
