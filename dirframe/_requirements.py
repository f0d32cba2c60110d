"""Check versions of dependencies that would otherwise fail silently."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from dirframe.errors import ConfigurationError

__all__ = ["check_pandas"]

_OLDEST_PANDAS = 3


def check_pandas() -> None:
    """Raise if pandas is too old: before version 3 text columns have another dtype.

    Raises
    ------
    ConfigurationError
        If the installed pandas is older than 3.
    """
    try:
        installed = version("pandas")
    except PackageNotFoundError:
        return  # the import of pandas raises
    major = installed.partition(".")[0]
    if major.isdigit() and int(major) < _OLDEST_PANDAS:
        raise ConfigurationError(
            f"dirframe needs pandas {_OLDEST_PANDAS} or newer; pandas {installed} is installed here, "
            "which gives text columns another type. Run "
            f'pip install "pandas>={_OLDEST_PANDAS}" with this Python and start it anew.'
        )
