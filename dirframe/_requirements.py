"""The packages that this version of dirframe works with, where an older one would go unnoticed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from dirframe.errors import ConfigurationError

__all__ = ["check_pandas"]

_OLDEST_PANDAS = 3


def check_pandas() -> None:
    """Refuse a pandas that gives text other types than dirframe promises.

    Raises
    ------
    ConfigurationError
        If the installed pandas is older than 3.
    """
    try:
        found = version("pandas")
    except PackageNotFoundError:
        return  # importing it says so
    major = found.partition(".")[0]
    if major.isdigit() and int(major) < _OLDEST_PANDAS:
        raise ConfigurationError(
            f"dirframe needs pandas {_OLDEST_PANDAS} or newer; pandas {found} is installed here, "
            "which gives text columns another type. Run "
            f'pip install "pandas>={_OLDEST_PANDAS}" with this Python and start it anew.'
        )
