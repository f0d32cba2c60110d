"""A column of lists does what a column of Python lists does, in less memory."""

from __future__ import annotations

import copy
import io
import pickle
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dirframe.client.frames.lists import ListArray, ListDtype

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TAGS = [["c", "web"], None, ["c"], ["xml", None], None, ["web", "c", "xml"]]
LICENSES = [[{"name": "gpl", "nice_name": "GPL"}], None, None, [{"name": "mit"}], [None], None]


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": list("abcdef"),
            "language": ["C", "C", "Java", None, "Java", "C"],
            "tags": pd.Series(TAGS, dtype=ListDtype()),
            "licenses": pd.Series(LICENSES, dtype=ListDtype()),
        }
    )


def of_python_lists(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(
        tags=frame["tags"].astype(object), licenses=frame["licenses"].astype(object)
    )


def replaced(frame: pd.DataFrame, at: Any, value: Any) -> pd.DataFrame:
    changed = frame.copy()
    changed.loc[at, "tags"] = value
    return changed


def put(frame: pd.DataFrame, value: Any) -> pd.DataFrame:
    changed = frame.copy()
    changed.at[1, "tags"] = value  # noqa: PD008  # .loc takes no list for one cell
    return changed


def by_duckdb(frame: pd.DataFrame) -> list[Any]:
    return duckdb.connect().from_df(frame).select("tags, licenses").fetchall()


IDIOMS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "one": lambda f: f.loc[3, "licenses"],
    "last": lambda f: f["tags"].iloc[-1],
    "a record": lambda f: f.iloc[0],
    "some": lambda f: f.iloc[[3, 1, -1]],
    "a mask": lambda f: f[f["language"] == "C"],
    "backwards": lambda f: f[4:1:-2],
    "none": lambda f: f.iloc[:0],
    "present": lambda f: f[f["tags"].notna()],
    "dropna": lambda f: f.dropna(subset=["tags"]),
    "count": lambda f: f.count(),
    "len": lambda f: f["tags"].map(len, na_action="ignore"),
    "map": lambda f: f["tags"].map(lambda tags: tags and tags[0]),
    "apply": lambda f: f.apply(lambda row: len(row["tags"] or []), axis=1),
    "str.len": lambda f: f["tags"].str.len(),
    "str.join": lambda f: f["tags"].head(3).str.join(", "),
    "str[0]": lambda f: f["licenses"].str[0].str.get("name"),
    "str[:1]": lambda f: f["tags"].str[:1],
    "explode": lambda f: f.explode("tags"),
    "explode both": lambda f: f.explode("tags", ignore_index=True).explode("licenses"),
    "value_counts": lambda f: f["tags"].explode().value_counts(),
    "json_normalize": lambda f: pd.json_normalize(f["licenses"].explode().dropna().tolist()),
    "sort": lambda f: f.sort_values("language"),
    "reindex": lambda f: f.reindex([5, 9, 0]),
    "shift": lambda f: f["tags"].shift(2),
    "where": lambda f: f["tags"].where(f["language"] == "C"),
    "ffill": lambda f: f["tags"].ffill(),
    "combine_first": lambda f: f["tags"].combine_first(f["tags"].shift()),
    "concat": lambda f: pd.concat([f, f], ignore_index=True),
    "concat of texts and records": lambda f: pd.concat([f["tags"], f["licenses"]]),
    "concat with Python lists": lambda f: pd.concat([f, of_python_lists(f)]),
    "concat without the column": lambda f: pd.concat([f, f[["id"]]]),
    "merge": lambda f: f[["id", "tags"]].merge(f[["id", "licenses"]].head(2), "left", on="id"),
    "groupby": lambda f: f.groupby("language")["tags"].agg(list),
    "groupby first": lambda f: f.groupby("language").first(),
    "groupby count": lambda f: f.groupby("language").count(),
    "groupby apply": lambda f: f.groupby("language")["tags"].apply(lambda s: s.str.len().sum()),
    "unstack": lambda f: f.set_index(["id", "language"])["tags"].unstack(),  # noqa: PD010  # nothing is summed up
    "melt": lambda f: f.melt("id", ["tags", "licenses"]),
    "transpose": lambda f: f.T,
    "to_dict": lambda f: f.to_dict("records"),
    "to_json": lambda f: f.to_json(orient="records"),
    "to_csv": lambda f: f.to_csv(),
    "tuples": lambda f: list(f.itertuples()),
    "rows": lambda f: [row.tolist() for _, row in f.iterrows()],
    "numpy": lambda f: f.to_numpy(),
    "astype(str)": lambda f: f["tags"].astype(str),
    "pickle": lambda f: pickle.loads(pickle.dumps(f)),
    "deepcopy": copy.deepcopy,
    "info": lambda f: f.info(buf=io.StringIO()),
    "describe": lambda f: f[["id", "language"]].describe(),
    "arrow": lambda f: pa.Table.from_pandas(f).to_pylist(),
    "polars": lambda f: pl.from_pandas(f).to_dicts(),
    "duckdb": by_duckdb,
    "equal": lambda f: f["tags"] == f["tags"],
    "equals": lambda f: f.equals(f.copy()),
    "isin": lambda f: f["tags"].isin([None]),
    "replace": lambda f: f.replace("C", "C++"),
    "append": lambda f: pd.concat([f, f.iloc[[0]]]).reset_index(drop=True),
    "sort by length": lambda f: f.sort_values("tags", key=lambda tags: tags.str.len()),
    "fill": lambda f: f["tags"].fillna(f["tags"].shift(-1)),
    "dummies": lambda f: f["tags"].head(3).str.join("|").str.get_dummies(),
    "resample": lambda f: f.set_index(pd.date_range("2026", periods=6)).resample("2D").first(),
    "dtypes": lambda f: list(f.columns[f.dtypes == "object"]),
    "sum": lambda f: f["tags"].dropna().sum(),
    "max": lambda f: f["tags"].head(3).max(),
    "sum of a frame": lambda f: f[["tags"]].dropna().sum(),
    "add": lambda f: f["tags"].head(1) + f["licenses"].head(1),
    "add a list of Python's": lambda f: f["tags"].head(1) + pd.Series([["new"]]),
    "add to a list of Python's": lambda f: pd.Series([["new"]]) + f["tags"].head(1),
    "set": lambda f: put(f, ["new"]),
    "set some": lambda f: replaced(f, [0, 4], f["tags"].iloc[[2, 5]].to_numpy()),
    "set one of all": lambda f: replaced(f, 5, None),
    "set none": lambda f: replaced(f, f["language"] == "C", None),
}


