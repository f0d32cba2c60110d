"""Change the code in many small ways, one at a time, and see whether a test fails.

Run ``make mutants``, or ``python -m tools.mutants [AREA ...] [--sample N] [--seed N]``. The sample is
drawn over the places in the code, the same number from each area. With the same seed it is the same, but
for lines that were changed. Cosmic Ray makes the mutants; they run in copies of the checkout.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
MEMORY = Path("/dev/shm")  # noqa: S108  # as the tests, with a name of its own

_LOADS = tuple(
    f"tests/{name}.py"
    for name in (
        *("client/test_complete", "client/test_load", "client/test_details", "client/test_plan"),
        "leaving/test_loader_options",
    )
)
_FRAMES = tuple(
    f"tests/{name}.py"
    for name in (
        *("client/test_dtypes", "client/test_frames", "client/test_load", "client/test_documents"),
        *("client/test_details", "leaving/test_fast_reader", "leaving/test_loader_options"),
    )
)

#: Of each area its code, and the fast tests that are to notice a change of it.
AREAS: dict[str, dict[str, tuple[str, ...]]] = {
    "paging": {"dirframe/client/paging": _LOADS},
    "quota": {"dirframe/client/http/quota.py": ("tests/client/test_quota.py", "tests/faults")},
    "dtypes": {
        "dirframe/client/frames/[!b]*.py": _FRAMES,
        "dirframe/client/frames/builder.py": _FRAMES,
    },
    "clean": {"dirframe/clean": ("tests/clean", "tests/test_messages.py")},
    "stats": {
        "dirframe/stats/[!_]*.py": ("tests/stats", "tests/leaving/test_common_options.py"),
        "dirframe/stats/quality": ("tests/stats", "tests/leaving/test_common_options.py"),
    },
}
COPIED = (
    *("dirframe", "tests", "tools", "data", "docs", "notebooks", "deploy"),
    *("pyproject.toml", "README.md"),
)

#: Loaded before the processes are forked, which would each take seconds for it; nothing of dirframe.
PRELOADED = [
    *("lxml.etree", "matplotlib.pyplot", "narwhals", "pandas", "pyarrow.parquet"),
    *("flask", "pytest", "requests_cache", "waitress"),
]
#: Others, such as `>>` for `+`, raise whenever they are run: any test finds them.
_ARITHMETIC = {
    *(("Add", "Sub"), ("Sub", "Add"), ("Mul", "Div"), ("Div", "Mul"), ("FloorDiv", "Div")),
    *(("Mod", "FloorDiv"), ("Pow", "Mul"), ("BitOr", "BitAnd"), ("BitAnd", "BitOr")),
}
_PASSED, _TIMEOUT, _BROKEN = 0, -1, 99


@dataclass(frozen=True, order=True)
class Mutant:
    """A module with one change, and the tests that are to notice it."""

    area: str
    module: str
    position: tuple[int, int]
    operator: str
    occurrence: int
    tests: tuple[str, ...]

    def source(self) -> str:
        """Return the changed source."""
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator

        text = (ROOT / self.module).read_text(encoding="utf-8")
        changed: str | None = mutate_code(text, get_operator(self.operator)(), self.occurrence)
        if changed is None:
            raise LookupError(f"Cosmic Ray does not find its own {self}.")
        return changed

    def line(self) -> str:
        """Return the line and what is before the change in it, without the indentation."""
        row, column = self.position
        line = _lines(self.module)[row - 1]
        return f"{line.strip()} {line[:column].strip()}"

    def changed_lines(self) -> tuple[str, str]:
        """Return the lines before and after, without their indentation."""
        before = (ROOT / self.module).read_text(encoding="utf-8").splitlines()
        lines = [*difflib.unified_diff(before, self.source().splitlines(), n=0, lineterm="")][2:]
        old, new = (" ".join(x[1:].strip() for x in lines if x[0] == sign) for sign in "-+")
        return old, new


@cache
def _lines(module: str) -> list[str]:
    return (ROOT / module).read_text(encoding="utf-8").splitlines()


def is_meaningful(operator: str) -> bool:
    """Return whether an operator makes code that means something else, and that may well run."""
    name, *change = operator.rpartition("/")[2].split("_")
    if name == "ReplaceBinaryOperator":
        return tuple(change) in _ARITHMETIC
    if name == "ReplaceComparisonOperator":
        # Of small values `is` and `==` say the same.
        return change[0].startswith("Is") == change[1].startswith("Is")
    return name != "ExceptionReplacer"  # it breaks dotted names


def never_run(source: str) -> set[tuple[int, int]]:
    """Return the places of annotations, and of what is there for type checkers."""
    ranges: list[ast.AST] = []
    signs: set[tuple[int, int]] = set()  # the @ of decorators
    for node in ast.walk(ast.parse(source)):
        ranges += filter(None, (getattr(node, name, None) for name in ("annotation", "returns")))
        if isinstance(node, ast.FunctionDef) and "overload" in map(
            ast.unparse, node.decorator_list
        ):
            ranges += [node, *node.decorator_list]
            signs |= {(item.lineno, item.col_offset - 1) for item in node.decorator_list}
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            ranges += [node.test, *node.body]
    for node in ranges:
        if isinstance(node, ast.expr | ast.stmt):
            signs |= between((node.lineno, node.col_offset), end_of(node))
    return signs


def binary_operators(source: str) -> set[tuple[int, int]]:
    """Return the places of operators between two operands: Cosmic Ray takes `*names` for one too."""
    places: set[tuple[int, int]] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp):
            places |= between(end_of(node.left), (node.right.lineno, node.right.col_offset))
    return places


def end_of(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """Return the place behind the end of a node."""
    return node.end_lineno or 0, node.end_col_offset or 0


def between(begin: tuple[int, int], end: tuple[int, int]) -> set[tuple[int, int]]:
    """Return the places from one to another one, in lines of at most 200 characters."""
    return {
        (line, column)
        for line in range(begin[0], end[0] + 1)
        for column in range(begin[1] if line == begin[0] else 0, end[1] if line == end[0] else 200)
    }


def mutants(area: str) -> Iterator[Mutant]:
    """Make every mutant of an area."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    for pattern, tests in AREAS[area].items():
        for file in sorted(ROOT.glob(pattern if pattern.endswith(".py") else f"{pattern}/*.py")):
            module = file.relative_to(ROOT)
            source = file.read_text(encoding="utf-8")
            nodes, skipped = [*ast_nodes(get_ast(source))], never_run(source)
            operators = binary_operators(source)
            for name in filter(is_meaningful, operator_names()):
                if (operator := get_operator(name)).arguments():
                    continue
                positions = (p for node in nodes for p in operator().mutation_positions(node))
                for occurrence, (start, _) in enumerate(positions):
                    is_binary = "ReplaceBinaryOperator" not in name or start in operators
                    if is_binary and start not in skipped:
                        yield Mutant(area, str(module), start, name, occurrence, tests)


