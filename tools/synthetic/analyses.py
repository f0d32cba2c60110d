"""Generate the analysis of a synthetic project: months, people, lines, languages, factoids."""

# The figures of an analysis are consistent: there are contributors only with activity in the last
# twelve months, percentages add up to 100 with the main language first, and factoids match the
# figures.

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dirframe.schema import LESS_THAN_ONE
from tools.synthetic import calibration
from tools.synthetic._time import DAY, SNAPSHOT, month_of, month_start, stamp
from tools.synthetic.calibration import CURVES
from tools.synthetic.distributions import Draw, read_table

if TYPE_CHECKING:
    from tools.synthetic.calibration import Language

#: Offset of the ids of analyses.
_NUMBERS_FROM = 1_000_000
_OTHERS_COLOR = "000000"
_MODIFIED_BY_ANALYSIS = 0.4
_RECENT = 45 * DAY

_FACTOIDS = read_table("projects.toml")["factoids"]
_STABLE = 0.6


def analysis(
    index: int,
    language: Language,
    *,
    lines: int,
    people: int,
    created: int,
    modified: int,
    first_month: int,
    draw: Draw,
) -> dict[str, Any]:
    """Generate the analysis of the project at an index."""
    recent = max(created, SNAPSHOT - _RECENT)
    if draw() < calibration.STALE:
        start = max(created, calibration.STALE_FROM)
        updated = start + 2 + int(draw() * (SNAPSHOT - 2 - start))
    elif draw() < _MODIFIED_BY_ANALYSIS and modified > recent + 1:
        updated = modified
    else:
        updated = SNAPSHOT - 1 - int(draw() ** 3 * (SNAPSHOT - 3 - recent))
    # The source code is fetched after the project was added and before it is analysed.
    logged = updated - 1 - int(draw() ** 3 * min(3 * DAY, updated - 1 - created))
    current = month_of(logged)
    if people:
        last = current - min(11, int(draw() ** 3.6 * 12))
    else:
        last = min(int(CURVES["dormant_until"].at(draw())), current - 12)
    first = min(month_of(first_month), last)
    with_main = draw() >= calibration.WITHOUT_MAIN_LANGUAGE
    months = draw() >= calibration.WITHOUT_MONTHS
    if draw() < calibration.NEGATIVE_LINES:
        lines = -int(calibration.LARGEST_NEGATIVE ** (0.2 + 0.8 * draw()))
    number = str(_NUMBERS_FROM + index + 1)
    content: dict[str, Any] = {
        "id": number,
        "project_id": str(index + 1),
        "updated_at": stamp(updated),
        "logged_at": stamp(logged) if draw() >= calibration.WITHOUT_LOGGED_AT else None,
        "min_month": stamp(month_start(first)) if months else None,
        "max_month": stamp(month_start(last)) if months else None,
        "twelve_month_contributor_count": str(people),
        "total_code_lines": str(lines),
        "main_language_id": language.number if with_main else None,
        "main_language_name": language.name if with_main else None,
    }
    if index % calibration.EXTRA_COUNTS_EVERY == calibration.EXTRA_COUNTS_AT:
        commits = people * (1 + int(draw() * 200))
        content["total_contributor_count"] = str(people + int(draw() * 40))
        content["twelve_month_commit_count"] = f"{commits:,}"
        content["total_commit_count"] = f"{commits + int(draw() * 9_000) + 1_000:,}"
    if draw() >= calibration.WITHOUT_FACTOIDS:
        content["factoids"] = _factoids(last - first, people, draw)
    if with_main:
        content["languages"] = _languages(language, draw)
    return content


def _factoid(about: str, value: float) -> Any:
    return next(
        {"@type": kind, "#text": text} for bound, kind, text in _FACTOIDS[about] if value < bound
    )


def _factoids(span: int, people: int, draw: Draw) -> list[Any]:
    factoids = [_factoid("ages", span), _factoid("teams", people), _factoid("comments", draw())]
    if draw() >= calibration.WITHOUT_ACTIVITY_FACTOID:
        factoids.append(_factoid("activity", draw() if people else _STABLE))
    return factoids


def _row(name: str, number: str, color: str, percentage: int) -> Any:
    share = str(percentage) if percentage else LESS_THAN_ONE
    return {"@color": color, "@percentage": share, "@id": number, "#text": name}


def _languages(main: Language, draw: Draw) -> list[Any]:
    rows = calibration.LANGUAGE_ROWS.at(draw())
    if rows == 1:
        return [_row(main.name, main.number, main.color, 100)]
    rest = int(CURVES["rest_share"].at(draw()))
    if rows == 2:
        rest = min(rest, 49)
    listed = [main]
    while len(listed) < max(2, rows - 1):
        other = calibration.COMPANIONS.at(draw())
        if other not in listed:
            listed.append(other)
    shares = [100 - rest]
    for _ in listed[1:]:
        part = rest if rows == 2 else int(rest * (0.5 + 0.4 * draw()))
        shares.append(min(part, shares[-1]))
        rest -= shares[-1]
    content = [
        _row(each.name, each.number, each.color, share)
        for each, share in zip(listed, shares, strict=True)
    ]
    if rows > 2:
        content.append(_row(f"{1 + int(draw() ** 2 * 20)} Other", "", _OTHERS_COLOR, rest))
    return content
