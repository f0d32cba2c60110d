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
from pathlib import Path
from random import Random
from statistics import NormalDist, quantiles

import pandas as pd

from dirframe import provenance, stats

LANGUAGE, LINES = "analysis_main_language_name", "analysis_total_code_lines"
PEOPLE = "analysis_twelve_month_contributor_count"
USERS = ("stack_count", "user_count")
FIRST, LAST = "analysis_min_month", "analysis_max_month"
FETCHED = ("analysis_logged_at", "analysis_oldest_code_set_time")


def inhabitants():
    """Read the inhabitants of each country."""
    file = Path(__file__).parents[1] / "dirframe" / "clean" / "data" / "inhabitants.csv"
    lines = file.read_text(encoding="utf-8").splitlines()
    return {code: int(number) for code, number in (line.split(",") for line in lines[1:])}


INHABITANTS = inhabitants()


def named(record, column):
    return (record.get(column) or "").strip() or None


def first_of(record, *columns):
    return next((record[column] for column in columns if column in record), None)


def valid(value):
    return value is not None and value >= 0


def unusable(values, what):
    negative = sum(value is not None and value < 0 for value in values)
    return {f"{what}_missing": values.count(None), f"{what}_negative": negative}


def share(part, whole):
    return part / whole if whole else None


def grouped(records, column):
    groups = defaultdict(list)
    for record in records:
        if name := named(record, column):
            groups[name].append(record)
    return groups


def ranked(numbers, top, noun):
    """Give the names in order, each with what its row holds; the last one can hold several."""
    names = sorted(numbers, key=lambda name: (*(-number for number in numbers[name]), name))
    kept = len(names) if top is None or len(names) <= top + 1 else top
    rows = [(name, [name]) for name in names[:kept]]
    if rest := names[kept:]:
        rows.append((f"other ({len(rest):,} {noun})", rest))
    return rows, {noun: len(names), f"{noun}_in_other": len(rest)}


# Languages


def main_languages(records, top, numbers):
    """Give the label and the records of each row, those with a language, and the counts."""
    groups = grouped(records, LANGUAGE)
    rows, counted = ranked({n: numbers(groups[n]) for n in groups}, top, "languages")
    spoken = [record for group in groups.values() for record in group]
    without = [record for record in records if not named(record, LANGUAGE)]
    return (
        [(label, [r for n in names for r in groups[n]]) for label, names in rows],
        spoken,
        {
            **counted,
            "projects": len(records),
            "with_language": len(spoken),
            "without_language": len(without),
            "without_analysis": sum("analysis_id" not in record for record in without),
        },
    )


def language_share(records, top=None):
    rows, spoken, counted = main_languages(records, top, lambda group: [len(group)])

    def total(group, *columns):
        known = [n for record in group if valid(n := first_of(record, *columns))]
        return sum(known) if known else None

    for what, columns in (("code_lines", [LINES]), ("users", USERS)):
        counted |= unusable([first_of(record, *columns) for record in spoken], what)
    return [
        (name, len(some), share(len(some), len(spoken)), total(some, LINES), total(some, *USERS))
        for name, some in rows
    ], counted


def spread(values):
    """Give quartiles, median, and the 95% interval of the median by the binomial distribution."""
    n, low, ascending = len(values), -1, sorted(values)
    while sum(comb(n, k) for k in range(low + 2)) <= 0.025 * 2**n:
        low += 1
    ends = [None, None] if low < 0 else [float(ascending[place]) for place in (low, n - 1 - low)]
    quartiles = quantiles(values, n=4, method="inclusive") if n > 1 else (values or [None]) * 3
    return [*quartiles, *ends]


def contributors_by_language(records, top=None):
    def people(group):
        return [record[PEOPLE] for record in group if valid(record.get(PEOPLE))]

    def numbers(group):
        return bool(people(group)), sum(people(group)), len(group)

    groups, spoken, counted = main_languages(records, top, numbers)
    rows = []
    for name, group in groups:
        known = people(group)
        total, most = sum(known) if known else None, max(known, default=None)
        rows.append((name, len(group), len(known), total, *spread(known), most))
    counted["with_language_and_contributors"] = len(people(spoken))
    return rows, counted | unusable([r.get(PEOPLE) for r in spoken], "contributors")


def percentage(text):
    text = (text or "").strip()
    return 0.5 if text == "<1" else float(text) if re.fullmatch(r"-?\d+", text) else None


