"""Divide a frame into strata, and compute a statistic for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dirframe import provenance
from dirframe._arrow import as_text, type_name
from dirframe._printable import REPLACE_HALF_PAIR
from dirframe.charts import STATISTICS
from dirframe.errors import ColumnsNotSentError, InvalidInputError, MissingColumnsError
from dirframe.stats.activity import ACTIVITY_MONTH, ages, default_month
from dirframe.stats.contributors import SIZES, size_names
from dirframe.stats.counts import as_names, other_label, whole_number
from dirframe.stats.licenses import family_entries, license_entries
from dirframe.stats.lists import explode
from dirframe.stats.records import (
    CONTRIBUTORS,
    COUNTRY,
    CREATED,
    FIRST_MONTH,
    LANGUAGE,
    LICENSES,
    TAGS,
    observed_until,
    read,
    require_records,
)

#: Strata that are derived from other columns.
DERIVED = (
    "language",
    "country",
    "year",
    "age",
    "team_size",
    "license",
    "license_family",
    "tag",
)
#: Of them those by the entries of lists: a record is in each of its groups.
_BY_ENTRIES = {"license", "license_family", "tag"}
#: Columns of lists, and the stratum by their entries.
_ENTRIES_OF = {LICENSES: "license", TAGS: "tag"}
#: What strata are called, one and several.
_WORDS = {
    "language": ("language", "languages"),
    "country": ("country", "countries"),
    "license": ("licence", "licences"),
    "tag": ("tag", "tags"),
}


@dataclass(frozen=True)
class Stratum:
    """Records that share a value, or one of several values that were pooled."""

    label: str | None  # None where the value is missing
    frame: pd.DataFrame
    pooled: int = 0  # how many values, if this is the stratum of the others


def by(
    statistic: Callable[..., Any],
    frame: pd.DataFrame,
    column: str,
    *,
    min_records: int = 1,
    **options: Any,
) -> pd.DataFrame:
    """Compute a statistic for each value of a column.

    Parameters
    ----------
    statistic : callable
        A function of `dirframe.stats`, or one of your own that takes a frame and returns a frame, a
        Series (one row) or a value (one row with the column ``value``).
    frame : pandas.DataFrame
        Its records.
    column : str
        A column of text or whole numbers, or else

        - ``"language"``, ``"country"``
        - ``"year"`` (of the first activity or creation), ``"age"`` (years since the first activity:
          see `dirframe.with_age`)
        - ``"team_size"`` (contributors: 0, 1, 2–4, ..., 100 or more)
        - ``"license"``, ``"license_family"``, ``"tag"``: a project is in each of its groups, so that
          these do not add up to the whole
    min_records : int, default 1
        Strata with fewer records are pooled into the last: ``other (n languages)``, or
        countries, licences, tags, else groups.
    **options
        Options of the statistic. Every stratum is judged at the days of the whole frame: the month
        of `activity`, and the day up to which a period can be finished.

    Returns
    -------
    pandas.DataFrame
        The rows of each stratum, after a column (str) named as `column`, or ``by_language`` and so
        on where the statistic has it. Numbers, years and sizes ascend; of texts the most records
        are first; missing values last. Counted: the records, ``strata``, ``strata_in_other``,
        ``stratum_missing`` (records without a value), and ``in_several_strata``.

    Examples
    --------
    >>> from dirframe.stats import posts_distribution
    >>> accounts = pd.DataFrame({"posts_count": [1, 1, 4], "country_name": ["Chad", "Chad", "Cuba"]})
    >>> by(posts_distribution, accounts, "country")["accounts"].tolist()
    [2, 1]
    """
    check_function(statistic, "stats", STATISTICS)
    frame = require_records(frame)
    strata = divide(frame, column, min_records=min_records)
    tables = [_table_of(statistic, stratum.frame, options) for stratum in strata]
    labels = [stratum.label for stratum in strata]
    if not strata:
        tables = [_table_of(statistic, frame, options)]
        labels = [None]
    name = f"by_{column}" if column in tables[0] else column
    numbers = {
        "strata": sum(stratum.pooled or 1 for stratum in strata),
        "strata_in_other": sum(stratum.pooled for stratum in strata),
        "stratum_missing": sum(len(s.frame) for s in strata if s.label is None),
    }
    whole = None
    repeated = count_repeated(strata, frame)
    if repeated:
        numbers["in_several_strata"] = repeated
        whole = _table_of(statistic, frame, options)
    result = copy_strata_provenance(
        frame, tables, _joined(tables, labels, name), column, numbers=numbers, whole=whole
    )
    facts = provenance.get_provenance(result)["statistic"]
    return provenance.set_provenance(result, statistic=facts | {"by": column})


def _joined(
    tables: Sequence[pd.DataFrame], labels: Sequence[str | None], name: str
) -> pd.DataFrame:
    """Return the rows of all tables in the columns of the first, after one with the label of each."""
    parts: list[pd.DataFrame] = []
    for table, label in zip(tables, labels, strict=True):
        part = table.copy()
        part.insert(0, name, pd.Series(label, index=table.index, dtype="str"))
        parts.append(part)
    # Tables of a person's own function can differ in columns and dtypes.
    first = tables[0]
    with _refuse_half_pairs():
        result = pd.concat(parts, ignore_index=True)[[name, *first.columns]]
        return result.astype(first.dtypes.to_dict())


def _table_of(
    statistic: Callable[..., Any], frame: pd.DataFrame, options: Mapping[str, Any]
) -> pd.DataFrame:
    """Return what a statistic gives as a table."""
    result = statistic(frame, **options)
    with _refuse_half_pairs():
        if isinstance(result, pd.Series):
            return result.to_frame().T.infer_objects()
        if isinstance(result, pd.DataFrame):
            return result
        if pd.api.types.is_scalar(result):
            return pd.DataFrame({"value": [result]})
    raise InvalidInputError(
        f"The statistic returned a {type_name(result)}; it must return a frame, a Series or a value."
    )


@contextmanager
def _refuse_half_pairs() -> Iterator[None]:
    """Raise an error that shows the text of a statistic which has half a UTF-16 pair."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            f"The statistic returned half a UTF-16 pair, which is no text: {error.object!a}.",
            hint=REPLACE_HALF_PAIR,
        ) from error


