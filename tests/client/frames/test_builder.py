"""ColumnBuffer become a frame: the same columns and dtypes for none, one or many records."""

from __future__ import annotations

import gc
import itertools
import pickle
import warnings
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.client.frames.builder import FrameBuilder
from dirframe.client.xml.records import RecordReader
from dirframe.errors import UnreadableValueWarning
from dirframe.schema import ACCOUNT, PROJECT, Kind
from tests.client.xml.trees import around

if TYPE_CHECKING:
    from dirframe.schema import Resource

DTYPES = {
    Kind.INTEGER: "Int64",
    Kind.NUMBER: "Float64",
    Kind.TIMESTAMP: "datetime64[us, UTC]",
}


def build(chunks: list[str], resource: Resource = PROJECT) -> pd.DataFrame:
    reader, builder = RecordReader(resource), FrameBuilder(resource)
    for chunk in chunks:
        reader.read(around(chunk))
        builder.add(reader.pop_columns())
    return builder.finish()


def project(number: int, more: str = "") -> str:
    return f"<project><id>{number}</id>{more}</project>"


@pytest.mark.parametrize("last", ["B", "b"])  # letters before and after the underscore
def test_names_that_meet_again_after_renaming_stay_different_columns(last: str) -> None:
    meeting = f"<a_{last}>x</a_{last}><a__{last}>y</a__{last}><a><{last}>z</{last}></a>"
    frame = build([project(1, meeting)])
    names = (f"a_{last}", f"a__{last}", f"a__{last}_")
    assert [frame[name][0] for name in names] == ["x", "y", "z"]


def test_a_pickled_column_takes_no_texts_of_the_others_along() -> None:
    names = "".join(project(n, f"<name>{'long ' * 50}</name>") for n in range(200))
    frame = build([names, names])
    whole = len(pickle.dumps(frame))
    assert whole > 100_000
    assert len(pickle.dumps(frame[["id"]])) < whole / 10


def test_no_part_of_the_records_is_kept_beside_the_frame() -> None:
    reader, builder = RecordReader(PROJECT), FrameBuilder(PROJECT)
    gc.collect()  # what other tests left goes now
    before = pa.total_allocated_bytes()
    for begin in range(0, 4000, 1000):
        more = (
            f"<tags><tag>t{n % 7}</tag></tags><user_count>{n}</user_count>" for n in range(1000)
        )
        reader.read(around("".join(project(n, text) for n, text in enumerate(more, begin))))
        builder.add(reader.pop_columns())
    del reader
    frame = builder.finish()
    arrow = [name for name in frame if name == "tags" or frame[name].dtype == "str"]
    size = int(frame[arrow].memory_usage(index=False).sum())
    assert pa.total_allocated_bytes() - before == pytest.approx(size, rel=0.1)


def test_it_is_known_of_each_record_whether_an_element_has_any_content() -> None:
    reader, builder = RecordReader(PROJECT), FrameBuilder(PROJECT)
    analysis = "<analysis><id>6</id></analysis>"
    unreadable = "<analysis><twelve_month_contributor_count>x</twelve_month_contributor_count>"
    for chunk in (
        project(1, analysis) + project(2),
        project(3, "<analysis></analysis>") + project(4, f"{unreadable}</analysis>"),
        project(5),
    ):
        reader.read(around(chunk))
        builder.add(reader.pop_columns())
    assert list(builder.holding("analysis")) == [True, False, False, True, False]
    assert not builder.holding("nothing").any()


@pytest.mark.parametrize("resource", [ACCOUNT, PROJECT], ids=lambda r: r.name)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_every_specified_column_has_its_dtype(resource: Resource, count: int) -> None:
    records = f"<{resource.name}><id>1</id></{resource.name}>" * count
    frame = build([records] if count else [], resource)
    assert len(frame) == count
    assert list(frame.index) == list(range(count))
    for field in resource.specified:
        assert frame[field.column].dtype == DTYPES.get(field.kind, "str"), field.column
    assert list(frame) == [field.column for field in resource.specified]