def language_breakdown(records, top=None):
    names = ("breakdown_missing", "code_lines_missing", "code_lines_negative")
    reasons = dict.fromkeys((*names, "percentages_impossible", "with_breakdown"), 0)
    lines, projects, unnamed = defaultdict(float), Counter(), 0.0
    for record in records:
        entries, own = record.get("analysis_languages", []), record.get(LINES)
        parts = [percentage(entry.get("percentage")) for entry in entries]
        impossible = any(part is None or not 0 <= part <= 100 for part in parts)
        faults = (not entries, own is None, own is not None and own < 0, impossible, True)
        reason = [*reasons][faults.index(True)]
        reasons[reason] += 1
        mine = set()
        for entry, part in zip(entries, parts, strict=True) if reason == "with_breakdown" else ():
            name = stripped(entry, "language")
            if name is None or re.fullmatch(r"\d+ Others?", name):
                unnamed += own * part / 100
            else:
                lines[name] += own * part / 100
                mine.add(name)
        projects.update(mine)
    ranking, counted = ranked({n: (lines[n], projects[n]) for n in lines}, top, "languages")
    rows = []
    for label, members in ranking:
        own = sum(lines[name] for name in members)
        number = sum(projects[name] for name in members)
        rows.append((label, number, own, share(own, sum(lines.values()))))
    counted |= {"projects": len(records), "code_lines_unnamed": round(unnamed)}
    return rows, counted | reasons


def observed_until(records, column, retrieved):
    """Give the retrieval, or else the newest date of a column."""
    return retrieved or max(record[column] for record in records if column in record)


def languages_by_year(records, top=None, date=FIRST, *, retrieved):
    _, spoken, counted = main_languages(records, None, lambda group: [len(group)])
    dated = [record for record in spoken if date in record]
    groups, _, names = main_languages(dated, top, lambda group: [len(group)])
    rows = []
    years = [record[date].year for record in dated]
    for year in range(min(years), max(years) + 1) if years else []:
        finished = observed_until(records, date, retrieved).year > year
        for name, group in groups:
            n = sum(record[date].year == year for record in group)
            part = n / years.count(year) if year in years else None
            rows.append((year, name, n, part, finished))
    counted |= {name: names[name] for name in ("languages", "languages_in_other")}
    missing = counted.pop("with_language") - len(dated)
    return rows, counted | {"with_language_and_date": len(dated), "date_missing": missing}


# Licences and tags

#: The families of the licences that were recorded, by their codes; those made here are in none.
FAMILIES = {
    "permissive": "mit bsd BSD-3-Clause BSD-2-Clause bsd_2clause_ish freebsd apache apache_2 Ms-PL "
    "Microsoft_Public_License_ zlib_libpng Artistic_License_2_0 Ruby_License eiffel_2 fair zope "
    "Carnegie_Mellon_Licence cecill_b wtfpl_2",
    "weak copyleft": "lgpl lgpl21 lgpl21_or_later lgpl3 mozilla_public_1 mozilla_public_1_1 eclipse "
    "common_public Open_Font_Licence oclc_research",
    "strong copyleft": "gpl gpl3 gpl3_or_later GPLv3 GNU_General_Public_License_1_0 affero AGPL3 "
    "AGPL3_or_later GNU_Free_Documentation_License cecill ccbysa3-0",
}


def stripped(entry, *fields):
    texts = ((entry.get(field) or "").strip() for field in fields)
    return next((text for text in texts if text), None)


def memberships(sets, top, noun, name):
    counts = Counter(label for own in sets for label in own)
    having = sum(map(bool, sets))
    ranking, groups = ranked({label: [n] for label, n in counts.items()}, top, noun)
    rows = []
    for label, members in ranking:
        n = sum(not own.isdisjoint(members) for own in sets)
        rows.append((label, n, share(n, having)))
    counted = {"projects": len(sets), f"with_{name}": having, f"without_{name}": len(sets) - having}
    return rows, counted | {
        f"{name}s": len(counts),
        f"{name}s_in_other": groups[f"{noun}_in_other"],
    }


def tags(records, top=None):
    sets = [{t.strip() for t in record.get("tags", []) if t.strip()} for record in records]
    return memberships(sets, top, "tags", "tag")


def codes_of(record):
    codes = [stripped(entry, "vanity_url", "name") for entry in record.get("licenses", [])]
    return {code for code in codes if code}


