"""Licences, tags, languages of all code and counts over time in plain Python: see `recomputed`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.stats.recomputed import LANGUAGE, LINES, by_language, named, other, share

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.stats.recomputed import Found, Record


def stripped(entry: Record, *fields: str) -> str | None:
    texts = ((entry.get(field) or "").strip() for field in fields)
    return next((text for text in texts if text), None)


def memberships(
    records: list[Record], labels: Callable[[Record], list[str]], top: int | None, noun: str
) -> tuple[list[tuple[str, int, float]], list[int]]:
    sets = [set(labels(record)) for record in records]
    counts = Counter(label for own in sets for label in own)
    having = sum(map(bool, sets))
    kept, rest, name = other(sorted(counts, key=lambda one: (-counts[one], one)), top, noun)
    rows = [(label, counts[label], share(counts[label], having)) for label in kept]
    if rest:
        others = sum(bool(own & {*rest}) for own in sets)
        rows.append((name, others, share(others, having)))
    return rows, [len(records), having, len(records) - having, len(counts), len(rest)]


def tags(records: list[Record], top: int | None) -> Found:
    def labels(record: Record) -> list[str]:
        return [tag.strip() for tag in record.get("tags", []) if tag.strip()]

    rows, numbers = memberships(records, labels, top, "tags")
    names = ("projects", "with_tag", "without_tag", "tags", "tags_in_other")
    return list(rows), dict(zip(names, numbers, strict=True))


def licenses(records: list[Record], top: int | None) -> Found:
    titles = defaultdict(set)

    def labels(record: Record) -> list[str]:
        found = []
        for entry in record.get("licenses", []):
            if code := stripped(entry, "vanity_url", "name"):
                found.append(code)
                if title := stripped(entry, "nice_name", "name"):
                    titles[code].add(title)
        return found

    rows, numbers = memberships(records, labels, top, "licences")
    names = ("projects", "with_license", "without_license", "licenses", "licenses_in_other")
    titled = [
        (label, min(titles[label], default=None) if label in titles else None, *rest)
        for label, *rest in rows
    ]
    return titled, dict(zip(names, numbers, strict=True))


def percentage(text: str | None) -> float | None:
    text = (text or "").strip()
    return 0.5 if text == "<1" else float(text) if re.fullmatch(r"-?\d+", text) else None


def language_breakdown(records: list[Record], top: int | None) -> Found:
    reasons = Counter({"with_breakdown": 0})
    lines: defaultdict[str, float] = defaultdict(float)
    projects: Counter[str] = Counter()
    unnamed = 0.0
    for record in records:
        entries, own = record.get("analysis_languages", []), record.get(LINES)
        parts = [percentage(entry.get("percentage")) for entry in entries]
        if not entries:
            reasons["breakdown_missing"] += 1
        elif own is None:
            reasons["code_lines_missing"] += 1
        elif own < 0:
            reasons["code_lines_negative"] += 1
        elif any(part is None or not 0 <= part <= 100 for part in parts):
            reasons["percentages_impossible"] += 1
        else:
            reasons["with_breakdown"] += 1
            mine = set()
            for entry, part in zip(entries, parts, strict=True):
                name = stripped(entry, "language")
                weight = own * (part or 0) / 100
                is_rest = re.fullmatch(r"\d+ Others?", name or "") and not stripped(entry, "id")
                if name is None or is_rest:
                    unnamed += weight
                else:
                    lines[name] += weight
                    mine.add(name)
            projects.update(mine)
    order = sorted(lines, key=lambda name: (-lines[name], -projects[name], name))
    kept, rest, label = other(order, top, "languages")
    total = sum(lines.values())
    rows = [(name, projects[name], lines[name], share(lines[name], total)) for name in kept]
    if rest:
        whole = sum(lines[name] for name in rest)
        rows.append((label, sum(projects[name] for name in rest), whole, share(whole, total)))
    names = ("breakdown_missing", "code_lines_missing", "code_lines_negative")
    return list(rows), {
        "projects": len(records),
        "with_breakdown": reasons["with_breakdown"],
        **{name: reasons[name] for name in (*names, "percentages_impossible")},
        "languages": len(lines),
        "languages_in_other": len(rest),
        "code_lines_unnamed": round(unnamed),
    }


def period(day: datetime, freq: str) -> datetime:
    """Give the first day of the period that a day is in."""
    day = datetime(day.year, day.month, day.day, tzinfo=UTC)
    if freq.startswith("W"):
        days = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
        end = days.index(freq[2:] or "SUN")
        return day - timedelta(days=(day.weekday() - end - 1) % 7)
    months = {"D": 0, "M": 1, "Q": 3, "Y": 12}[freq[0]]
    return day.replace(day=1, month=(day.month - 1) // months * months + 1) if months else day


def newest(records: list[Record], *columns: str) -> datetime:
    """Give the newest date of some columns or of an update."""
    names = (*columns, "updated_at")
    dates: list[datetime] = [r[name] for r in records for name in names if name in r]
    return max(dates)


def growth(records: list[Record], freq: str, collection: str) -> Found:
    days = [record["created_at"] for record in records if "created_at" in record]
    counts = Counter(period(day, freq) for day in days)
    rows: list[tuple[Any, ...]] = []
    start, total = min(counts, default=None), 0
    while start is not None and start <= max(counts):
        total += counts[start]
        after = start
        while after == start or period(after, freq) == start:
            after += timedelta(days=1)
        rows.append((start, counts[start], total, after <= newest(records, "created_at")))
        start = period(after, freq)
    missing = len(records) - len(days)
    known = {"with_created_at": len(days), "created_at_missing": missing}
    return rows, {collection: len(records), **known}


def together(years: list[int], least: int) -> list[tuple[int, int]]:
    """Give the first and last year of those taken together."""
    spans: list[tuple[int, int]] = []
    first = min(years, default=0)
    for year in range(first, max(years) + 1) if years else []:
        if sum(first <= own <= year for own in years) >= least or least == 1:
            spans.append((first, year))
            first = year + 1
    if years and first <= max(years):  # those at the end, with the last before
        spans[-1:] = [(spans[-1][0] if spans else first, max(years))]
    return spans


def languages_by_year(records: list[Record], top: int | None, date: str, least: int) -> Found:
    spoken = [record for record in records if named(record, LANGUAGE)]
    dated = [record for record in spoken if date in record]
    groups = by_language(dated)
    kept, rest, label = other(
        sorted(groups, key=lambda name: (-len(groups[name]), name)), top, "languages"
    )
    shown = {name: name if name in kept else label for name in groups}
    counts = Counter((r[date].year, shown[r[LANGUAGE]]) for r in dated)
    rows: list[tuple[Any, ...]] = []
    for first, year in together([r[date].year for r in dated], least):
        whole = sum(n for (own, _), n in counts.items() if first <= own <= year)
        finished = newest(records, date).year > year
        for name in [*kept, *([label] if rest else [])]:
            n = sum(counts[own, name] for own in range(first, year + 1))
            rows.append((year, first, name, n, n / whole if whole else None, finished))
    return rows, {
        "projects": len(records),
        "with_language_and_date": len(dated),
        "without_language": len(records) - len(spoken),
        "without_analysis": sum("analysis_id" not in r for r in records if not named(r, LANGUAGE)),
        "date_missing": len(spoken) - len(dated),
        "languages": len(groups),
        "languages_in_other": len(rest),
    }
