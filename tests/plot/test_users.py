"""The chart of users against contributors, checked by what is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import to_hex

from dirframe import plot
from tests.plot.charts import caption


def projects(users: Any, contributors: Any) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "stack_count": pd.Series(users, dtype="Int64"),
            "analysis_twelve_month_contributor_count": pd.Series(contributors, dtype="Int64"),
        }
    )


def test_few_pairs_are_dots_larger_and_darker_the_more_projects_have_them() -> None:
    ax = plot.users_against_contributors(projects([0] * 5 + [7, None, 1], [1] * 5 + [2, 1, -1]))
    (dots,) = ax.collections
    assert isinstance(dots, PathCollection)
    assert np.asarray(dots.get_offsets()).tolist() == [[0, 1], [7, 2]]
    many, one = dots.get_sizes()
    assert many > one
    many, one = (sum(colour[:3]) for colour in np.asarray(dots.get_facecolor()))
    assert many < one
    said = "Not shown: 2 projects (1 without users, 1 with negative contributors)."
    assert said in caption(ax)


def test_many_pairs_are_cells_that_hold_every_project() -> None:
    random = np.random.default_rng(7)
    users, contributors = random.geometric(0.002, (2, 3_000)) - 1
    ax = plot.users_against_contributors(projects(users, contributors))
    (cells,) = ax.collections
    assert isinstance(cells, QuadMesh)
    corners = np.asarray(cells.get_coordinates())
    columns, lines = corners[0, :, 0], corners[:, 0, 1]
    assert columns[0] == lines[0] == -0.5
    assert columns[-1] > users.max()
    assert lines[-1] > contributors.max()
    held, _, _ = np.histogram2d(contributors, users, bins=(lines, columns))
    colours = np.asarray(cells.get_array())
    assert held.sum() == 3_000
    assert ((colours[..., 3] > 0) == (held > 0)).all()
    legend = ax.get_legend()
    assert legend is not None
    assert legend.get_title().get_text() == "Projects in a cell"
    darkest = legend.get_patches()[-1].get_facecolor()
    assert to_hex(tuple(colours[np.unravel_index(held.argmax(), held.shape)].tolist())) == to_hex(
        darkest
    )


def test_both_axes_survive_zero() -> None:
    ax = plot.users_against_contributors(projects([0], [0]))
    ax.figure.canvas.figure.draw_without_rendering()
    assert (ax.get_xscale(), ax.get_yscale()) == ("symlog", "symlog")
    assert ax.get_xlim()[0] < 0
    assert ax.get_ylim()[0] < 0