def licenses(records, top=None):
    titles = defaultdict(set)
    for entry in (entry for record in records for entry in record.get("licenses", [])):
        titles[stripped(entry, "vanity_url", "name")].add(stripped(entry, "nice_name", "name"))
    rows, counted = memberships([codes_of(r) for r in records], top, "licences", "license")
    own = {code: min((t for t in some if t), default=None) for code, some in titles.items()}
    return [(label, own.get(label), *rest) for label, *rest in rows], counted


def license_families(records):
    def family(code):
        return next((name for name, codes in FAMILIES.items() if code in codes.split()), "other")

    sets = [{family(code) for code in codes_of(record)} or {"none"} for record in records]
    order = ["permissive", "weak copyleft", "strong copyleft", "other", "none"]
    counts, n = Counter(name for own in sets for name in own), len(records)
    rows = [(name, counts[name], share(counts[name], n)) for name in order]
    none = counts["none"]
    return rows, {"projects": n, "with_license": n - none, "without_license": none}


# Contributors, users and accounts


def numbers_of(records, column, all_, what):
    values = [record.get(column) for record in records]
    known = [value for value in values if valid(value)]
    return known, {all_: len(records), f"with_{what}": len(known)} | unusable(values, what)


def distribution(known):
    counts = sorted(Counter(known).items())
    so_far = accumulate(count for _, count in counts)
    return [
        (value, count, share(count, len(known)), share(until, len(known)))
        for (value, count), until in zip(counts, so_far, strict=True)
    ]


def posts_distribution(records):
    known, counted = numbers_of(records, "posts_count", "accounts", "posts")
    return distribution(known), counted


def contributors(records):
    return numbers_of(records, PEOPLE, "projects", "contributors")


def contributor_distribution(records):
    known, counted = contributors(records)
    return distribution(known), counted


def lorenz(records):
    known, counted = contributors(records)
    rows = [(0.0, 0.0, None)] if sum(known) else []
    for most in sorted(set(known)) if sum(known) else []:
        below = [value for value in known if value <= most]
        rows.append((len(below) / len(known), sum(below) / sum(known), most))
    return rows, counted


def gini(values):
    """Give half of the relative mean difference."""
    pairs = sum(abs(one - other) for one in values for other in values)
    return pairs / (2 * len(values) * sum(values)) if sum(values) else None


def top_share(values, part):
    largest, size = sorted(values, reverse=True), part * len(values)
    whole = int(size)
    edge = (size - whole) * largest[whole] if whole < len(largest) else 0
    return (sum(largest[:whole]) + edge) / sum(values) if sum(values) else None


def contributor_concentration(records):
    known, counted = contributors(records)
    both = known, [value for value in known if value]
    row = []
    for values in both:
        row += [gini(values), *(top_share(values, part) for part in (0.01, 0.1, 0.2, 0.5))]
    return [tuple(row)], counted | {"projects_without_contributors": known.count(0)}


def team_size_classes(records, bounds=(0, 1, 2, 5, 10, 20, 50, 100)):
    known, counted = contributors(records)
    rows = []
    for low, after in zip(bounds, [*bounds[1:], None], strict=True):
        high = None if after is None else after - 1
        inside = [n for n in known if n >= low and (high is None or n <= high)]
        name = f"{low:,} or more" if high is None else f"{low:,}–{high:,}"
        name = f"{low:,}" if low == high else name
        rows.append((name, low, high, len(inside), share(len(inside), len(known)), sum(inside)))
    return rows, counted


def users_against_contributors(records):
    pairs = [(first_of(record, *USERS), record.get(PEOPLE)) for record in records]
    known = [pair for pair in pairs if all(map(valid, pair))]
    counted = {"projects": len(records), "with_both": len(known)}
    counted |= unusable([users for users, _ in pairs], "users")
    counted |= unusable([people for _, people in pairs], "contributors")
    return [(*pair, count) for pair, count in sorted(Counter(known).items())], counted


def accounts_by_kudo_rank(records):
    ranks = [record.get("kudo_score_kudo_rank") for record in records]
    known = sum(rank in range(1, 11) for rank in ranks)
    lacking = ranks.count(None)
    rows = [(rank, ranks.count(rank), share(ranks.count(rank), known)) for rank in range(1, 11)]
    return rows, {
        "accounts": len(records),
        "with_kudo_rank": known,
        "kudo_rank_missing": lacking,
        "kudo_rank_impossible": len(records) - known - lacking,
    }


