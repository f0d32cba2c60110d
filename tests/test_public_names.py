"""The front door: which names dirframe offers, and that each leads somewhere."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
import traceback
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from mypy import api

import dirframe
from dirframe import errors

ROOT = Path(__file__).resolve().parent.parent

#: A name is added or taken away here on purpose, and in CHANGELOG.md.
PUBLIC = [
    "AccountRecord",
    "AnalysesNotSentWarning",
    "Archive",
    "ArchiveError",
    "CacheError",
    "CacheWarning",
    "ColumnsNotSentError",
    "ConfigurationError",
    "Directory",
    "DirframeError",
    "DirframeWarning",
    "Explorer",
    "ExportWarning",
    "Hint",
    "IncompleteCollectionError",
    "IncompleteWarning",
    "InvalidInputError",
    "InvalidKeyError",
    "MissingColumnsError",
    "MissingExtraError",
    "MissingGlyphsWarning",
    "NetworkError",
    "NotFoundError",
    "ProjectRecord",
    "QuotaExceededError",
    "QuotaWarning",
    "ReportError",
    "RequestError",
    "ServiceError",
    "StaleWarning",
    "StoreError",
    "StrataOmittedWarning",
    "UnknownValueWarning",
    "UnreadableResponseError",
    "UnreadableValueWarning",
    "UnresolvedCountriesError",
    "WeakKeyWarning",
    "cache_info",
    "child_table",
    "cite",
    "clear_cache",
    "compare",
    "convert_frame",
    "country_audit",
    "country_note",
    "export",
    "fields",
    "flags",
    "harvest",
    "iter_accounts",
    "iter_projects",
    "load",
    "load_account",
    "load_accounts",
    "load_activity",
    "load_contributors",
    "load_languages",
    "load_project",
    "load_projects",
    "load_size",
    "open_archive",
    "plan",
    "plot",
    "prune_cache",
    "read_export",
    "read_pages",
    "report",
    "sample_directory",
    "select",
    "sensitivity",
    "serve",
    "stats",
    "summary",
    "unify_countries",
]


def test_the_public_names_are_exactly_these() -> None:
    assert dirframe.__all__ == PUBLIC


def test_every_error_is_a_public_name() -> None:
    assert set(errors.__all__) <= set(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_leads_to_the_thing_of_that_name(name: str) -> None:
    value = getattr(dirframe, name)
    if inspect.ismodule(value):
        assert value.__name__ == f"dirframe.{name}"
    else:
        assert value.__name__ == name
        assert getattr(import_module(value.__module__), name) is value
    assert getattr(dirframe, name) is value


def test_the_names_appear_in_completion_before_they_are_used() -> None:
    assert set(PUBLIC) <= set(dir(dirframe))


def test_importing_everything_gives_the_public_names() -> None:
    namespace: dict[str, object] = {}
    exec("from dirframe import *", namespace)
    assert set(namespace) - {"__builtins__"} == set(PUBLIC)


@pytest.mark.parametrize(
    ("owner", "wrong", "right"),
    [
        (dirframe, "load_acounts", "load_accounts"),
        (dirframe, "load_project_s", "load_projects"),
        (dirframe, "projects", "load_projects"),
        (dirframe.stats, "language_shares", "language_share"),
        (dirframe.plot, "tag", "tags"),
        (pd.DataFrame({"id": ["1"]}).dirframe, "cites", "cite"),
        (pd.DataFrame({"id": ["1"]}).dirframe.plot, "Tags", "tags"),
    ],
)
def test_a_name_that_does_not_exist_is_answered_with_the_one_that_is_meant(
    owner: Any, wrong: str, right: str
) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{wrong}'") as it:
        getattr(owner, wrong)
    assert repr(right) in str(it.value)
    # Python adds no second suggestion of its own.
    assert "".join(traceback.format_exception(it.value)).count("Did you mean") == 1


def test_a_name_unlike_any_other_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"has no attribute 'xyzzy'$"):
        getattr(dirframe, "xyzzy")  # noqa: B009  # the type checker must not see it


def test_completion_offers_the_public_names_alone_each_with_a_first_line() -> None:
    assert set(dir(dirframe)) == {*PUBLIC, "__version__"}
    for name in PUBLIC:
        assert (inspect.getdoc(getattr(dirframe, name)) or "").partition("\n")[0].endswith("."), (
            name
        )
    for module in (dirframe.stats, dirframe.plot):
        for name in module.__all__:
            if callable(value := getattr(module, name)):
                assert (inspect.getdoc(value) or "").partition("\n")[0].endswith("."), name


def test_help_opens_with_three_lines_of_use_that_run() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import dirframe; help(dirframe)"],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    description = done.stdout.partition("DESCRIPTION")[2].strip().splitlines()
    example = [line.strip() for line in description[:3]]
    assert [line[:3] for line in example] == [">>>", "...", ">>>"]
    namespace: dict[str, Any] = {"dirframe": dirframe}
    exec("\n".join(line[4:] for line in example), namespace)
    assert namespace["ax"].get_title() or namespace["ax"].patches


def test_type_checkers_are_told_the_same_homes_as_python() -> None:
    stub = Path(dirframe.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    typed = {
        alias.asname: (node.module, alias.name)
        for node in ast.walk(ast.parse(stub))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    assert set(typed) == set(PUBLIC)
    for public, (home, name) in typed.items():
        assert name == public
        assert getattr(import_module(home), name) is getattr(dirframe, name)


def test_a_type_checker_knows_every_name_and_refuses_a_wrong_one(tmp_path: Path) -> None:
    user = tmp_path / "user.py"
    lines = [f"from dirframe import {name}" for name in PUBLIC]
    lines += [
        "import dirframe",
        "with dirframe.sample_directory() as directory:",
        "    directory.projects(max_items=3, columns=['name']).head()",
        "    directory.accounts(offline=True).head()",
        "    directory.plan('projects', details=True).fits",
        "    directory.quota().left",
        "dirframe.load_acounts",
    ]
    user.write_text("\n".join(lines) + "\n")
    report, errors, _ = api.run(["--strict", f"--cache-dir={ROOT / '.mypy_cache'}", str(user)])
    assert errors == ""
    complaints = [line for line in report.splitlines() if ": error:" in line]
    assert len(complaints) == 1, report
    assert "load_acounts" in complaints[0]


@pytest.mark.parametrize("module", [dirframe.stats, dirframe.plot])
def test_completion_offers_functions_and_no_modules(module: ModuleType) -> None:
    assert dir(module) == sorted(module.__all__)
    assert not any(isinstance(getattr(module, name), ModuleType) for name in dir(module))