def is_own(function: object, package: str, names: Sequence[str] | Mapping[str, object]) -> bool:
    """Return whether a function is a statistic of `dirframe.stats`, or a chart of `dirframe.plot`."""
    module = str(getattr(function, "__module__", ""))
    if _is_of_a_person(function) or not module.startswith(f"dirframe.{package}."):
        return False
    return getattr(function, "__name__", "") in names


def _is_of_a_person(function: object) -> bool:
    """Return whether a function was written outside of dirframe.

    functools.wraps gives a function the name and the module of another one, but not its globals.
    """
    names: Mapping[str, Any] = getattr(function, "__globals__", {})
    module = str(names.get("__name__") or getattr(function, "__module__", ""))
    return callable(function) and not module.startswith("dirframe.")


def check_function(function: object, package: str, names: Mapping[str, object]) -> None:
    """Raise unless a function is one of a package of dirframe with these names, or a person's own."""
    if not _is_of_a_person(function) and not is_own(function, package, names):
        raise InvalidInputError(
            f"Expected a function of dirframe.{package}, such as {package}.tags; got {function!r}.",
            hint="stats.by divides what a statistic counts, and plot.panels what a chart shows.",
        )


def copy_strata_provenance(
    frame: pd.DataFrame,
    tables: Sequence[pd.DataFrame],
    result: pd.DataFrame,
    column: str,
    *,
    numbers: Mapping[str, int],
    whole: pd.DataFrame | None,
) -> pd.DataFrame:
    """Give a result the provenance of the frame and of its statistic by stratum, and return it.

    `whole` is the statistic of the whole frame, for strata that share records.
    """
    step = f"by: {column}"
    records = [provenance.get_provenance(table) for table in tables]
    first = records[0]
    provenance.copy_provenance(frame, result, step, records=False)
    if not first["base"]:  # a person's own function
        counted = {"records": len(frame), **numbers}
        return provenance.set_provenance(result, counted=counted, statistic={"name": "by"})
    based_on = sum(record["base"]["records"] for record in records)
    if whole is not None:
        based_on = provenance.get_provenance(whole)["base"]["records"]
    return provenance.set_provenance(
        result,
        steps=[*first["steps"], step],
        resource=first["resource"],
        statistic=first["statistic"],
        counted={first["base"]["collection"]: len(frame), **numbers},
        interval=first["interval"],
        other_data=first["other_data"],
        base=first["base"] | {"records": based_on, "rows": len(result), "columns": list(result)},
    )


