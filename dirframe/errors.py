"""Every error that dirframe raises on purpose, in one tree.

::

    DirframeError
    ├── ConfigurationError          an address, a key or an optional package is missing
    │   └── MissingExtraError       (also an ImportError) an extra has to be installed
    ├── InvalidInputError           (also a ValueError) an argument that cannot be meant
    │   ├── ColumnsNotSentError     columns that the directory did not send, or were not loaded
    │   └── UnresolvedCountriesError  values that name no country, where none was allowed
    ├── UnreadableResponseError     what came is not the interface's XML
    ├── RequestError                one request did not succeed
    │   ├── NetworkError            no answer: refused, cut, timed out
    │   ├── InvalidKeyError         the key is missing, unknown or revoked
    │   ├── QuotaExceededError      the day's allowance is used up
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
    ├── AllowanceWarning            the count of requests cannot be shared with other processes
    ├── WeakKeyWarning              the text of the API key stands in the data, and could be data
    └── ExportWarning               a file cannot hold something of a frame as it was

An error says what was asked, what came and what to do. Its facts are attributes, it can
be pickled, and it never contains a key: whoever raises it passes addresses without one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import pandas as pd

__all__ = [
    "AllowanceWarning",
    "AnalysesNotSentWarning",
    "ArchiveError",
    "CacheError",
    "CacheWarning",
    "ColumnsNotSentError",
    "ConfigurationError",
    "DirframeError",
    "DirframeWarning",
    "ExportWarning",
    "IncompleteCollectionError",
    "IncompleteWarning",
    "InvalidInputError",
    "InvalidKeyError",
    "MissingExtraError",
    "NetworkError",
    "NotFoundError",
    "QuotaExceededError",
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


def _rebuild(
    cls: type[DirframeError], args: tuple[Any, ...], state: dict[str, Any]
) -> DirframeError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class DirframeError(Exception):
    """Base of everything that dirframe raises on purpose."""

    def __init__(self, message: str) -> None:
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        # The default calls cls(*args), which fails for keyword-only facts.
        return _rebuild, (type(self), self.args, self.__dict__)


class ConfigurationError(DirframeError):
    """An address, a key or a setting is missing or cannot be meant."""


class MissingExtraError(ConfigurationError, ImportError):
    """An optional package is needed: `extra` names what to install."""

    def __init__(self, package: str, *, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed: "
            f'run pip install "dirframe[{extra}]".'
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
            + "\n".join(shown)
            + '\nAnswer them with overrides={value: code or None}, or pass errors="coerce".'
        )
        self.unresolved = list(unresolved)


class ColumnsNotSentError(InvalidInputError):
    """Columns are needed that the directory did not send, or that were not loaded: `columns`."""

    def __init__(self, message: str, *, columns: Sequence[str]) -> None:
        super().__init__(message)
        self.columns = tuple(columns)


class UnreadableResponseError(DirframeError):
    """What came is not the interface's XML; `found` says what it is instead."""

    def __init__(self, message: str, *, found: str, source: str | None = None) -> None:
        super().__init__(message)
        self.found = found
        self.source = source


class RequestError(DirframeError):
    """One request did not succeed; `url` holds no key."""

    def __init__(
        self, message: str, *, url: str, status: int | None = None, help_text: str | None = None
    ) -> None:
        super().__init__(message)
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

    reported: str | None = None


class QuotaExceededError(RequestError):
    """The day's allowance is used up; `resets_at` says when it comes back, if known."""

    def __init__(
        self,
        message: str,
        *,
        url: str,
        status: int | None = None,
        help_text: str | None = None,
        resets_at: datetime | None = None,
    ) -> None:
        super().__init__(message, url=url, status=status, help_text=help_text)
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
    ) -> None:
        super().__init__(message)
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
            "Nothing was written. Cells are counted without those that were left out; open "
            "the template in Jupyter to mend it."
        )
        self.cell = cell
        self.heading = heading
        self.error = error
        self.text = text


class DirframeWarning(UserWarning):
    """Base of everything that dirframe warns of."""


class AnalysesNotSentWarning(DirframeWarning):
    """A collection of projects came without any analysis; `requests` is the price of them all."""

    def __init__(self, message: str, *, requests: int = 0) -> None:
        super().__init__(message)
        self.requests = requests


class IncompleteWarning(DirframeWarning):
    """A frame is handed over that could not be proven complete.

    `details_missing` has the ids of projects whose own page did not come.
    """

    def __init__(self, message: str, *, details_missing: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.details_missing = tuple(details_missing)


class UnreadableValueWarning(DirframeWarning):
    """Values that are no numbers or no timestamps where the interface says they are."""


class StaleWarning(DirframeWarning):
    """Cached pages are used that are older than they should be."""


class CacheWarning(DirframeWarning):
    """The cache cannot be used; the load goes on without it."""


class AllowanceWarning(DirframeWarning):
    """The allowance cannot be shared with other processes; this one counts for itself."""


class WeakKeyWarning(DirframeWarning):
    """An answer holds the text of the API key, which is too ordinary to tell it from data."""


class ExportWarning(DirframeWarning):
    """A file cannot hold something of a frame as it was; it names the columns and what happens."""
