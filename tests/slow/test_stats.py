"""Statistics more often than in the fast tests; the recipes of the notebook."""

import json
import warnings
from contextlib import redirect_stdout
from io import StringIO

import pytest

from tests.stats.test_every_statistic import (
    test_every_statistic_is_what_plain_python_counts as test_statistics,  # noqa: F401  # is collected
)


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
