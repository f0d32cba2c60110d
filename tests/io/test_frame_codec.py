"""What cannot be written is refused or named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from dirframe import ExportWarning, InvalidInputError, export, read_export
from dirframe.io.frame_codec import prepare, restored_frame

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame(), pd.DataFrame({1: [1]}), pd.DataFrame([[1, 2]], columns=["a", "a"]), [1]],
)
def test_a_frame_without_proper_names_is_refused(frame: Any) -> None:
    with pytest.raises(InvalidInputError):
        prepare("f", frame)


def test_an_index_and_a_strange_dtype_are_named() -> None:
    with pytest.warns(ExportWarning, match="index") as of_index:
        prepare("f", pd.DataFrame({"a": [1]}, index=["x"]))
    with pytest.warns(ExportWarning, match="gap") as of_dtype:
        prepare("f", pd.DataFrame({"gap": pd.to_timedelta([1])}))
    assert {warning.filename for warning in [*of_index, *of_dtype]} == {__file__}


@pytest.mark.parametrize("values", [[2, None, 1], [True, None, False], [None, None], [1.5, None]])
@pytest.mark.parametrize(
    "suffix", ["csv", "jsonl", "json", "parquet", "feather", "xlsx", "sqlite", "duckdb"]
)
def test_a_category_that_is_missing_stays_missing_whatever_the_others_are(
    suffix: str, values: list[Any], tmp_path: Path
) -> None:
    frame = pd.DataFrame({"kind": pd.Categorical(values)})
    back = read_export(export(frame, tmp_path / f"f.{suffix}"))
    pd.testing.assert_frame_equal(back, frame)


def test_a_value_that_is_none_of_the_categories_is_not_taken_for_a_missing_one() -> None:
    record = prepare("f", pd.DataFrame({"kind": pd.Categorical(["a", "b"])})).record
    with pytest.raises(InvalidInputError, match="'c' is none of its categories"):
        restored_frame([["a", None, "c"]], record)
