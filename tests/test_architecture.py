"""The house stays as it was built; the import contracts in pyproject.toml hold the arrows."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path

import grimp
import pytest

import dirframe

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "dirframe"

#: Tests of the whole house, which mirror no module.
OF_THE_WHOLE = {
    "tests/test_deploy.py",
    "tests/clean/test_probes.py",
    "tests/client/test_details_price.py",
    "tests/cli/test_examples.py",
    "tests/explorer/test_notebook.py",
    "tests/cli/test_hints.py",
    "tests/cli/test_processes.py",
    "tests/cli/test_study.py",
    "tests/plot/test_captions.py",
    "tests/client/test_parsed_once.py",
    "tests/plot/test_every_chart.py",
    "tests/plot/test_pictures.py",
    "tests/service/test_door.py",
    "tests/test_cli.py",
    "tests/stats/test_recomputed.py",
    "tests/stats/test_signatures.py",
    "tests/stats/test_wrong_frames.py",
    "tests/test_architecture.py",
    "tests/test_benchmarks.py",
    "tests/test_docs.py",
    "tests/test_docstrings.py",
    "tests/test_import_cost.py",
    "tests/test_notebooks.py",
    "tests/test_public_names.py",
    "tests/test_recommended_names.py",
    "tests/test_sample_data.py",
    "tests/test_wheel.py",
}

#: What happens when things go wrong between client and service is nobody's own module, and in a
#: browser everything is at work.
FOLDERS_OF_THE_WHOLE = ("tests/browser/", "tests/faults/")

#: Only these say in ``__all__`` what they export; elsewhere a leading underscore is enough.
NAMESPACES = {
    "__init__.py",
    "clean/__init__.py",
    "errors.py",
    "plot/__init__.py",
    "provenance/__init__.py",
    "reports/__init__.py",
    "schema/__init__.py",
    "stats/__init__.py",
}

#: Longer than this, a file has more than one job.
LINES = 400

#: With more modules, a folder is no longer seen at a glance.
MODULES_OF_A_FOLDER = 12

#: Put together here, so that this file does not name what it forbids.
REGISTRIES = [
    "pypi" + ".org",
    "python" + "hosted.org",
    "npm" + "js.org",
    "deb.debian" + ".org",
    "anaconda" + ".org",
]
MACHINE_PATH = re.compile(r"/(?:work|farm|root|tmp)/[a-z.]|(?<!\w)/(?:home|Users)/[A-Za-z.]")
#: Twenty or more letters and digits, mixed, given to something called a key.
KEY = re.compile(r"api_?key\W{1,6}(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{20,}", re.IGNORECASE)


def modules() -> list[Path]:
    return sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


@cache
def tracked_texts() -> dict[str, str]:
    """Return every file that a clone will have, new ones too; pictures and archives left out."""
    if not (ROOT / ".git").exists():
        pytest.skip("no git checkout, so nothing tells the project's files from others")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    texts = {}
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and b"\0" not in (content := path.read_bytes()):
            texts[name] = content.decode("utf-8")
    return texts


def mirrors(module: Path) -> list[Path]:
    """Return where a module's tests may stand: at its place, or one file for its whole folder."""
    test = Path("tests") / module.with_name(f"test_{module.name.lstrip('_')}")
    folders = [folder for folder in module.parents if len(folder.parts) > 1]
    if module.name == "__init__.py" and module.parent.name:
        folders.append(module.parent)
    return [test, *(Path("tests") / f.with_name(f"test_{f.name}.py") for f in folders)]


def test_every_module_has_its_tests_at_the_same_place() -> None:
    untested = [
        module.as_posix()
        for module in modules()
        if not any(part.startswith("_") for part in module.parts)
        and not any((ROOT / test).is_file() for test in mirrors(module))
    ]
    assert untested == []


def test_a_test_file_mirrors_a_module_or_looks_at_the_whole() -> None:
    mirroring = {test.as_posix() for module in modules() for test in mirrors(module)}
    tests = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    strays = {test for test in tests - mirroring if not test.startswith(FOLDERS_OF_THE_WHOLE)}
    assert strays <= OF_THE_WHOLE


def test_a_folder_is_seen_at_a_glance() -> None:
    numbers = Counter(path.parent.as_posix() for path in modules() if path.name != "__init__.py")
    assert {folder for folder, number in numbers.items() if number > MODULES_OF_A_FOLDER} == set()


def test_no_module_is_part_of_a_circle() -> None:
    graph = grimp.build_graph("dirframe", exclude_type_checking_imports=True)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    order = TopologicalSorter(imports).static_order()  # a CycleError names the circle
    assert set(order) == graph.modules


