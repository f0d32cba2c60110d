"""Statistics of more records, and more often, than in the fast tests; the recipes of the notebook."""

import json
import warnings
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from dirframe import stats
from tests import oracle
from tests.oracle import FETCHED, FIRST, LAST


# A seed has no simpler form, and to look for one takes a minute.
@pytest.mark.parametrize("kind", oracle.STATISTICS)
@settings(phases=[Phase.generate])
@given(seed=st.integers(0, 2**32), size=st.integers(0, 120))
def test_every_statistic_is_what_plain_python_counts(kind, seed, size):
    assert not oracle.failures(kind, seed, size)


@given(
    st.lists(st.tuples(st.integers(1, 15), st.booleans()), min_size=1, max_size=25),
)
def test_survival_is_that_of_scipy(lives):
    scipy_stats = pytest.importorskip("scipy.stats", reason="compared with scipy")
    records = [
        {
            FIRST: oracle.first_day(24_000),
            LAST: oracle.first_day(23_999 + months),
            FETCHED[0]: oracle.first_day(23_999 + months + 12 * ended),
        }
        for months, ended in lives
    ]
    table = stats.survival(oracle.frame("projects", records)).set_index("months")
    data = scipy_stats.CensoredData(
        uncensored=[months for months, ended in lives if ended],
        right=[months for months, ended in lives if not ended],
    )
    sf = scipy_stats.ecdf(data).sf.evaluate(np.array(table.index, dtype=float))
    assert table["survival"].astype(float).tolist() == pytest.approx(sf.tolist())
    inside = table.dropna(subset=["low"])
    assert (inside["low"] < inside["survival"]).all()
    assert (inside["survival"] < inside["high"]).all()


@pytest.fixture(scope="module")
def recipes(root):
    """Run the notebook; return its names and the code of its last cell."""
    cells = json.loads((root / "notebooks" / "recipes.ipynb").read_text(encoding="utf-8"))["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    names = {}
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(StringIO()),
        warnings.catch_warnings(),
    ):
        patch.delenv("DIRFRAME_RECORDED_PAGES", raising=False)
        warnings.simplefilter("error")
        # Python shows no such warning of a library's own code.
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="powerlaw")
        for code in codes:
            exec(code, names)
    return names, codes[-1]


def test_recipes_give_their_figures_without_a_warning(recipes):
    names, _ = recipes
    assert names["doubling"] == pytest.approx(28.353, abs=1e-3)


def test_recipe_of_a_published_figure_reads_recorded_pages(recipes, shared, monkeypatch, capsys):
    names, code = recipes
    monkeypatch.setenv("DIRFRAME_RECORDED_PAGES", str(shared / "real" / "pages"))
    exec(code, names)
    assert capsys.readouterr().out == "The number doubles in 25.4 months; published: 13.9.\n"
