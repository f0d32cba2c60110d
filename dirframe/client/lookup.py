"""Load one record by what identifies it."""

from __future__ import annotations

import re
from hashlib import md5, sha1
from numbers import Integral
from typing import Any

import pandas as pd

from dirframe import provenance
from dirframe.client.directory import Directory, open_directory, session_of
from dirframe.client.load import Options, cost_of, warn_if_stale
from dirframe.client.paging.fetch import Answer, Document, Fetcher, Reason, Refusal, never
from dirframe.client.paging.query import Query, record_query
from dirframe.client.paging.received import Receipt, receipt_of
from dirframe.client.xml.page import Page
from dirframe.client.xml.records import Records
from dirframe.errors import CacheError, InvalidInputError, NotFoundError, RequestError
from dirframe.schema import ACCOUNT, PROJECT, Resource, resource_named

#: Columns that a record may be named by.
_NAMES = ("url_name", "vanity_url", "login", "name")


def load_record(
    resource: Resource, value: object, directory: Directory | None, options: Options
) -> pd.DataFrame:
    """Load one record by what identifies it."""
    name = identifier_of(value, resource.name)
    receipts: list[Receipt] = []
    with open_directory(directory) as client:
        fetcher = Fetcher(session_of(client), options.cache)
        *others, last = (record_query(resource, text) for text in _identifiers(resource, name))
        for query in others:
            try:
                return _load_by(query, name, client, fetcher, receipts)
            except NotFoundError:
                continue
        return _load_by(last, name, client, fetcher, receipts)


def _identifiers(resource: Resource, name: str) -> list[str]:
    """Return what a record may be asked for by: of an e-mail address its digests."""
    if resource is not ACCOUNT or "@" not in name:
        return [name]
    # The live service hashes the address in lower case, the specification as it is.
    texts = dict.fromkeys([name.lower().encode(), name.encode()])
    return [md5(text, usedforsecurity=False).hexdigest() for text in texts]


def _load_by(
    query: Query, name: str, client: Directory, fetcher: Fetcher, receipts: list[Receipt]
) -> pd.DataFrame:
    """Load the record with a name from its own page, or find it where that is no page."""
    document = _own_page(query, name, fetcher, receipts)
    try:
        frame = _only_record(document, query, name)
    except NotFoundError:
        session_of(client).forget(document.url)  # as a refusal, it is not believed the next time
        raise
    warn_if_stale(client, receipts)
    return provenance.set_provenance(
        frame,
        source=client.name,
        base_url=client.base_url,
        resource=query.resource.name,
        query=query.to_provenance(),
        items_available=1,
        items_loaded=len(frame),
        completeness="proven",
        sent=provenance.columns_with_values(frame),
        **cost_of(receipts),
    )


def _own_page(query: Query, name: str, fetcher: Fetcher, receipts: list[Receipt]) -> Document:
    """Return the own page of a record; of a project without an analysis, a search for its name."""
    answer = fetcher.fetch(query)
    is_searched = query.resource is PROJECT and not name.isdigit()
    if isinstance(answer, Refusal):
        if answer.reason is Reason.NO_ANALYSIS and is_searched:
            # Today's service finds a project without an analysis by a search alone.
            receipts.append(receipt_of(answer))
            return _document(fetcher, Query(resource=PROJECT, query=name), receipts)
        if answer.error is None:  # from the cache, where a record may have been missing
            return _document(fetcher, query, receipts)
    receipts.append(receipt_of(answer))
    return _require(answer)


def _document(fetcher: Fetcher, query: Query, receipts: list[Receipt]) -> Document:
    answer = fetcher.fetch(query, believe_refusal=never)
    receipts.append(receipt_of(answer))
    return _require(answer)


def _require(answer: Answer) -> Document:
    """Return a document; raise the error of another answer."""
    if isinstance(answer, Document):
        return answer
    error: RequestError | CacheError | None = answer.error
    if error is None:
        raise ValueError("a refusal from the cache is not believed here")
    raise error