def accounts_by_country(records, top=None):
    groups = grouped(records, "country_name")
    known = sum(map(len, groups.values()))
    ranking, counted = ranked({name: [len(groups[name])] for name in groups}, top, "countries")
    rows = []
    for label, members in ranking:
        own = groups.get(label, ())  # the others have no code
        code = min((r["country_alpha_2"] for r in own if "country_alpha_2" in r), default=None)
        n = sum(len(groups[name]) for name in members)
        people = INHABITANTS.get(code)
        rows.append((code, label, n, share(n, known), people, people and n / people * 10**6))
    unknown = [record for record in records if not named(record, "country_name")]
    lacking = sum(not named(record, "country_code") for record in unknown)
    return rows, counted | {
        "accounts": len(records),
        "with_country": known,
        "country_missing": lacking,
        "country_unresolved": len(unknown) - lacking,
    }


# Time


def period(day, freq):
    """Give the first day of the period that a day is in."""
    day = datetime(day.year, day.month, day.day, tzinfo=UTC)
    if freq == "W":
        return day - timedelta(days=day.weekday())
    months = {"D": 0, "M": 1, "Q": 3, "Y": 12}[freq[0]]
    return day.replace(day=1, month=(day.month - 1) // months * months + 1) if months else day


def growth(records, freq="MS", collection="projects", *, retrieved):
    days = [record["created_at"] for record in records if "created_at" in record]
    counts, rows, total = Counter(period(day, freq) for day in days), [], 0
    span = (max(days) - min(days)).days + 400 if days else 0  # with the period after the last
    starts = sorted({period(min(days) + timedelta(n), freq) for n in range(span)})
    for start, after in pairwise(starts):
        if start <= max(days):
            total += counts[start]
            until = observed_until(records, "created_at", retrieved)
            rows.append((start, counts[start], total, after <= until))
    missing = len(records) - len(days)
    known = {"with_created_at": len(days), "created_at_missing": missing}
    return rows, {collection: len(records), **known}


def month(when):
    return None if when is None else 12 * when.year + when.month - 1


def first_day(number):
    return None if number is None else datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC)


def months_of(record):
    return tuple(month(first_of(record, *names)) for names in ([FIRST], [LAST], FETCHED))


def median_month(records, retrieved):
    fetched = [months_of(record)[2] for record in records]
    possible = sorted(when for when in fetched if when is not None and when <= retrieved)
    return possible[len(possible) // 2] if possible else None


FAULTS = ("month_missing", "months_reversed", "months_after_fetch")


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


def activity(records, as_of=None, window=12, *, loaded):
    retrieved = month(loaded)
    at = median_month(records, retrieved) if as_of is None else month(as_of)
    states = [state(record, at, window, retrieved) for record in records]
    reasons = (*FAULTS, "fetch_missing", "fetch_impossible", "not_fetched_since")
    active, dormant = states.count("active"), states.count("dormant")
    unknown = sum(one in reasons for one in states)
    known = active + dormant
    rows = [
        (name, n, None if name == "unknown" else share(n, known), first_day(at))
        for name, n in (("active", active), ("dormant", dormant), ("unknown", unknown))
    ]
    return rows, {
        "projects": len(records),
        "with_activity": known,
        "unknown": unknown,
        **{reason: states.count(reason) for reason in (*reasons, "begun_after_as_of")},
        "window": window,
    }


def lives(records, window, retrieved):
    """Give the records with a life, each with its months and whether it ended, and the counts."""
    faults, found = [], []
    for record in records:
        first, last, fetched = months_of(record)
        faults.append(fault(first, last, fetched, retrieved))
        if faults[-1] is None:
            is_known = fetched is not None and fetched <= retrieved
            found.append((record, last - first + 1, last <= fetched - window if is_known else None))
    ends = [ended for *_, ended in found]
    return found, {
        "projects": len(records),
        "ended": ends.count(True),
        "not_ended": ends.count(False),
        "end_unknown": ends.count(None),
        **{reason: faults.count(reason) for reason in FAULTS},
        "window": window,
    }


def missing_first(text):
    return text is not None, text or ""


def life_span(records, top=None, window=12, *, loaded):
    found, counted = lives(records, window, month(loaded))
    rows = [
        (
            *(record.get("id"), record.get("name"), named(record, LANGUAGE)),
            *(record[FIRST], record[LAST], months, ended),
            record[PEOPLE] if valid(record.get(PEOPLE)) else None,
        )
        for record, months, ended in found
    ]
    rows.sort(key=lambda row: (-row[5], row[3], missing_first(row[1]), missing_first(row[0])))
    not_shown = len(rows[len(rows) if top is None else top :])
    return rows[:top], counted | {"with_life_span": len(rows), "projects_not_shown": not_shown}


def survival(records, window=12, confidence=0.95, *, loaded):
    found, counted = lives(records, window, month(loaded))
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
    return rows, counted | {"with_known_end": len(known)}


# One project


def commits_by_contributor(records):
    known, counted = numbers_of(records, "commits", "contributors", "commits")
    rows, so_far = [], 0

    def order(record):
        id_, name = (record.get(f"contributor_{what}") for what in ("id", "name"))
        return -record["commits"], missing_first(id_), missing_first(name)

    some = sorted((record for record in records if valid(record.get("commits"))), key=order)
    for rank, record in enumerate(some, 1):
        n = record["commits"]
        so_far += n
        who = record.get("contributor_id"), record.get("contributor_name")
        rows.append((rank, *who, n, share(n, sum(known)), share(so_far, sum(known))))
    return rows, counted


def commit_concentration(records):
    rows, counted = commits_by_contributor(records)
    commits = [row[3] for row in rows]
    total = sum(commits)
    if not total:
        return [(None, None, None, None)], counted
    fewest = next(n for n in range(1, len(commits) + 1) if 2 * sum(commits[:n]) >= total)
    return [(commits[0] / total, sum(commits[:5]) / total, gini(commits), fewest)], counted


def monthly_activity(records, *, loaded):
    of_month = {month(record["month"]): record for record in records if "month" in record}
    names = ("commits", "contributors", "code_added", "code_removed")
    given = {name for name in names[2:] if any(name in r for r in of_month.values())}
    span = range(min(of_month), max(of_month) + 1) if of_month else range(0)
    rows = []
    for number in span:
        record = of_month.get(number, dict.fromkeys([*names[:2], *given], 0))
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
        **{
            f"{name}_invalid": sum(not valid(record.get(name)) for record in of_month.values())
            for name in names[:2]
        },
    }


