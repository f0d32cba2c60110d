"""Draw charts of the statistics in `dirframe.stats`.

Each chart takes the same frame as the function of the same name in `dirframe.stats`, calls it, and
draws its result on the given axes or on a new figure. It also takes that result, computed earlier:
on a cluster, say, or read from a file. It states what it shows, the number of
records, what is excluded, and its source. Names are shown literally: ``$`` and ``<`` are not
markup. Text is smaller in narrow axes, and a figure without a layout engine gets matplotlib's
constrained layout, so that no text is cut off. The caption is an annotation whose ``get_gid()`` is
``"caption"``.

Scripts that matplotlib's fonts lack (Chinese, Japanese, Korean and others) use the first installed
font of `dirframe.plot.FONTS`; without one, matplotlib draws boxes and warns.

`style` optionally applies the style sheet ``STYLE`` in a ``with`` block.
"""

from typing import TYPE_CHECKING

from dirframe._display.suggest import unknown_attribute
from dirframe.plot._description.colours import language_colour
from dirframe.plot._drawing.style import STYLE, style
from dirframe.plot._drawing.typography import FONTS
from dirframe.plot.accounts import accounts_by_kudo_rank, posts_distribution
from dirframe.plot.commits import commits_by_contributor
from dirframe.plot.contributors import contributor_distribution, lorenz, team_size_classes
from dirframe.plot.countries import accounts_by_country, accounts_map
from dirframe.plot.growth import growth, languages_by_year
from dirframe.plot.languages import contributors_by_language, language_share
from dirframe.plot.lifetimes import activity, life_span
from dirframe.plot.memberships import language_breakdown, licenses, tags
from dirframe.plot.months import monthly_activity
from dirframe.plot.survival import survival
from dirframe.plot.users import users_against_contributors

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
    "style",
    "survival",
    "tags",
    "team_size_classes",
    "users_against_contributors",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise unknown_attribute(f"module {__name__!r}", name, __all__)


def __dir__() -> list[str]:
    return sorted(__all__)  # completion offers no modules
