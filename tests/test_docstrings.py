"""The public documentation is complete, and its examples work as they are printed.

`make lint` checks the form of every docstring. Here stands what only the public API owes:
each parameter and result described, and one example.
"""

from __future__ import annotations

import doctest
import inspect
import pkgutil
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from numpydoc.hooks.validate_docstrings import parse_config
from numpydoc.validate import validate

import dirframe

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
CHECKS = parse_config(ROOT)["checks"] | {"GL08", "PR01", "PR02", "PR03", "RT01", "YD01"}


def public_objects() -> Iterator[tuple[str, object]]:
    """Yield the functions and classes that the public names lead to."""
    for name in dirframe.__all__:
        value = getattr(dirframe, name)
        if not inspect.ismodule(value):
            yield name, value
            continue
        for inner in value.__all__:
            if callable(value.__dict__[inner]):
                yield f"{name}.{inner}", value.__dict__[inner]


def public_methods(name: str, cls: type) -> Iterator[tuple[str, object]]:
    for method, member in vars(cls).items():
        if not method.startswith("_") and not isinstance(member, property):
            yield f"{name}.{method}", getattr(cls, method)


def is_error(value: object) -> bool:
    return inspect.isclass(value) and issubclass(value, BaseException)


OBJECTS = dict(public_objects())
ERRORS = [name for name, value in OBJECTS.items() if is_error(value)]
SHOWN = [name for name in OBJECTS if name not in ERRORS]
METHODS = {
    method: member
    for name, value in OBJECTS.items()
    if inspect.isclass(value) and name not in ERRORS
    for method, member in public_methods(name, value)
}
MODULES = [module.name for module in pkgutil.walk_packages(dirframe.__path__, "dirframe.")]


def findings(name: str, checks: set[str]) -> list[str]:
    errors = validate(f"dirframe.{name}")["errors"]
    return [f"{check}: {text}" for check, text in errors if check in checks]


@pytest.mark.parametrize("name", [*SHOWN, *METHODS])
def test_a_public_function_or_class_is_documented_completely(name: str) -> None:
    assert findings(name, CHECKS) == []


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_says_when_it_comes(name: str) -> None:
    assert findings(name, CHECKS - {"PR01"}) == []  # who catches it reads facts, and passes none


@pytest.mark.parametrize("name", SHOWN)
def test_a_public_function_or_class_shows_an_example(name: str) -> None:
    assert doctest.DocTestFinder().find(OBJECTS[name], name)[0].examples


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_give_what_they_show(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    for test in doctest.DocTestFinder().find(import_module(module)):
        runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)
