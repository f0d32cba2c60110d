"""A package that is too old is refused by name, instead of giving other results."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import dirframe.provenance
from dirframe._requirements import check_pandas

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def with_pandas(tmp_path: Path) -> dict[str, str]:
    """Put an installed pandas 2 before the one of this environment."""
    metadata = tmp_path / "pandas-2.3.3.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: pandas\nVersion: 2.3.3\n")
    return os.environ | {"PYTHONPATH": str(tmp_path)}


@pytest.mark.parametrize(
    "statement",
    [
        "import dirframe; dirframe.read_export('a.csv')",
        "import dirframe; dirframe.Explorer",
        "from dirframe import stats",
        "import dirframe.stats",
        "import sys; sys.argv = ['dirframe', 'summary', 'README.md']; import dirframe.__main__ as m; m.main()",
    ],
)
def test_a_pandas_that_is_too_old_is_refused_at_first_use(
    statement: str, with_pandas: dict[str, str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", statement],
        env=with_pandas,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "needs pandas 3 or newer; pandas 2.3.3 is installed" in done.stderr
    assert 'pip install "pandas>=3"' in done.stderr


@pytest.mark.parametrize("statement", ["import dirframe", "import dirframe; dirframe.NetworkError"])
def test_what_needs_no_pandas_is_not_refused(statement: str, with_pandas: dict[str, str]) -> None:
    subprocess.run([sys.executable, "-c", statement], env=with_pandas, check=True)


def test_the_pandas_of_this_environment_is_new_enough() -> None:
    check_pandas()
    assert callable(dirframe.provenance.copy_provenance)
