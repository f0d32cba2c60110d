"""Whole collections: a question goes in, a typed frame comes out.

Every frame says in ``frame.attrs["dirframe"]`` what it was made from; see
`dirframe.provenance`. What stays out: single records (`dirframe.client.records`) and
everything that these functions put together.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal, get_args

from dirframe.client.directory import opened
from dirframe.client.manner import Manner
from dirframe.client.noting import note
from dirframe.client.pages import IncompleteWarning, collect
from dirframe.client.progress import Progress
from dirframe.client.question import Question
from dirframe.errors import IncompleteCollectionError, InvalidInputError
from dirframe.schema import ACCOUNT, PROJECT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from dirframe.client.directory import Directory
    from dirframe.client.pages import Walk
    from dirframe.client.progress import Told
    from dirframe.client.session import Answer

__all__ = ["Incomplete", "check_incomplete", "load_accounts", "load_projects", "load_question"]

Incomplete = Literal["raise", "warn"]


def load_accounts(
    *,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
    columns: Sequence[str] | None = None,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    stale: bool = False,
    wait: float = 0.0,
    progress: bool | Told = True,
) -> pd.DataFrame:
    """Load the accounts of a directory.

    Parameters
    ----------
    query : str, optional
        Only accounts whose name matches.
    sort : str, optional
        ``created_at``, ``id``, ``name`` or ``updated_at``, each also with ``_reverse``
        behind it. Left out: the directory's default, ``created_at_reverse``.
    max_items : int, optional
        Cap on the number of accounts; the frame says that it was capped. Left out: all.
    columns : sequence of str, optional
        Names of the columns to read; ``id`` is always among them. The fewer, the faster.
        Left out: everything there is.
    directory : Directory, optional
        Where to ask. Left out: the directory that the environment names.
    incomplete : {"raise", "warn"}, default "raise"
        What to do when the collection cannot be proven complete: raise, or hand it over
        with a warning and with the reason in its provenance.
    refresh : bool, default False
        Whether to ask the directory for every page, whatever the cache has.
    offline : bool, default False
        Whether to ask the cache alone.
    stale : bool, default False
        Whether cached pages may be of any age; a warning names it.
    wait : float, default 0
        Seconds that the load may sleep until the day's allowance comes back.
    progress : bool or callable, default True
        Whether to show a progress bar where someone can see it; or a function that is told
        after each page how many records came and how many should. If it raises StopIteration
        the load stops there, with the error of an incomplete collection.

    Returns
    -------
    pandas.DataFrame
        One row an account, in the order of the directory, with the columns of the
        specification: ``id``, ``name`` (str), ``created_at``, ``updated_at``
        (datetime64[us, UTC]), ``homepage_url``, ``avatar_url``, ``email_sha1`` (str),
        ``posts_count`` (Int64), ``location``, ``country_code`` (str, as the directory has
        it: codes and names mixed), ``latitude``, ``longitude`` (Float64, degrees),
        ``kudo_score_kudo_rank`` and ``kudo_score_position`` (Int64). Then whatever else the
        directory sent. ``attrs["dirframe"]`` holds the provenance.

    Raises
    ------
    ConfigurationError
        If no directory is given and the environment names none.
    InvalidInputError
        If `sort` or `max_items` cannot be meant.
    QuotaExceededError
        If the day's allowance ends; the same line pays only for the rest later.
    RequestError
        If the directory cannot be reached or refuses; what was loaded is in the cache.
    CacheError
        If `offline` is true and a page is not in the cache.
    IncompleteCollectionError
        If the collection cannot be proven complete; it carries the frame so far.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     accounts = dirframe.load_accounts(max_items=50, directory=directory)
    >>> len(accounts), accounts["created_at"].is_monotonic_decreasing
    (50, True)
    """
    question = Question(resource=ACCOUNT, query=query, sort=sort, max_items=max_items)
    manner = Manner(refresh=refresh, offline=offline, stale=stale, wait=wait)
    return load_question(
        question, directory, incomplete, manner, columns=columns, progress=progress
    )


def load_projects(
    *,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
    columns: Sequence[str] | None = None,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    stale: bool = False,
    wait: float = 0.0,
    progress: bool | Told = True,
) -> pd.DataFrame:
    """Load the projects of a directory.

    Parameters
    ----------
    query : str, optional
        Only projects whose title, description or tags match.
    sort : str, optional
        ``created_at``, ``id``, ``name``, ``updated_at`` or ``stack_count``, each also with
        ``_reverse`` behind it, or a value of the live service such as ``users``. Left out:
        the directory's default.
    max_items : int, optional
        Cap on the number of projects; the frame says that it was capped. Left out: all.
    columns : sequence of str, optional
        Names of the columns to read; ``id`` is always among them. The fewer, the faster.
        Left out: everything there is.
    directory : Directory, optional
        Where to ask. Left out: the directory that the environment names.
    incomplete : {"raise", "warn"}, default "raise"
        What to do when the collection cannot be proven complete: raise, or hand it over
        with a warning and with the reason in its provenance.
    refresh : bool, default False
        Whether to ask the directory for every page, whatever the cache has.
    offline : bool, default False
        Whether to ask the cache alone.
    stale : bool, default False
        Whether cached pages may be of any age; a warning names it.
    wait : float, default 0
        Seconds that the load may sleep until the day's allowance comes back.
    progress : bool or callable, default True
        Whether to show a progress bar where someone can see it; or a function that is told
        after each page how many records came and how many should. If it raises StopIteration
        the load stops there, with the error of an incomplete collection.

    Returns
    -------
    pandas.DataFrame
        One row a project, in the order of the directory, with the columns of the
        specification: ``id``, ``name``, ``description``, the addresses (str),
        ``created_at``, ``updated_at`` (datetime64[us, UTC]), ``stack_count`` (Int64,
        members), ``analysis_id`` (str), and the fields of the analysis as ``analysis_…``:
        months (datetime64[us, UTC]), ``analysis_twelve_month_contributor_count`` (Int64,
        people), ``analysis_total_code_lines`` (Int64, lines; it can be negative),
        ``analysis_main_language_name`` (str) and so on. ``analysis__id`` is the id inside
        the analysis, beside the project's own ``analysis_id``. Then whatever else the
        directory sent, lists such as ``tags`` included (see `child_table`).
        ``attrs["dirframe"]`` holds the provenance.

    Raises
    ------
    ConfigurationError
        If no directory is given and the environment names none.
    InvalidInputError
        If `sort` or `max_items` cannot be meant.
    QuotaExceededError
        If the day's allowance ends; the same line pays only for the rest later.
    RequestError
        If the directory cannot be reached or refuses; what was loaded is in the cache.
    CacheError
        If `offline` is true and a page is not in the cache.
    IncompleteCollectionError
        If the collection cannot be proven complete; it carries the frame so far.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     projects = dirframe.load_projects(sort="stack_count_reverse", max_items=5,
    ...                                       directory=directory)
    >>> projects["stack_count"].is_monotonic_decreasing
    True
    """
    question = Question(resource=PROJECT, query=query, sort=sort, max_items=max_items)
    manner = Manner(refresh=refresh, offline=offline, stale=stale, wait=wait)
    return load_question(
        question, directory, incomplete, manner, columns=columns, progress=progress
    )


def load_question(
    question: Question,
    directory: Directory | None,
    incomplete: Incomplete,
    manner: Manner,
    *,
    columns: Sequence[str] | None,
    progress: bool | Told,
    first: Answer | None = None,
    stacklevel: int = 3,
) -> pd.DataFrame:
    """Load what a question asks for; see `load_projects`.

    Parameters
    ----------
    question
        The question, checked.
    directory, incomplete, columns, progress
        As in `load_projects`.
    manner
        How the cache and the day's allowance may be used.
    first
        The first page, if it was fetched already.
    stacklevel
        Whose line a warning is about.

    Returns
    -------
    pandas.DataFrame
        The records, with their provenance.

    Raises
    ------
    InvalidInputError
        If `incomplete` is not one of its two words.
    IncompleteCollectionError
        If the collection cannot be proven complete.
    """
    check_incomplete(incomplete)
    with opened(directory) as place:
        walk = _walk(place, question, manner, columns=columns, progress=progress, first=first)
        if walk.answers:
            place.session.warn_of_age(walk.answers)
    capped = f"capped at max_items={question.max_items}" if walk.capped else None
    frame = note(
        walk.frame,
        place.settings,
        question.resource,
        walk.answers,
        question=question.facts(),
        items_available=walk.available,
        complete=walk.complete,
        why=walk.why or capped,
        duplicates_removed=walk.duplicates,
        synthetic=walk.synthetic,
    )
    if walk.why:
        what = f"{question.resource.collection} of {place.settings.name}"
        message = _stopped(what, walk.why) if walk.stopped else _unproven(what, walk.why)
        if incomplete == "raise":
            raise IncompleteCollectionError(message, frame=frame, missing=walk.why)
        warnings.warn(message, IncompleteWarning, stacklevel=stacklevel)
    return frame


def check_incomplete(incomplete: str) -> None:
    """Refuse a word that `incomplete` cannot be."""
    if incomplete not in get_args(Incomplete):
        raise InvalidInputError(f'incomplete is {incomplete!r}; it must be "raise" or "warn".')


def _walk(
    place: Directory,
    question: Question,
    manner: Manner,
    *,
    columns: Sequence[str] | None,
    progress: bool | Told,
    first: Answer | None,
) -> Walk:
    session, settings = place.session, place.settings

    def fetch(page: int, *, refresh: bool = False) -> Answer:
        chosen = manner.again() if refresh else manner
        return session.get(question.path, question.parameters(page), chosen)

    def at_hand(page: int) -> Answer | None:
        if page == 1 and first is not None:
            return first
        return session.at_hand(question.path, question.parameters(page), manner)

    with Progress(question.resource.collection, shown=progress) as bar:
        return collect(
            fetch,
            question.resource,
            at_hand=at_hand,
            max_items=question.max_items,
            workers=settings.max_workers,
            max_bytes=settings.max_body,
            columns=columns,
            progress=bar.advance,
        )


def _unproven(what: str, why: str) -> str:
    return (
        f"The {what} could not be proven complete: {why}. The collection probably changed while "
        "it was read; run the same line again (pages in the cache cost nothing; refresh=True asks "
        'for all of them), choose another sort, or pass incomplete="warn" to go on with what came.'
    )


def _stopped(what: str, why: str) -> str:
    return (
        f"The load of the {what} is not complete: {why}. The same load again goes on from there; "
        "pages in the cache cost nothing."
    )
