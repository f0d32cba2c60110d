"""Every statistic once more, in plain Python, as its docstring states it.

Records are dicts, without what is missing. Each function takes them and the options of the
statistic, and gives the rows in their order, as tuples in the order of the columns, and what
``counted`` holds. `loaded` is when the frame was loaded. Nothing of dirframe computes here; below,
records are made for it and its tables compared.
"""

import re
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise
from math import comb, exp, isclose, log, sqrt
from random import Random
from statistics import NormalDist

import pandas as pd

from dirframe import provenance, stats

LANGUAGE, LINES = "analysis_main_language_name", "analysis_total_code_lines"
PEOPLE = "analysis_twelve_month_contributor_count"
USERS = ("stack_count", "user_count")
FIRST, LAST = "analysis_min_month", "analysis_max_month"
FETCHED = ("analysis_logged_at", "analysis_oldest_code_set_time")


def named(record, column):
    text = record.get(column)
    return text if text and text.strip() else None


def number(record, *columns):
    return next((record[column] for column in columns if column in record), None)


def valid(value):
    return value is not None and value >= 0


def negative(values):
    return sum(value is not None and value < 0 for value in values)


def share(part, whole):
    return part / whole if whole else 0.0


def other(names, top, noun):
    """Split ordered names into those that are kept and the others, with the name of the others."""
    kept = len(names) if top is None or len(names) <= top + 1 else top
    return names[:kept], names[kept:], f"other ({len(names) - kept:,} {noun})"


def quantile(values, at):
    if not values:
        return None
    ascending = sorted(values)
    place = at * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return ascending[low] + (ascending[high] - ascending[low]) * (place - low)


def spread(values):
    """Give quartiles, median, and the 95% interval of the median by the binomial distribution."""
    n, low = len(values), -1
    while sum(comb(n, k) for k in range(low + 2)) <= 0.025 * 2**n:
        low += 1
    ends = (
        [None, None] if low < 0 else [float(sorted(values)[place]) for place in (low, n - 1 - low)]
    )
    return [*(quantile(values, at) for at in (0.25, 0.5, 0.75)), *ends]


# Languages


def by_language(records):
    found = defaultdict(list)
    for record in records:
        if name := named(record, LANGUAGE):
            found[name].append(record)
    return dict(found)


def rows_of(groups, order, top, row):
    kept, rest, label = other(sorted(groups, key=order), top, "languages")
    rows = [row(name, groups[name]) for name in kept]
    if rest:
        rows.append(row(label, [record for name in rest for record in groups[name]]))
    return rows, {"languages": len(groups), "languages_in_other": len(rest)}


def sum_of_valid(values):
    known = [value for value in values if valid(value)]
    return sum(known) if known else None


def analyses(records):
    unspoken = [record for record in records if not named(record, LANGUAGE)]
    return {
        "projects": len(records),
        "with_language": len(records) - len(unspoken),
        "without_language": len(unspoken),
        "without_analysis": sum("analysis_id" not in record for record in unspoken),
    }


def language_share(records, top=None):
    groups = by_language(records)
    spoken = [record for group in groups.values() for record in group]

    def row(name, group):
        lines = sum_of_valid(record.get(LINES) for record in group)
        users = sum_of_valid(number(record, *USERS) for record in group)
        return name, len(group), share(len(group), len(spoken)), lines, users

    rows, names = rows_of(groups, lambda name: (-len(groups[name]), name), top, row)
    counted = analyses(records) | names
    for what, columns in (("code_lines", [LINES]), ("users", USERS)):
        values = [number(record, *columns) for record in spoken]
        counted[f"{what}_missing"] = values.count(None)
        counted[f"{what}_negative"] = negative(values)
    return rows, counted


def contributors_by_language(records, top=None):
    groups = by_language(records)

    def people(group):
        return [record[PEOPLE] for record in group if valid(record.get(PEOPLE))]

    def row(name, group):
        known = people(group)
        most = max(known, default=None)
        return name, len(group), len(known), sum(known) if known else None, *spread(known), most

    def order(name):
        known = people(groups[name])
        return not known, -sum(known), -len(groups[name]), name

    rows, names = rows_of(groups, order, top, row)
    spoken = [record.get(PEOPLE) for group in groups.values() for record in group]
    return rows, analyses(records) | names | {
        "with_language_and_contributors": sum(map(valid, spoken)),
        "contributors_missing": spoken.count(None),
        "contributors_negative": negative(spoken),
    }