# Strata


def divide(
    frame: pd.DataFrame, column: str, *, min_records: int = 1, most: int | None = None
) -> list[Stratum]:
    """Divide a frame into strata, in order; small ones, and those beyond `most`, share the last."""
    least = whole_number("min_records", min_records, least=1, ending="for all strata")
    frame = require_records(frame)
    entries = _entries(frame, column)
    sizes = entries["label"].value_counts(sort=False, dropna=False)
    sizes = sizes[sizes > 0]
    kept = _kept(sizes, least, most)
    days = _reference_days(frame)
    strata: list[Stratum] = []
    for value in kept:
        label = None if pd.isna(value) else str(value)
        has_value = entries["label"].isna() if label is None else entries["label"] == value
        strata.append(Stratum(label, _part(frame, entries.loc[has_value, "record"], days)))
    pooled = len(sizes) - len(kept)
    if pooled:
        is_other = ~entries["label"].isin(kept)
        others = entries.loc[is_other, "record"].drop_duplicates().sort_values()
        one, several = _WORDS.get(column, ("group", "groups"))
        label = other_label(pooled, one if pooled == 1 else several)
        strata.append(Stratum(label, _part(frame, others, days), pooled))
    return strata


def _kept(sizes: pd.Series[int], least: int, most: int | None) -> pd.Index[Any]:
    """Return the labels of the strata that are not pooled, in their order."""
    large = sizes[sizes >= least]
    strata = len(large)
    if strata < len(sizes):
        strata += 1  # that of the others
    if most is not None and strata > most:
        # Of strata of equal size the first stay.
        largest = large.sort_values(ascending=False, kind="stable").index[: most - 1]
        large = large[large.index.isin(largest)]
    return large.index


def _part(frame: pd.DataFrame, positions: pd.Series[int], days: dict[str, str]) -> pd.DataFrame:
    """Return some records, which remember the reference days of the whole."""
    part: pd.DataFrame = frame.iloc[positions]
    provenance.add_domain(frame, part)
    return provenance.set_provenance(part, whole=days)


def _reference_days(frame: pd.DataFrame) -> dict[str, str]:
    """Return the days at which every stratum is judged, as far as the columns are there."""
    days: dict[str, Any] = {}
    for column in (CREATED, FIRST_MONTH):
        with suppress(InvalidInputError):  # another statistic may not need it
            days[column] = observed_until(frame, read(frame, [column])[column])
    with suppress(InvalidInputError):
        days[ACTIVITY_MONTH] = default_month(frame)
    return {name: day.isoformat() for name, day in days.items() if not pd.isna(day)}


def count_repeated(strata: Sequence[Stratum], frame: pd.DataFrame) -> int:
    """Return by how many records the strata exceed the frame: a record can be in several."""
    return sum(len(stratum.frame) for stratum in strata) - len(frame)


