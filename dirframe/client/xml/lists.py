"""Columns of lists as Arrow's: their texts are stored once, and entries need no Python object."""

# An entry is a text, or a struct of texts whose field is null where an entry does not have the name.
# The fields are in alphabetical order, so that the order in which pages came does not show. Texts
# are dictionary-encoded: lists repeat them so often that this takes a quarter of the memory.

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_ENCODED = pa.dictionary(pa.int32(), pa.large_string())


def is_lists(kind: pa.DataType) -> bool:
    """Return whether a type of Arrow's is one of lists."""
    is_ = pa.types
    return any(test(kind) for test in (is_.is_list, is_.is_large_list, is_.is_fixed_size_list))


def make_lists(values: pa.Array, lengths: NDArray[Any], missing: NDArray[np.bool_]) -> pa.ListArray:
    """Return lists of consecutive entries.

    Parameters
    ----------
    values
        The entries of all lists.
    lengths
        Number of entries of each list.
    missing
        Which lists are null rather than empty.
    """
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int32)
    return pa.ListArray.from_arrays(offsets, values, mask=pa.array(missing))


def make_entries(fields: dict[str, pa.Array], missing: NDArray[np.bool_]) -> pa.StructArray:
    """Return entries with fields; null where `missing`."""
    names = sorted(fields)
    return pa.StructArray.from_arrays(
        [fields[name] for name in names], names, mask=pa.array(missing)
    )


def lengths_of(lists: pa.ListArray) -> NDArray[np.int64]:
    """Return the number of entries of each list; 0 for null."""
    lengths: NDArray[np.int64] = pc.list_value_length(lists).fill_null(0).to_numpy()
    return lengths.astype(np.int64)


def encode_lists(lists: pa.Array) -> pa.ListArray:
    """Return lists of any Arrow data with encoded texts and fields in alphabetical order."""
    if not pa.types.is_list(lists.type):
        lists = lists.cast(pa.list_(lists.type.value_field))
    return _replace_texts(lists, _encode)


def decode_lists(lists: pa.ListArray) -> pa.ListArray:
    """Return lists with plain texts, as other programs read them from a file."""
    return _replace_texts(lists, _decode)


def concat_lists(parts: Sequence[pa.ListArray]) -> pa.ListArray | None:
    """Concatenate encoded lists; None if the entries of some are texts and of others structs."""
    kinds = {part.type for part in parts}
    if len(kinds) == 1:
        return pa.concat_arrays(parts)
    try:
        schemas = [pa.schema({"": kind}) for kind in kinds]
        kind = pa.unify_schemas(schemas, promote_options="permissive").field(0).type
        return encode_lists(pa.concat_arrays([part.cast(kind) for part in parts]))
    except pa.ArrowException:
        return None


def lists_from_python(values: Sequence[Any]) -> pa.ListArray | None:
    """Return lists, or None, as Arrow's; None if that would change them."""
    try:
        lists = pa.array(values)
        if pa.types.is_null(lists.type):
            return lists.cast(pa.list_(pa.null()))
        lists = encode_lists(lists) if pa.types.is_list(lists.type) else None
    except (pa.ArrowException, OverflowError):  # a text and a dict, say, in one list
        return None
    return lists if lists is not None and lists_to_python(lists) == values else None


def lists_to_python(lists: pa.ListArray) -> list[Any]:
    """Return lists of Python's, whose dicts have only the keys that the entries came with."""
    entries = entries_to_python(lists.flatten())
    ends = np.cumsum(lengths_of(lists)).tolist()
    present = lists.is_valid().to_pylist()
    return [
        entries[begin:end] if valid else None
        for (begin, end), valid in zip(pairwise([0, *ends]), present, strict=True)
    ]


def entries_to_python(values: pa.Array) -> list[Any]:
    """Return entries, or a field of them, as Python objects."""
    # By column: Arrow's own conversion goes value by value.
    if pa.types.is_struct(values.type) and values.type.num_fields:
        names = [field.name for field in values.type]
        rows = zip(*map(entries_to_python, values.flatten()), strict=True)
        return [
            {name: value for name, value in zip(names, row, strict=True) if value is not None}
            if valid
            else None
            for row, valid in zip(rows, values.is_valid().to_pylist(), strict=True)
        ]
    if pa.types.is_list(values.type):
        return lists_to_python(values)
    if pa.types.is_dictionary(values.type):
        if len(values) < len(values.dictionary):  # one list of a column, say
            few: list[Any] = values.dictionary_decode().to_pylist()
            return few
        words = [*values.dictionary.to_pylist(), None]
        return [words[index] for index in values.indices.fill_null(len(words) - 1).to_pylist()]
    plain: list[Any] = values.to_pylist()
    return plain


def _replace_texts(values: pa.Array, replace: Callable[[pa.Array], pa.Array]) -> Any:
    missing = values.is_null().to_numpy(zero_copy_only=False)
    if pa.types.is_list(values.type):
        return make_lists(_replace_texts(values.flatten(), replace), lengths_of(values), missing)
    if pa.types.is_struct(values.type) and values.type.num_fields:
        names = [field.name for field in values.type]
        replaced = [_replace_texts(field, replace) for field in values.flatten()]
        return make_entries(dict(zip(names, replaced, strict=True)), missing)
    return replace(values)


def _encode(values: pa.Array) -> pa.Array:
    if values.type == _ENCODED or not _holds_texts(values.type):
        return values
    return values.cast(pa.large_string()).dictionary_encode()


def _decode(values: pa.Array) -> pa.Array:
    return values.cast(pa.string()) if values.type == _ENCODED else values


def _holds_texts(kind: pa.DataType) -> bool:
    is_ = pa.types
    if is_.is_dictionary(kind):
        kind = kind.value_type
    return any(test(kind) for test in (is_.is_string, is_.is_large_string, is_.is_string_view))
