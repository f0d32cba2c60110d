"""Generate synthetic projects."""

# Lines, contributors and users have the measured rank correlations: three correlated normal
# deviates (a Gaussian copula) determine the quantile in each distribution.

from __future__ import annotations

from math import sqrt
from typing import Any

from tools.synthetic import calibration, descriptions
from tools.synthetic._time import DAY, SNAPSHOT, stamp
from tools.synthetic.analyses import analysis
from tools.synthetic.calibration import CURVES, YEARS
from tools.synthetic.distributions import Draw, edge_cases, normal, normal_cdf, record_random

_STREAM = 1
_LC, _LU, _CU = calibration.CORRELATIONS
#: Cholesky factor of the correlation matrix of lines, contributors and users.
_C2 = sqrt(1 - _LC**2)
_U2 = (_CU - _LC * _LU) / _C2
_U3 = sqrt(1 - _LU**2 - _U2**2)
#: Correlations of users with ratings, and of first month with registration (both chosen).
_USERS_RATINGS = 0.9
_FIRST_CREATED = 0.6


def project(index: int) -> dict[str, Any]:
    """Generate the project at an index."""
    draw = record_random(_STREAM, index).random
    name, word = descriptions.project_name(draw)
    edge_case = edge_cases("project", index)
    name = edge_case.get("name", name)
    language = calibration.LANGUAGES.at(draw())
    sizes = draw()
    by_lines, own = normal(sizes), normal(draw())
    people = normal_cdf(_LC * by_lines + _C2 * own)
    by_users = _LU * by_lines + _U2 * own + _U3 * normal(draw())
    by_created = normal(draw())
    # An analysis needs a day before the snapshot.
    created = min(int(YEARS["created"].at(normal_cdf(by_created))), SNAPSHOT - DAY)
    modified = max(int(YEARS["updated"].at(draw())), created + int(draw() ** 4 * 90 * DAY))
    modified = min(modified, SNAPSHOT - 1)
    if draw() < calibration.WITHOUT_ANALYSIS:
        content = None
    else:
        began = _FIRST_CREATED * by_created + sqrt(1 - _FIRST_CREATED**2) * normal(draw())
        content = analysis(
            index,
            language,
            lines=int(language.lines.at(sizes)),
            people=round(language.contributors.at(people)),
            created=created,
            modified=modified,
            first_month=int(YEARS["first_month"].at(normal_cdf(began))),
            draw=draw,
        )
    home = _address(word, draw)
    record: dict[str, Any] = {
        "id": str(index + 1),
        "name": name,
        "created_at": stamp(created),
        "updated_at": stamp(modified),
        "description": (
            descriptions.description(name, draw) if draw() < calibration.WITH_DESCRIPTION else None
        ),
        "homepage_url": home if draw() < calibration.WITH_HOMEPAGE else None,
        "download_url": _download(home, draw) if draw() < calibration.WITH_DOWNLOAD else None,
        "irc_url": f"irc://irc.example.net/{word}" if draw() < calibration.WITH_IRC else None,
        "stack_count": str(round(CURVES["users"].at(normal_cdf(by_users)))),
        "analysis_id": content["id"] if content else None,
        **({"analysis": content} if content else {}),
        **_ratings(by_users, draw),
    }
    if count := round(CURVES["tags_each"].at(draw())):
        record["tags"] = list(descriptions.tags(count, language.name if content else None, draw))
    record["licenses"] = _licenses(draw)
    record.update(edge_case)
    return record


def _address(word: str, draw: Draw) -> str:
    """Return a home page in a domain reserved for examples."""
    kind = draw()
    if kind < 0.55:
        return f"http://{word}.example.org/"
    if kind < 0.75:
        return f"http://www.example.net/projects/{word}"
    if kind < 0.9:
        return f"https://{word}.invalid"
    return f"http://example.org/forge/?group={word}&view=home"


def _download(home: str, draw: Draw) -> str:
    return home if draw() < 0.3 else f"{home.partition('?')[0].rstrip('/')}/download"


def _ratings(by_users: float, draw: Draw) -> dict[str, Any]:
    mixed = _USERS_RATINGS * by_users + sqrt(1 - _USERS_RATINGS**2) * normal(draw())
    count = round(CURVES["ratings"].at(normal_cdf(mixed)))
    average = None
    if count:
        stars = round(CURVES["stars"].at(draw()) * count)
        average = str(round(min(max(stars, count), 5 * count) / count, 5))
    return {"average_rating": average, "rating_count": str(count)}


def _licenses(draw: Draw) -> list[Any]:
    chosen: dict[tuple[str, str], None] = {}
    count = calibration.LICENSES_EACH.at(draw())
    while len(chosen) < count:
        chosen[calibration.LICENSES.at(draw())] = None
    return [{"name": code, "nice_name": title} for code, title in chosen]