def percentage(text):
    text = (text or "").strip()
    return 0.5 if text == "<1" else float(text) if re.fullmatch(r"-?\d+", text) else None


def language_breakdown(records, top=None):
    reasons = Counter({"with_breakdown": 0})
    lines, projects, unnamed = defaultdict(float), Counter(), 0.0
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
                weight = own * part / 100
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
    return rows, {
        "projects": len(records),
        "with_breakdown": reasons["with_breakdown"],
        **{name: reasons[name] for name in (*names, "percentages_impossible")},
        "languages": len(lines),
        "languages_in_other": len(rest),
        "code_lines_unnamed": round(unnamed),
    }


def newest(records, *columns):
    """Give the newest date of some columns or of an update."""
    names = (*columns, "updated_at")
    return max(record[name] for record in records for name in names if name in record)


def together(years, least):
    """Give the first and last year of those taken together."""
    spans, first = [], min(years, default=0)
    for year in range(first, max(years) + 1) if years else []:
        if sum(first <= own <= year for own in years) >= least or least == 1:
            spans.append((first, year))
            first = year + 1
    if years and first <= max(years):  # those at the end, with the last before
        spans[-1:] = [(spans[-1][0] if spans else first, max(years))]
    return spans


def languages_by_year(records, top=None, date=FIRST, min_projects=1):
    spoken = [record for record in records if named(record, LANGUAGE)]
    dated = [record for record in spoken if date in record]
    groups = by_language(dated)
    kept, rest, label = other(
        sorted(groups, key=lambda name: (-len(groups[name]), name)), top, "languages"
    )
    shown = {name: name if name in kept else label for name in groups}
    counts = Counter((record[date].year, shown[record[LANGUAGE]]) for record in dated)
    rows = []
    for first, year in together([record[date].year for record in dated], min_projects):
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


# Licences and tags

#: What tells the family of the licences that are made here and were recorded.
FAMILIES = [
    ("weak copyleft", "lgpl|mozilla|eclipse|common_public|common_dev"),
    (
        "permissive",
        "mit|bsd|apache|zlib|artistic|ms-pl|microsoft_public|wtfpl|zope|cecill_b|domain",
    ),
    ("strong copyleft", "gpl|gnu_general|affero|cecill|ccbysa"),
]


def stripped(entry, *fields):
    texts = ((entry.get(field) or "").strip() for field in fields)
    return next((text for text in texts if text), None)


def memberships(records, labels, top, noun):
    sets = [set(labels(record)) for record in records]
    counts = Counter(label for own in sets for label in own)
    having = sum(map(bool, sets))
    kept, rest, name = other(sorted(counts, key=lambda one: (-counts[one], one)), top, noun)
    rows = [(label, counts[label], share(counts[label], having)) for label in kept]
    if rest:
        others = sum(bool(own & {*rest}) for own in sets)
        rows.append((name, others, share(others, having)))
    return rows, [len(records), having, len(records) - having, len(counts), len(rest)]


def tags(records, top=None):
    def labels(record):
        return [tag.strip() for tag in record.get("tags", []) if tag.strip()]

    rows, numbers = memberships(records, labels, top, "tags")
    names = ("projects", "with_tag", "without_tag", "tags", "tags_in_other")
    return rows, dict(zip(names, numbers, strict=True))


def licenses(records, top=None):
    titles = defaultdict(set)

    def labels(record):
        found = []
        for entry in record.get("licenses", []):
            if code := stripped(entry, "vanity_url", "name"):
                found.append(code)
                if title := stripped(entry, "nice_name", "name"):
                    titles[code].add(title)
        return found

    rows, numbers = memberships(records, labels, top, "licences")
    names = ("projects", "with_license", "without_license", "licenses", "licenses_in_other")
    titled = [(label, min(titles.get(label, ()), default=None), *rest) for label, *rest in rows]
    return titled, dict(zip(names, numbers, strict=True))