def plain(value: Any) -> Any:
    """Return values without pandas and numpy; missing ones alike."""
    if isinstance(value, pd.DataFrame):
        return {str(name): plain(column) for name, column in value.items()}
    if isinstance(value, pd.Series):
        return list(map(str, value.index)), plain(value.tolist())
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return list(map(plain, value))
    if isinstance(value, dict):
        return {name: plain(inside) for name, inside in value.items()}
    return None if pd.isna(value) else value


@pytest.mark.parametrize("idiom", IDIOMS.values(), ids=list(IDIOMS))
def test_what_one_does_with_lists_gives_what_it_gives_of_python_lists(
    frame: pd.DataFrame, idiom: Callable[[pd.DataFrame], Any]
) -> None:
    assert plain(idiom(frame)) == plain(idiom(of_python_lists(frame)))


@pytest.mark.parametrize(
    "idiom",
    [
        lambda f: f["tags"].map(len).sum(),
        lambda f: f["tags"].str.len().tolist(),
        lambda f: f.explode("tags"),
        lambda f: pd.concat([f, f]),
        lambda f: f.merge(f, on="id"),
        lambda f: f.to_dict("records"),
        lambda f: f.groupby("language").count(),
    ],
)
def test_so_it_does_without_records(
    frame: pd.DataFrame, idiom: Callable[[pd.DataFrame], Any]
) -> None:
    empty = frame.iloc[:0]
    assert plain(idiom(empty)) == plain(idiom(of_python_lists(empty)))


def test_other_libraries_do_not_take_it_for_text(frame: pd.DataFrame) -> None:
    assert pd.api.types.infer_dtype(frame["tags"]) != "string"


def test_nothing_that_was_done_changed_the_frame(frame: pd.DataFrame) -> None:
    put(frame, ["new"])
    replaced(frame, slice(None), None)
    for looked_at in (frame["tags"].tolist()[0], frame["tags"].iloc[2:].array[0]):
        looked_at.append("new")
    assert frame["tags"].tolist() == TAGS
    assert frame["licenses"].tolist() == LICENSES


def test_what_is_put_into_a_column_is_in_it_alone(frame: pd.DataFrame) -> None:
    changed = put(frame, ["new", "c"])
    assert changed["tags"].tolist() == [TAGS[0], ["new", "c"], *TAGS[2:]]
    assert isinstance(changed["tags"].dtype, ListDtype)


@pytest.mark.parametrize("value", ["a text", 7, [{"name": "C"}], ["C", {"name": "C"}]])
def test_a_column_of_lists_takes_nothing_else_and_says_what_to_do(
    frame: pd.DataFrame, value: Any
) -> None:
    with pytest.raises(TypeError, match=r"astype\(object\)"):
        put(frame, value)


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_pandas_alone_reads_a_file_of_it(frame: pd.DataFrame, tmp_path: Path, suffix: str) -> None:
    files = []
    for number, lists in enumerate((frame, of_python_lists(frame))):
        files.append(tmp_path / f"{number}.{suffix}")
        getattr(lists, f"to_{suffix}")(files[-1])
    ours, others = (getattr(pd, f"read_{suffix}")(file) for file in files)
    assert plain(ours) == plain(others)
    assert str(ours["tags"].dtype) == "object"


def test_a_missing_record_is_filled_in_as_among_python_lists(frame: pd.DataFrame) -> None:
    for name, value in (("tags", ["x", "y"]), ("tags", []), ("licenses", [{"name": "mit"}])):
        ours, others = (
            lists[name].reindex([0, 99, 1], fill_value=value)  # type: ignore[arg-type]  # pandas-stubs know no lists
            for lists in (frame, of_python_lists(frame))
        )
        assert plain(ours.to_frame()) == plain(others.to_frame())
    with pytest.raises(TypeError, match=r"astype\(object\)"):
        frame["tags"].reindex([0, 99], fill_value="x")


def test_a_position_that_is_not_there_is_an_error(frame: pd.DataFrame) -> None:
    lists = frame["tags"].array
    for position in (6, -7):
        with pytest.raises(IndexError, match="out of bounds"):
            lists[position]
        with pytest.raises(IndexError, match="out of bounds"):
            lists.take([position])
    with pytest.raises(ValueError, match="below -1"):
        lists.take([-2], allow_fill=True)


def test_lists_of_many_equal_texts_take_a_tenth_of_the_memory_of_python_lists() -> None:
    lists = [[{"language": name, "percentage": "50"} for name in ("C", "Java")]] * 1_000
    column = pd.Series(lists, dtype=ListDtype())
    of_python = column.astype(object)
    entries = sum(entry.__sizeof__() for value in of_python for entry in value)
    assert isinstance(column.array, ListArray)
    assert column.memory_usage(index=False, deep=True) * 10 < entries
