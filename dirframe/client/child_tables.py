"""Repeated elements as tidy tables: one row an entry, with the parent's id."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe import provenance
from dirframe._arrow import as_list, as_text, check_unicode, require_frame
from dirframe.client.xml.columns import typed_columns
from dirframe.errors import InvalidInputError, MissingColumnsError
from dirframe.schema import COUNTED_LISTS, PROJECT, RESOURCES, Field, Kind, Resource

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


def child_table(frame: pd.DataFrame | pl.DataFrame | pa.Table, name: str) -> pd.DataFrame:
    """Return a repeated element of the records as a table of its own.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        A frame returned by a loader.
    name : str
        A list: of projects such as ``"tags"``, ``"languages"``, ``"licenses"`` or ``"factoids"``,
        of accounts ``"languages"`` or ``"badges"``; or a column of lists.

    Returns
    -------
    pandas.DataFrame
        One row an entry, in the order of the records: the parent's id (``project_id`` or
        ``account_id``, str; of other records their key, such as ``contributor_id``), the fields of
        the entry as listed in `fields`, such as ``tag`` (str) or ``percentage`` (Float64, % of code
        lines; ``<1`` is read as 0.5), and others (str). An id of that name in the entry itself has
        the suffix ``_``. If a text cannot be converted, a warning is issued and a column with the
        suffix ``_unreadable`` keeps the text.

    Raises
    ------
    InvalidInputError
        If the records have no such list or no ``id``; a `MissingColumnsError` if its column was
        dropped, a `ColumnsNotSentError` if the directory did not send it.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"id": ["1", "2"], "tags": [["web", "xml"], ["web"]]})
    >>> child_table(projects, "tags").to_numpy().tolist()
    [['1', 'web'], ['1', 'xml'], ['2', 'web']]
    """
    frame = require_frame(frame)
    resource = provenance.resource_of(frame) or PROJECT
    field = _find_list(resource, name, frame)
    key = resource.key or "id"
    if key not in frame:
        raise MissingColumnsError(
            f"The frame has no column {key!r}, so its entries could not be assigned to records.",
            columns=[key],
            hint="Pass a frame of a loader, with its id.",
        )
    if error := provenance.absent(frame, [field.column]):
        raise error
    values: Iterable[Any] = ()
    if field.column in frame:
        values = frame[field.column]
    elif len(frame) and not _is_known_to_be_empty(frame, field):
        raise MissingColumnsError(
            f"The frame has no column {field.column}, so nothing is known of its entries.",
            columns=[field.column],
            hint="Keep this column of the frame that was loaded.",
        )
    lists = [as_list(value, field.column) or [] for value in values]
    rows = [
        entry if isinstance(entry, dict) else {} if entry is None else {field.tag: entry}
        for entry in chain.from_iterable(lists)
    ]
    names = dict.fromkeys([*(known.column for known in field.fields), *chain.from_iterable(rows)])
    cells = {name: [_text(row.get(name)) for row in rows] for name in names}
    try:
        infers = resource.name not in RESOURCES
        data = typed_columns(cells, field.fields, collection=resource.collection, infers=infers)
    except UnicodeEncodeError:
        check_unicode(lists, field.column)
        raise
    parent = f"{resource.name}_id" if key == "id" else key
    counts = [len(entries) for entries in lists] or [0] * len(frame)
    parents = as_text(frame[key]).repeat(counts).reset_index(drop=True)
    own = pd.Series(data.pop(parent, parents)).astype("str")
    if not own.fillna(parents).equals(parents):  # it says more than the parent's id
        data[f"{parent}_"] = own
    table = pd.DataFrame({parent: parents} | data)
    provenance.copy_provenance(frame, table, f"child_table {name}", records=False)
    return provenance.set_provenance(table, list=field.column)


def _is_known_to_be_empty(frame: pd.DataFrame, field: Field) -> bool:
    """Return whether no record of the load had an entry, so that the frame never had the column."""
    sent = provenance.get_provenance(frame)["sent"]
    return bool(sent) and field.column not in sent and field.column not in COUNTED_LISTS


def _text(value: Any) -> Any:
    """Return a value as entries of a load have it: those of other programs may be numbers."""
    return str(value) if isinstance(value, int | float) else value or None


def _find_list(resource: Resource, name: str, frame: pd.DataFrame) -> Field:
    """Return the field of a list; one that is not in the schema has texts, or any fields."""
    lists = [field for field in resource.fields if field.tag]
    for field in lists:
        if name in {field.path[-1], field.column}:
            return field
    others = frame.columns[frame.dtypes == "object"].difference([f.column for f in lists])
    if name in others:
        return Field((name,), Kind.ITEMS, "", tag=name.removesuffix("s"))
    names = sorted({*map(str, others), *(field.path[-1] for field in lists)})
    raise InvalidInputError(
        f"There is no table {name!r} of {resource.collection}; choose one of {', '.join(names)}."
    )