def draw(candidates: Iterable[Mutant], number: int, seed: int) -> list[Mutant]:
    """Draw places in the code, and one mutant of each.

    Whether a place is drawn depends on its line alone: a change elsewhere draws no others.
    """
    places: defaultdict[tuple[str, tuple[int, int]], list[tuple[bytes, Mutant]]]
    places = defaultdict(list)
    for mutant in candidates:
        text = f"{seed} {mutant.module} {mutant.line()} {mutant.operator}"
        places[mutant.module, mutant.position].append((_hash(text), mutant))
    drawn = sorted(places.values(), key=lambda place: _hash(f"{seed} {place[0][1].line()}"))
    return sorted(min(place)[1] for place in drawn[:number])


def _hash(text: str) -> bytes:
    return sha256(text.encode()).digest()


class _SamePytest:
    """Examples of hypothesis that are the same each time, and proof of what is tested."""

    def pytest_configure(self) -> None:
        import hypothesis

        import dirframe

        if not Path(dirframe.__file__).is_relative_to(Path.cwd()):
            raise ImportError(f"{dirframe.__file__} is tested instead of the copy.")
        hypothesis.settings.register_profile(
            "mutants", deadline=None, max_examples=25, derandomize=True, database=None
        )
        hypothesis.settings.load_profile("mutants")


def _pytest(folder: str, tests: tuple[str, ...]) -> None:
    os.setsid()
    os.chdir(folder)
    # A process that is ended at once removes nothing itself: it goes with the copies.
    os.environ["TMPDIR"] = tempfile.tempdir = str(Path(folder).parent)
    sys.path[:] = [folder, *(path for path in sys.path if path not in {"", str(ROOT)})]
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123  # its descriptor is what is wanted
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    import pytest

    options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not browser and not wheel"]
    code = _BROKEN
    try:
        code = int(pytest.main([*options, *tests], plugins=[_SamePytest()]))
    finally:
        os._exit(code)


def run(folder: Path, tests: tuple[str, ...], timeout: float) -> int:
    """Run tests in a copy of the checkout and return pytest's exit code."""
    process = multiprocessing.get_context("forkserver").Process(
        target=_pytest, args=(str(folder), tests)
    )
    process.start()
    process.join(timeout)
    if process.exitcode is None:
        os.killpg(process.pid or 0, signal.SIGKILL)
        process.join()
        return _TIMEOUT
    return process.exitcode


