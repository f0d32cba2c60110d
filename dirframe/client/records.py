"""Single records: an id or an e-mail address goes in, a frame of one row comes out.

What stays out: whole collections (`dirframe.client.loaders`).
"""

from __future__ import annotations

from hashlib import md5, sha1
from typing import TYPE_CHECKING

from dirframe.client.details import record_path
from dirframe.client.directory import opened
from dirframe.client.documents import read_documents
from dirframe.client.manner import Manner
from dirframe.client.noting import note
from dirframe.errors import InvalidInputError, NotFoundError
from dirframe.schema import ACCOUNT, PROJECT

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.client.directory import Directory
    from dirframe.schema import Resource

__all__ = ["load_account", "load_project"]


def load_account(
    account: str | int,
    *,
    directory: Directory | None = None,
    refresh: bool = False,
    offline: bool = False,
    stale: bool = False,
    wait: float = 0.0,
) -> pd.DataFrame:
    """Load one account by its id or its e-mail address.

    Parameters
    ----------
    account : str or int
        The id, or an e-mail address. Of an address only the MD5 digest is sent, and what
        comes back is checked against its ``email_sha1``.
    directory : Directory, optional
        Where to ask. Left out: the directory that the environment names.
    refresh, offline, stale, wait
        How the cache and the day's allowance may be used, as in `load_accounts`.

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
    manner = Manner(refresh=refresh, offline=offline, stale=stale, wait=wait)
    asked = str(account).strip()
    with opened(directory) as place:
        if "@" in asked:
            return _by_address(asked, place, manner)
        return _load_one(ACCOUNT, asked, place, manner)


def load_project(
    project: str | int,
    *,
    directory: Directory | None = None,
    refresh: bool = False,
    offline: bool = False,
    stale: bool = False,
    wait: float = 0.0,
) -> pd.DataFrame:
    """Load one project by its id.

    Parameters
    ----------
    project : str or int
        The id; the live service also takes the short name from its addresses.
    directory : Directory, optional
        Where to ask. Left out: the directory that the environment names.
    refresh, offline, stale, wait
        How the cache and the day's allowance may be used, as in `load_accounts`.

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
    manner = Manner(refresh=refresh, offline=offline, stale=stale, wait=wait)
    with opened(directory) as place:
        return _load_one(PROJECT, str(project).strip(), place, manner)


def _by_address(asked: str, place: Directory, manner: Manner) -> pd.DataFrame:
    # The specification hashes the address, the live service the address in lower case.
    spellings = list(dict.fromkeys([asked.lower(), asked]))
    for spelling in spellings:
        digest = md5(spelling.encode(), usedforsecurity=False).hexdigest()
        try:
            frame = _load_one(ACCOUNT, digest, place, manner)
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


def _sha1s(addresses: list[str]) -> set[str]:
    texts = [prefix + address for address in addresses for prefix in ("", "mailto:")]
    return {sha1(text.encode(), usedforsecurity=False).hexdigest() for text in texts}


def _load_one(
    resource: Resource, identifier: str, place: Directory, manner: Manner
) -> pd.DataFrame:
    if not identifier:
        raise InvalidInputError(f"The id of the {resource.name} is empty; pass the one to load.")
    path = record_path(resource, identifier)
    answer = place.session.get(path, {}, manner)
    place.session.warn_of_age([answer])
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
    return note(
        read.frame,
        place.settings,
        resource,
        [answer],
        question={"id": identifier},
        items_available=1,
        complete=True,
        synthetic=read.envelopes[0].synthetic,
    )
