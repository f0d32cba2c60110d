"""Repeated elements as tidy tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

import dirframe
from dirframe import provenance
from dirframe.client.frames.child_tables import entry_columns
from dirframe.errors import InvalidInputError
from dirframe.schema import ACCOUNT, PROJECT, Kind
from tests.client.frames.test_builder import build, project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LANGUAGES = (
    '<analysis><languages graph_url="u">'
    '<language color="00f" id="7" percentage="98"> C </language>'
    '<language color="0" id="" percentage="&lt;1">Other</language>'
    "</languages></analysis>"
)


def test_tags_become_a_row_each_with_the_projects_id() -> None:
    frame = build([project(1, "<tags><tag>a</tag><tag>b</tag></tags>"), project(2), project(3)])
    table = dirframe.child_table(frame, "tags")
    assert table.to_dict("list") == {"project_id": ["1", "1"], "tag": ["a", "b"]}


@pytest.mark.parametrize("name", ["languages", "analysis_languages"])
def test_languages_have_typed_columns(name: str) -> None:
    table = dirframe.child_table(build([project(1, LANGUAGES)]), name)
    assert table["language"].tolist() == ["C", "Other"]
    assert table["percentage"].tolist() == [98.0, 0.5]
    assert table["percentage"].dtype == "Float64"
    assert table["id"].isna().tolist() == [False, True]


def test_the_entries_are_no_records_though_they_have_ids() -> None:
    frame = build([project(1, LANGUAGES), project(2)])
    provenance.set_provenance(frame, resource="project", complete=True)
    table = dirframe.child_table(frame, "languages")
    assert "id" in table
    assert provenance.get_provenance(table)["records"]["rows"] == 2


@pytest.mark.parametrize("resource", [ACCOUNT, PROJECT], ids=lambda r: r.name)
def test_every_table_has_the_same_columns_for_no_record(resource: object) -> None:
    assert resource in (ACCOUNT, PROJECT)
    known = ACCOUNT if resource is ACCOUNT else PROJECT
    for field in known.fields:
        if field.kind is not Kind.ITEMS:
            continue
        assert field.items is not None
        table = dirframe.child_table(build([], known), field.path[-1])
        assert list(table) == [f"{known.name}_id", *(one.column for one in field.items.fields)]
        assert len(table) == 0
        assert table.dtypes.iloc[0] == "str"


def test_what_else_an_entry_had_and_what_could_not_be_read_is_kept() -> None:
    frame = build(
        [
            project(
                1,
                "<links><link><title>t</title><new>n</new></link>bad</links>"
                '<analysis><languages><language percentage="lots">C</language></languages>'
                "</analysis>",
            )
        ]
    )
    assert dirframe.child_table(frame, "links")["new"].tolist() == ["n"]
    languages = dirframe.child_table(frame, "languages")
    assert languages["percentage"].isna().all()
    assert languages["percentage_unreadable"].tolist() == ["lots"]


def test_entries_of_different_form_stand_in_one_table() -> None:
    frame = build(
        [
            project(1, "<licenses><license>MIT</license></licenses>"),
            project(2, "<licenses><license><name>gpl</name></license></licenses>"),
        ]
    )
    table = dirframe.child_table(frame, "licenses")
    assert table["project_id"].tolist() == ["1", "2"]
    assert table["name"].dropna().tolist() == ["gpl"]
    assert table["license"].dropna().tolist() == ["MIT"]


def test_what_an_entry_calls_its_project_does_not_replace_the_id_of_the_parent() -> None:
    frame = build(
        [
            project(1, "<links><link><project_id>9</project_id></link></links>"),
            project(2, "<links><link><title>t</title></link></links>"),
        ]
    )
    table = dirframe.child_table(frame, "links")
    assert table["project_id"].tolist() == ["1", "2"]
    assert table["project_id_"].tolist()[0] == "9"
    same = build([project(1, "<links><link><project_id>1</project_id></link></links>")])
    assert dirframe.child_table(same, "links")["project_id"].tolist() == ["1"]
    assert "project_id_" not in dirframe.child_table(same, "links")


def test_texts_as_categories_are_those_of_the_column() -> None:
    lists = pd.Series([["a", None, " b "], ["b", "  ", "a"]])
    field = PROJECT.by_column["tags"]
    _, plain = entry_columns(lists, field, PROJECT)
    _, encoded = entry_columns(lists, field, PROJECT, categories=True)
    told = pd.Series(encoded["tag"]).astype("str")
    pd.testing.assert_series_equal(told, pd.Series(plain["tag"]))


def test_lists_are_read_whatever_they_were_made_to(tmp_path: Path) -> None:
    tags = "<tags><tag>a</tag><tag>b</tag></tags>"
    frame = build([project(1, tags + LANGUAGES), project(2), project(3, tags)])
    file = dirframe.export(frame, tmp_path / "projects.csv")
    forms = {
        "JSON": pd.read_csv(file, dtype={"id": "str"}),
        "tuples": frame.assign(tags=frame["tags"].map(tuple, na_action="ignore")),
        "arrays": frame.assign(tags=frame["tags"].map(np.array, na_action="ignore")),
    }
    for form, other in forms.items():
        for name in ("tags", "languages"):
            expected, found = (dirframe.child_table(one, name) for one in (frame, other))
            pd.testing.assert_frame_equal(found, expected, obj=f"{name} of {form}")
        assert dirframe.stats.tags(other)["projects"].tolist() == [2, 2]
        assert len(dirframe.select(other, tags="a")) == 2


@pytest.mark.parametrize(
    ("convert", "found"),
    [(set, "a set"), (frozenset, "a frozenset"), (str, "text"), (len, "a float")],
    ids=["set", "frozenset", "text", "number"],
)
def test_what_is_no_list_is_refused_instead_of_missing(
    convert: Callable[[list[str]], object], found: str
) -> None:
    frame = build([project(1, "<tags><tag>a</tag></tags>"), project(2)])
    other = frame.assign(tags=frame["tags"].map(convert, na_action="ignore"))
    uses: list[Callable[[], object]] = [
        lambda: dirframe.child_table(other, "tags"),
        lambda: dirframe.stats.tags(other),
        lambda: dirframe.select(other, tags="a"),
    ]
    for use in uses:
        with pytest.raises(InvalidInputError, match=f"tags must hold lists.* it holds {found}"):
            use()


def test_other_engines_and_repeated_columns_are_refused() -> None:
    frame = build([project(1)])
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is an extra")
    with pytest.raises(InvalidInputError, match=r"got a duckdb\.DuckDBPyRelation"):
        dirframe.child_table(duckdb.sql("SELECT 1 AS id"), "tags")
    twice = pd.concat([frame, frame[["name"]]], axis=1)
    with pytest.raises(InvalidInputError, match=r"several columns of one name \(name\)"):
        dirframe.child_table(twice, "tags")


def test_an_unknown_table_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match="tags"):
        dirframe.child_table(build([]), "people")


def test_a_frame_without_ids_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="'id'"):
        dirframe.child_table(build([project(1)]).drop(columns="id"), "tags")


def test_the_provenance_goes_along() -> None:
    frame = build([project(1, LANGUAGES)])
    provenance.set_provenance(frame, source="A directory", resource="project")
    facts = provenance.get_provenance(dirframe.child_table(frame, "languages"))
    assert facts["source"] == "A directory"
    assert facts["steps"] == ["child_table languages"]


def test_a_frame_that_went_through_parquet_gives_the_same_tables(tmp_path: Path) -> None:
    frame = build([project(1, LANGUAGES + "<tags><tag>a</tag></tags>"), project(2)])
    frame.to_parquet(tmp_path / "f.parquet")
    back = pd.read_parquet(tmp_path / "f.parquet")
    for name in ("languages", "tags"):
        one, other = dirframe.child_table(frame, name), dirframe.child_table(back, name)
        pd.testing.assert_frame_equal(one, other)


def test_the_real_pages_have_their_languages_and_tags(shared: Path) -> None:
    frame = dirframe.read_pages(shared / "real" / "pages")
    languages = dirframe.child_table(frame, "languages")
    assert languages["percentage"].notna().all()
    assert set(languages["project_id"]) <= set(frame["id"])
    assert dirframe.child_table(frame, "tags")["tag"].notna().all()


def test_the_entries_of_an_extension_have_its_own_key_and_lists_that_it_does_not_name() -> None:
    lists = pd.Series(
        [[{"deep": ["a", ["b"]], "name": "x", "contributor_id": "7"}], None], dtype="object"
    )
    frame = pd.DataFrame({"contributor_id": ["7", "8"], "prizes": lists})
    provenance.set_provenance(frame, source="D", resource="contributor_fact")
    table = dirframe.child_table(frame, "prizes")
    assert list(table) == ["contributor_id", "deep", "name"]  # the key once
    assert table["contributor_id"].tolist() == ["7"]
    assert table["deep"].tolist() == [["a", ["b"]]]  # as it came
    assert table["name"].tolist() == ["x"]  # what follows is read
    with pytest.raises(InvalidInputError, match="prizes"):
        dirframe.child_table(frame, "medals")


def test_fields_that_the_schema_does_not_list_are_text_but_in_extensions_what_they_look_like() -> (
    None
):
    entries = pd.Series(
        [[{"title": "x", "rank": "7"}, {"title": "y", "rank": None}]], dtype="object"
    )
    known = pd.DataFrame({"id": ["1"], "links": entries})
    ranks = dirframe.child_table(known, "links")["rank"]
    assert ranks.dtype == "str"
    assert ranks.tolist()[0] == "7"
    own = pd.DataFrame({"contributor_id": ["1"], "prizes": entries})
    provenance.set_provenance(own, source="D", resource="contributor_fact")
    ranks = dirframe.child_table(own, "prizes")["rank"]
    assert ranks.dtype == "Int64"
    assert ranks.tolist()[0] == 7