def test_the_id_inside_the_analysis_stands_apart_from_the_projects_own() -> None:
    frame = build([project(1, "<analysis_id>5</analysis_id><analysis><id>6</id></analysis>")])
    assert (frame["analysis_id"][0], frame["analysis__id"][0]) == ("5", "6")


def test_two_ways_to_the_same_name_become_two_columns() -> None:
    frame = build([project(1, "<a_b>x</a_b><a><b>y</b></a>")])
    assert set(frame.loc[0].dropna()) == {"1", "x", "y"}


def test_negative_line_counts_are_kept() -> None:
    text = "<analysis><total_code_lines>-297667</total_code_lines></analysis>"
    assert build([project(1, text)])["analysis_total_code_lines"][0] == -297_667


def test_unreadable_values_are_kept_as_text_with_a_warning() -> None:
    chunks = [
        project(1, "<stack_count>7</stack_count>"),
        project(2, "<stack_count>many</stack_count><created_at>long ago</created_at>"),
        project(3, "<stack_count>-</stack_count>"),
    ]
    with pytest.warns(UnreadableValueWarning) as caught:
        frame = build(chunks)
    assert len(caught) == 1
    message = str(caught[0].message)
    assert "1 in stack_count ('many')" in message
    assert "1 in created_at ('long ago')" in message
    assert frame["stack_count"].tolist() == [7, pd.NA, pd.NA]
    assert frame["stack_count_unreadable"].dropna().to_dict() == {1: "many"}
    assert frame["created_at_unreadable"].dropna().to_dict() == {1: "long ago"}
    assert frame["stack_count"].dtype == "Int64"


def test_an_interface_whose_own_column_is_called_unreadable_raises_no_alarm() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = build([project(1, "<files_unreadable>3</files_unreadable>")])
    assert frame["files_unreadable"][0] == "3"
    both = "<stack_count_unreadable>3</stack_count_unreadable><stack_count>x</stack_count>"
    with pytest.warns(UnreadableValueWarning, match="1 in stack_count "):
        frame = build([project(1, both)])
    assert {"3", "x"} <= set(frame.loc[0].dropna())


def test_lists_are_lists_in_every_row() -> None:
    chunks = [
        project(1, "<tags><tag>a</tag><tag>b</tag></tags>"),
        project(2),
        project(3, "<tags/>"),
        project(4, "<tags><tag>c</tag></tags>"),
        project(5, "<odd>x</odd>"),
        project(6, "<odd>y</odd><odd>z</odd>"),
    ]
    frame = build(chunks)
    assert frame["tags"].tolist() == [["a", "b"], None, None, ["c"], None, None]
    assert frame["odd"].dropna().tolist() == [["x"], ["y", "z"]]


_VALUES = st.sampled_from(["", "1", "1,935", "-", "x", "2001-01-01", "2001-01-01T00:00:00Z", "<1"])
_FIELDS = st.sampled_from(
    ["stack_count", "created_at", "name", "average_rating", "new", "other", "tags"]
)
_ONE = st.dictionaries(_FIELDS, _VALUES, max_size=4)


def _xml(number: int, fields: dict[str, str]) -> str:
    inner = ""
    for name, text in fields.items():
        clean = text.replace("<", "&lt;")
        inner += f"<{name}>{f'<tag>{clean}</tag>' if name == 'tags' else clean}</{name}>"
    return project(number, inner)


@given(records=st.lists(_ONE, max_size=8), cuts=st.sets(st.integers(1, 7)))
def test_chunks_give_what_one_go_gives(records: list[dict[str, Any]], cuts: set[int]) -> None:
    texts = [_xml(number, fields) for number, fields in enumerate(records)]
    places = [0, *sorted(c for c in cuts if c < len(texts)), len(texts)]
    chunks = ["".join(texts[a:b]) for a, b in itertools.pairwise(places)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreadableValueWarning)
        whole, parts = build(["".join(texts)]), build(chunks)
    assert set(whole) == set(parts)
    pd.testing.assert_frame_equal(whole, parts[list(whole)])
