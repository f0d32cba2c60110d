"""Every error that dirframe raises on purpose, in one tree.

::

    DirframeError
    ├── ConfigurationError          an address, a key or an optional package is missing
    │   └── MissingExtraError       (also an ImportError) an extra has to be installed
    ├── InvalidInputError           (also a ValueError) an argument that cannot be meant
    │   ├── MissingColumnsError     a frame has not the columns that a function needs
    │   ├── ColumnsNotSentError     columns that the directory did not send, or were not loaded
    │   └── UnresolvedCountriesError  values that name no country, where none was allowed
    ├── UnreadableResponseError     what came is not the interface's XML
    ├── RequestError                one request did not succeed
    │   ├── NetworkError            no answer: refused, cut, timed out
    │   ├── InvalidKeyError         the key is missing, unknown or revoked
    │   ├── QuotaExceededError      the daily quota is used up
    │   ├── NotFoundError           there is no such account or project
    │   └── ServiceError            any other failed answer
    ├── IncompleteCollectionError   a collection could not be proven complete
    ├── StoreError                  the service's own database refuses
    ├── ArchiveError                an archive or bundle is damaged, in use, or is none
    ├── CacheError                  the cache cannot give what was asked of it alone
    └── ReportError                 a cell of a report's template failed

Warnings are a tree of their own, for `warnings.filterwarnings`::

    DirframeWarning (a UserWarning)
    ├── AnalysesNotSentWarning      a collection of projects came without any analysis
    ├── IncompleteWarning           a frame that could not be proven complete is handed over
    ├── UnreadableValueWarning      values that are no numbers or timestamps were kept as text
    ├── StaleWarning                cached pages are used that are older than they should be
    ├── CacheWarning                the cache cannot be used; the load goes on without it
    ├── QuotaWarning                the count of requests cannot be shared with other processes
    ├── WeakKeyWarning              the text of the API key stands in the data, and could be data
    └── ExportWarning               a file cannot hold something of a frame as it was

The message states what was asked and what came, `hint` what to do in Python and in a shell, and
the facts are attributes. Errors can be pickled and never contain a key: whoever raises one passes
addresses without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import pandas as pd

__all__ = [
    "AnalysesNotSentWarning",
    "ArchiveError",
    "CacheError",
    "CacheWarning",
    "ColumnsNotSentError",
    "ConfigurationError",
    "DirframeError",
    "DirframeWarning",
    "ExportWarning",
    "Hint",
    "IncompleteCollectionError",
    "IncompleteWarning",
    "InvalidInputError",
    "InvalidKeyError",
    "MissingColumnsError",
    "MissingExtraError",
    "NetworkError",
    "NotFoundError",
    "QuotaExceededError",
    "QuotaWarning",
    "ReportError",
    "RequestError",
    "ServiceError",
    "StaleWarning",
    "StoreError",
    "UnreadableResponseError",
    "UnreadableValueWarning",
    "UnresolvedCountriesError",
    "WeakKeyWarning",
]


@dataclass(frozen=True, init=False)
class Hint:
    """What to do about an error or a warning.

    Parameters
    ----------
    python : str
        For a caller of the function, in sentences; empty if there is nothing to do.
    shell : str, optional
        For a user of the command line. Left out: the same.

    Examples
    --------
    >>> Hint("Pass overwrite=True.", shell="Give --overwrite.").shell
    'Give --overwrite.'
    >>> Hint("Check the address.").shell
    'Check the address.'
    """

    python: str
    shell: str

    def __init__(self, python: str, shell: str | None = None) -> None:
        object.__setattr__(self, "python", python)
        object.__setattr__(self, "shell", python if shell is None else shell)


def _rebuild(cls: type[_Hinted], args: tuple[Any, ...], state: dict[str, Any]) -> _Hinted:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class _Hinted(Exception):  # noqa: N818  # the part that errors and warnings share
    """A message, and what to do."""

    def __init__(self, message: str, *, hint: Hint | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    @property
    def message(self) -> str:
        """What happened, without advice."""
        return str(self.args[0])

    @property
    def shell_text(self) -> str:
        """The message and what to do in a shell."""
        return self._with(self.hint.shell if self.hint else "")

    def __str__(self) -> str:
        return self._with(self.hint.python if self.hint else "")

    def _with(self, advice: str) -> str:
        gap = "\n" if "\n" in self.message else " "  # below a list, not at the end of its last line
        return f"{self.message}{gap}{advice}" if advice else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # The default calls cls(*args), which fails for keyword-only facts.
        return _rebuild, (type(self), self.args, self.__dict__)


class DirframeError(_Hinted):
    """Base of everything that dirframe raises on purpose."""


class ConfigurationError(DirframeError):
    """An address, a key or a setting is missing or cannot be meant."""


class MissingExtraError(ConfigurationError, ImportError):
    """An optional package is needed: `extra` names what to install."""

    def __init__(self, package: str, *, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed.",
            hint=Hint(f'Run pip install "dirframe[{extra}]".'),
        )
        self.package = package
        self.extra = extra


class InvalidInputError(DirframeError, ValueError):
    """An argument that cannot be meant."""


class UnresolvedCountriesError(InvalidInputError):
    """Values name no country; `unresolved` has each with its count and the reason."""

    def __init__(self, unresolved: Sequence[tuple[object, int, str]]) -> None:
        records = sum(count for _, count, _ in unresolved)
        shown = [f"  {value!r} ({count:,}): {reason}" for value, count, reason in unresolved[:20]]
        if len(unresolved) > len(shown):
            shown.append(f"  and {len(unresolved) - len(shown):,} more")
        super().__init__(
            f"{len(unresolved):,} values in {records:,} records name no country:\n"
            + "\n".join(shown),
            hint=Hint(
                'Answer them with overrides={value: code or None}, or pass errors="coerce".',
                shell="Answer them in a file of overrides, which --audit writes, and give it with "
                "--overrides; or leave --strict out.",
            ),
        )
        self.unresolved = list(unresolved)


class ColumnsNotSentError(InvalidInputError):
    """Columns are needed that the directory did not send, or that were not loaded: `columns`."""

    def __init__(self, message: str, *, columns: Sequence[str], hint: Hint | None = None) -> None:
        super().__init__(message, hint=hint)
        self.columns = tuple(columns)


class MissingColumnsError(InvalidInputError):
    """A frame has not the columns that a function needs: `columns`."""

    def __init__(self, message: str, *, columns: Sequence[str], hint: Hint | None = None) -> None:
        super().__init__(message, hint=hint)
        self.columns = tuple(columns)


class UnreadableResponseError(DirframeError):
    """What came is not the interface's XML; `found` says what it is instead."""

    def __init__(
        self, message: str, *, found: str, source: str | None = None, hint: Hint | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.found = found
        self.source = source


class RequestError(DirframeError):
    """One request did not succeed; `url` holds no key."""

    def __init__(
        self,
        message: str,
        *,
        url: str,
        status: int | None = None,
        help_text: str | None = None,
        hint: Hint | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.url = url
        self.status = status
        self.help_text = help_text


class NetworkError(RequestError):
    """No answer came: there was no connection, or it was cut, too slow or refused by a proxy."""


class InvalidKeyError(RequestError):
    """The service does not accept the API key."""


class NotFoundError(RequestError):
    """There is no such account or project."""


class ServiceError(RequestError):
    """The service answered, but with a failure; `reported` is the status word of its body."""

    def __init__(self, message: str, *, reported: str | None = None, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.reported = reported


class QuotaExceededError(RequestError):
    """The daily quota is used up; `resets_at` says when it comes back, if known."""

    def __init__(self, message: str, *, resets_at: datetime | None = None, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.resets_at = resets_at


class IncompleteCollectionError(DirframeError):
    """A collection could not be proven complete.

    `frame` holds what was loaded, `missing` says in words what is not in it, and
    `details_missing` has the ids of projects whose own page did not come.
    """

    def __init__(
        self,
        message: str,
        *,
        frame: pd.DataFrame,
        missing: str,
        details_missing: Sequence[str] = (),
        hint: Hint | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.frame = frame
        self.missing = missing
        self.details_missing = tuple(details_missing)


class StoreError(DirframeError):
    """The service's own database refuses: wrong file, damaged, or a rule is broken."""


class ArchiveError(DirframeError):
    """An archive or a bundle is damaged, in use, full, or is none."""


class CacheError(DirframeError):
    """The cache alone was asked, and it cannot answer."""


class ReportError(DirframeError):
    """A cell of a report's template failed: the `cell`'s number, its `heading`, `error`, `text`."""

    def __init__(self, *, cell: int, heading: str, error: str, text: str) -> None:
        below = f", below {heading!r}," if heading else ""
        super().__init__(
            f"Cell {cell} of the report's template{below} failed with {error}: {text} "
            "Nothing was written.",
            hint=Hint(
                "Open the template in Jupyter to repair it; cells are counted without those that "
                "were left out."
            ),
        )
        self.cell = cell
        self.heading = heading
        self.error = error
        self.text = text


class DirframeWarning(_Hinted, UserWarning):
    """Base of everything that dirframe warns of."""


class AnalysesNotSentWarning(DirframeWarning):
    """A collection of projects came without any analysis; `requests` is the price of them all."""

    def __init__(self, message: str, *, requests: int = 0, hint: Hint | None = None) -> None:
        super().__init__(message, hint=hint)
        self.requests = requests


class IncompleteWarning(DirframeWarning):
    """A frame is handed over that could not be proven complete.

    `details_missing` has the ids of projects whose own page did not come.
    """

    def __init__(
        self, message: str, *, details_missing: Sequence[str] = (), hint: Hint | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.details_missing = tuple(details_missing)


class UnreadableValueWarning(DirframeWarning):
    """Values that are no numbers or no timestamps where the interface says they are."""


class StaleWarning(DirframeWarning):
    """Cached pages are used that are older than they should be."""


class CacheWarning(DirframeWarning):
    """The cache cannot be used; the load goes on without it."""


class QuotaWarning(DirframeWarning):
    """The daily quota cannot be shared with other processes; this one counts for itself."""


class WeakKeyWarning(DirframeWarning):
    """An answer holds the text of the API key, which is too ordinary to tell it from data."""


class ExportWarning(DirframeWarning):
    """A file cannot hold something of a frame as it was; it names the columns and what happens."""
