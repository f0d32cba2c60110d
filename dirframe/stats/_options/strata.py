"""Divide a frame into strata, each a frame of the same engine."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import and_, or_
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd

from dirframe.errors import Hint, InvalidInputError
from dirframe.stats._core.backends import check_sent, columns_sent, is_relation, relation_table
from dirframe.stats._core.columns import integer_column, text_column
from dirframe.stats._core.filter import keep
from dirframe.stats._core.frequencies import size_class
from dirframe.stats._core.groupby import group_sizes
from dirframe.stats._rules.rules import READ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dirframe.stats._core.columns import Column

#: Maximum number of strata; each is a pass over the records.
MOST = 1000
TEAM_SIZES = (0, 1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Stratum:
    """Records that share the values of the keys; a missing value is None."""

    labels: tuple[str | None, ...]
    records: int
    frame: Any
    pooled: int = 0

    @property
    def title(self) -> str:
        """Title of the stratum in a chart."""
        if self.pooled:
            return str(self.labels[0])
        return " · ".join("not known" if value is None else value for value in self.labels)


@dataclass(frozen=True)
class Key:
    """A key to stratify by: the columns it reads, and its text as an expression.

    `order` is the sort key of a value; by default the stratum with the most records comes first.
    """

    name: str
    columns: Mapping[str, Column]
    stated: nw.Expr
    order: Callable[[str], float] | None = None


def names_of(by: str | Sequence[str] | None) -> list[str]:
    """Return the names of the strata that an option `by` gives."""
    if by is None or isinstance(by, str):
        return [by] if by else []
    is_list = isinstance(by, Sequence | AbstractSet | pd.Index)
    if not is_list or not all(isinstance(name, str) for name in by):
        raise InvalidInputError(
            f"by takes names of columns, as text or a list; got a {type(by).__name__}."
        )
    return list(by)


def largest_groups(sizes: pd.Series[int], key: Key | None, top: int | None = None) -> list[str]:
    """Return the groups with the most records, in the order of their key."""
    largest = sorted(sizes.index, key=lambda name: (-sizes[name], name))[:top]
    return sorted(largest, key=key.order) if key and key.order else largest


def strata_of(
    frame: Any, by: str | Sequence[str], *, min_records: int = 1, most: int | None = None
) -> list[Stratum]:
    """Divide a frame into strata; small ones, and those beyond `most`, are pooled."""
    if min_records < 1:
        raise InvalidInputError(f"min_records is {min_records}; it must be 1 or more.")
    names = names_of(by)
    if not names or len(set(names)) < len(names):
        raise InvalidInputError(f"by must name one or more columns, each once; got {by!r}.")
    keys = [key_of(frame, name) for name in names]
    columns = {read: column for key in keys for read, column in key.columns.items()}
    table = _sorted(_sizes(frame, keys, columns), keys)
    if len(table) > MOST and most is None:
        raise InvalidInputError(
            f"Stratified by {by!r}, there are {len(table):,} strata, more than {MOST:,}. Stratify by what fewer "
            "records have alone, or keep the frequent values only."
        )
    small = table["records"] < min_records
    if most is not None and (~small).sum() + small.any() > most:
        largest = table[~small].nlargest(most - 1, "records").index
        small = pd.Series(~table.index.isin(largest), index=table.index)
    return list(_divided(frame, keys, columns, table, small))


def _sizes(frame: Any, keys: list[Key], columns: Mapping[str, Column]) -> pd.DataFrame:
    def prepare(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        return table.with_columns(**{key.name: key.stated for key in keys})

    return group_sizes(frame, columns, by=[key.name for key in keys], prepare=prepare)


def _sorted(table: pd.DataFrame, keys: list[Key]) -> pd.DataFrame:
    """Sort strata by their keys; those with a missing value come last."""
    ranks = {}
    for key in keys:
        counts = table.groupby(key.name)["records"].sum()
        rank_of = {value: rank for rank, value in enumerate(largest_groups(counts, key))}
        ranks[key.name] = table[key.name].map(rank_of).fillna(len(rank_of))
    order = pd.DataFrame(ranks).sort_values([*ranks]).index
    return table.loc[order].reset_index(drop=True)


def _divided(
    frame: Any, keys: list[Key], columns: Mapping[str, Column], table: pd.DataFrame, small: Any
) -> Iterator[Stratum]:
    derived = {key.name: key.stated for key in keys}
    tests: list[nw.Expr] = []
    for row in table[~small].itertuples(index=False):
        values = tuple(None if pd.isna(value) else str(value) for value in row[: len(keys)])
        test = reduce(and_, (_is(key, value) for key, value in zip(keys, values, strict=True)))
        tests.append(test)
        yield Stratum(values, int(row[-1]), keep(frame, columns, test, derived))
    if pooled := int(small.sum()):
        label = f"other ({pooled:,} {'stratum' if pooled == 1 else 'strata'})"
        records = int(table["records"][small].sum())
        # Fewer tests than those of the strata that are pooled, of which there may be hundreds.
        rest = keep(frame, columns, ~_any(tests), derived) if tests else frame
        yield Stratum((label,) * len(keys), records, rest, pooled)


def _any(tests: Sequence[nw.Expr]) -> nw.Expr:
    """Combine tests as a balanced tree: a chain of hundreds exceeds the depth of recursion."""
    while len(tests) > 1:
        tests = [reduce(or_, tests[begin : begin + 2]) for begin in range(0, len(tests), 2)]
    return tests[0]


def _is(key: Key, value: str | None) -> nw.Expr:
    column = nw.col(key.name)
    return column.is_null() if value is None else (column == value).fill_null(value=False)


def known_strata(frame: Any) -> tuple[str, ...]:
    """Return the named strata whose columns a frame has."""
    columns = columns_sent(frame)
    return tuple(name for name, key in _NAMED.items() if not _lacking(key(columns), columns))


def _lacking(key: Key, known: set[str]) -> list[tuple[str, ...]]:
    return [column.names for column in key.columns.values() if not known & {*column.names}]


def key_of(frame: Any, name: str) -> Key:
    known = columns_sent(frame)
    if name in _NAMED and name not in known:
        key = _NAMED[name](known)
        if missing := _lacking(key, known):
            check_sent(frame, [column for columns in missing for column in columns])
            needed = ", ".join(" or ".join(names) for names in missing)
            hint = Hint("dirframe.unify_countries adds it.", shell="dirframe clean adds it.")
            raise InvalidInputError(
                f"The stratum {name!r} needs the column {needed}.",
                hint=hint if name == "country" else None,
            )
        return key
    if name not in known:
        check_sent(frame, [name])
        raise InvalidInputError(
            f"The stratum {name!r} is neither a column of the frame nor one of {', '.join(_NAMED)}."
        )
    return _of_column(frame, name)


def _of_column(frame: Any, name: str) -> Key:
    alias = f"by_{name}"
    if is_relation(frame):
        dtype = relation_table(frame, [name]).collect_schema()[name]
    else:
        part = frame if isinstance(frame, pd.DataFrame) else frame._meta
        if pd.api.types.infer_dtype(part[name]) not in {"string", "categorical", "empty"}:
            is_whole = pd.api.types.is_integer_dtype(part[name])
            dtype = nw.Int64() if is_whole else nw.Unknown()
        else:
            dtype = nw.String()
    if dtype.is_integer():
        return Key(name, {alias: integer_column(name)}, nw.col(alias).cast(nw.String), int)
    if dtype in {nw.String, nw.Categorical, nw.Enum}:
        return _name_key(name, text_column(name))
    rename = f" Rename the column for the derived {name}." if name in _NAMED else ""
    raise InvalidInputError(
        f"The stratum {name!r} must be a column of text or whole numbers, or one of "
        f"{', '.join(_NAMED)}.{rename}"
    )


def _name_key(name: str, column: Column) -> Key:
    """Return a key of names; blank ones are missing."""
    text = nw.col(alias := f"by_{name}")
    return Key(name, {alias: column}, nw.when(text.str.strip_chars() != "").then(text))


def _year(known: set[str]) -> Key:
    began = "first" if known & {*READ["first"].names} else "created"
    # With missing values, pandas has years as floats: the first four digits are the year.
    digits = nw.col("by_year").dt.year().cast(nw.String).str.slice(0, 4)
    year = nw.when(~nw.col("by_year").is_null()).then(digits)
    return Key("year", {"by_year": READ[began]}, year, int)


def _team_size(_: set[str]) -> Key:
    labels = [size_class(low, high - 1) for low, high in pairwise(TEAM_SIZES)]
    labels.append(size_class(TEAM_SIZES[-1], None))
    people = nw.col("by_team_size")
    label_of: nw.Expr = nw.when(people >= TEAM_SIZES[-1]).then(nw.lit(labels[-1]))
    for (low, high), label in zip(pairwise(TEAM_SIZES), labels, strict=False):
        in_class = (people >= low) & (people < high)
        label_of = nw.when(in_class).then(nw.lit(label)).otherwise(label_of)
    return Key("team_size", {"by_team_size": READ["contributors"]}, label_of, labels.index)


_NAMED: dict[str, Callable[[set[str]], Key]] = {
    "language": lambda _: _name_key("language", READ["language"]),
    "country": lambda _: _name_key("country", text_column("country_name")),
    "year": _year,
    "team_size": _team_size,
}