def copy_checkout(folder: Path) -> Path:
    """Copy what the tests need."""
    for name in COPIED:
        source, target = ROOT / name, folder / "checkout" / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "_build"))
        else:
            shutil.copy2(source, target)
    if (recorded := ROOT.parent / "shared").is_dir():
        (folder / "shared").symlink_to(recorded)
    return folder / "checkout"


class Run:
    """Outcomes of a sample, by area."""

    def __init__(self, copies: Sequence[Path]) -> None:
        self.free: SimpleQueue[Path] = SimpleQueue()
        for copy in copies:
            self.free.put(copy)
        self.baselines: dict[str, float] = {}
        self._times = count(1_000_000_000)

    def _write(self, module: Path, content: bytes) -> None:
        """Write a module with a time of its own, for bytecode is found by time and size."""
        module.write_bytes(content)
        seconds = next(self._times)
        os.utime(module, (seconds, seconds))

    def baseline(self, tests: str) -> None:
        """Make sure that the tests pass as the code is, and see how long they take."""
        folder = self.free.get()
        begin = perf_counter()
        code = run(folder, (tests,), 3_600)
        self.free.put(folder)
        self.baselines[tests] = perf_counter() - begin
        if code != _PASSED:
            raise SystemExit(f"{tests} ends with {code} before anything is changed.")

    def outcome(self, mutant: Mutant) -> str:
        """Return what becomes of a mutant."""
        folder = self.free.get()
        module = folder / mutant.module
        original = module.read_bytes()
        try:
            self._write(module, mutant.source().encode())
            # A busy machine is no reason to believe that a mutant was found.
            code = run(
                folder, mutant.tests, 120 + 10 * sum(map(self.baselines.__getitem__, mutant.tests))
            )
        finally:
            self._write(module, original)
            self.free.put(folder)
        if code == _BROKEN:
            raise SystemExit(f"pytest ends with {code} on {mutant}.")
        return "survived" if code == _PASSED else "timeout" if code == _TIMEOUT else "killed"


def is_explained(mutant: Mutant, content: dict[str, Any]) -> bool:
    """Return whether a mutant is among those that no test should detect."""
    old, new = mutant.changed_lines()
    before = _lines(mutant.module)[mutant.position[0] - 2].strip()
    return any(
        entry["module"] == mutant.module
        and (entry.get("line") == new or entry.get("any_of") == old)
        and entry.get("behind", before) == before
        for entry in content["mutant"]
    )


def main(words: Sequence[str] | None = None) -> int:
    """Draw a sample, run it and print the table and what survived."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("areas", nargs="*", help=", ".join(AREAS))
    parser.add_argument("--sample", type=int, default=30, help="mutants of each area")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args(words)
    if unknown := set(given.areas) - set(AREAS):
        parser.error(f"no such area: {', '.join(sorted(unknown))}; there are {', '.join(AREAS)}")
    begin, known = perf_counter(), tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
    sample: list[Mutant] = []
    counts: dict[str, Counter[str]] = {}
    for area in given.areas or AREAS:
        candidates = [*mutants(area)]
        drawn = draw(candidates, given.sample, given.seed)
        counts[area] = Counter(there=len(candidates), drawn=len(drawn))
        sample += drawn
    lines = {mutant: mutant.changed_lines() for mutant in sample}
    pending = [mutant for mutant in sample if not is_explained(mutant, known)]
    for mutant in set(sample) - set(pending):
        counts[mutant.area]["equivalent"] += 1

    multiprocessing.get_context("forkserver").set_forkserver_preload(PRELOADED)
    memory = MEMORY if os.access(MEMORY, os.W_OK) else None
    with (
        TemporaryDirectory(prefix="mutants-", dir=memory) as name,
        ThreadPoolExecutor(given.processes) as pool,
    ):
        copies = [copy_checkout(Path(name, str(number))) for number in range(given.processes)]
        running = Run(copies)
        list(pool.map(running.baseline, dict.fromkeys(t for m in pending for t in m.tests)))
        for mutant, outcome in zip(pending, pool.map(running.outcome, pending), strict=True):
            counts[mutant.area][outcome] += 1
            if outcome != "killed":
                old, new = lines[mutant]
                print(f"{outcome}: {mutant.module}:{mutant.position[0]}\n  - {old}\n  + {new}")
                sys.stdout.flush()

    titles = ("there", "drawn", "killed", "timeout", "equivalent", "survived")
    print("\n| area | " + " | ".join(titles) + " |\n|" + " --- |" * (len(titles) + 1))
    counts["all"] = sum(counts.values(), Counter())
    for area, outcomes in counts.items():
        print(f"| {area} | " + " | ".join(str(outcomes[title]) for title in titles) + " |")
    print(f"\nSeed {given.seed}; {perf_counter() - begin:.0f} s.")
    return bool(counts["all"]["survived"])


if __name__ == "__main__":
    sys.exit(main())
