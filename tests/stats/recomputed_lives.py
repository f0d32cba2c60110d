"""Activity, ages, life spans and the work on one project in plain Python: see `recomputed`."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from tests.stats.recomputed import LANGUAGE, PEOPLE, gini, share, valid

if TYPE_CHECKING:
    from tests.stats.recomputed import Found, Record

FIRST, LAST = "analysis_min_month", "analysis_max_month"
FETCHED = ("analysis_logged_at", "analysis_oldest_code_set_time")


def month(when: datetime | None) -> int | None:
    return None if when is None else 12 * when.year + when.month - 1


def fetch(record: Record) -> int | None:
    return month(next((record[name] for name in FETCHED if name in record), None))


def median_month(records: list[Record], retrieved: int) -> int | None:
    fetched = [fetch(record) for record in records]
    possible = sorted(when for when in fetched if when is not None and when <= retrieved)
    return possible[len(possible) // 2] if possible else None


def state(record: Record, as_of: int | None, window: int, retrieved: int) -> str:
    first, last, fetched = month(record.get(FIRST)), month(record.get(LAST)), fetch(record)
    if first is None or last is None:
        found = "month_missing"
    elif last < first:
        found = "months_reversed"
    elif last > (retrieved if fetched is None else fetched):
        found = "months_after_fetch"
    elif as_of is not None and first > as_of:
        found = "begun_after_as_of"
    elif fetched is None:
        found = "fetch_missing"
    elif fetched > retrieved:
        found = "fetch_impossible"
    else:
        assert as_of is not None  # that of a fetch that can be, at least
        found = "active" if last > as_of - window else "dormant"
        found = "not_fetched_since" if fetched < as_of else found
    return found


def disagrees(record: Record, retrieved: int) -> bool:
    first, last, fetched = month(record.get(FIRST)), month(record.get(LAST)), fetch(record)
    people = record.get(PEOPLE)
    if first is None or last is None or fetched is None or not valid(people):
        return False
    if not first <= last <= fetched <= retrieved:
        return False
    return fetched - last < 12 if people == 0 else fetched - last > 12


REASONS = (
    *("month_missing", "months_reversed", "months_after_fetch"),
    *("fetch_missing", "fetch_impossible", "not_fetched_since"),
)


def first_day(number: int | None) -> datetime | None:
    return None if number is None else datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC)


def activity(records: list[Record], as_of: int | None, window: int, retrieved: int) -> Found:
    at = median_month(records, retrieved) if as_of is None else as_of
    states = [state(record, at, window, retrieved) for record in records]
    found = Counter(states)
    active, dormant = found["active"], found["dormant"]
    unknown = sum(found[reason] for reason in REASONS)
    whole = active + dormant + unknown
    rows = [
        (name, n, None if name == "unknown" else share(n, active + dormant), share(n, whole))
        for name, n in (("active", active), ("dormant", dormant), ("unknown", unknown))
    ]
    return [(*row, first_day(at)) for row in rows], {
        "projects": len(records),
        "with_activity": active + dormant,
        "unknown": unknown,
        **{reason: found[reason] for reason in REASONS},
        "begun_after_as_of": found["begun_after_as_of"],
        "not_fetched_since_but_active": sum(
            one == "not_fetched_since" and (month(record[LAST]) or 0) > (at or 0) - window
            for record, one in zip(records, states, strict=True)
        ),
        "window": window,
        "in_disagreement": sum(disagrees(record, retrieved) for record in records),
    }


def project_age(records: list[Record], as_of: int | None, retrieved: int) -> Found:
    at = median_month(records, retrieved) if as_of is None else as_of
    names = ("month_missing", "months_reversed", "months_after_fetch", "begun_after_as_of")
    reasons = dict.fromkeys((*names, "as_of_missing"), 0)
    ages = []
    for record in records:
        first, last, fetched = month(record.get(FIRST)), month(record.get(LAST)), fetch(record)
        if first is None:
            reasons["month_missing"] += 1
        elif last is not None and last < first:
            reasons["months_reversed"] += 1
        elif first > (retrieved if fetched is None else fetched):
            reasons["months_after_fetch"] += 1
        elif at is None:
            reasons["as_of_missing"] += 1
        elif first > at:
            reasons["begun_after_as_of"] += 1
        else:
            ages.append((at - first) // 12)
    counts = [ages.count(years) for years in range(max(ages, default=-1) + 1)]
    rows = [
        (years, n, share(n, len(ages)), share(until, len(ages)))
        for years, (n, until) in enumerate(zip(counts, accumulate(counts), strict=True))
    ]
    return list(rows), {"projects": len(records), "with_age": len(ages), **reasons}


def life_span(records: list[Record], top: int | None, window: int, retrieved: int) -> Found:
    counted = dict.fromkeys(("month_missing", "months_reversed", "months_after_fetch"), 0)
    lives = []
    for record in records:
        first, last, fetched = month(record.get(FIRST)), month(record.get(LAST)), fetch(record)
        if first is None or last is None:
            counted["month_missing"] += 1
        elif last < first:
            counted["months_reversed"] += 1
        elif last > (retrieved if fetched is None else fetched):
            counted["months_after_fetch"] += 1
        else:
            known = fetched is not None and fetched <= retrieved
            ended = last <= fetched - window if known and fetched is not None else None
            people = record.get(PEOPLE)
            lives.append(
                (
                    *(record.get("id"), record.get("name"), record.get(LANGUAGE)),
                    *(record[FIRST], record[LAST], last - first + 1, ended),
                    people if valid(people) else None,
                )
            )

    def order(life: tuple[Any, ...]) -> Any:
        id_, name, _, first_month, _, months, *_ = life
        return -months, first_month, name is not None, name or "", id_ is not None, id_ or ""

    lives.sort(key=order)
    ends = [life[6] for life in lives]
    rows = lives if top is None else lives[:top]
    return rows, {
        "projects": len(records),
        "with_life_span": len(lives),
        "ended": ends.count(True),
        "not_ended": ends.count(False),
        "end_unknown": ends.count(None),
        **counted,
        "window": window,
        "projects_not_shown": len(lives) - len(rows),
    }


def commits_by_contributor(records: list[Record]) -> Found:
    values = [record.get("commits") for record in records]
    known = [record for record in records if valid(record.get("commits"))]

    def order(record: Record) -> Any:
        id_, name = (record.get(f"contributor_{what}") for what in ("id", "name"))
        return -record["commits"], id_ is not None, id_ or "", name is not None, name or ""

    rows, total, so_far = [], sum(record["commits"] for record in known), 0
    for rank, record in enumerate(sorted(known, key=order), 1):
        n = record["commits"]
        so_far += n
        who = record.get("contributor_id"), record.get("contributor_name")
        rows.append((rank, *who, n, share(n, total), share(so_far, total)))
    return list(rows), {
        "contributors": len(records),
        "with_commits": len(known),
        "commits_missing": values.count(None),
        "commits_negative": len(values) - values.count(None) - len(known),
    }


def commit_concentration(records: list[Record]) -> Found:
    rows, counted = commits_by_contributor(records)
    commits = [row[3] for row in rows]
    total = sum(commits)
    if not total:
        names = ("top 1", "top 5", "gini", "bus factor")
        more = ("bus factor still active", "effective contributors")
        return [(name, None) for name in (*names, *more)], counted
    fewest = next(n for n in range(1, len(commits) + 1) if 2 * sum(commits[:n]) >= total)
    return [
        ("top 1", commits[0] / total),
        ("top 5", sum(commits[:5]) / total),
        ("gini", gini(commits)),
        ("bus factor", fewest),
        ("bus factor still active", None),  # without the times of commits
        ("effective contributors", total**2 / sum(n**2 for n in commits)),
    ], counted


def monthly_activity(records: list[Record], loaded: datetime | None) -> Found:
    of_month = {month(record["month"]): record for record in records if "month" in record}
    names = ("commits", "contributors", "code_added", "code_removed")
    given = {name for name in names[2:] if any(name in r for r in of_month.values())}
    months = [number for number in of_month if number is not None]
    span = range(min(months), max(months) + 1) if months else range(0)
    rows = []
    for number in span:
        record = of_month.get(number)
        values: list[int | None] = []
        for name in names:
            if record is None:
                values.append(0 if name in {*names[:2], *given} else None)
            else:
                values.append(record[name] if valid(record.get(name)) else None)
        over: bool | None = None if number == span[-1] else True
        if loaded is not None:
            after = first_day(number + 1)
            over = after is not None and after <= loaded
        rows.append((first_day(number), *values, over))
    return list(rows), {
        "activity_facts": len(records),
        "with_month": len(of_month),
        "month_missing": len(records) - len(of_month),
        "months_filled": len(span) - len(of_month),
        "commits_invalid": sum(not valid(r.get("commits")) for r in of_month.values()),
        "contributors_invalid": sum(not valid(r.get("contributors")) for r in of_month.values()),
    }
