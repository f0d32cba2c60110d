"""Numbers of projects by licence and by tag, and the entries of lists.

A project counts once for each of its entries, even if it repeats them, so the shares can sum to
more than 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from dirframe._arrow import as_list
from dirframe.errors import InvalidInputError
from dirframe.stats.counts import ranked, table_of
from dirframe.stats.kernel import Counted, Frame, read, statistic

Integers = NDArray[np.integer]
#: The row and the code of each entry with a name, and the names of the codes.
Codes = tuple[Integers, Integers, list[str]]

_PLAIN = {list, type(None)}
_TEXT = pa.dictionary(pa.int32(), pa.string())


@statistic("with_license", "with a licence")
def licenses(projects: Frame, *, top: int | None = None) -> Counted:
    """Count the projects under each licence.

    Parameters as in `dirframe.stats`; in ``other`` are those that name any of the other licences.

    Returns
    -------
    pandas.DataFrame
        One row per licence, the most projects first:

        - ``license`` (str): its code, such as ``gpl3``: its ``vanity_url`` or else its ``name``,
          which is the code in recorded answers and the title in today's
        - ``title`` (str): its ``nice_name`` or else its ``name``, the first by code point of
          several; missing for ``other``
        - ``projects`` (Int64, projects): that name it, each once
        - ``share`` (Float64, 0 to 1): of the projects that name a licence

        Counted: ``with_license``, ``without_license``, ``licenses``, ``licenses_in_other``.

    Examples
    --------
    >>> recorded = {"name": "gpl3", "nice_name": "GNU General Public License 3.0"}
    >>> today = {"name": "GNU General Public License 3.0", "vanity_url": "gpl3"}
    >>> licenses(pd.DataFrame({"licenses": [[recorded], [today], None]}))["projects"].tolist()
    [2]
    """
    lists = read(projects, "licenses")["licenses"]
    entries, titles = license_codes(lists)
    table, counted = _memberships(entries, len(lists), "license", "licences", top)
    table.insert(1, "title", table["license"].map(titles).astype("str"))
    return table, counted


#: Families of licences, by what their codes contain: the first that fits.
FAMILIES = {
    "weak copyleft": "lgpl|lesser|mozilla|eclipse|cddl|common_dev|common_public|cecill_c|"
    "(?<![a-z])(mpl|epl|cpl)",  # not in simple_public
    "permissive": "bsd|apache|zlib|boost|artistic|python|php|ms.pl|microsoft_public|ncsa|"
    "w3c|wtfpl|x11|zope|cecill_b|unlicense|public_domain|cc0|(?<![a-z])(mit|isc)(?![a-z])",
    "strong copyleft": "gpl|gnu_general|affero|eupl|cecill|sleepycat|cc.?by.?sa|(?<![a-z])osl",
    "other": "",
}


@statistic("projects", "with a licence or none")
def license_families(projects: Frame) -> Counted:
    """Count the projects under permissive, weak and strong copyleft, and other licences.

    Parameters as in `dirframe.stats`.

    Returns
    -------
    pandas.DataFrame
        A row for each family, also where no project is:

        - ``family`` (str): ``"permissive"``, ``"weak copyleft"``, ``"strong copyleft"``,
          ``"other"``, ``"none"``: the first of `FAMILIES` whose words are in the licence's code
        - ``projects`` (Int64, projects): that name a licence of the family, each once; in
          ``"none"``, those that name no licence, which is not to have none
        - ``share`` (Float64, 0 to 1): of all projects; a project can be in several families

        Counted: ``with_license``, ``without_license``.

    Examples
    --------
    >>> projects = pd.DataFrame({"licenses": [[{"name": "gpl3"}], [{"name": "mit"}], None]})
    >>> print(license_families(projects)["projects"].tolist())
    [1, 0, 1, 0, 1]
    """
    lists = read(projects, "licenses")["licenses"]
    (rows, codes, names), _ = license_codes(lists)
    order = ["permissive", "weak copyleft", "strong copyleft", "other", "none"]
    own = [next(f for f, words in FAMILIES.items() if re.search(words, n.lower())) for n in names]
    families = np.array([order.index(family) for family in own], dtype=np.int32)
    _, codes = distinct_pairs(rows, families[codes], len(order))
    numbers = np.bincount(codes, minlength=len(order))
    having = _distinct(rows)
    numbers[-1] = len(lists) - having
    table = table_of(
        family=("str", order),
        projects=("Int64", numbers),
        share=("Float64", numbers / max(len(lists), 1)),
    )
    counted = {"projects": len(lists), "with_license": having, "without_license": numbers[-1]}
    return table, counted


@statistic("with_tag", "with a tag")
def tags(projects: Frame, *, top: int | None = None) -> Counted:
    """Count the projects with each tag.

    Parameters as in `dirframe.stats`; in ``other`` are those that have any of the other tags.

    Returns
    -------
    pandas.DataFrame
        One row per tag, the most projects first: ``tag`` (str, without blanks around it),
        ``projects`` (Int64, projects that have it, each once), ``share`` (Float64, 0 to 1, of the
        projects that have a tag). Counted: ``with_tag``, ``without_tag``, ``tags`` and ``tags_in_other``.

    Examples
    --------
    >>> tags(pd.DataFrame({"tags": [["xml", "web"], ["xml", "xml "]]}))["share"].tolist()
    [1.0, 0.5]
    """
    lists = read(projects, "tags")["tags"]
    return _memberships(tag_codes(lists), len(lists), "tag", "tags", top)


def _memberships(entries: Codes, records: int, name: str, noun: str, top: int | None) -> Counted:
    """Count the projects of each name; a project counts once in the row of the others."""
    rows, codes, names = entries
    rows, codes = distinct_pairs(rows, codes, len(names))
    having = _distinct(rows)

    def pool(others: pd.Index[Any]) -> pd.Series[Any]:
        # numpy compares each text with each.
        theirs = rows[pd.Index(names).isin(others)[codes]]
        return pd.Series({"projects": _distinct(theirs)})

    numbers = np.bincount(codes, minlength=len(names))
    table = table_of(projects=("Int64", numbers)).set_axis(names)
    table, groups = ranked(table[numbers > 0], name, noun, by=["projects"], top=top, pool=pool)
    table["share"] = (table["projects"] / max(having, 1)).astype("Float64")
    counted = {"projects": records, f"with_{name}": having, f"without_{name}": records - having}
    return table, counted | dict(
        zip((f"{name}s", f"{name}s_in_other"), groups.values(), strict=True)
    )


def tag_codes(lists: pd.Series[Any]) -> Codes:
    """Return the row and the code of each tag, and the names of the codes."""
    rows, numbers, kinds = entries_of(lists, "tag")
    return _named(rows, numbers, [tag for (tag,) in kinds])


def license_codes(lists: pd.Series[Any]) -> tuple[Codes, dict[str, str]]:
    """Return the row and the code of each licence, the names of the codes, and titles by name."""
    rows, numbers, kinds = entries_of(lists, "vanity_url", "name", "nice_name")
    labels: list[str] = []
    titles: dict[str, str] = {}
    for vanity_url, name, nice_name in kinds:
        label = _text(vanity_url) or _text(name)
        labels.append(label)
        if label and (title := _text(nice_name) or _text(name)):
            titles[label] = min(title, titles.get(label, title))
    return _named(rows, numbers, labels), titles


def entries_of(lists: pd.Series[Any], *fields: str) -> tuple[Integers, Integers, list[Any]]:
    """Return the row of each entry of all lists, the number of its kind, and the kinds by number.

    A kind is the tuple of the texts in the fields. An entry that is no record is each of its fields.
    """
    values: Any = lists.to_numpy(object)
    if not _PLAIN.issuperset(map(type, values)):
        values = [as_list(value, lists.name) for value in values]
    # Arrow numbers 9 million texts, each its own object, in 0.7 s; Python in 1.0 to 1.3 s.
    kind = pa.list_(pa.struct(dict.fromkeys(fields, _TEXT)) if len(fields) > 1 else _TEXT)
    try:
        array = pa.array(values, kind, from_pandas=True)
        lengths = np.diff(array.offsets)
        columns = array.flatten().flatten() if len(fields) > 1 else [array.flatten()]
    except pa.ArrowException:  # texts instead of records, the reverse, or what is no text
        lists_only = [value or () for value in values]
        lengths = np.array([*map(len, lists_only)], dtype=np.int32)
        columns = [_texts(chain.from_iterable(lists_only), field) for field in fields]
    rows = np.repeat(np.arange(len(lists), dtype=np.int32), lengths)
    numbers = [c.indices.fill_null(len(c.dictionary)).to_numpy() for c in columns]
    texts = [[*column.dictionary.to_pylist(), None] for column in columns]
    if len(fields) == 1:
        return rows, numbers[0], [*zip(*texts, strict=True)]
    sizes = [*map(len, texts)]
    kinds, different = pd.factorize(np.ravel_multi_index(numbers, sizes))
    places = np.transpose(np.unravel_index(different, sizes))
    return rows, kinds, [tuple(map(list.__getitem__, texts, place)) for place in places]


def _texts(entries: Iterable[Any], field: str) -> pa.DictionaryArray:
    """Return a field of each entry as text."""
    text_of = cache(_text)
    try:
        texts = [text_of(e.get(field) if isinstance(e, dict) else e) for e in entries]
    except TypeError as error:  # it cannot be hashed
        raise InvalidInputError(
            "The entries of a list must be texts, or records of texts."
        ) from error
    return pa.array(texts, _TEXT)


def coded(texts: Iterable[Any]) -> tuple[Integers, list[str]]:
    """Return a code for each text, without blanks around it, and the names of the codes in order.

    The code of a missing or blank text is -1.
    """
    stripped = [*map(_text, texts)]
    names = sorted({*stripped} - {""})
    place = {name: number for number, name in enumerate(names)} | {"": -1}
    return np.array([place[text] for text in stripped], dtype=np.int32), names


def _named(rows: Integers, numbers: Integers, labels: list[Any]) -> Codes:
    """Return the row and the code of each entry with a label, and the names of the codes."""
    own, names = coded(labels)
    codes = own[numbers]
    known = codes >= 0
    return (rows, codes, names) if known.all() else (rows[known], codes[known], names)


def _text(value: Any) -> str:
    return "" if pd.isna(value) else str(value).strip()


def _distinct(ascending: Integers) -> int:
    """Return the number of different rows; of millions, in a tenth of the time of a bincount."""
    return len(ascending) and 1 + int(np.count_nonzero(ascending[1:] != ascending[:-1]))


def distinct_pairs(rows: Integers, codes: Integers, size: int) -> tuple[Integers, Integers]:
    """Return each pair of an ascending row and a code of `size` once, by row."""
    rows_of = int(rows[-1]) + 1 if len(rows) else 0
    dtype = np.int32 if rows_of * size < 2**31 else np.int64  # half of the bytes, half of the time
    pairs = np.multiply(rows, size, dtype=dtype)
    pairs += codes
    pairs.sort()
    is_repeated = pairs[1:] == pairs[:-1]
    if not is_repeated.any():
        return rows, codes
    return np.divmod(pairs[np.append(True, ~is_repeated)], size)