def _entries(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return a row for each record and each of its strata: ``record``, its position, ``label``.

    The labels are categories in the order of the strata.
    """
    if not isinstance(column, str):
        raise InvalidInputError(f"Expected the name of a column; got {column!r}.")
    if error := provenance.absent(frame, [column]):
        raise error
    if column in frame or column not in _BY_ENTRIES:
        labels = _labels(frame, column)
        return pd.DataFrame({"record": range(len(frame)), "label": labels.array})
    if column == "license":
        entries = license_entries(read(frame, [LICENSES])[LICENSES])
    elif column == "license_family":
        entries = family_entries(read(frame, [LICENSES])[LICENSES])
    else:
        entries = explode(read(frame, [TAGS])[TAGS], ["tag"])
    entries = entries[["record", column]].dropna().drop_duplicates()
    without = pd.RangeIndex(len(frame)).difference(pd.Index(entries["record"]))
    rows = pd.concat([entries, pd.DataFrame({"record": without})], ignore_index=True)
    rows = rows.sort_values("record", kind="stable", ignore_index=True)
    if column == "license_family":  # its order is given
        label = rows[column].astype(entries[column].dtype)
    else:
        label = _most_first(rows[column].astype("str"))
    return pd.DataFrame({"record": rows["record"].astype("int64"), "label": label})


def _labels(frame: pd.DataFrame, column: str) -> pd.Series[Any]:
    """Return the text by which each record is divided, as categories in the order of the strata."""
    if column in frame:
        return _of_column(frame[column])
    if column == "language":
        return _most_first(read(frame, [LANGUAGE])[LANGUAGE])
    if column == "country":
        return _most_first(read(frame, [COUNTRY])[COUNTRY])
    if column == "age":
        return _ascending(ages(frame))
    if column == "team_size":
        people = read(frame, [CONTRIBUTORS])[CONTRIBUTORS].astype("Float64")
        bins = pd.cut(people, [*SIZES, float("inf")], right=False)
        return bins.cat.rename_categories(size_names(SIZES)).cat.remove_unused_categories()
    if column == "year":
        try:
            began = read(frame, [FIRST_MONTH])[FIRST_MONTH]
        except (ColumnsNotSentError, MissingColumnsError):
            began = read(frame, [CREATED])[CREATED]
        return _ascending(began.dt.year)
    raise MissingColumnsError(
        f"The stratum {column!r} is neither a column of the frame nor one of {', '.join(DERIVED)}.",
        columns=[column],
    )


def _of_column(values: pd.Series[Any]) -> pd.Series[Any]:
    kind = pd.api.types.infer_dtype(values, skipna=True)
    if kind == "integer" or _are_whole(values, kind):
        return _ascending(values)
    if kind in {"string", "categorical", "empty"}:
        return _most_first(as_text(values))
    hint = "Convert it first, such as with frame.astype('str')."
    if values.name in _ENTRIES_OF:
        hint = f"Divide by their entries: {_ENTRIES_OF[str(values.name)]!r}."
    raise InvalidInputError(
        f"The column {values.name!r} holds neither text nor whole numbers to divide by.", hint=hint
    )


def _are_whole(values: pd.Series[Any], kind: str) -> bool:
    """Return whether numbers are whole: pandas makes floats of them where one is missing."""
    return kind == "floating" and bool((values.dropna() % 1 == 0).all())


def _most_first(texts: pd.Series[Any]) -> pd.Series[Any]:
    names = as_names(texts)
    sizes = names.value_counts(sort=False).sort_index()
    order = sizes.sort_values(ascending=False, kind="stable")
    return names.cat.reorder_categories(list(order.index))


def _ascending(numbers: pd.Series[Any]) -> pd.Series[Any]:
    whole = numbers.astype("Int64")
    order = pd.Index(sorted(whole.dropna().unique()), dtype="str")
    return whole.astype("str").astype(pd.CategoricalDtype(order))
