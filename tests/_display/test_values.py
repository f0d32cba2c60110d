"""Values as text that no terminal acts on."""

from __future__ import annotations

import pandas as pd
import pytest

from dirframe._display.values import entries, entry, is_number, printable


def test_a_control_sign_becomes_a_blank_and_nothing_else_changes() -> None:
    assert printable("a\x1b[31m\nb\u202ec") == "a [31m b c"
    joined = "日本 é क्\u200dष"
    assert printable(joined) == joined


def test_an_entry_of_a_list_is_called_by_its_name_and_else_by_all_that_it_holds() -> None:
    assert entry("web") == "web"
    assert entry({"id": "1", "name": "mit", "nice_name": "MIT License"}) == "MIT License"
    assert entry({"title": "Home", "url": None, "category": "Web"}) == "Home, Web"
    assert entries(["a", {"name": "b"}]) == "a, b"


@pytest.mark.parametrize(
    ("values", "number"), [([1], True), ([0.5], True), ([True], False), (["1"], False)]
)
def test_numbers_stand_right_and_truth_values_do_not(values: list[object], number: bool) -> None:
    assert is_number(pd.Series(values).dtype) is number
