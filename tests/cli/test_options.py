"""The options of a question."""

from __future__ import annotations

from dirframe.cli.options import given_options


def test_the_options_that_were_given_are_named_as_they_are_typed() -> None:
    defaults = {"query": None, "sample": False, "wait": 0.0, "incomplete": "raise"}
    assert given_options(defaults) == []
    assert given_options(defaults | {"max_items": 3, "sample": True}) == ["--sample", "--max-items"]
