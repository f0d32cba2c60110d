"""Four charts as pictures: what a look at the artists would not notice.

The pictures in ``baseline/`` were looked at. After a change that was meant, make them again with
``pytest tests/plot/test_pictures.py --mpl-generate-path=tests/plot/baseline``, and look at them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dirframe import plot
from tests.plot.charts import accounts, projects

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

# Releases of matplotlib differ a little in the edges of letters.
picture = pytest.mark.mpl_image_compare(
    style=plot.STYLE, savefig_kwargs={"dpi": 70}, tolerance=12, deterministic=True
)


@picture
def test_the_map() -> FigureBase:
    return plot.accounts_map(accounts(200)).figure


@picture
def test_the_languages_of_each_year() -> FigureBase:
    return plot.languages_by_year(projects(200)).figure


@picture
def test_users_against_contributors() -> FigureBase:
    return plot.users_against_contributors(projects(200)).figure


@picture
def test_the_life_spans_with_names_of_every_kind() -> FigureBase:
    return plot.life_span(projects(), top=8).figure