def _only_record(document: Document, query: Query, name: str) -> pd.DataFrame:
    """Return the one record of a page that has a name; raise if it has others."""
    frame = Records(query.resource, [document.page]).frame()
    rows = frame.to_dict("records")
    is_it = [_matches(row, name) for row in rows]
    if sum(is_it) == 1:
        return frame[is_it].reset_index(drop=True)
    others = [f"{row['id']} ({', '.join(_names(row))})" for row in rows[:3]]
    raise NotFoundError(
        f"{document.url} returned {', '.join(others) or 'nothing'}, not the {query.resource.name} "
        f"with the id or name {query.facts['id']!r}.",
        url=document.url,
        status=200,
        attempts=document.requests,
    )


def _matches(row: dict[Any, Any], identifier: str) -> bool:
    """Return whether a record has an id, a name or an e-mail address, or may have its digest."""
    if identifier == row["id"] or identifier.isdigit():
        return bool(identifier == row["id"])
    if re.fullmatch(r"[0-9a-fA-F]{32}", identifier):
        # Today's live service takes an unknown digest that begins with digits for an id.
        return not re.match(rf"{re.escape(str(row['id']))}(?!\d)", identifier)
    if "@" in identifier:
        spellings = identifier, identifier.lower()
        texts = [prefix + text for text in spellings for prefix in ("", "mailto:")]
        digests = [sha1(text.encode(), usedforsecurity=False).hexdigest() for text in texts]
        return str(row.get("email_sha1")).lower() in digests
    return identifier.casefold() in map(str.casefold, _names(row))


def _names(row: dict[Any, Any]) -> list[str]:
    names = [row.get(column) for column in _NAMES]
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def is_record(page: Page, index: int, name: str) -> bool:
    """Return whether a record of a page has an id or a name."""
    row = {column: page.values(column)[index] for column in ("id", *_NAMES)}
    return _matches(row, name)


def names_of(records: Any, resource: Resource = PROJECT) -> list[str]:
    """Return the ids or names of records, each once: of one, of many, or of a frame of them."""
    word = resource.owner_word
    is_row = isinstance(records, pd.Series) and bool(records.index.isin(resource.names).any())
    if isinstance(records, pd.DataFrame):
        records = records[_column_of_names(records, resource)]
    elif is_row or not pd.api.types.is_list_like(records):
        records = [records]
    names = dict.fromkeys(identifier_of(value, word) for value in records)
    if not names:
        columns = " or ".join(resource.names)
        raise InvalidInputError(
            f"No {word} is named; pass at least one, or a frame with the column {columns}."
        )
    return list(names)


def _column_of_names(frame: pd.DataFrame, resource: Resource) -> str:
    """Return the column of a frame that names its records in addresses."""
    word = resource.owner_word
    kind = provenance.get_provenance(frame)["resource"]
    if kind not in {"", resource.name}:
        held = resource_named(kind).words[1]
        raise InvalidInputError(
            f"The frame holds {held}, and {word}s are to be named.",
            hint=f"Pass a frame of {word}s, or the column that names them.",
        )
    for column in resource.names:
        if column in frame:
            return column
    columns = " or ".join(resource.names)
    raise InvalidInputError(
        f"No {word} is named: the frame has no column {columns}.",
        hint=f"Pass a frame of {word}s, or the column that names them.",
    )


def titled_query(title: str) -> Query:
    """Return the query to the own page of a project by its title, as most addresses have it."""
    return record_query(PROJECT, "".join(title.lower().split()))


def check_organization(organization: object) -> None:
    """Raise if an organization is not one short name."""
    if not isinstance(organization, str | int) or isinstance(organization, bool):
        raise InvalidInputError(
            "The organization is one short name, as in the column url_name of load_organizations()."
        )


#: Control characters, and halves of characters, which cannot be sent.
_NO_NAME = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\ud800-\\udfff]")


def identifier_of(value: object, name: str) -> str:
    """Return the id or the name of a record as text; `InvalidInputError` if it cannot be one."""
    is_text = isinstance(value, str | Integral) and not isinstance(value, bool)
    text = str(value).strip() if is_text else ""
    if text in {"", ".", ".."} or _NO_NAME.search(text):
        kind = type(value).__name__.strip("_")
        shown = repr(value) if pd.api.types.is_scalar(value) else f"a {kind}"
        raise InvalidInputError(
            f"The {name} is {shown}; it must be a name, or an id as text or a whole number.",
            hint="Pass one id or name. Read a column of ids as text; from a row of a frame, pass "
            "row['id'].",
        )
    return text
