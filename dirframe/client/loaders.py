"""The functions that people call: a question goes in, a typed frame comes out.

Every frame says in ``frame.attrs["dirframe"]`` what it was made from; see
`dirframe.provenance`. What stays out: everything that these functions put together.
"""

from __future__ import annotations

import warnings
from hashlib import md5, sha1
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import quote

from dirframe import provenance
from dirframe.client.directory import Directory
from dirframe.client.documents import read_documents
from dirframe.client.pages import IncompleteWarning, collect
from dirframe.client.progress import Progress
from dirframe.client.question import Question
from dirframe.errors import IncompleteCollectionError, InvalidInputError, NotFoundError
from dirframe.schema import ACCOUNT, PROJECT

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.client.pages import Walk
    from dirframe.client.session import Answer
    from dirframe.schema import Resource

__all__ = [
    "load_account",
    "load_accounts",
    "load_project",
    "load_projects",
]

Incomplete = Literal["raise", "warn"]


def load_accounts(
    *,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    progress: bool = True,
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
    directory : Directory, optional
        Where to ask. Left out: the directory that the environment names.
    incomplete : {"raise", "warn"}, default "raise"
        What to do when the collection cannot be proven complete: raise, or hand it over
        with a warning and with the reason in its provenance.
    progress : bool, default True
        Whether to show a progress bar where someone can see it.

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
    RequestError
        If the directory cannot be reached or refuses; what was loaded is in the cache.
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
    return _load(question, directory, incomplete, progress=progress)


def load_projects(
    *,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    progress: bool = True,
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
    directory : Directory, optional
        Where to ask. Left out: the directory that the environment names.
    incomplete : {"raise", "warn"}, default "raise"
        What to do when the collection cannot be proven complete: raise, or hand it over
        with a warning and with the reason in its provenance.
    progress : bool, default True
        Whether to show a progress bar where someone can see it.

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
    RequestError
        If the directory cannot be reached or refuses; what was loaded is in the cache.
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
    return _load(question, directory, incomplete, progress=progress)


def load_account(account: str | int, *, directory: Directory | None = None) -> pd.DataFrame:
    """Load one account by its id or its e-mail address.

    Parameters
    ----------
    account : str or int
        The id, or an e-mail address. Of an address only the MD5 digest is sent, and what
        comes back is checked against its ``email_sha1``.
    directory : Directory, optional
        Where to ask. Left out: the directory that the environment names.

    Returns
    -------
    pandas.DataFrame
        One row with the columns of `load_accounts`.

    Raises
    ------
    NotFoundError
        If there is no such account, or the directory answers with another one.
    InvalidInputError
        If the id is empty.
    RequestError
        If the directory cannot be reached or refuses.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     one = dirframe.load_account("ada@example.org", directory=directory)
    >>> len(one)
    1
    """
    place = _directory(directory)
    asked = str(account).strip()
    if "@" not in asked:
        return _load_one(ACCOUNT, asked, place)
    # The specification hashes the address, the live service the address in lower case.
    spellings = list(dict.fromkeys([asked.lower(), asked]))
    for spelling in spellings:
        digest = md5(spelling.encode(), usedforsecurity=False).hexdigest()
        try:
            frame = _load_one(ACCOUNT, digest, place)
        except NotFoundError:
            if spelling is spellings[-1]:
                raise
            continue
        # An unknown digest that begins with digits is taken for an id by the live service.
        if frame["email_sha1"].str.lower().isin(_sha1s(spellings)).all():
            return frame
    url = place.session.address(f"/accounts/{digest}.xml", {})
    raise NotFoundError(
        f"{url} answered with an account of another e-mail address; there is no account of the "
        "one that was asked for.",
        url=url,
        status=200,
    )


def load_project(project: str | int, *, directory: Directory | None = None) -> pd.DataFrame:
    """Load one project by its id.

    Parameters
    ----------
    project : str or int
        The id; the live service also takes the short name from its addresses.
    directory : Directory, optional
        Where to ask. Left out: the directory that the environment names.

    Returns
    -------
    pandas.DataFrame
        One row with the columns of `load_projects`.

    Raises
    ------
    NotFoundError
        If there is no such project.
    InvalidInputError
        If the id is empty.
    RequestError
        If the directory cannot be reached or refuses.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     one = dirframe.load_project("1", directory=directory)
    >>> one["id"].item()
    '1'
    """
    return _load_one(PROJECT, str(project).strip(), _directory(directory))


def _directory(directory: Directory | None) -> Directory:
    return Directory() if directory is None else directory


def _sha1s(addresses: list[str]) -> set[str]:
    texts = [prefix + address for address in addresses for prefix in ("", "mailto:")]
    return {sha1(text.encode(), usedforsecurity=False).hexdigest() for text in texts}


def _load(
    question: Question, directory: Directory | None, incomplete: Incomplete, *, progress: bool
) -> pd.DataFrame:
    if incomplete not in get_args(Incomplete):
        raise InvalidInputError(f'incomplete is {incomplete!r}; it must be "raise" or "warn".')
    place = _directory(directory)

    def fetch(page: int, *, refresh: bool = False) -> Answer:
        return place.session.get(question.path, question.parameters(page), refresh=refresh)

    with Progress(question.resource.collection, shown=progress) as bar:
        walk = collect(
            fetch,
            question.resource,
            max_items=question.max_items,
            workers=place.settings.max_workers,
            max_bytes=place.settings.max_body,
            progress=bar.advance,
        )
    frame = walk.frame
    _note(frame, place, question.resource, question.facts(), walk.answers, synthetic=walk.synthetic)
    capped = f"capped at max_items={question.max_items}" if walk.capped else None
    provenance.attach(
        frame,
        items_available=walk.available,
        items_loaded=len(frame),
        complete=walk.complete,
        why=walk.why or capped,
        duplicates_removed=walk.duplicates,
    )
    if walk.why:
        _complain(walk, place, question.resource, incomplete)
    return frame


def _complain(walk: Walk, place: Directory, resource: Resource, incomplete: Incomplete) -> None:
    message = (
        f"The {resource.collection} of {place.settings.name} could not be proven complete: "
        f"{walk.why}. The collection probably changed while it was read; run the same line "
        "again (pages in the cache cost nothing), choose another sort, or pass "
        'incomplete="warn" to go on with what came.'
    )
    if incomplete == "raise":
        raise IncompleteCollectionError(message, frame=walk.frame, missing=walk.why or "")
    warnings.warn(message, IncompleteWarning, stacklevel=4)


def _load_one(resource: Resource, identifier: str, place: Directory) -> pd.DataFrame:
    if not identifier:
        raise InvalidInputError(f"The id of the {resource.name} is empty; pass the one to load.")
    path = f"/{resource.collection}/{quote(identifier, safe='')}.xml"
    answer = place.session.get(path, {})
    read = read_documents(
        [(answer.url, answer.content)], resource, max_bytes=place.settings.max_body
    )
    came = list(read.frame["id"])
    if len(came) != 1 or (identifier.isdigit() and came != [identifier]):
        raise NotFoundError(
            f"{answer.url} answered with {len(came)} {resource.collection} "
            f"({', '.join(map(str, came[:3]))}), not with the one {resource.name} that was "
            "asked for.",
            url=answer.url,
            status=200,
        )
    question = {"id": identifier}
    synthetic = read.envelopes[0].synthetic
    _note(read.frame, place, resource, question, [answer], synthetic=synthetic)
    return provenance.attach(read.frame, items_available=1, items_loaded=1, complete=True)


def _note(
    frame: pd.DataFrame,
    place: Directory,
    resource: Resource,
    question: dict[str, Any],
    answers: list[Answer],
    *,
    synthetic: bool,
) -> None:
    times = [answer.retrieved.isoformat(timespec="seconds") for answer in answers]
    cached = sum(answer.from_cache for answer in answers)
    provenance.attach(
        frame,
        source=place.settings.name,
        base_url=place.settings.base_url,
        resource=resource.name,
        question=question,
        retrieved_oldest=min(times),
        retrieved_newest=max(times),
        requests_paid=len(answers) - cached,
        requests_cached=cached,
        synthetic=synthetic,
    )
