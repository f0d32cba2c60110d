"""Every statistic once more, in plain Python, as its docstring states it.

Records are dicts, without what is missing. Each function gives the rows in their order, as
tuples in the order of the columns, and what ``counted`` holds. Nothing here is dirframe's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import accumulate, pairwise
from math import comb
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Record = dict[str, Any]
    Found = tuple[list[tuple[Any, ...]], dict[str, int]]

LANGUAGE, LINES = "analysis_main_language_name", "analysis_total_code_lines"
PEOPLE = "analysis_twelve_month_contributor_count"


def named(record: Record, column: str) -> str | None:
    text = record.get(column)
    return text if text and text.strip() else None


def number(record: Record, *columns: str) -> int | None:
    return next((record[column] for column in columns if column in record), None)


def valid(value: int | None) -> bool:
    return value is not None and value >= 0


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def other(names: list[Any], top: int | None, noun: str) -> tuple[list[Any], list[Any], str]:
    """Split ordered names into those that are kept and the others, with the name of the others."""
    kept = len(names) if top is None or len(names) <= top + 1 else top
    return names[:kept], names[kept:], f"other ({len(names) - kept:,} {noun})"


def quantile(values: Sequence[float], at: float) -> float | None:
    if not values:
        return None
    ascending = sorted(values)
    place = at * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return ascending[low] + (ascending[high] - ascending[low]) * (place - low)


def spread(values: Sequence[float]) -> list[float | None]:
    """Give quartiles, median, and the 95% interval of the median by the binomial distribution."""
    n, low = len(values), -1
    while sum(comb(n, k) for k in range(low + 2)) <= 0.025 * 2**n:
        low += 1
    ends = (
        [None, None] if low < 0 else [float(sorted(values)[place]) for place in (low, n - 1 - low)]
    )
    return [*(quantile(values, at) for at in (0.25, 0.5, 0.75)), *ends]


def missing_and_negative(
    records: list[Record], column: str, all_: str, what: str
) -> tuple[list[int], dict[str, int]]:
    values = [record.get(column) for record in records]
    known = [value for value in values if value is not None and value >= 0]
    return known, {
        all_: len(records),
        f"with_{what}": len(known),
        f"{what}_missing": values.count(None),
        f"{what}_negative": sum(value is not None and value < 0 for value in values),
    }


def distribution(known: list[int]) -> list[tuple[Any, ...]]:
    counts = sorted(Counter(known).items())
    so_far = accumulate(count for _, count in counts)
    return [
        (value, count, share(count, len(known)), share(until, len(known)))
        for (value, count), until in zip(counts, so_far, strict=True)
    ]


def accounts_by_kudo_rank(records: list[Record]) -> Found:
    ranks = [record.get("kudo_score_kudo_rank") for record in records]
    counts = [ranks.count(rank) for rank in range(1, 11)]
    with_rank = sum(counts)
    rows = [(rank, n, share(n, with_rank)) for rank, n in enumerate(counts, 1)]
    lacking = ranks.count(None)
    return rows, {
        "accounts": len(records),
        "with_kudo_rank": with_rank,
        "kudo_rank_missing": lacking,
        "kudo_rank_impossible": len(records) - with_rank - lacking,
    }


def posts_distribution(records: list[Record]) -> Found:
    known, counted = missing_and_negative(records, "posts_count", "accounts", "posts")
    return distribution(known), counted


def contributor_distribution(records: list[Record]) -> Found:
    known, counted = missing_and_negative(records, PEOPLE, "projects", "contributors")
    return distribution(known), counted


def contributor_quantiles(records: list[Record], quantiles: Sequence[float]) -> Found:
    known, counted = missing_and_negative(records, PEOPLE, "projects", "contributors")
    return [(at, quantile(known, at)) for at in quantiles], counted


def curve(values: Sequence[int]) -> list[tuple[float, float, int | None]]:
    """Give the corners of the Lorenz curve."""
    total = sum(values)
    if not total:
        return []
    corners: list[tuple[float, float, int | None]] = [(0.0, 0.0, None)]
    for most in sorted(set(values)):
        below = [value for value in values if value <= most]
        corners.append((len(below) / len(values), sum(below) / total, most))
    return corners


def lorenz(records: list[Record]) -> Found:
    known, counted = missing_and_negative(records, PEOPLE, "projects", "contributors")
    return list(curve(known)), counted


def gini(values: Sequence[int]) -> float | None:
    corners = curve(values)
    area = sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0, _), (x1, y1, _) in pairwise(corners))
    return 1 - 2 * area if corners else None


def top_share(values: Sequence[int], part: float) -> float | None:
    at = 1 - part
    for (x0, y0, _), (x1, y1, _) in pairwise(curve(values)):
        if x0 <= at <= x1:
            return 1 - (y0 + (y1 - y0) * (at - x0) / (x1 - x0))
    return None


def contributor_concentration(records: list[Record]) -> Found:
    known, counted = missing_and_negative(records, PEOPLE, "projects", "contributors")
    some = [value for value in known if value]
    rows = [("gini", gini(known), gini(some))]
    rows += [
        (f"top {percent}%", top_share(known, percent / 100), top_share(some, percent / 100))
        for percent in (1, 10, 20, 50)
    ]
    return rows, counted | {"projects_without_contributors": known.count(0)}


def team_size_classes(records: list[Record], bounds: Sequence[int]) -> Found:
    known, counted = missing_and_negative(records, PEOPLE, "projects", "contributors")
    rows = []
    for place, low in enumerate(bounds):
        high = bounds[place + 1] - 1 if place + 1 < len(bounds) else None
        inside = [n for n in known if n >= low and (high is None or n <= high)]
        name = f"{low:,}" if low == high else f"{low:,}–{high or 0:,}"
        name = f"{low:,} or more" if high is None else name
        rows.append((name, low, high, len(inside), share(len(inside), len(known)), sum(inside)))
    return rows, counted


def accounts_by_country(records: list[Record], top: int | None) -> Found:
    of_name = defaultdict(list)
    for record in records:
        if name := named(record, "country_name"):
            of_name[name].append(record.get("country_alpha_2"))
    known = sum(map(len, of_name.values()))
    kept, rest, label = other(
        sorted(of_name, key=lambda name: (-len(of_name[name]), name)), top, "countries"
    )
    rows: list[tuple[Any, ...]] = []
    for name in kept:
        code = min((code for code in of_name[name] if code is not None), default=None)
        rows.append((code, name, len(of_name[name]), share(len(of_name[name]), known)))
    if rest:
        number_of_rest = sum(len(of_name[name]) for name in rest)
        rows.append((None, label, number_of_rest, share(number_of_rest, known)))
    unknown = [record for record in records if not named(record, "country_name")]
    lacking = sum(not named(record, "country_code") for record in unknown)
    return rows, {
        "accounts": len(records),
        "with_country": known,
        "country_missing": lacking,
        "country_unresolved": len(unknown) - lacking,
        "countries": len(of_name),
        "countries_in_other": len(rest),
    }


def by_language(records: Iterable[Record]) -> dict[str, list[Record]]:
    found = defaultdict(list)
    for record in records:
        if name := named(record, LANGUAGE):
            found[name].append(record)
    return dict(found)


def rows_of(
    groups: dict[str, list[Record]],
    order: Callable[[str], Any],
    top: int | None,
    row: Callable[[str, list[Record]], tuple[Any, ...]],
) -> tuple[list[tuple[Any, ...]], dict[str, int]]:
    kept, rest, label = other(sorted(groups, key=order), top, "languages")
    rows = [row(name, groups[name]) for name in kept]
    if rest:
        rows.append(row(label, [record for name in rest for record in groups[name]]))
    return rows, {"languages": len(groups), "languages_in_other": len(rest)}


def sum_of_valid(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None and value >= 0]
    return sum(known) if known else None


def analyses(records: list[Record]) -> dict[str, int]:
    unspoken = [record for record in records if not named(record, LANGUAGE)]
    return {
        "projects": len(records),
        "with_language": len(records) - len(unspoken),
        "without_language": len(unspoken),
        "without_analysis": sum("analysis_id" not in record for record in unspoken),
    }


def language_share(records: list[Record], top: int | None) -> Found:
    groups = by_language(records)
    spoken = [record for group in groups.values() for record in group]

    def row(name: str, group: list[Record]) -> tuple[Any, ...]:
        lines = sum_of_valid(record.get(LINES) for record in group)
        users = sum_of_valid(number(record, "stack_count", "user_count") for record in group)
        return name, len(group), share(len(group), len(spoken)), lines, users

    rows, names = rows_of(groups, lambda name: (-len(groups[name]), name), top, row)
    counted = analyses(records) | names
    for what, columns in (("code_lines", [LINES]), ("users", ["stack_count", "user_count"])):
        values = [number(record, *columns) for record in spoken]
        counted[f"{what}_missing"] = values.count(None)
        counted[f"{what}_negative"] = sum(value is not None and value < 0 for value in values)
    return rows, counted


def contributors_by_language(records: list[Record], top: int | None) -> Found:
    groups = by_language(records)

    def people(group: list[Record]) -> list[int]:
        return [record[PEOPLE] for record in group if valid(record.get(PEOPLE))]

    def row(name: str, group: list[Record]) -> tuple[Any, ...]:
        known = people(group)
        most = max(known, default=None)
        return name, len(group), len(known), sum(known) if known else None, *spread(known), most

    def order(name: str) -> Any:
        known = people(groups[name])
        return not known, -sum(known), -len(groups[name]), name

    rows, names = rows_of(groups, order, top, row)
    spoken = [record.get(PEOPLE) for group in groups.values() for record in group]
    return rows, analyses(records) | names | {
        "with_language_and_contributors": sum(map(valid, spoken)),
        "contributors_missing": spoken.count(None),
        "contributors_negative": sum(n is not None and n < 0 for n in spoken),
    }


def contributors_per_thousand_lines(records: list[Record], top: int | None) -> Found:
    spoken = [record for record in records if named(record, LANGUAGE)]
    unspoken = [record for record in records if not named(record, LANGUAGE)]
    both = [r for r in spoken if valid(r.get(PEOPLE)) and valid(r.get(LINES))]
    groups = by_language(both)

    def row(name: str, group: list[Record]) -> tuple[Any, ...]:
        people, lines = (sum(record[column] for record in group) for column in (PEOPLE, LINES))
        single = [1000 * record[PEOPLE] / record[LINES] for record in group if record[LINES]]
        ratio = 1000 * people / lines if lines else None
        return name, len(group), people, lines, ratio, *spread(single)

    rows, names = rows_of(groups, lambda name: (-len(groups[name]), name), top, row)
    return rows, names | {
        "projects": len(records),
        "with_both": len(both),
        "without_language": len(records) - len(spoken),
        "without_analysis": sum("analysis_id" not in record for record in unspoken),
        "numbers_missing_or_negative": len(spoken) - len(both),
        "without_lines": sum(not record[LINES] for record in both),
    }


def users_against_contributors(records: list[Record]) -> Found:
    pairs = [(number(r, "stack_count", "user_count"), r.get(PEOPLE)) for r in records]
    known = [pair for pair in pairs if all(map(valid, pair))]
    counted = {"projects": len(records), "with_both": len(known)}
    for place, what in enumerate(("users", "contributors")):
        values = [pair[place] for pair in pairs]
        counted[f"{what}_missing"] = values.count(None)
        counted[f"{what}_negative"] = sum(value is not None and value < 0 for value in values)
    ascending: list[Any] = sorted(Counter(known).items())
    return [(*pair, count) for pair, count in ascending], counted
