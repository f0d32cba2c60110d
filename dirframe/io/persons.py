"""Reduce a frame to what a study may publish: what is known to be harmless, e-mail addresses masked.

Harmless are numbers, truth values and times; the columns of the schema without a personal mark, and
those that a statistic made, as far as they hold what is described there; and columns that the author
of a study names. Everything else is left out, whatever its dtype.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from dirframe._arrow import plain_value
from dirframe.errors import ExportWarning, InvalidInputError, warn
from dirframe.io.columns import known_fields
from dirframe.provenance import ATTRIBUTE, FACTS, get_provenance, resource_of, set_provenance
from dirframe.schema import (
    ACCOUNT,
    ALL_RESOURCES,
    CONTRIBUTOR_FACT,
    Field,
    Kind,
    Resource,
)
from dirframe.schema.addresses import mask_addresses

#: Kinds of the dtypes of numpy: truth values, numbers and times.
_NUMPY_KINDS = frozenset("biufcmM")
_PANDAS_DTYPES = (
    pd.BooleanDtype,
    *(pd.Int8Dtype, pd.Int16Dtype, pd.Int32Dtype, pd.Int64Dtype),
    *(pd.UInt8Dtype, pd.UInt16Dtype, pd.UInt32Dtype, pd.UInt64Dtype),
    *(pd.Float32Dtype, pd.Float64Dtype),
    *(pd.DatetimeTZDtype, pd.PeriodDtype),
)
_ARROW_KINDS = (
    pa.types.is_boolean,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_temporal,
)
_ARROW_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
#: Types of the values in a column of objects. A type derived from one can print whatever it likes.
_PYTHON_TYPES = {
    *(bool, int, float, complex, Decimal),
    *(date, datetime, time, timedelta),
    *(pd.Timestamp, pd.Timedelta, pd.Period),
    *(np.datetime64, np.timedelta64),
}

_PERSONAL = {
    name
    for resource in ALL_RESOURCES.values()
    for name, field in resource.by_column.items()
    if field.personal
}
#: Columns of ids with which one look-up gives a person's name; a stack names its owner.
_IDS_OF_PERSONS = {
    *("account_id", "account__id", "sender_account_id", "receiver_account_id"),
    *("contributor_id", "stack_id"),
}
#: Records whose own id is such an id.
_NAMED_BY_ID = {ACCOUNT.name, "stack"}
#: Records that belong to accounts: they are found by what tells who an account is.
_OF_ACCOUNTS = {ACCOUNT.name, "stack"} | {
    name for name, resource in ALL_RESOURCES.items() if resource.owner == ACCOUNT.name
}
#: Facts of a query to collections of accounts, whose names are those of persons.
_ACCOUNTS_IN_QUERY = {"account", "accounts"}
#: Names of columns as programs write them; others can be names of persons, as in a pivot table.
_PLAIN_NAME = re.compile(r"[a-z][a-z0-9_]*|[\W\d_]+")
#: What stands between the words of a name: "Ada Lovelace" can be the column ada_lovelace.
_BETWEEN_WORDS = re.compile(r"[\W_]+")
#: Words of the longest name that is looked for among those of a column, and of such a column: there
#: are 6,175 choices of two to four of 20 words.
_MOST_WORDS = 4
_MOST_WORDS_OF_COLUMN = 20

#: An account in a path, by another name than its id.
_ACCOUNT_IN_PATH = re.compile(r"/accounts/(?!\d+(?:/|\.xml$))[^/]+?(?=/|\.xml$)")
#: Facts of a query that are words of the interface, or numbers.
_HARMLESS_QUERY = {
    *("sort", "max_items", "details", "files", "page", "per_page", "only"),
    *("accounts", "organizations", "projects", "organization", "project"),
}
_LEFT_OUT = "(left out)"


class Published(NamedTuple):
    """A frame of a study, and what its README says of persons in it."""

    frame: pd.DataFrame
    left_out: list[str]  # columns, parts of entries and facts
    masked: dict[str, int]  # addresses of e-mail by column
    ids_of_persons: list[str]  # columns


def published(
    name: str, frame: pd.DataFrame, *, keep: Collection[str], persons: Collection[str]
) -> Published:
    """Return what a study publishes of a frame; warn of columns of which nothing is known.

    `keep` names columns that are published as they are but for addresses; `persons` are names of
    persons, which no column is called.
    """
    resource, record = resource_of(frame), get_provenance(frame)
    known = known_fields(resource, record)
    personal, unknown = _columns_to_leave_out(frame, known, resource, keep=keep, persons=persons)
    table = frame.drop(columns=personal + unknown).rename_axis(columns=None)
    if not table.shape[1]:
        raise InvalidInputError(
            f"All columns of {name!r} are about persons ({', '.join(personal + unknown)}), or may "
            "be, and a study holds them only with personal=True (--personal).",
            hint='keep={"TABLE": ["COLUMN"]} (--keep TABLE.COLUMN) names single ones.',
        )
    masked: dict[str, int] = {}
    for column in map(str, table):
        field = known.get(column)
        if field is not None and field.kind is Kind.ITEMS and column not in keep:
            table[column], parts = _reduced_lists(table[column], field)
            for part in parts:
                (personal if part in _PERSONAL else unknown).append(f"{part} in {column}")
        if not _is_harmless(table[column]):
            table[column], count = _masked_column(table[column])
            masked |= {column: count} if count else {}
    if unknown:
        words = (
            f"Export of {name!r}: {', '.join(unknown)} left out, for the schema does not know what "
            "they tell about persons."
        )
        hint = (
            'Name a column in keep={"TABLE": ["COLUMN"]} (--keep TABLE.COLUMN) to publish it, or '
            "pass personal=True (--personal) to publish everything."
        )
        warn(ExportWarning(words, hint=hint))
    facts, facts_left_out, addresses = _published_facts(record, resource)
    masked |= {"the provenance": addresses} if addresses else {}
    table.attrs = {}
    if frame.attrs.get(ATTRIBUTE):
        set_provenance(table, **facts)
    ids = [column for column in map(str, table) if _is_id_of_person(column, resource)]
    left_out = _readable(personal + unknown, persons) + facts_left_out
    return Published(table, left_out, masked, ids)


def _columns_to_leave_out(
    frame: pd.DataFrame,
    known: Mapping[str, Field],
    resource: Resource | None,
    *,
    keep: Collection[str],
    persons: Collection[str],
) -> tuple[list[str], list[str]]:
    """Return the columns about persons, and those of which nothing is known."""
    # Of records of another kind, a number can be that of a telephone.
    are_numbers_safe = resource is None or resource.name in ALL_RESOURCES
    personal: list[str] = []
    unknown: list[str] = []
    for column in map(str, frame):
        if column in keep:
            continue
        if _is_personal(column, known):
            personal.append(column)
        elif column in known:
            is_id_of_person = _is_id_of_person(column, resource)
            if not _is_as_described(frame[column], known[column], is_id_of_person):
                unknown.append(column)
        elif not (
            are_numbers_safe
            and column not in _PERSONAL
            and _is_plain(column, persons)
            and _is_harmless(frame[column])
        ):
            unknown.append(column)
    return personal, unknown


def names_of_persons(frames: Iterable[pd.DataFrame]) -> set[str]:
    """Return the texts in columns about persons, as `folded` does; short ones also with sorted words."""
    names: set[str] = set()
    for frame in frames:
        known = known_fields(resource_of(frame), get_provenance(frame))
        for column in map(str, frame):
            if _is_personal(column, known):
                for text in frame[column].dropna().astype("str").unique():
                    names.add(folded(text))
                    words = _words(text)
                    if len(words) <= _MOST_WORDS:
                        names.add("".join(words))
    return names


def folded(name: str) -> str:
    """Return a name without case, and without what stands between its words."""
    return _BETWEEN_WORDS.sub("", name).casefold()


def _words(name: str) -> list[str]:
    """Return the different words of a name, sorted, without case."""
    return sorted({*_BETWEEN_WORDS.split(name.casefold())} - {""})


# What is known


def _is_personal(column: str, known: Mapping[str, Field]) -> bool:
    """Return whether a column, or the one whose unreadable values it holds, is about persons."""
    field = known.get(column) or known.get(column.rstrip("_").removesuffix("_unreadable"))
    return field is not None and field.personal


def _is_id_of_person(column: str, resource: Resource | None) -> bool:
    if column == "id":
        return resource is not None and resource.name in _NAMED_BY_ID
    return column in _IDS_OF_PERSONS


def _is_plain(column: str, persons: Collection[str]) -> bool:
    """Return whether the name of a column is none of a person."""
    return bool(_PLAIN_NAME.fullmatch(column)) and not holds_name(column, persons)


def holds_name(column: str, persons: Collection[str]) -> bool:
    """Return whether a column or table is called as a person: lovelace_ada or commits_of_ada_lovelace, too.

    A name of one word is that of the whole: as a part, it is often a word of another meaning.
    Of very many words nobody knows.
    """
    if folded(column) in persons:
        return True
    words = _words(column)
    if len(words) > _MOST_WORDS_OF_COLUMN:
        return bool(persons)
    numbers = range(2, min(len(words), _MOST_WORDS) + 1)
    return any("".join(some) in persons for n in numbers for some in combinations(words, n))


def _readable(names: Iterable[str], persons: Collection[str]) -> list[str]:
    """Return the names of what was left out, or their number where they may be persons."""
    names = list(names)
    plain = [name for name in names if all(_is_plain(word, persons) for word in name.split(" in "))]
    if others := len(names) - len(plain):
        plain.append(f"{others} whose name may be that of a person")
    return plain


# Values


def _is_harmless(column: pd.Series[Any]) -> bool:
    """Return whether a column holds numbers, truth values or times."""
    dtype: Any = column.dtype
    if isinstance(dtype, np.dtype) and dtype != "object":
        return dtype.kind in _NUMPY_KINDS
    if isinstance(dtype, pd.ArrowDtype):
        return any(is_kind(dtype.pyarrow_dtype) for is_kind in _ARROW_KINDS)
    if isinstance(dtype, pd.CategoricalDtype):
        return _is_harmless(pd.Series(dtype.categories))
    if dtype == "object":
        values = [value for value in map(plain_value, column) if value is not None]
        return bool(values) and all(type(value) in _PYTHON_TYPES for value in values)
    return isinstance(dtype, _PANDAS_DTYPES)


def _is_as_described(column: pd.Series[Any], field: Field, is_id_of_person: bool) -> bool:
    """Return whether a column holds what the schema says: texts, lists, or what is harmless."""
    if _is_harmless(column):
        return True
    values = [value for value in map(plain_value, column) if value is not None]
    if field.kind is Kind.ITEMS:
        return all(isinstance(value, list) for value in values)
    if field.kind not in {Kind.TEXT, Kind.URL, Kind.IDENTIFIER}:
        return not values
    if not (_is_text(column.dtype) or all(map(_is_text_or_texts, values))):
        return False
    # What is no number may be a name.
    return not is_id_of_person or all(isinstance(v, str) and v.isdecimal() for v in values)


def _is_text(dtype: Any) -> bool:
    if isinstance(dtype, pd.ArrowDtype):
        return any(is_kind(dtype.pyarrow_dtype) for is_kind in _ARROW_TEXTS)
    return isinstance(dtype, pd.StringDtype)


def _is_text_or_texts(value: Any) -> bool:
    """Return whether a value is a text, or a list of texts, as of a repeated element."""
    entries = value if isinstance(value, list) else [value]
    return all(entry is None or isinstance(entry, str) for entry in entries)


def _reduced_lists(column: pd.Series[Any], field: Field) -> tuple[pd.Series[Any], list[str]]:
    """Return lists with the parts of their entries that the schema knows, and the other parts."""
    safe = {part.column for part in field.fields if not part.personal}
    others: set[str] = set()
    lists: list[Any] = []
    for entries in map(plain_value, column):
        if entries is None:
            lists.append(None)
            continue
        reduced: list[Any] = []
        for entry in map(plain_value, entries):
            # A text is the part that its tag names.
            parts = entry if isinstance(entry, dict) else {field.tag: entry}
            kept = {n: v for n, v in parts.items() if n in safe and _is_part(v)}
            others.update(str(part) for part in parts if part not in kept)
            if isinstance(entry, dict):
                reduced.append(kept)
            else:
                reduced += kept.values()
        lists.append(reduced)
    return pd.Series(lists, column.index, dtype="object"), sorted(others)


def _is_part(value: Any) -> bool:
    value = plain_value(value)
    return value is None or isinstance(value, str | int | float)


def _masked_column(column: pd.Series[Any]) -> tuple[pd.Series[Any], int]:
    """Return a column with its addresses of e-mail masked, and their number."""
    # A file holds also the categories that no record has.
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.cat.remove_unused_categories()
    elif _is_dictionary(column.dtype):
        column = column.astype("str")
    values, count = _masked_items(column)
    if not count:
        return column, 0
    is_category = isinstance(column.dtype, pd.CategoricalDtype)
    return pd.Series(values, column.index, dtype="str" if is_category else column.dtype), count


def _is_dictionary(dtype: Any) -> bool:
    """Return whether Arrow keeps a list of texts for a column, and their numbers for its rows."""
    return isinstance(dtype, pd.ArrowDtype) and pa.types.is_dictionary(dtype.pyarrow_dtype)


def _masked(value: Any) -> tuple[Any, int]:
    """Return a value with its addresses of e-mail masked, also in lists and records."""
    if isinstance(value, str):
        return mask_addresses(value)
    if isinstance(value, dict):
        return _masked_parts(value)
    if isinstance(value, list | tuple | np.ndarray):
        return _masked_items(value)
    return value, 0


def _masked_items(items: Iterable[Any]) -> tuple[list[Any], int]:
    masked_items: list[Any] = []
    count = 0
    for item in items:
        masked, number = _masked(item)
        masked_items.append(masked)
        count += number
    return masked_items, count


def _masked_parts(parts: Mapping[Any, Any]) -> tuple[dict[Any, Any], int]:
    """Return a record with the addresses in its names and its parts masked, and their number."""
    masked: dict[Any, Any] = {}
    count = 0
    for name, part in parts.items():
        new_name, in_name = _masked(name)
        if in_name and new_name in masked:
            new_name = f"{new_name} ({len(masked) + 1})"
        masked[new_name], in_part = _masked(part)
        count += in_name + in_part
    return masked, count


# Facts of the provenance


def _published_facts(
    record: Mapping[str, Any], resource: Resource | None
) -> tuple[dict[str, Any], list[str], int]:
    """Return the facts without what tells who a person is, what was left out, and the masked."""
    facts = {name: record[name] for name in FACTS}
    is_of_accounts = resource is None or resource.name in _OF_ACCOUNTS
    is_of_accounts |= resource is not None and resource.name not in ALL_RESOURCES
    is_of_accounts |= not _ACCOUNTS_IN_QUERY.isdisjoint(facts["query"])
    left_out: list[str] = []
    facts["query"] = _published_query(facts["query"], resource, is_of_accounts=is_of_accounts)
    if facts["query"] != record["query"]:
        left_out.append("words of the query")
    if is_of_accounts:
        facts["failures"] = _without_names(facts["failures"])
        if facts["failures"] != record["failures"]:
            number = len(facts["failures"])
            facts["incomplete_reason"] = f"{number:,} of those asked for could not be loaded"
    if personal := facts["personal_steps"]:
        left_out.append("words of the selection")
        for name in ("steps", "selection"):
            facts[name] = [f"only {_LEFT_OUT}" if s in personal else s for s in facts[name]]
        facts["personal_steps"] = []
    masked, number = _masked(facts)
    return masked, left_out, number


def _published_query(
    query: Mapping[str, Any], resource: Resource | None, *, is_of_accounts: bool
) -> dict[str, Any]:
    """Return a query without words by which a person was asked for."""
    asked = dict(query)
    for name, value in query.items():
        if name == "path":
            asked[name] = _published_path(str(value), resource)
        elif name == "query":
            if is_of_accounts or resource is CONTRIBUTOR_FACT:
                asked[name] = _LEFT_OUT
        elif name == "id":
            if is_of_accounts and not str(value).isdecimal():
                asked[name] = _LEFT_OUT
        elif name not in _HARMLESS_QUERY and not isinstance(value, bool | int | float):
            asked[name] = _LEFT_OUT
    return asked


def _published_path(path: str, resource: Resource | None) -> str:
    """Return a path without the name of an account, or of any record where its kind is not known."""
    if resource is not None and resource.name in ALL_RESOURCES:
        return _ACCOUNT_IN_PATH.sub(f"/accounts/{_LEFT_OUT}", path)
    suffix = ".xml" if path.endswith(".xml") else ""
    steps = path.removesuffix(suffix).split("/")
    # /people/7/friends/ada.xml: the names of collections alternate with those of records.
    steps[2::2] = [step if step.isdecimal() else _LEFT_OUT for step in steps[2::2]]
    return "/".join(steps) + suffix


def _without_names(failures: Mapping[str, Any]) -> dict[str, Any]:
    """Return failures with a number for what is no id."""
    return {
        name if name.isdecimal() else f"{_LEFT_OUT} {number}": reason
        for number, (name, reason) in enumerate(failures.items(), start=1)
    }