def license_families(records):
    def family(code):
        words = code.lower()
        for name, pattern in FAMILIES:
            if re.search(pattern, words):
                return name
        return "other"

    order = ["permissive", "weak copyleft", "strong copyleft", "other", "none"]
    counts = Counter()
    for record in records:
        codes = [stripped(e, "vanity_url", "name") for e in record.get("licenses", [])]
        counts.update({family(code) for code in codes if code} or {"none"})
    none, n = counts["none"], len(records)
    rows = [(name, counts[name], share(counts[name], n)) for name in order]
    return rows, {"projects": n, "with_license": n - none, "without_license": none}


# Contributors, users and accounts


def missing_and_negative(records, column, all_, what):
    values = [record.get(column) for record in records]
    known = [value for value in values if valid(value)]
    return known, {
        all_: len(records),
        f"with_{what}": len(known),
        f"{what}_missing": values.count(None),
        f"{what}_negative": negative(values),
    }


def distribution(known):
    counts = sorted(Counter(known).items())
    so_far = accumulate(count for _, count in counts)
    return [
        (value, count, share(count, len(known)), share(until, len(known)))
        for (value, count), until in zip(counts, so_far, strict=True)
    ]


def posts_distribution(records):
    known, counted = missing_and_negative(records, "posts_count", "accounts", "posts")
    return distribution(known), counted


def contributor_distribution(records):
    known, counted = missing_and_negative(records, PEOPLE, "projects", "contributors")
    return distribution(known), counted


def curve(values):
    """Give the corners of the Lorenz curve."""
    total = sum(values)
    if not total:
        return []
    corners = [(0.0, 0.0, None)]
    for most in sorted(set(values)):
        below = [value for value in values if value <= most]
        corners.append((len(below) / len(values), sum(below) / total, most))
    return corners


def lorenz(records):
    known, counted = missing_and_negative(records, PEOPLE, "projects", "contributors")
    return curve(known), counted


def gini(values):
    corners = curve(values)
    area = sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0, _), (x1, y1, _) in pairwise(corners))
    return 1 - 2 * area if corners else None


def top_share(values, part):
    at = 1 - part
    for (x0, y0, _), (x1, y1, _) in pairwise(curve(values)):
        if x0 <= at <= x1:
            return 1 - (y0 + (y1 - y0) * (at - x0) / (x1 - x0))
    return None


def contributor_concentration(records):
    known, counted = missing_and_negative(records, PEOPLE, "projects", "contributors")
    some = [value for value in known if value]
    rows = [("gini", gini(known), gini(some))]
    rows += [
        (f"top {percent}%", top_share(known, percent / 100), top_share(some, percent / 100))
        for percent in (1, 10, 20, 50)
    ]
    return rows, counted | {"projects_without_contributors": known.count(0)}


def team_size_classes(records, bounds=(0, 1, 2, 5, 10, 20, 50, 100)):
    known, counted = missing_and_negative(records, PEOPLE, "projects", "contributors")
    rows = []
    for place, low in enumerate(bounds):
        high = bounds[place + 1] - 1 if place + 1 < len(bounds) else None
        inside = [n for n in known if n >= low and (high is None or n <= high)]
        name = f"{low:,}" if low == high else f"{low:,}–{high or 0:,}"
        name = f"{low:,} or more" if high is None else name
        rows.append((name, low, high, len(inside), share(len(inside), len(known)), sum(inside)))
    return rows, counted


def users_against_contributors(records):
    pairs = [(number(record, *USERS), record.get(PEOPLE)) for record in records]
    known = [pair for pair in pairs if all(map(valid, pair))]
    counted = {"projects": len(records), "with_both": len(known)}
    for place, what in enumerate(("users", "contributors")):
        values = [pair[place] for pair in pairs]
        counted[f"{what}_missing"] = values.count(None)
        counted[f"{what}_negative"] = negative(values)
    return [(*pair, count) for pair, count in sorted(Counter(known).items())], counted


def accounts_by_kudo_rank(records):
    ranks = [record.get("kudo_score_kudo_rank") for record in records]
    counts = [ranks.count(rank) for rank in range(1, 11)]
    with_rank = sum(counts)
    lacking = ranks.count(None)
    return [(rank, n, share(n, with_rank)) for rank, n in enumerate(counts, 1)], {
        "accounts": len(records),
        "with_kudo_rank": with_rank,
        "kudo_rank_missing": lacking,
        "kudo_rank_impossible": len(records) - with_rank - lacking,
    }


