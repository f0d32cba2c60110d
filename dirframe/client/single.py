"""Load single records by id, name or e-mail address as frames of one row."""

from __future__ import annotations

import re
from hashlib import md5, sha1
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from dirframe.client.address import load_single
from dirframe.client.details import record_path
from dirframe.client.directory import open_directory
from dirframe.client.query import identifier_of
from dirframe.errors import InvalidInputError, NotFoundError
from dirframe.schema import ACCOUNT, PROJECT

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    import pandas as pd

    from dirframe.client.directory import Directory
    from dirframe.schema import Resource


#: Fields that identify a record besides its id; users may pass the title as well.
_NAME_COLUMNS = ("url_name", "vanity_url", "login", "name")
_URL_COLUMNS = ("url", "html_url")
_MD5 = re.compile(r"[0-9a-f]{32}", re.IGNORECASE)


def load_account(
    account: str | int,
    *,
    directory: Directory | None = None,
    refresh: bool = False,
    offline: bool = False,
) -> pd.DataFrame:
    """Load one account by its id, its login or its e-mail address.

    Parameters
    ----------
    account : str or int
        The id; an e-mail address, of which only the MD5 digest is sent; or, if the directory
        resolves names, a login such as ``"fst"``. The returned record is checked: by the id, by
        its names (ignoring case), or by its ``email_sha1``.
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    refresh, offline
        How the cache may be used, as in `load_accounts`.

    Returns
    -------
    pandas.DataFrame
        One row with the columns of `load_accounts`.

    Raises
    ------
    NotFoundError
        If there is no such account, or the directory returns another one.
    InvalidInputError
        If the id is empty, or neither text nor a whole number.
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
    policy = {"refresh": refresh, "offline": offline}
    identifier = identifier_of(account, "account")
    with open_directory(directory) as client:
        if "@" in identifier:
            return _load_by_email(identifier, client, policy)
        return _load_record(ACCOUNT, identifier, client, policy)


def load_project(
    project: str | int,
    *,
    directory: Directory | None = None,
    refresh: bool = False,
    offline: bool = False,
) -> pd.DataFrame:
    """Load one project by its id or its short name.

    Parameters
    ----------
    project : str or int
        The id; or, if the directory resolves names, the short name from its addresses, such
        as ``"firefox"``. The returned record is checked by its id and its names (ignoring
        case).
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    refresh, offline
        How the cache may be used, as in `load_accounts`.

    Returns
    -------
    pandas.DataFrame
        One row with the columns of `load_projects`.

    Raises
    ------
    NotFoundError
        If there is no such project, or the directory returns another one.
    InvalidInputError
        If the id is empty, or neither text nor a whole number.
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
    policy = {"refresh": refresh, "offline": offline}
    identifier = identifier_of(project, "project")
    with open_directory(directory) as client:
        return _load_record(PROJECT, identifier, client, policy)


def _load_by_email(address: str, client: Directory, policy: dict[str, bool]) -> pd.DataFrame:
    # The specification hashes the address, the live service the address in lower case.
    spellings = list(dict.fromkeys([address.lower(), address]))
    for spelling in spellings:
        digest = md5(spelling.encode(), usedforsecurity=False).hexdigest()
        try:  # the account is checked by its e-mail address
            frame = _load_record(ACCOUNT, digest, client, policy, matches=lambda *_: True)
        except NotFoundError:
            if spelling is spellings[-1]:
                raise
            continue
        # An unknown digest that begins with digits is taken for an id by the live service.
        if frame["email_sha1"].str.lower().isin(_email_sha1s(spellings)).all():
            return frame
    url = client.session.address(f"/accounts/{digest}.xml")
    raise NotFoundError(
        f"{url} returned an account of another e-mail address; there is no account of the "
        "one that was asked for.",
        url=url,
        status=200,
    )


def _email_sha1s(addresses: list[str]) -> set[str]:
    texts = [prefix + address for address in addresses for prefix in ("", "mailto:")]
    return {sha1(text.encode(), usedforsecurity=False).hexdigest() for text in texts}


def _matches(frame: pd.DataFrame, identifier: str) -> bool:
    """Return whether the record matches an id, a name or the digest of an address."""
    [row] = frame.to_dict("records")
    if identifier == row["id"]:
        return True
    if identifier.isdigit():
        return False
    if _MD5.fullmatch(identifier):
        # Today's live service takes an unknown digest that begins with digits for an id.
        return not re.match(rf"{re.escape(str(row['id']))}(?!\d)", identifier)
    return identifier.casefold() in {name.casefold() for name in _names(row)}


def _names(row: Mapping[Hashable, Any]) -> list[str]:
    """Return the names of a record, including those in its addresses."""
    names = [row[name] for name in _NAME_COLUMNS if isinstance(row.get(name), str)]
    addresses = [row[name] for name in _URL_COLUMNS if isinstance(row.get(name), str)]
    ends = [urlsplit(address).path.rpartition("/")[2].removesuffix(".xml") for address in addresses]
    return [*names, *(unquote(end) for end in ends)]


def _describe(row: Mapping[Hashable, Any]) -> str:
    names = list(dict.fromkeys(_names(row)))
    return f"{row['id']} ({', '.join(names)})" if names else str(row["id"])


def _load_record(
    resource: Resource,
    identifier: str,
    client: Directory,
    policy: dict[str, bool],
    *,
    matches: Callable[[pd.DataFrame, str], bool] = _matches,
) -> pd.DataFrame:
    if not identifier:
        raise InvalidInputError(f"The id of the {resource.name} is empty; pass the one to load.")
    path = record_path(resource, identifier)
    fetched = client.session.get(path, None, **policy)
    frame = load_single(fetched, resource, client, {"id": identifier})
    if len(frame) != 1 or not matches(frame, identifier):
        what = resource.name if len(frame) == 1 else resource.collection
        names = ", ".join(map(_describe, frame.head(3).to_dict("records")))
        raise NotFoundError(
            f"{fetched.url} returned {len(frame):,} {what}{f': {names}' if names else ''}, "
            f"not with the one {resource.name} that was asked for by the id or name "
            f"{identifier!r}.",
            url=fetched.url,
            status=200,
        )
    return frame
