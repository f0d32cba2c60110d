"""What cannot be written is refused or named."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from dirframe import ExportWarning, InvalidInputError
from dirframe.io.frame_codec import prepare


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame(), pd.DataFrame({1: [1]}), pd.DataFrame([[1, 2]], columns=["a", "a"]), [1]],
)
def test_a_frame_without_proper_names_is_refused(frame: Any) -> None:
    with pytest.raises(InvalidInputError):
        prepare("f", frame)


def test_an_index_and_a_strange_dtype_are_named() -> None:
    with pytest.warns(ExportWarning, match="index"):
        prepare("f", pd.DataFrame({"a": [1]}, index=["x"]))
    with pytest.warns(ExportWarning, match="gap"):
        prepare("f", pd.DataFrame({"gap": pd.to_timedelta([1])}))
