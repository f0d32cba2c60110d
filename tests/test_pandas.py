"""A pandas that is too old is refused by name, and frames of a new one have `dirframe`."""

from __future__ import annotations

import inspect
import os
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dirframe
import dirframe.provenance
from dirframe._pandas import check_pandas
from dirframe.errors import ConfigurationError
from dirframe.service.store.sample import sample_files

if TYPE_CHECKING:
    from collections.abc import Callable
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


ACCESSOR = (
    "print(pd.DataFrame({'id': ['1'], 'tags': [['a']]}).dirframe.stats.tags()['tag'].tolist())"
)


@pytest.mark.parametrize(
    "imports",
    [
        "import dirframe, pandas as pd",
        "import pandas as pd, dirframe",
        "import dirframe; dirframe.load_projects; import pandas as pd",
        "import dirframe; from pandas import DataFrame; import pandas as pd",
        "import dirframe.errors; import dirframe.stats; import pandas as pd",
    ],
)
def test_frames_have_the_accessor_whatever_is_imported_first(imports: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{imports}\n{ACCESSOR}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "['a']\n"


def test_the_import_hook_is_gone_once_pandas_is_there() -> None:
    script = "import dirframe, sys, pandas; print([f for f in sys.meta_path if 'Pandas' in str(f)])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_the_accessor_calls_the_public_functions_with_its_frame() -> None:
    with dirframe.sample_directory() as directory:
        projects = directory.projects(max_items=40, progress=False)
    accessor: Any = projects.dirframe
    assert accessor.cite() == dirframe.cite(projects)
    assert str(accessor.summary()) == str(dirframe.summary(projects))
    shares = dirframe.stats.language_share(projects, top=3)
    pd.testing.assert_frame_equal(accessor.stats.language_share(top=3), shares)
    bars = accessor.plot.language_share(top=3).patches
    assert len(bars) == len(dirframe.plot.language_share(projects, top=3).patches)


def test_the_accessor_offers_what_a_frame_can_be_given_to() -> None:
    accessor = pd.DataFrame().dirframe
    assert dir(accessor.stats) == sorted(dirframe.stats.__all__)
    assert set(dir(accessor.plot)) <= set(dirframe.plot.__all__)
    for name in set(dir(accessor)) - {"plot", "stats"}:
        function = getattr(accessor, name)
        assert function.__func__ is getattr(dirframe, name)
        assert inspect.getdoc(function) == inspect.getdoc(getattr(dirframe, name))


def test_a_frame_with_an_accessor_can_be_copied_and_pickled() -> None:
    frame = pd.DataFrame({"id": ["1"]})
    assert dir(frame.dirframe)
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(frame)), frame)
    assert frame.copy().dirframe is not frame.dirframe


@pytest.mark.filterwarnings("ignore:.*infer_string")
@pytest.mark.parametrize(
    "use",
    [
        dirframe.stats.language_share,
        dirframe.stats.contributors_by_language,
        dirframe.plot.language_share,
        dirframe.summary,
        dirframe.flags,
        dirframe.unify_countries,
        lambda frame: dirframe.compare(frame, frame),
        lambda frame: dirframe.select(frame, languages="C"),
        lambda _: dirframe.read_pages(sample_files()[1]),
    ],
)
def test_an_option_that_counts_missing_text_as_a_value_is_refused(
    use: Callable[[pd.DataFrame], object],
) -> None:
    frame = pd.DataFrame(
        {
            "id": ["1", "2", "3"],
            "country_code": ["US", None, "China"],
            "analysis_main_language_name": ["C", None, "C"],
            "analysis_twelve_month_contributor_count": [1, 2, 3],
            "analysis_total_code_lines": [1, 2, 3],
        }
    )
    with (
        pd.option_context("future.infer_string", False),
        pytest.raises(ConfigurationError, match=r"future\.infer_string"),
    ):
        use(frame)
