"""Draw charts of the statistics in `dirframe.stats`.

Each chart calls the statistic of its name, with the same frame and with the options that both have,
and returns the `matplotlib.axes.Axes`. It states what it shows, the number of records, what is
excluded, and its source. Rows beyond `top` become one, ``other``, which is hatched; None shows all.
A wrong option raises `InvalidInputError`. All charts have these options besides:

- ``ax``: where to draw. By default a new figure, as high as its rows need. A figure without a
  layout engine gets matplotlib's constrained layout, so that no text is cut off.
- ``title``: in place of the chart's own; False or ``""`` for none.
- ``caption``: text in place of the notes below the chart; the number of records and the source
  follow it. False draws no caption, for a text that states them itself. The caption is an
  annotation whose ``get_gid()`` is ``"caption"``.
- ``width``: that of the new figure, for print: ``"column"`` (84 mm) or ``"page"`` (174 mm). By
  default 6.4 inches, and 4.6 for `lorenz`, which is square.

`panels` draws a chart of each part of a frame, and `style` applies a style sheet for publications
in a ``with`` block; no global setting is changed. Names are shown literally: ``$`` and ``<`` are
not markup. Scripts that matplotlib's fonts lack (Chinese, Japanese, Korean and others) use an
installed font that has them, such as Noto Sans; without one, matplotlib draws boxes and warns.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib.pyplot as plt

from dirframe.plot.accounts import (
    accounts_by_country,
    accounts_by_kudo_rank,
    accounts_map,
    posts_distribution,
)
from dirframe.plot.languages import (
    contributors_by_language,
    language_breakdown,
    language_share,
    languages_by_year,
)
from dirframe.plot.lifetimes import activity, growth, life_span, monthly_activity, survival
from dirframe.plot.panels import panels
from dirframe.plot.projects import (
    commits_by_contributor,
    contributor_distribution,
    license_families,
    licenses,
    lorenz,
    tags,
    team_size_classes,
    users_against_contributors,
)

__all__ = [
    "accounts_by_country",
    "accounts_by_kudo_rank",
    "accounts_map",
    "activity",
    "commits_by_contributor",
    "contributor_distribution",
    "contributors_by_language",
    "growth",
    "language_breakdown",
    "language_share",
    "languages_by_year",
    "license_families",
    "licenses",
    "life_span",
    "lorenz",
    "monthly_activity",
    "panels",
    "posts_distribution",
    "style",
    "survival",
    "tags",
    "team_size_classes",
    "users_against_contributors",
]


def __dir__() -> list[str]:
    return __all__


@contextmanager
def style() -> Iterator[None]:
    """Apply the style sheet for publications within a ``with`` block.

    Examples
    --------
    >>> import matplotlib as mpl
    >>> with style():
    ...     print(mpl.rcParams["pdf.fonttype"])
    42
    >>> mpl.rcParams["pdf.fonttype"]
    3
    """
    # A notebook's backend switches the interactive mode on when it is loaded. Loaded within the
    # block, it would be switched off again at the end, and no later chart would be displayed.
    plt.draw_if_interactive()
    with plt.style.context(Path(__file__).with_name("dirframe.mplstyle")):
        yield
