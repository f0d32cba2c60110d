"""Repeated elements as tidy tables: one row an entry, with the parent's id."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe._arrow import require_frame
from dirframe.client.dtypes import convert_column, infer_kind
from dirframe.errors import InvalidInputError
from dirframe.schema import PROJECT, RESOURCES, Field, Items, Kind, Resource

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray


def child_table(frame: pd.DataFrame | pl.DataFrame | pa.Table, name: str) -> pd.DataFrame:
    """Return a repeated element of the records as a table of its own.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        A frame returned by a loader.
    name : str
        Of projects ``"tags"``, ``"languages"``, ``"licenses"``, ``"factoids"``, ``"links"`` or
        ``"similar_projects"``; of accounts ``"languages"`` or ``"badges"``; of other records
        the name of a column of lists. The name of the column does as well.

    Returns
    -------
    pandas.DataFrame
        One row an entry, in the order of the records. The first column is the parent's id,
        ``project_id`` or ``account_id`` (str), or for other records their key, such as
        ``contributor_id``. Then come the entry's own fields as listed in `dirframe.schema`,
        such as ``tag`` (str), or ``language`` (str), ``percentage`` (Float64, % of code lines;
        ``<1`` is read as 0.5), ``color`` (str) and ``id`` (str, the language's), and then any
        other fields (str). A text that could not be converted is in a column of the same name
        with the suffix ``_unreadable``, and an entry's own field with the name of the first
        column, if it says something else, in the last one, such as ``project_id_``. If no record
        has the element, the table is empty.

    Raises
    ------
    InvalidInputError
        If the records have no such element, the frame has no ``id``, or the column of the element
        holds something else than lists, or lists as JSON.
    ColumnsNotSentError
        If the directory did not send the element.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     projects = dirframe.load_projects(max_items=3, directory=directory)
    >>> list(dirframe.child_table(projects, "tags"))
    ['project_id', 'tag']
    """
    frame = require_frame(frame)
    resource = provenance.resource_of(frame) or PROJECT
    field = _field_of(resource, name, frame)
    key = resource.key or "id"
    if key not in frame:
        raise InvalidInputError(
            f"The frame has no column {key!r}, so its entries could not be assigned to records. Pass a "
            "frame of a loader, with its id."
        )
    if error := provenance.absent(frame, [field.column]):
        raise error
    lists = frame[field.column] if field.column in frame else pd.Series([None] * len(frame))
    lengths, data = _entries(lists, field, resource)
    parent = f"{resource.name}_id" if key == "id" else key
    parents = frame[key].astype("str").repeat(lengths).reset_index(drop=True)
    if parent in data:
        own = pd.Series(data.pop(parent)).astype("str")
        if not own.isna().all() and not own.equals(parents):  # it says more than the parent's id
            data[f"{parent}_"] = own
    table = pd.DataFrame({parent: parents} | data)
    return provenance.copy_provenance(frame, table, f"child_table {name}", records=False)


def _entries(
    lists: pd.Series[Any], field: Field, resource: Resource
) -> tuple[list[int], dict[str, Any]]:
    """Return the length of each list, and the entries of all of them as typed columns."""
    items = field.items
    assert items is not None  # noqa: S101  # the schema gives every repeated element its items
    kinds = {known.column: known.kind for known in items.fields}
    of_records = _python_lists(lists)
    entries = [
        entry if isinstance(entry, dict) else {} if entry is None else {items.tag: entry}
        for entry in chain.from_iterable(of_records)
    ]
    data: dict[str, Any] = {}
    for column in dict.fromkeys([*kinds, *chain.from_iterable(entries)]):
        values = [entry.get(column) for entry in entries]
        if any(isinstance(value, list | dict) for value in values):
            data[column] = pd.Series(values, dtype="object")
            continue
        kind = kinds.get(column, Kind.TEXT)
        if column not in kinds and resource.name not in RESOURCES:
            kind = infer_kind(column, {text for value in values if (text := (value or "").strip())})
        data[column], unreadable = convert_column(values, kind)
        if unreadable is not None:
            data[f"{column}_unreadable"] = unreadable
    return list(map(len, of_records)), data


def _python_lists(column: pd.Series[Any]) -> list[Sequence[Any] | NDArray[Any]]:
    """Return the list of each record, empty where it is missing."""
    values: Iterable[Any] = column
    if pd.api.types.infer_dtype(column) == "string":
        try:  # CSV holds lists as JSON, and so does Parquet where their entries differ in form
            values = column.map(json.loads, na_action="ignore").astype("object")
        except ValueError:
            advice = (
                "read_export reads the lists that export wrote; Dask makes text of lists unless "
                "the option dataframe.convert-string is False."
            )
            raise _not_lists(column, "text", advice) from None
    lists: list[Sequence[Any] | NDArray[Any]] = []
    for value in values:
        if isinstance(value, list | tuple | np.ndarray):  # pandas reads those of Parquet as arrays
            lists.append(value)
        elif pd.api.types.is_scalar(value) and pd.isna(value):
            lists.append(())
        else:
            raise _not_lists(
                column, f"a {type(value).__name__}", "Make a list of each value first."
            )
    return lists


def _not_lists(column: pd.Series[Any], found: str, advice: str) -> InvalidInputError:
    return InvalidInputError(
        f"The column {column.name} must hold lists, or lists as JSON; it holds {found}. {advice}"
    )


def _field_of(resource: Resource, name: str, frame: pd.DataFrame) -> Field:
    lists = [field for field in resource.fields if field.kind is Kind.ITEMS]
    known = {field.path[-1]: field for field in lists}
    if resource.name not in RESOURCES:  # the schema may not list all of its lists
        for column in frame.columns[frame.dtypes == "object"].difference(list(known)):
            items = Items(column.removesuffix("s"), ())
            known[column] = Field((column,), Kind.ITEMS, "", items=items)
    by_column = {field.column: field for field in lists}
    if name not in known | by_column:
        raise InvalidInputError(
            f"There is no table {name!r} of {resource.collection}: it is one of "
            f"{', '.join(sorted(known))}."
        )
    return (by_column | known)[name]
