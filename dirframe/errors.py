"""Exceptions and warnings of dirframe, with facts as attributes, which never hold an API key."""

from __future__ import annotations

import copyreg
import sys
import traceback
import warnings
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from dirframe._printable import escaped_lines

if TYPE_CHECKING:
    import pandas as pd


class _Hinted(Exception):  # noqa: N818  # base of errors and warnings
    """A message, with a `hint` that says which argument or option helps, and facts as attributes."""

    def __init__(self, message: str, *, hint: str | None = None, **facts: Any) -> None:
        super().__init__(message)
        self.hint = hint
        for name, value in facts.items():
            setattr(self, name, tuple(value) if isinstance(value, list) else value)

    @property
    def message(self) -> str:
        """The text without the hint."""
        return escaped_lines(super().__str__())

    def __str__(self) -> str:
        message = self.message
        gap = "\n" if "\n" in message else " "  # a list is followed by a new line
        return f"{message}{gap}{escaped_lines(self.hint)}" if self.hint else message

    def __reduce__(self) -> tuple[Any, ...]:
        # The default calls cls(*args), and some classes write their message themselves.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]  # not in the stubs


class DirframeError(_Hinted):
    """Base class of all exceptions of dirframe."""


class ConfigurationError(DirframeError):
    """An address, an API key or a setting is missing or invalid."""


class MissingExtraError(ConfigurationError, ImportError):
    """An optional package is not installed; `extra` names the extra to install."""

    def __init__(self, package: str, *, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed.",
            hint=f"Run pip install {package}; in a notebook, %pip install {package}.",
            package=package,
            extra=extra,
        )


class InvalidInputError(DirframeError, ValueError):
    """Invalid argument."""


class UnresolvedCountriesError(InvalidInputError):
    """Values cannot be resolved to countries; `unresolved` lists value, count and reason."""

    unresolved: Sequence[tuple[object, int, str]]


class MissingColumnsError(InvalidInputError):
    """A frame lacks the `columns` that a function needs."""

    columns: Sequence[str]


class ColumnsNotSentError(MissingColumnsError):
    """The directory did not send the needed `columns`."""


class RequestError(DirframeError):
    """A request failed; `reported` is the status word of a response, `help_text` its text.

    `title` is the title of a web page that was received instead of the interface's XML.
    Of an error that ends a load, `frame` holds the records that were received.
    """

    url: str  # without the key
    status: int | None = None
    help_text: str | None = None
    reported: str | None = None
    title: str | None = None
    attempts: int = 0  # requests that were sent, with redirects and retries
    frame: pd.DataFrame | None = None


class UnreadableResponseError(RequestError):
    """The response is not the interface's XML; `found` describes its content."""

    found: str
    source: str | None = None
    url: str = ""


class NetworkError(RequestError):
    """No response: the connection failed, was closed, was too slow or refused by a proxy."""


class InvalidKeyError(RequestError):
    """The service does not accept the API key."""


class NotFoundError(RequestError):
    """The account or project does not exist."""


class ServiceError(RequestError):
    """The service responded with a failure that is none of the others.

    `moved_to` is the base URL on another host that a response redirects to, `web_page` the address
    of a web page of the directory to which one redirects.
    """

    moved_to: str | None = None
    web_page: str | None = None


class QuotaExceededError(RequestError):
    """The daily quota is exhausted; `resets_at` is the time when it resets, if known.

    `retry_helps` is False if the load would never end, and was not begun.
    """

    resets_at: datetime | None = None
    retry_helps: bool = True


class _Incomplete(_Hinted):
    details_missing: Sequence[str] = ()
    received: int | None = None
    expected: int | None = None
    order_fails: bool = False
    better_sort: str | None = None
    retry_helps: bool = True


class IncompleteCollectionError(_Incomplete, DirframeError):
    """A collection cannot be verified to be complete.

    `frame` holds the records that were loaded, `missing` describes what is not in it, and
    `details_missing` has the ids of projects whose own page could not be fetched. `received` and
    `expected` are numbers of records. `order_fails` tells whether the reason is an order that does
    not hold, and `better_sort` which sort may hold instead, if any. `retry_helps` is False if the
    directory does not have what is missing.
    """

    frame: pd.DataFrame
    missing: str


class StoreError(DirframeError):
    """The database of the service is missing or damaged, or its input is invalid."""


class ArchiveError(DirframeError):
    """An archive is damaged, in use, full or invalid."""


class CacheError(DirframeError):
    """A page is not in the cache, and requests are not allowed; or the cache cannot be cleared.

    Of an error that ends a load, `frame` holds the records that were in the cache.
    """

    frame: pd.DataFrame | None = None


class DirframeWarning(_Hinted, UserWarning):
    """Base class of all warnings of dirframe."""


class AnalysesNotSentWarning(DirframeWarning):
    """Projects were sent without analyses; `requests` is the number needed to fetch them."""

    requests: int


class IncompleteWarning(_Incomplete, DirframeWarning):
    """The frame may be incomplete.

    The attributes are those of `IncompleteCollectionError`, without `frame` and `missing`.
    """


class ServiceChangedWarning(DirframeWarning):
    """A directory stopped answering as it did when the load began, which goes on in another way."""


class ShortKeyWarning(DirframeWarning):
    """The API key is too short to be removed from all that a directory repeats of it."""


class SortIgnoredWarning(DirframeWarning):
    """The records are not in the order that was requested; `sort` is this order."""

    sort: str


class UnknownValueWarning(DirframeWarning):
    """A selection names values that no record has; `values` holds them."""

    values: Sequence[str]


class UnreadableValueWarning(DirframeWarning):
    """Values are not valid numbers or timestamps."""


class StaleWarning(DirframeWarning):
    """Pages from the cache are used that have expired, or are dated in the future."""


class CacheWarning(DirframeWarning):
    """The cache cannot be written, or read either; the load continues."""


class QuotaWarning(DirframeWarning):
    """The daily quota is not enough for a load, or the count of requests cannot be shared."""


class OverQuotaWarning(QuotaWarning):
    """A load needs more requests than are left today; `needed` is about how many more."""

    needed: int = 0


class ExportWarning(DirframeWarning):
    """A file format cannot represent part of a frame; the message names the columns."""


def warn(warning: DirframeWarning) -> None:
    """Issue a warning that points to the line that called dirframe."""
    # No frame is kept: it would hold itself, and whatever its callers hold.
    stack = traceback.walk_stack(sys._getframe())
    modules = [str(frame.f_globals.get("__name__")) for frame, _ in stack]
    # Others, such as requests, may stand between.
    ours = [depth for depth, name in enumerate(modules) if name.partition(".")[0] == "dirframe"]
    warnings.warn(warning, stacklevel=ours[-1] + 2)


__all__ = [name for name in dir() if name.endswith(("Error", "Warning"))]  # all of them
