"""How statistics and charts are called is the same for all."""

from __future__ import annotations

import ast
import inspect
import re
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from dirframe import plot, stats

if TYPE_CHECKING:
    from types import ModuleType


@pytest.mark.parametrize("module", [stats, plot])
def test_what_is_told_beside_the_records_has_a_name(module: ModuleType) -> None:
    for name in set(module.__all__) - {"style"}:
        if inspect.isfunction(function := getattr(module, name)):
            records, *options = inspect.signature(function).parameters.values()
            assert records.kind is records.POSITIONAL_OR_KEYWORD, name
            named = {records.KEYWORD_ONLY, records.VAR_KEYWORD}
            assert {option.kind for option in options} <= named, name


@pytest.mark.parametrize("module", [stats, plot])
def test_the_same_is_drawn_by_chance_unless_another_seed_is_given(module: ModuleType) -> None:
    seeds = {
        name: parameters["seed"].default
        for name in module.__all__
        if inspect.isfunction(function := getattr(module, name))
        and "seed" in (parameters := inspect.signature(function).parameters)
    }
    assert set(seeds.values()) == {0}


@pytest.mark.parametrize("module", [stats, plot])
def test_a_default_that_is_documented_is_the_one_that_is_used(module: ModuleType) -> None:
    seen = 0
    for name in module.__all__:
        if not inspect.isfunction(function := getattr(module, name)):
            continue
        for parameter, default in re.findall(
            r"^(\w+) : .*, default (.+)$", str(inspect.getdoc(function)), re.MULTILINE
        ):
            with suppress(ValueError, SyntaxError):  # some are said in words
                told = ast.literal_eval(default)
                assert told == inspect.signature(function).parameters[parameter].default, name
                seen += 1
    assert seen > 20