def accounts_by_country(records, top=None):
    codes = defaultdict(list)
    for record in records:
        if name := named(record, "country_name"):
            codes[name].append(record.get("country_alpha_2"))
    known = sum(map(len, codes.values()))
    kept, rest, label = other(
        sorted(codes, key=lambda name: (-len(codes[name]), name)), top, "countries"
    )
    rows = []
    for name in kept:
        code = min((code for code in codes[name] if code is not None), default=None)
        rows.append((code, name, len(codes[name]), share(len(codes[name]), known)))
    if rest:
        others = sum(len(codes[name]) for name in rest)
        rows.append((None, label, others, share(others, known)))
    unknown = [record for record in records if not named(record, "country_name")]
    lacking = sum(not named(record, "country_code") for record in unknown)
    return rows, {
        "accounts": len(records),
        "with_country": known,
        "country_missing": lacking,
        "country_unresolved": len(unknown) - lacking,
        "countries": len(codes),
        "countries_in_other": len(rest),
    }


# Time


def period(day, freq):
    """Give the first day of the period that a day is in."""
    day = datetime(day.year, day.month, day.day, tzinfo=UTC)
    if freq == "W":
        return day - timedelta(days=day.weekday())
    months = {"D": 0, "M": 1, "Q": 3, "Y": 12}[freq[0]]
    return day.replace(day=1, month=(day.month - 1) // months * months + 1) if months else day


def growth(records, freq="MS", collection="projects"):
    days = [record["created_at"] for record in records if "created_at" in record]
    counts = Counter(period(day, freq) for day in days)
    rows = []
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


def month(when):
    return None if when is None else 12 * when.year + when.month - 1


def first_day(number):
    return None if number is None else datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC)


def months_of(record):
    fetched = next((record[name] for name in FETCHED if name in record), None)
    return month(record.get(FIRST)), month(record.get(LAST)), month(fetched)