# Records by chance, as plain Python and as a frame, and the tables of both compared

#: When the records of most frames were loaded; some of their dates are after it.
LOADED = datetime(2004, 3, 17, tzinfo=UTC)
_BEGIN, _SECONDS = datetime(2001, 1, 1, tzinfo=UTC), 4 * 365 * 86_400


def _some(fields, random, gaps):
    return {n: random.choice(values) for n, values in fields.items() if random.random() >= gaps}


def _lists(**fields):
    """Make lists of records that have some of the fields."""
    sizes = [_POOL.randint(0, 3) for _ in range(300)]
    return [[_some(fields, _POOL, _POOL.choice([0, 0.5])) for _ in range(n)] for n in sizes]


#: Makes the values from which those of the records are drawn.
_POOL = Random(7)
_DAYS = [_BEGIN + timedelta(seconds=_POOL.randrange(_SECONDS)) for _ in range(400)]
_MONTHS = [day.replace(day=1, hour=0, minute=0, second=0) for day in _DAYS]
_DAYS[:80] = _MONTHS[:80]
_FEW = range(-1, 13)
_NUMBERS = [*range(-2, 4), *range(13), *(_POOL.randrange(10**6) for _ in range(15))]
_WORDS = ["C", "C", "C", "c", "Java", "Java", "R", " R", "C ", "ß", " ", ""]
_IDS = ["1", "2", "10"]
_PADDED = [f"{before}{text}{after}" for text in "aabBä" for before in " \n" for after in " \n"]
_PADDED = [text.replace("\n", "") for text in [*_PADDED, "", " "]]
_LANGUAGES = [*_PADDED, *["C", "2 Other", "1 Others", "2 Other C"] * 6]
_PERCENTAGES = [*["0", "1", "33", "100", "<1"] * 5, "-1", "101", "", "?"]
_DATES = dict.fromkeys(("created_at", "updated_at"), _DAYS)
_DTYPES = {int: "Int64", datetime: "datetime64[us, UTC]", list: "object", str: "str"}
#: The columns of each kind of frame, and their values.
FIELDS = {
    "projects": {
        "id": _IDS,
        **dict.fromkeys(("name", LANGUAGE), _WORDS),
        "analysis_id": _IDS,
        LINES: _NUMBERS,
        **dict.fromkeys((PEOPLE, *USERS), _FEW),
        **dict.fromkeys((FIRST, LAST), _MONTHS),
        **dict.fromkeys(FETCHED, _DAYS),
        **_DATES,
        "tags": [[_POOL.choice(_PADDED) for _ in range(n % 5)] for n in range(300)],
        "licenses": _lists(name=_PADDED, nice_name=_PADDED, vanity_url=_PADDED),
        "analysis_languages": _lists(language=_LANGUAGES, percentage=_PERCENTAGES),
    },
    "accounts": {
        **dict.fromkeys(("id", "country_alpha_2"), _IDS),
        **dict.fromkeys(("country_code", "country_name"), _WORDS),
        **dict.fromkeys(("kudo_score_kudo_rank", "posts_count"), _FEW),
        **_DATES,
    },
    "contributors": {
        "contributor_id": _IDS,
        "contributor_name": _WORDS[:-2],
        "commits": _NUMBERS,
    },
    "activity": {
        "month": _MONTHS,
        **dict.fromkeys(("commits", "contributors", "code_added", "code_removed"), _FEW),
    },
}


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
        name: pd.Series([record.get(name) for record in records], dtype=_DTYPES[type(values[0])])
        for name, values in FIELDS[kind].items()
    }
    when = loaded.isoformat() if loaded else None
    return provenance.set_provenance(pd.DataFrame(columns), retrieved_newest=when)


