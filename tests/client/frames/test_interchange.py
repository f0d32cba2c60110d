"""Frames of pandas, Polars and Arrow hold the same records and provenance, and are taken alike."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dirframe
from dirframe import InvalidInputError, MissingExtraError, cite, convert_frame, stats
from dirframe.client.frames import interchange
from dirframe.provenance import (
    attributes_of,
    caption,
    copy_provenance,
    difference,
    get_provenance,
    set_provenance,
)
from dirframe.reports.inputs import collect_inputs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dirframe.client.directory import Directory

Kind = Literal["polars", "arrow"]

pl = pytest.importorskip("polars", reason="polars is for those who have it")

each_kind = pytest.mark.parametrize("kind", ["polars", "arrow"])


@pytest.fixture(scope="module")
def directory() -> Iterator[Directory]:
    with dirframe.sample_directory() as opened:
        yield opened


@pytest.fixture(scope="module")
def projects(directory: Directory) -> pd.DataFrame:
    return directory.projects(max_items=75, progress=False)


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[[name for name in frame if frame[name].dtype != object]]


@each_kind
def test_a_loader_returns_what_was_asked_for_with_the_same_records(
    kind: Kind, directory: Directory, projects: pd.DataFrame
) -> None:
    loaded: Any = directory.projects(max_items=75, progress=False, frame=kind)
    assert type(loaded) is {"polars": pl.DataFrame, "arrow": pa.Table}[kind]
    columns = loaded.columns if kind == "polars" else loaded.column_names
    assert columns == list(projects)
    back = convert_frame(loaded, "pandas")
    pd.testing.assert_frame_equal(plain(back), plain(projects))
    assert back["tags"].dropna().map(list).tolist() == projects["tags"].dropna().tolist()
    # The requests differ: the second load came from the cache.
    record = get_provenance(loaded) | {"requests_made": 0, "requests_cached": 0}
    assert record == get_provenance(projects) | {"requests_made": 0, "requests_cached": 0}
    asked: Any = {"path": "/languages.xml", "directory": directory, "progress": False}
    assert cite(dirframe.load(frame=kind, **asked)) == cite(dirframe.load(**asked))


@each_kind
def test_citation_caption_and_statistics_are_those_of_the_pandas_frame(
    kind: Kind, projects: pd.DataFrame
) -> None:
    converted: Any = convert_frame(projects, kind)
    assert cite(converted) == cite(projects)
    assert caption(converted) == caption(projects)
    assert difference(converted) is None
    found, expected = stats.language_share(converted), stats.language_share(projects)
    pd.testing.assert_frame_equal(found, expected)
    assert found.attrs == expected.attrs
    result: Any = convert_frame(expected, kind)
    assert caption(result) == caption(expected)


@each_kind
def test_a_part_is_told_from_the_whole_by_its_ids(kind: Kind, projects: pd.DataFrame) -> None:
    converted: Any = convert_frame(projects, kind)
    part = copy_provenance(converted, converted.slice(0, 10), "head")
    assert str(difference(part)) == "10 of 75 records loaded"
    assert get_provenance(part)["steps"] == ["head"]
    both = (
        pl.concat([converted, converted]) if kind == "polars" else pa.concat_tables([converted] * 2)
    )
    assert str(difference(copy_provenance(converted, both))) == "75 with a repeated id"


def test_a_frame_derived_with_polars_is_not_cited_but_the_way_is_named(
    projects: pd.DataFrame,
) -> None:
    converted = convert_frame(projects, "polars")
    derived = converted.filter(pl.col("stack_count") > 1)
    assert attributes_of(derived) == {}
    with pytest.raises(InvalidInputError, match="copy_provenance"):
        cite(derived)
    assert f"{len(derived)} of 75 records loaded" in cite(copy_provenance(converted, derived))


def test_arrow_keeps_the_provenance_through_its_own_operations_and_parquet(
    projects: pd.DataFrame, tmp_path: Path
) -> None:
    table = convert_frame(projects, "arrow")
    pq.write_table(table.select(["id", "name"]).slice(0, 5), tmp_path / "part.parquet")
    read = pq.read_table(tmp_path / "part.parquet")
    assert "5 of 75 records loaded" in cite(read)
    bare = set_provenance(pa.table({"id": ["1"]}), source="A directory", items_loaded=1)
    assert get_provenance(bare)["ids"]
    assert bare.to_pandas().attrs["dirframe"]["source"] == "A directory"


def test_a_list_whose_entries_differ_becomes_json(projects: pd.DataFrame) -> None:
    mixed = projects.head(2).assign(tags=pd.Series([["a", {"b": 1}], None], dtype="object"))
    mixed.attrs["mine"] = object()  # others are left behind
    assert convert_frame(mixed, "arrow")["tags"].to_pylist() == ['["a", {"b": 1}]', None]


def test_lists_beside_missing_values_stay_lists_where_others_become_json() -> None:
    lists = pd.Series([["a"], float("nan")], dtype="object")
    mixed = pd.Series([["a", {"b": 1}], None], dtype="object")
    table = convert_frame(pd.DataFrame({"lists": lists, "mixed": mixed}), "arrow")
    assert table["lists"].to_pylist() == [["a"], None]
    assert table["mixed"].to_pylist() == ['["a", {"b": 1}]', None]


def test_an_unknown_kind_or_a_missing_library_is_named_before_any_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with dirframe.sample_directory(cache=False) as directory:
        with pytest.raises(InvalidInputError, match="'pandas', 'polars', 'arrow'"):
            directory.projects(frame="spark")  # type: ignore[call-overload]  # as a person may write
        monkeypatch.setattr(interchange, "find_spec", lambda _: None)
        with pytest.raises(MissingExtraError, match=r"dirframe\[polars\]"):
            directory.projects(frame="polars")
        assert directory.quota().used == 0


@pytest.mark.parametrize("kind", ["polars", "arrow"])
def test_what_only_pandas_holds_is_refused_instead_of_lost(
    kind: Literal["polars", "arrow"], projects: pd.DataFrame
) -> None:
    with pytest.raises(InvalidInputError, match=r"index \(id\) would be lost.*reset_index"):
        convert_frame(projects.set_index("id"), kind)
    two = pd.concat([projects[["id"]], projects[["id"]]], axis=1)
    with pytest.raises(InvalidInputError, match=r"several columns of one name \(.*Rename them"):
        convert_frame(two, kind)
    part = projects[projects["stack_count"] > 1]  # its index has gaps, and no name
    assert len(convert_frame(part, kind)) == len(part)


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="got a list"):
        convert_frame([1], "arrow")


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    with dirframe.sample_directory() as directory:
        return {
            "accounts": directory.accounts(max_items=50),
            "projects": directory.projects(max_items=25),
        }


def test_a_table_of_arrow_is_exported_cited_cleaned_and_taken_by_a_report_as_the_frame_is(
    frames: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    projects, accounts = frames["projects"], frames["accounts"]
    table, people = (pa.Table.from_pandas(frame) for frame in (projects, accounts))
    assert dirframe.cite(table) == dirframe.cite(projects)
    cleaned = dirframe.unify_countries(people)
    pd.testing.assert_frame_equal(cleaned, dirframe.unify_countries(accounts))
    assert dirframe.country_note(pa.Table.from_pandas(cleaned)) == dirframe.country_note(cleaned)
    pd.testing.assert_frame_equal(dirframe.country_audit(people), dirframe.country_audit(accounts))
    pd.testing.assert_frame_equal(
        dirframe.child_table(table, "licenses"), dirframe.child_table(projects, "licenses")
    )
    pd.testing.assert_frame_equal(
        dirframe.sensitivity(dirframe.stats.activity, table),
        dirframe.sensitivity(dirframe.stats.activity, projects),
    )
    for name, source in (("arrow", table), ("pandas", projects)):
        dirframe.export(source, tmp_path / f"{name}.csv")
    assert (tmp_path / "arrow.csv").read_bytes() == (tmp_path / "pandas.csv").read_bytes()
    pd.testing.assert_frame_equal(collect_inputs(table, None).frames["projects"], projects)


def test_a_frame_of_polars_gives_the_records_and_says_that_it_has_no_source(
    frames: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    projects = frames["projects"]
    frame = pl.from_arrow(pa.Table.from_pandas(projects))
    file = dirframe.export(frame, tmp_path / "projects.parquet")
    columns = list(projects.columns)
    pd.testing.assert_frame_equal(
        dirframe.child_table(dirframe.read_export(file), "licenses"),
        dirframe.child_table(projects, "licenses"),
    )
    assert list(dirframe.read_export(file)) == columns
    assert len(dirframe.unify_countries(pl.DataFrame({"country_code": ["DE"]}))) == 1
    with pytest.raises(InvalidInputError, match="derived with Polars"):
        dirframe.cite(frame)


def test_decimals_are_whole_numbers_where_they_have_no_fraction() -> None:
    numbers = [Decimal(1), None]
    table = pa.table(
        {
            "whole": pa.array(numbers, pa.decimal128(9, 0)),
            "number": pa.array(numbers, pa.decimal128(9, 2)),
        }
    )
    assert list(convert_frame(table, "pandas").dtypes) == [pd.Int64Dtype(), pd.Float64Dtype()]
