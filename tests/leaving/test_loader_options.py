"""Options of loaders and what belongs to them: one test each, that the main thing works."""

import sys
from datetime import datetime
from typing import get_args, get_type_hints

import pandas as pd
import pyarrow as pa
import pytest

import dirframe
from dirframe.errors import (
    AnalysesNotSentWarning,
    IncompleteCollectionError,
    InvalidInputError,
    MissingExtraError,
)
from tests.rig.server import Rig, numbered
from tests.rig.today import Today


@pytest.fixture
def rig():
    with Rig(55).in_process() as opened:
        yield opened


def test_columns_are_those_of_the_whole_frame(rig, sample):
    every = dirframe.load_projects(sample, max_items=60, progress=False)
    for columns in (["stack_count"], ["tags", "name"], ["analysis_total_code_lines"], ["id"]):
        few = dirframe.load_projects(sample, max_items=60, columns=columns, progress=False)
        expected = every[[*dict.fromkeys(["id", *columns])]]
        pd.testing.assert_frame_equal(few[list(expected)], expected, check_flags=False)
        assert {*few} == {*expected}
    with rig.directory() as directory:
        for wrong in (["stars"], "name", [1]):
            with pytest.raises(InvalidInputError):
                dirframe.load_projects(directory, columns=wrong, progress=False)
        assert rig.requests == []
    with Today(24).in_process() as today, today.directory() as directory:
        options = {"sort": "project_name", "progress": False, "details": True}
        dirframe.load_projects(directory, columns=["name"], **options)
        assert len(today.requests) == 4  # a redirect and three pages: no own page is needed
        frame = dirframe.load_projects(directory, columns=["analysis__id"], **options)
        assert frame["analysis__id"].tolist() == frame["id"].tolist()


def test_frame_and_convert_frame_keep_records_and_provenance(sample, monkeypatch):
    projects = dirframe.load_projects(sample, max_items=50, progress=False)
    loaded = dirframe.load_projects(sample, max_items=50, progress=False, frame="arrow")
    assert isinstance(loaded, pa.Table)
    for table in (loaded, dirframe.convert_frame(projects, "arrow")):
        assert dirframe.cite(table) == dirframe.cite(projects)
        back = dirframe.convert_frame(table, "pandas")
        assert back.dtypes.astype(str).to_dict() == projects.dtypes.astype(str).to_dict()
        pd.testing.assert_frame_equal(back, projects, check_flags=False)
    mixed = projects.head(2).assign(tags=pd.Series([["a", {"b": 1}], None], dtype="object"))
    mixed.attrs["mine"] = object()  # others are left behind
    assert dirframe.convert_frame(mixed, "arrow")["tags"].to_pylist() == ['["a", {"b": 1}]', None]
    lists = pd.DataFrame(
        {"lists": pd.Series([["a"], float("nan")], dtype="object"), "x": mixed["tags"]}
    )
    assert dirframe.convert_frame(lists, "arrow")["lists"].to_pylist() == [["a"], None]
    part = projects[projects["stack_count"] > 1]  # its index has gaps, and no name
    assert len(dirframe.convert_frame(part, "arrow")) == len(part)
    two = pd.concat([projects[["id"]], projects[["id"]]], axis=1)
    for wrong in (projects.set_index("id"), two, [1]):
        with pytest.raises(InvalidInputError):
            dirframe.convert_frame(wrong, "arrow")
    with pytest.raises(InvalidInputError, match="spark"):
        dirframe.load_projects(sample, frame="spark")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError) as caught:
        dirframe.load_projects(sample, frame="polars")
    assert caught.value.package == "polars"
    assert len(dirframe.convert_frame(projects, "arrow")) == 50


def test_iterators_give_the_records_of_the_loader(rig):
    with rig.directory() as directory:
        records = list(dirframe.iter_projects(directory, max_items=33, progress=False))
        assert [one["id"] for one in records] == numbered(33)
        frame = dirframe.load_projects(directory, max_items=33, progress=False)
        assert [one["name"] for one in records] == frame["name"].tolist()
        assert rig.pages == [1, 2, 3, 4] * 2
        some = dirframe.iter_projects(directory, columns=["stack_count"], progress=False)
        assert next(some) == {"id": "1", "stack_count": None}
        some.close()
        with pytest.raises(InvalidInputError):
            dirframe.iter_accounts(directory, max_items=0)
        rig.edits[3] = lambda ids: ids[1:]
        found = []
        with pytest.raises(IncompleteCollectionError):
            found.extend(dirframe.iter_projects(directory, progress=False))
        assert len({one["id"] for one in found}) == len(found) == 54
    with Today(24).in_process() as today, today.directory() as directory:
        options = {"sort": "project_name", "progress": False}
        records = list(dirframe.iter_projects(directory, details=True, **options))
        frame = dirframe.load_projects(directory, details=True, **options)
        assert [one["id"] for one in records] == frame["id"].tolist()
        assert {one["analysis_total_code_lines"] for one in records} == {1000}
        with pytest.warns(AnalysesNotSentWarning) as warned:
            list(dirframe.iter_projects(directory, **options))
        assert warned[0].message.requests == 24
        today.whole, today.bare = {"3", "5", "8"}, {"4"}
        today.forget()
        records = list(dirframe.iter_projects(directory, details=True, **options))
        asked = {request.path.split("/")[2] for request in today.requests if "/p/" in request.path}
        assert asked == {f"{one}.xml" for one in numbered(24)} - {
            "3.xml",
            "4.xml",
            "5.xml",
            "8.xml",
        }
        assert sum(one["analysis_total_code_lines"] == 1000 for one in records) == 23


def test_record_types_are_those_of_frames(sample):
    types = {"Int64": int, "Float64": float, "datetime64[us, UTC]": datetime, "str": str}
    for typed, resource in (
        (dirframe.AccountRecord, "account"),
        (dirframe.ProjectRecord, "project"),
    ):
        fields = dirframe.fields(resource).set_index("name")["type"]
        hints = get_type_hints(typed)
        assert list(hints) == list(fields.index[: len(hints)])
        for name, hint in hints.items():
            expected = {types[fields[name]]} | ({type(None)} if name != "id" else set())
            assert set(get_args(hint) or (hint,)) == expected


def test_plan_exact_reads_the_pages_and_knows_the_price(tmp_path):
    question = {"sort": "project_name", "details": True}
    with Today(24).in_process() as today, today.directory(tmp_path) as directory:
        today.bare = {"4", "9"}
        price = dirframe.plan("projects", directory=directory, exact=True, **question)
        assert price.requests_used == len(today.requests) == 4
        assert price.requests_needed == price.requests_at_least == price.details == 22
        dirframe.load_projects(directory, progress=False, **question)
        assert len(today.requests) == 4 + 22
        with pytest.raises(InvalidInputError):
            dirframe.plan("projects", directory=directory, exact=True, refresh=True, **question)