def test_no_file_outgrows_one_job() -> None:
    lengths = {
        name: text.count("\n") for name, text in tracked_texts().items() if name.endswith(".py")
    }
    assert {name: n for name, n in lengths.items() if n > LINES} == {}


def test_only_the_namespaces_that_users_import_from_list_their_names() -> None:
    listing = {
        module.as_posix()
        for module in modules()
        if any(
            isinstance(node, ast.Name) and node.id == "__all__" and isinstance(node.ctx, ast.Store)
            for node in ast.walk(ast.parse((PACKAGE / module).read_text(encoding="utf-8")))
        )
    }
    assert listing == NAMESPACES


def test_every_silenced_check_gives_its_reason_beside_or_above_it() -> None:
    silenced = re.compile(r"#\s*(?:noqa|type:\s*ignore|pragma:\s*no cover)[^#\n]*(?P<reason>#.*)?")
    bare = []
    for name, text in tracked_texts().items():
        if not name.endswith(".py") or name == "tests/test_architecture.py":
            continue
        lines = text.splitlines()
        for above, line in pairwise(["", *lines]):
            found = silenced.search(line)
            if found and not found["reason"] and not above.lstrip().startswith("# "):
                bare.append(f"{name}: {line.strip()}")
    assert bare == []


def test_every_skipped_test_gives_its_reason() -> None:
    bare = [
        f"{name}:{node.lineno}"
        for name, text in tracked_texts().items()
        if name.startswith("tests/") and name.endswith(".py")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"importorskip", "skip", "skipif", "xfail"}
        and not any(keyword.arg == "reason" for keyword in node.keywords)
        and not (node.func.attr == "skip" and node.args)
    ]
    assert bare == []


@pytest.mark.parametrize("forbidden", REGISTRIES)
def test_no_file_names_the_host_of_a_package_registry(forbidden: str) -> None:
    assert [name for name, text in tracked_texts().items() if forbidden in text] == []


def test_no_file_names_a_path_of_somebody_s_machine() -> None:
    assert [
        f"{name}: {found[0]}"
        for name, text in tracked_texts().items()
        if not name.endswith(".svg") and (found := MACHINE_PATH.search(text))
    ] == []


def test_no_file_holds_an_api_key() -> None:
    assert [name for name, text in tracked_texts().items() if KEY.search(text)] == []


def test_no_file_locks_download_addresses() -> None:
    locks = {"uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock", "pixi.lock"}
    assert {Path(name).name for name in tracked_texts()} & locks == set()


def test_the_citation_names_the_version_of_the_package() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {dirframe.__version__}\n" in citation


def _is_text_of_an_error(node: ast.AST, caught: set[str]) -> bool:
    """Tell whether an expression is the message of a caught error: str(error), error.args[0]..."""
    return any(
        (
            isinstance(part, ast.Call)
            and getattr(part.func, "id", "") in {"str", "repr"}
            and any(isinstance(arg, ast.Name) and arg.id in caught for arg in part.args)
        )
        or (
            isinstance(part, ast.Attribute)
            and part.attr in {"args", "message", "shell_text"}
            and any(isinstance(n, ast.Name) and n.id in caught for n in ast.walk(part.value))
        )
        for part in ast.walk(node)
    )


def decisions_on_texts(source: str) -> list[int]:
    """Return the lines where code compares, searches or parses the message of an error."""
    tree = ast.parse(source)
    handled = {n.name for n in ast.walk(tree) if isinstance(n, ast.ExceptHandler) and n.name}
    caught = handled | {"error", "warning", "exc"}
    searching = {"startswith", "endswith", "find", "index", "removeprefix", "removesuffix"}
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
            searches = node.func.attr in searching
            is_pattern = node.func.attr in {"match", "search", "fullmatch", "sub", "findall"}
            parts = [node.func.value] if searches else node.args if of_re or is_pattern else []
        else:
            continue
        if any(_is_text_of_an_error(part, caught) for part in parts):
            lines.append(node.lineno)
    return lines


def test_no_code_decides_by_the_text_of_an_error() -> None:
    found = {
        module.as_posix(): lines
        for module in modules()
        if (lines := decisions_on_texts((PACKAGE / module).read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    "code",
    [
        'except OSError as e:\n    if "locked" in str(e): pass',
        'except OSError as e:\n    if e.args[0] == "gone": pass',
        'except OSError as e:\n    str(e).startswith("The frame")',
        'except OSError as e:\n    re.match("a", str(e))',
        "except OSError as e:\n    PATTERN.search(str(e).lower())",
        'except OSError as e:\n    if "x" in e.message.lower(): pass',
    ],
)
def test_a_decision_by_the_text_of_an_error_is_seen(code: str) -> None:
    assert decisions_on_texts(f"try:\n    pass\n{code}\n") == [4]
