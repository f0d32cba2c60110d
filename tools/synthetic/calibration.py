"""Distributions of the figures of generated records."""

# Source: figures of 12,360 projects recorded in 2013 (OhlohAnalytics data set, M. Bruntink,
# University of Amsterdam, CC-BY 3.0), rounded to two digits. Figures that were not
# measured are marked "chosen".

from __future__ import annotations

from typing import NamedTuple

from tools.synthetic.distributions import (
    QuantileCurve,
    WeightedChoice,
    read_rows,
    read_table,
    years_curve,
)

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

#: Normal correlations that give the measured rank correlations: of lines and contributors 0.42,
#: of lines and users 0.44, of contributors and users 0.36 (the ties at zero weaken them).
CORRELATIONS = 0.49, 0.48, 0.40


class Language(NamedTuple):
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
_TABLE, _CURVES = read_table("projects.toml"), read_table("curves.toml")

#: Further languages of a project, with weights (chosen).
COMPANIONS = WeightedChoice({_KNOWN[n]: weight for n, weight in _TABLE["companions"].items()})
#: Languages listed in an analysis, with the line for the others (of 303 recorded ones).
LANGUAGE_ROWS = WeightedChoice({1: 19, 2: 63, 3: 101, 4: 115})
#: Distributions by what they give, and of times in years.
CURVES = {name: QuantileCurve(**curve) for name, curve in _CURVES.items() if name != "years"}
YEARS = {name: years_curve(weights) for name, weights in _CURVES["years"].items()}

#: Code and title of a licence, and how many projects have it.
LICENSES = WeightedChoice({(code, t): n for code, (t, n) in _TABLE["licenses"].items()})
#: Licences of one project: none for 14.2%; the split of the others is of 313 recorded ones.
LICENSES_EACH = WeightedChoice({0: 142, 1: 770, 2: 58, 3: 20, 4: 10})
