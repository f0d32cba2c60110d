"""Run the benchmarks by name, or all of them: python -m tests.benchmarks [NAME ...].

Each is a process of its own, so that no script pays for or profits from another's imports.
Its table goes to the terminal and to benchmark-results/NAME.md, and a chart, where it draws one, beside it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
RESULTS = Path("benchmark-results")


def main(names: list[str]) -> int:
    known = sorted(path.stem for path in FOLDER.glob("[!_]*.py"))
    if unknown := set(names) - set(known):
        print(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
        return 2
    RESULTS.mkdir(exist_ok=True)
    failed = []
    for name in names or known:
        print(f"\n## {name}\n", flush=True)
        command = [sys.executable, "-m", f"{__package__}.{name}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            lines = []
            for line in process.stdout:
                print(line, end="", flush=True)
                lines.append(line)
        if process.returncode:
            failed.append(name)
        else:
            (RESULTS / f"{name}.md").write_text("".join(lines), encoding="utf-8")
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
