"""Distributions of the figures of generated projects."""

# Source: figures of 12,360 projects recorded in 2013 (OhlohAnalytics data set, M. Bruntink,
# University of Amsterdam, CC-BY 3.0), rounded to two digits. Figures that were not
# measured are marked "chosen".

from __future__ import annotations

from dataclasses import dataclass

from dirframe.service.synthetic._time import years_curve
from dirframe.service.synthetic.distributions import QuantileCurve, WeightedChoice
from dirframe.service.synthetic.tables import read_rows, read_table

_QUANTILES = (0, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1)
#: Of all projects, for languages with too few projects for separate figures.
_ALL_LINES = (0, 400, 5_800, 28_000, 130_000, 460_000, 1_000_000, 4_900_000, 200_000_000)
_ALL_CONTRIBUTORS = (0, 0, 0, 1, 6, 21, 40, 140, 3_100)

WITHOUT_ANALYSIS = 425 / 12_360
#: Of the projects with an analysis.
WITHOUT_MAIN_LANGUAGE = (592 - 425) / (12_360 - 425)
NEGATIVE_LINES = 20 / (12_360 - 425)
WITHOUT_MONTHS = 27 / (12_360 - 425)
WITHOUT_LOGGED_AT = 62 / (12_360 - 425)
LARGEST_NEGATIVE = 300_000
WITH_DESCRIPTION = 0.976
WITH_HOMEPAGE = 0.986
WITH_DOWNLOAD = 0.690
WITH_IRC = 0.06  # chosen
#: Share of analyses not made in the weeks before the snapshot (44 of 301), and the oldest.
STALE = 44 / 301
STALE_FROM = 1_296_518_400  # 2011-02-01
WITH_CARRIAGE_RETURN = 3_485 / 12_360
WITHOUT_FACTOIDS = 0.15  # of 303 recorded analyses
WITHOUT_ACTIVITY_FACTOID = 0.15
#: One project in this many has three more elements.
EXTRA_COUNTS_EVERY = 12_360
EXTRA_COUNTS_AT = 1_000

#: Normal correlations that give the measured rank correlations: lines and contributors
#: 0.42, lines and users 0.44, contributors and users 0.36 (the ties at zero weaken them).
LINES_CONTRIBUTORS = 0.49
LINES_USERS = 0.48
CONTRIBUTORS_USERS = 0.40


@dataclass(frozen=True, eq=False)
class Language:
    """A language: its name, id and color, and the sizes of projects written in it."""

    name: str
    number: str
    color: str
    lines: QuantileCurve
    contributors: QuantileCurve


def _read_languages() -> tuple[dict[str, Language], WeightedChoice[Language]]:
    known: dict[str, Language] = {}
    weights: dict[Language, float] = {}
    for row in read_rows("languages.csv"):
        lines = [float(x) for x in row["code_lines"].split()] or _ALL_LINES
        people = [float(x) for x in row["contributors"].split()] or _ALL_CONTRIBUTORS
        language = Language(
            row["name"],
            row["id"],
            row["color"],
            QuantileCurve(_QUANTILES, lines, log=True),
            QuantileCurve(_QUANTILES, people, log=True),
        )
        known[language.name] = language
        if float(row["projects"]):
            weights[language] = float(row["projects"])
    return known, WeightedChoice(weights)


_KNOWN, LANGUAGES = _read_languages()
_TABLE = read_table("projects.toml")

#: Further languages of a project, with weights (chosen).
COMPANIONS = WeightedChoice({_KNOWN[n]: weight for n, weight in _TABLE["companions"].items()})
#: Languages listed in an analysis, with the line for the others (of 303 recorded ones).
LANGUAGE_ROWS = WeightedChoice({1: 19, 2: 63, 3: 101, 4: 115})
#: Percentage of the lines that are not in the main language (of 303 recorded ones).
REST_SHARE = QuantileCurve((0, 0.06, 0.25, 0.5, 0.75, 0.95, 1), (0, 1, 11, 27, 42, 60, 70))

USERS = QuantileCurve(_QUANTILES, (0, 1, 2, 3, 7, 26, 73, 520, 12_000))
RATINGS = QuantileCurve(
    (0, 0.296, 0.297, 0.5, 0.75, 0.9, 0.95, 0.99, 1),
    (0, 0, 1, 1.4, 3, 10, 23, 130, 3_500),
    log=True,
)
#: Mean number of stars that raters agree on (of 220 recorded ratings).
STARS = QuantileCurve((0, 0.03, 0.1, 0.3, 0.5, 1), (1, 3, 3.9, 4.3, 4.7, 5.2))
TAGS_EACH = QuantileCurve(
    (0, 0.204, 0.205, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1), (0, 0, 1, 2, 6, 11, 18, 23, 40, 178)
)
DESCRIPTION_LENGTH = QuantileCurve(
    _QUANTILES, (3, 39, 110, 240, 410, 660, 770, 1_200, 15_000), log=True
)

CREATED = years_curve(
    {2006: 78, 2007: 181, 2008: 282, 2009: 208, 2010: 91, 2011: 87, 2012: 60, 2013: 13}
)
#: Most records were last modified in the weeks before they were recorded: the split of 2013
#: is that of 313 recorded projects. The one of 2014 counts as 2013.
UPDATED = years_curve(
    {2008: 2, 2009: 7, 2010: 3, 2011: 29, 2012: 79, 2013: 30, 2013 + 5 / 12: 150, 2013.5: 700}
)
FIRST_MONTH = years_curve({
    1972: 0.2, 1981: 1, 1987: 1.5, 1991: 1, 1993: 1.5, 1994: 1.4, 1995: 2.1, 1996: 2.4,
    1997: 5.6, 1998: 7.5, 1999: 12, 2000: 23, 2001: 28, 2002: 34, 2003: 40, 2004: 40, 2005: 56,
    2006: 87, 2007: 133, 2008: 172, 2009: 148, 2010: 98, 2011: 64, 2012: 32, 2013: 6,
})  # fmt: skip
#: Last month of projects without a contributor in the twelve months before the analysis.
DORMANT_UNTIL = QuantileCurve(
    (0, 0.013, 0.022, 0.045, 0.104, 0.236, 0.458, 0.70, 0.91, 1),
    [(year - 1970) * 12 for year in (2000, *range(2005, 2013), 2012.5)],
)

#: Code and title of a licence, and how many projects have it.
LICENSES = WeightedChoice({(code, t): n for code, (t, n) in _TABLE["licenses"].items()})
#: Licences of one project: none for 14.2%; the split of the others is of 313 recorded ones.
LICENSES_EACH = WeightedChoice({0: 142, 1: 770, 2: 58, 3: 20, 4: 10})
