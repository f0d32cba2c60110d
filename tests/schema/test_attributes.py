"""A frame of any library says whether its records are generated, or says nothing."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from dirframe.schema.attributes import ATTRIBUTE, frame_attributes, is_synthetic


def framed(attributes: dict[str, Any]) -> pd.DataFrame:
    frame = pd.DataFrame({"id": ["1"]})
    frame.attrs.update(attributes)
    return frame


@pytest.mark.parametrize("convert", [lambda frame: frame, pa.Table.from_pandas])
def test_the_attributes_of_pandas_are_in_arrow_too(convert: Any) -> None:
    frame = convert(framed({ATTRIBUTE: {"synthetic": True}, "note": "of one's own"}))
    assert frame_attributes(frame)["note"] == "of one's own"
    assert is_synthetic(frame)


@pytest.mark.parametrize(
    "attributes", [{}, {ATTRIBUTE: None}, {ATTRIBUTE: {}}, {ATTRIBUTE: {"synthetic": "yes"}}]
)
def test_only_a_record_that_says_so_marks_records_as_generated(attributes: dict[str, Any]) -> None:
    assert not is_synthetic(framed(attributes))


def test_a_table_of_another_program_has_no_attributes() -> None:
    assert frame_attributes(pa.table({"id": ["1"]})) == {}
    assert frame_attributes(object()) == {}
