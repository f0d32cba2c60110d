"""Draw charts of the statistics in `dirframe.stats`.

Each chart calls the statistic of its name, with the same frame and with the options that both have,
and returns the `matplotlib.axes.Axes`. It states what it shows, the number of records, what is
excluded, and its source. Rows beyond `top` become one, ``other``, which is hatched; None shows all.
A wrong option raises `InvalidInputError`. All charts have these options besides:

- ``ax``: where to draw. By default a new figure, as high as its rows need. A figure without a
  layout engine gets matplotlib's constrained layout, so that no text is cut off.
- ``title``: in place of the chart's own; False or ``""`` for none. In a new figure, the title is
  the figure's (``ax.figure.suptitle``); on given axes it is ``ax.set_title(..., loc="left")``.
- ``caption``: text in place of the notes below the chart; the number of records and the source
  follow it. False draws no caption, for a text that states them itself. In a new figure, the caption
  is ``ax.figure.supxlabel``; below given axes it is an annotation whose ``get_gid()`` is
  ``"caption"``.
- ``width``: that of the new figure, for print: ``"column"`` (84 mm) or ``"page"`` (174 mm). By
  default 6.4 inches, and 4.6 for `lorenz`, which is square.

A new figure has the style sheet of `style`, unless you have set a style of your own; no global
setting is changed. `panels` draws a chart of each part of a frame. Names are shown literally: ``$``
and ``<`` are not markup. Scripts that matplotlib's fonts lack (Chinese, Japanese, Korean and others)
use an installed font that has them, such as Noto Sans; without one, matplotlib draws boxes and warns.
"""

from __future__ import annotations

from dirframe.errors import DirframeError

try:
    import matplotlib as mpl  # noqa: F401  # before the charts, which import it
except OSError as error:
    raise DirframeError(
        "Matplotlib, which draws the charts, has no folder that it can write to.",
        hint="Name one in the environment variable TMPDIR or MPLCONFIGDIR.",
    ) from error

from dirframe.plot.accounts import (
    accounts_by_country,
    accounts_by_kudo_rank,
    accounts_map,
    posts_distribution,
)
from dirframe.plot.activity import activity
from dirframe.plot.contributors import (
    contributor_distribution,
    lorenz,
    team_size_classes,
    users_against_contributors,
)
from dirframe.plot.figure import style
from dirframe.plot.growth import growth
from dirframe.plot.languages import (
    contributors_by_language,
    language_breakdown,
    language_share,
    languages_by_year,
)
from dirframe.plot.licenses import license_families, licenses
from dirframe.plot.one_project import commits_by_contributor, monthly_activity
from dirframe.plot.panels import panels
from dirframe.plot.survival import life_span, survival
from dirframe.plot.tags import tags

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
