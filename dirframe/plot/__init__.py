"""Charts: the frame that a statistic takes, drawn.

Each chart takes the same frame as the function of its name in `dirframe.stats`, calls that
function and draws what it gives, on the axes that it is handed or on a new figure. It says
what it shows, how many records are behind it, what is not in it, and its source. Names are
shown as they are: ``$`` and ``<`` mean nothing special. Text gets smaller in narrow axes, and
a figure without a layout engine gets matplotlib's constrained one, so that no text is cut off.
The caption is an annotation whose ``get_gid()`` is ``"caption"``.

A script that no font of matplotlib's holds (Chinese, Japanese, Korean and others) is shown
with the first installed font of `dirframe.plot.FONTS`; with none, matplotlib draws boxes and
says so in a warning.

`style` sets a style sheet of ours (``STYLE``) for a ``with`` block, for those who want it.
"""

from dirframe.plot._drawing.colours import language_colour
from dirframe.plot._drawing.style import STYLE, style
from dirframe.plot._drawing.typography import FONTS
from dirframe.plot.accounts import accounts_by_kudo_rank, posts_distribution
from dirframe.plot.commits import commits_by_contributor
from dirframe.plot.contributors import contributor_distribution, lorenz, team_size_classes
from dirframe.plot.countries import accounts_by_country
from dirframe.plot.density import contributors_per_thousand_lines
from dirframe.plot.growth import growth, languages_by_year
from dirframe.plot.languages import contributors_by_language, language_share
from dirframe.plot.lifetimes import activity, life_span, project_age
from dirframe.plot.memberships import language_breakdown, licenses, tags
from dirframe.plot.months import monthly_activity
from dirframe.plot.users import users_against_contributors
from dirframe.plot.world import accounts_map

__all__ = [
    "FONTS",
    "STYLE",
    "accounts_by_country",
    "accounts_by_kudo_rank",
    "accounts_map",
    "activity",
    "commits_by_contributor",
    "contributor_distribution",
    "contributors_by_language",
    "contributors_per_thousand_lines",
    "growth",
    "language_breakdown",
    "language_colour",
    "language_share",
    "languages_by_year",
    "licenses",
    "life_span",
    "lorenz",
    "monthly_activity",
    "posts_distribution",
    "project_age",
    "style",
    "tags",
    "team_size_classes",
    "users_against_contributors",
]