def median_month(records, retrieved):
    fetched = [months_of(record)[2] for record in records]
    possible = sorted(when for when in fetched if when is not None and when <= retrieved)
    return possible[len(possible) // 2] if possible else None


def fault(first, last, fetched, retrieved):
    """Give the reason why a project cannot be placed in time."""
    if first is None or last is None:
        return "month_missing"
    if last < first:
        return "months_reversed"
    return "months_after_fetch" if last > (retrieved if fetched is None else fetched) else None


def state(record, as_of, window, retrieved):
    first, last, fetched = months_of(record)
    if reason := fault(first, last, fetched, retrieved):
        return reason
    if as_of is not None and first > as_of:
        return "begun_after_as_of"
    if fetched is None:
        return "fetch_missing"
    if fetched > retrieved:
        return "fetch_impossible"
    if fetched < as_of:
        return "not_fetched_since"
    return "active" if last > as_of - window else "dormant"


def disagrees(record, retrieved):
    first, last, fetched = months_of(record)
    people = record.get(PEOPLE)
    if None in {first, last, fetched} or not valid(people):
        return False
    if not first <= last <= fetched <= retrieved:
        return False
    return fetched - last < 12 if people == 0 else fetched - last > 12


def activity(records, as_of=None, window=12, *, loaded):
    retrieved = month(loaded)
    at = median_month(records, retrieved) if as_of is None else month(as_of)
    states = [state(record, at, window, retrieved) for record in records]
    found = Counter(states)
    reasons = (
        *("month_missing", "months_reversed", "months_after_fetch"),
        *("fetch_missing", "fetch_impossible", "not_fetched_since"),
    )
    active, dormant = found["active"], found["dormant"]
    unknown = sum(found[reason] for reason in reasons)
    whole = active + dormant + unknown
    rows = [
        (name, n, None if name == "unknown" else share(n, active + dormant), share(n, whole))
        for name, n in (("active", active), ("dormant", dormant), ("unknown", unknown))
    ]
    return [(*row, first_day(at)) for row in rows], {
        "projects": len(records),
        "with_activity": active + dormant,
        "unknown": unknown,
        **{reason: found[reason] for reason in reasons},
        "begun_after_as_of": found["begun_after_as_of"],
        "not_fetched_since_but_active": sum(
            one == "not_fetched_since" and month(record[LAST]) > at - window
            for record, one in zip(records, states, strict=True)
        ),
        "window": window,
        "in_disagreement": sum(disagrees(record, retrieved) for record in records),
    }


def lives(records, window, retrieved):
    """Give the records with a life, each with its months and whether it ended, and the reasons."""
    faults = dict.fromkeys(("month_missing", "months_reversed", "months_after_fetch"), 0)
    found = []
    for record in records:
        first, last, fetched = months_of(record)
        if reason := fault(first, last, fetched, retrieved):
            faults[reason] += 1
            continue
        is_known = fetched is not None and fetched <= retrieved
        found.append((record, last - first + 1, last <= fetched - window if is_known else None))
    return found, faults


def life_span(records, top=None, window=12, *, loaded):
    found, faults = lives(records, window, month(loaded))
    rows = [
        (
            *(record.get("id"), record.get("name"), record.get(LANGUAGE)),
            *(record[FIRST], record[LAST], months, ended),
            record[PEOPLE] if valid(record.get(PEOPLE)) else None,
        )
        for record, months, ended in found
    ]

    def order(row):
        id_, name, _, first_month, _, months, *_ = row
        return -months, first_month, name is not None, name or "", id_ is not None, id_ or ""

    rows = sorted(rows, key=order)[:top]
    ends = [ended for *_, ended in found]
    return rows, {
        "projects": len(records),
        "with_life_span": len(found),
        "ended": ends.count(True),
        "not_ended": ends.count(False),
        "end_unknown": ends.count(None),
        **faults,
        "window": window,
        "projects_not_shown": len(found) - len(rows),
    }


def survival(records, window=12, confidence=0.95, *, loaded):
    found, faults = lives(records, window, month(loaded))
    known = [(months, ended) for _, months, ended in found if ended is not None]
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rows, estimate, variance = [], 1.0, 0.0
    for at in [0, *sorted({months for months, _ in known})] if known else []:
        at_risk = sum(months >= at for months, _ in known)
        ended, censored = (known.count((at, is_end)) for is_end in (True, False))
        estimate *= 1 - ended / at_risk
        ends = [None, None]
        if 0 < estimate < 1:
            variance += ended / at_risk / (at_risk - ended)  # Greenwood
            half = z * sqrt(variance) / -log(estimate)
            ends = [estimate ** exp(half), estimate ** exp(-half)]
        rows.append((at, at_risk, ended, censored, estimate, *ends))
    ends = [ended for *_, ended in found]
    return rows, {
        "projects": len(records),
        "with_known_end": len(known),
        "ended": ends.count(True),
        "not_ended": ends.count(False),
        "end_unknown": ends.count(None),
        **faults,
        "window": window,
    }


# One project


def commits_by_contributor(records):
    values = [record.get("commits") for record in records]
    known = [record for record in records if valid(record.get("commits"))]

    def order(record):
        id_, name = (record.get(f"contributor_{what}") for what in ("id", "name"))
        return -record["commits"], id_ is not None, id_ or "", name is not None, name or ""

    rows, total, so_far = [], sum(record["commits"] for record in known), 0
    for rank, record in enumerate(sorted(known, key=order), 1):
        n = record["commits"]
        so_far += n
        who = record.get("contributor_id"), record.get("contributor_name")
        rows.append((rank, *who, n, share(n, total), share(so_far, total)))
    return rows, {
        "contributors": len(records),
        "with_commits": len(known),
        "commits_missing": values.count(None),
        "commits_negative": negative(values),
    }


def commit_concentration(records):
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


def monthly_activity(records, *, loaded):
    of_month = {month(record["month"]): record for record in records if "month" in record}
    names = ("commits", "contributors", "code_added", "code_removed")
    given = {name for name in names[2:] if any(name in r for r in of_month.values())}
    span = range(min(of_month), max(of_month) + 1) if of_month else range(0)
    rows = []
    for number in span:
        record = of_month.get(number)
        if record is None:
            values = [0 if name in {*names[:2], *given} else None for name in names]
        else:
            values = [record[name] if valid(record.get(name)) else None for name in names]
        over = None if number == span[-1] else True
        if loaded is not None:
            over = first_day(number + 1) <= loaded
        rows.append((first_day(number), *values, over))
    return rows, {
        "activity_facts": len(records),
        "with_month": len(of_month),
        "month_missing": len(records) - len(of_month),
        "months_filled": len(span) - len(of_month),
        "commits_invalid": sum(not valid(r.get("commits")) for r in of_month.values()),
        "contributors_invalid": sum(not valid(r.get("contributors")) for r in of_month.values()),
    }


# Records by chance, as plain Python and as a frame, and the tables of both compared

#: When the records of most frames were loaded; some of their dates are after it.
LOADED = datetime(2004, 3, 17, tzinfo=UTC)
_BEGIN, _SECONDS = datetime(2001, 1, 1, tzinfo=UTC), 4 * 365 * 86_400
_WORDS = ["C", "C", "C", "c", "Java", "Java", "R", "ß", " ", ""]


def _word(random):
    return random.choice(_WORDS)


def _name(random):
    return random.choice(_WORDS[:-2])


def _id(random):
    return random.choice(["1", "2", "10"])


def _count(random):
    return random.choice([random.randint(-2, 3), random.randint(0, 12), random.randint(0, 10**6)])


def _few(random):
    return random.randint(-1, 12)


def _day(random):
    day = _BEGIN + timedelta(seconds=random.randrange(_SECONDS))
    return day.replace(day=1, hour=0, minute=0, second=0) if random.random() < 0.2 else day


def _month(random):
    return _day(random).replace(day=1, hour=0, minute=0, second=0)


def _padded(random):
    text = random.choice(["a", "a", "b", "B", "ä", ""])
    return random.choice(["", " "]) + text + random.choice(["", " "])


def _entry(*fields, **makers):
    makers |= dict.fromkeys(fields, _padded)
    return lambda random: _some(makers, random, random.choice([0, 0.5]))


def _list(maker, most):
    return lambda random: [maker(random) for _ in range(random.randint(0, most))]


def _language(random):
    return random.choice([_padded(random), "C", "2 Other", "1 Others", "2 Other C"])


def _percentage(random):
    return random.choice([*["0", "1", "33", "100", "<1"] * 5, "-1", "101", "", "?"])


_DATES = dict.fromkeys(("created_at", "updated_at"), _day)
#: The columns of each kind of frame, and what makes a value.
FIELDS = {
    "projects": {
        "id": _id,
        "name": _word,
        "analysis_id": _id,
        LANGUAGE: _word,
        LINES: _count,
        **dict.fromkeys((PEOPLE, *USERS), _few),
        **dict.fromkeys((FIRST, LAST), _month),
        **dict.fromkeys(FETCHED, _day),
        **_DATES,
        "tags": _list(_padded, 4),
        "licenses": _list(_entry("name", "nice_name", "vanity_url"), 3),
        "analysis_languages": _list(_entry("id", language=_language, percentage=_percentage), 3),
    },
    "accounts": {
        "id": _id,
        "kudo_score_kudo_rank": _few,
        "posts_count": _few,
        "country_code": _word,
        "country_alpha_2": _id,
        "country_name": _word,
        **_DATES,
    },
    "contributors": {"contributor_id": _id, "contributor_name": _name, "commits": _count},
    "activity": {
        "month": _month,
        **dict.fromkeys(("commits", "contributors", "code_added"), _few),
        "code_removed": lambda _: None,
    },
}
_DTYPES = {
    **dict.fromkeys((_count, _few, FIELDS["activity"]["code_removed"]), "Int64"),
    **dict.fromkeys((_day, _month), "datetime64[us, UTC]"),
    **dict.fromkeys((_word, _name, _id), "str"),
}


def _some(makers, random, gaps):
    return {name: make(random) for name, make in makers.items() if random.random() >= gaps}


def make(kind, random, size):
    """Make records that have some of the fields, and not the others."""
    gaps = random.choice([0, 0.1, 0.3, 0.8])
    records = [_some(FIELDS[kind], random, gaps) for _ in range(size)]
    for place, record in enumerate(records):
        if {FIRST, LAST, FETCHED[0]} <= record.keys() and random.random() < 0.7:
            first, last, fetched = sorted(record[name] for name in (FIRST, LAST, FETCHED[0]))
            record |= {FIRST: first_day(month(first)), LAST: first_day(month(last))}
            record[FETCHED[0]] = fetched
        record.pop("code_removed", None)
        if "contributor_id" in record:  # of one project, who is there once
            record["contributor_id"] = str(place)
        if "month" in record:
            record["month"] = first_day(month(_BEGIN) + place * 2 - place % 3)
    random.shuffle(records)
    return records


def frame(kind, records, loaded=LOADED):
    """Return the frame that a loader would return of these records."""
    columns = {
        name: pd.Series([record.get(name) for record in records], dtype=_DTYPES.get(make, "object"))
        for name, make in FIELDS[kind].items()
    }
    when = loaded.isoformat() if loaded else None
    return provenance.set_provenance(pd.DataFrame(columns), retrieved_newest=when)


def _top(random):
    return {"top": random.choice([None, 1, 2, 3])}


def _freq(random):
    return {"freq": random.choice(["D", "W", "MS", "QS", "YS"])}


def _window(random):
    return {"window": random.randint(1, 24)}


def _none(_):
    return {}


#: The statistics of each kind of frame, and what makes their options.
STATISTICS = {
    "projects": {
        **dict.fromkeys(("language_share", "contributors_by_language", "language_breakdown"), _top),
        **dict.fromkeys(("licenses", "tags"), _top),
        "license_families": _none,
        "languages_by_year": lambda random: {
            **_top(random),
            "date": random.choice([FIRST, "created_at"]),
            "min_projects": random.choice([1, 3]),
        },
        **dict.fromkeys(("contributor_concentration", "contributor_distribution", "lorenz"), _none),
        "users_against_contributors": _none,
        "team_size_classes": lambda random: {
            "bounds": [0, *sorted(random.sample(range(1, 2000), random.randint(0, 4)))]
        },
        "growth": _freq,
        "activity": lambda random: {"as_of": random.choice([None, _day(random)])} | _window(random),
        "life_span": lambda random: _top(random) | _window(random),
        "survival": lambda random: _window(random) | {"confidence": random.choice([0.5, 0.95])},
    },
    "accounts": {
        "accounts_by_country": _top,
        **dict.fromkeys(("accounts_by_kudo_rank", "posts_distribution"), _none),
        "growth": _freq,
    },
    "contributors": dict.fromkeys(("commits_by_contributor", "commit_concentration"), _none),
    "activity": {"monthly_activity": _none},
}
_WITH_LOAD = {"activity", "life_span", "survival", "monthly_activity"}


def expected(kind, name, records, loaded=LOADED, **options):
    """Return the rows and counts of a statistic, from the records."""
    if name in _WITH_LOAD:
        options["loaded"] = loaded
    if (kind, name) == ("accounts", "growth"):
        options["collection"] = kind
    return globals()[name](records, **options)


def differences(table, rows, counted):
    """Return what differs between the table of a statistic and the rows and counts expected."""
    columns = [[None if pd.isna(value) else value for value in table[name]] for name in table]
    found = [*zip(*columns, strict=True)]
    if len(found) != len(rows):
        return [f"{len(found)} rows instead of {len(rows)}"]
    differing = [
        f"row {place}: {own} instead of {tuple(row)}"
        for place, (own, row) in enumerate(zip(found, rows, strict=True))
        if len(own) != len(row) or not all(map(_same, own, row))
    ]
    if (own := table.attrs["dirframe"]["counted"]) != counted:
        differing.append(f"counted {own} instead of {counted}")
    return differing


def _same(cell, value):
    if isinstance(value, float) and isinstance(cell, float):
        return isclose(cell, value, rel_tol=1e-9, abs_tol=1e-9)
    return cell == value


def failures(kind, seed, size):
    """Compute every statistic of records made by chance in both ways; return what differs."""
    random = Random(seed)
    records = make(kind, random, size)
    loaded = random.choice([LOADED, LOADED, None]) if kind == "activity" else LOADED
    records_frame, found = frame(kind, records, loaded), []
    for name, options_of in STATISTICS[kind].items():
        options = options_of(random)
        table = getattr(stats, name)(records_frame, **options)
        rows, counted = expected(kind, name, records, loaded, **options)
        found += [f"{name}({options}): {one}" for one in differences(table, rows, counted)]
    return found
