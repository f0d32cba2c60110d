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
    """Yield what the public names offer: functions, classes with their methods, modules."""
    for name in dirframe.__all__:
        value = getattr(dirframe, name)
        if inspect.ismodule(value):
            for inner in value.__all__:
                yield f"{name}.{inner}", getattr(value, inner)
        else:
            yield name, value
        if inspect.isclass(value) and not issubclass(value, BaseException):
            for method, member in vars(value).items():
                if not method.startswith("_") and not isinstance(member, property):
                    yield f"{name}.{method}", getattr(value, method)


OBJECTS = dict(public_objects())
MODULES = [
    module.name
    for module in pkgutil.walk_packages(dirframe.__path__, "dirframe.")
    if module.name != "dirframe.__main__"  # importing it runs the command line
]
FUNCTIONS = [name for name, value in OBJECTS.items() if inspect.isroutine(value)]


@pytest.mark.parametrize("name", OBJECTS)
def test_a_public_object_is_documented_completely(name: str) -> None:
    found = [
        f"{check}: {text}"
        for check, text in validate(f"dirframe.{name}")["errors"]
        if check in CHECKS
    ]
    assert found == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_shows_an_example(name: str) -> None:
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
