"""Ids encoded as integers: an array of a million takes 8 MB, a list of their texts 64."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Codes = NDArray[np.int64]


#: The code of a record without an id.
NO_ID = -1

#: No codes.
EMPTY = np.empty(0, dtype=np.int64)

#: Every number of so many digits fits into 64 bits.
_MAX_DIGITS = 18


class IdCodec:
    """Codes of ids: a decimal number is its own code, any other text has a negative one."""

    def __init__(self) -> None:
        self._codes: dict[str | None, int] = {None: NO_ID}
        self._texts: list[str | None] = [None]

    def encode(self, ids: Iterable[str | None]) -> array[int]:
        """Return the codes of ids."""
        return array("q", [self.code(identifier) for identifier in ids])

    def code(self, identifier: str | None) -> int:
        """Return the code of an id."""
        if identifier is not None and len(identifier) <= _MAX_DIGITS and identifier.isdecimal():
            number = int(identifier)
            if str(number) == identifier:  # no leading zeros, no digits of another script
                return number
        if identifier not in self._codes:
            self._texts.append(identifier)
            self._codes[identifier] = -len(self._texts)
        return self._codes[identifier]

    def decode(self, code: int) -> str | None:
        """Return the id of a code."""
        return str(code) if code >= 0 else self._texts[-1 - code]

    def is_decimal(self, codes: Codes) -> bool:
        """Return whether all ids are decimal numbers."""
        return all((self.decode(code) or "").isdecimal() for code in codes[codes < 0])

    def numbers(self, codes: Codes) -> NDArray[Any]:
        """Return decimal ids as numbers, which may be of any size."""
        if np.all(codes >= 0):
            return codes
        return np.array([int(str(self.decode(code))) for code in codes], dtype=object)

    def texts(self, codes: Codes) -> NDArray[Any]:
        """Return ids as texts."""
        return np.array([self.decode(code) or "" for code in codes], dtype=object)


class IdIndex:
    """The positions of ids in a sequence.

    Parameters
    ----------
    codes
        The codes of the ids, in order.
    """

    def __init__(self, codes: Codes) -> None:
        self.codes = codes
        is_sorted = bool(np.all(codes[1:] >= codes[:-1]))
        self._sorter = None if is_sorted else np.argsort(codes, kind="stable")

    def __len__(self) -> int:
        return len(self.codes)

    def find(self, codes: Codes | array[int]) -> NDArray[np.intp]:
        """Return the last position of each id; -1 where it is not in the sequence."""
        if not len(self):
            return np.full(len(codes), -1)
        positions = np.searchsorted(self.codes, codes, side="right", sorter=self._sorter) - 1
        if self._sorter is not None:
            positions = self._sorter[positions]
        positions[self.codes[positions] != codes] = -1
        return positions

    def position(self, code: int) -> int | None:
        """Return the last position of an id; None if it is not in the sequence."""
        [position] = self.find(array("q", [code]))
        return None if position < 0 else int(position)


def concatenate(parts: Iterable[Codes | Sequence[int]]) -> Codes:
    """Return the codes of all parts in one array."""
    parts = list(parts)
    codes, end = np.empty(sum(map(len, parts)), dtype=np.int64), 0
    for part in parts:
        begin, end = end, end + len(part)
        codes[begin:end] = part
    return codes


def repeats(parts: Iterable[Codes | Sequence[int]]) -> Codes:
    """Return the code of each further occurrence of an id, sorted."""
    codes = concatenate(parts)
    codes.sort()
    further: Codes = codes[1:][codes[1:] == codes[:-1]]
    return further


def unique(codes: Codes) -> Codes:
    """Return each code once, in order of its first occurrence."""
    if not len(repeats([codes])):
        return codes
    return codes[np.sort(np.unique(codes, return_index=True)[1])]