#: Values of each option of a statistic.
_OPTIONS = {
    "top": [None, 1, 2, 3],
    "freq": ["D", "W", "MS", "QS", "YS", "M", "Q", "Y"],
    "window": range(1, 25),
    "date": [FIRST, "created_at"],
    "as_of": [*[None] * 100, *_DAYS[50:150]],
    "confidence": [0.5, 0.95],
    "bounds": [[0, *sorted(_POOL.sample(range(1, 2000), n % 5))] for n in range(50)],
}
_TOP = ("language_share", "contributors_by_language", "language_breakdown", "licenses", "tags")
_PLAIN = ("contributor_concentration", "contributor_distribution", "lorenz", "license_families")
#: The statistics of each kind of frame, and the options that are made for them.
STATISTICS: dict[str, dict[str, tuple[str, ...]]] = {
    "projects": {
        **dict.fromkeys(_TOP, ("top",)),
        **dict.fromkeys((*_PLAIN, "users_against_contributors"), ()),
        "languages_by_year": ("top", "date"),
        "team_size_classes": ("bounds",),
        "growth": ("freq",),
        "activity": ("as_of", "window"),
        "life_span": ("top", "window"),
        "survival": ("window", "confidence"),
    },
    "accounts": {
        "accounts_by_country": ("top",),
        **dict.fromkeys(("accounts_by_kudo_rank", "posts_distribution"), ()),
        "growth": ("freq",),
    },
    "contributors": dict.fromkeys(("commits_by_contributor", "commit_concentration"), ()),
    "activity": {"monthly_activity": ()},
}
#: What counts each statistic here, by its name.
FUNCTIONS = {
    function.__name__: function
    for function in (
        accounts_by_country,
        accounts_by_kudo_rank,
        activity,
        commit_concentration,
        commits_by_contributor,
        contributor_concentration,
        contributor_distribution,
        contributors_by_language,
        growth,
        language_breakdown,
        language_share,
        languages_by_year,
        license_families,
        licenses,
        life_span,
        lorenz,
        monthly_activity,
        posts_distribution,
        survival,
        tags,
        team_size_classes,
        users_against_contributors,
    )
}
#: Those that judge by the day of the load, which is now if it is not known; and those that do not.
_WITH_LOAD = {"activity", "life_span", "survival", "monthly_activity"}
_WITH_RETRIEVAL = {"growth", "languages_by_year"}


def expected(kind, name, records, loaded=LOADED, *, retrieved=LOADED, **options):
    """Return the rows and counts of a statistic, from the records."""
    if name in _WITH_LOAD:
        options["loaded"] = loaded
    if name in _WITH_RETRIEVAL:
        options["retrieved"] = retrieved
    if (kind, name) == ("accounts", "growth"):
        options["collection"] = kind
    return FUNCTIONS[name](records, **options)


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
        options = {option: random.choice(_OPTIONS[option]) for option in options_of}
        table = getattr(stats, name)(records_frame, **options)
        rows, counted = expected(kind, name, records, loaded, **options)
        found += [f"{name}({options}): {one}" for one in differences(table, rows, counted)]
    return found
