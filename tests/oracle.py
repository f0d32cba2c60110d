"""Every statistic once more, in plain Python, as its docstring states it.

Records are dicts, without what is missing. Each function takes them and the options of the
statistic, and gives the rows in their order, as tuples in the order of the columns, and what
``counted`` holds. `loaded` is when the frame was loaded. Nothing of dirframe computes here; below,
records are made for it and its tables compared.
"""

import re
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from itertools import pairwise
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
    numbers = {}
    for line in file.read_text(encoding="utf-8").splitlines()[1:]:
        code, number = line.split(",")
        numbers[code] = int(number)
    return numbers


INHABITANTS = inhabitants()


def named(record, column):
    """Return the text of a column without white space around it, or None."""
    text = record.get(column) or ""
    return text.strip() or None


def first_of(record, *columns):
    """Return the value of the first of some columns that the record has."""
    for column in columns:
        if column in record:
            return record[column]
    return None


def valid(value):
    return value is not None and value >= 0


def unusable(values, what):
    """Count the missing and the negative values."""
    negative = [value for value in values if value is not None and value < 0]
    return {f"{what}_missing": values.count(None), f"{what}_negative": len(negative)}


def share(part, whole):
    return part / whole if whole else None


def grouped(records, column):
    """Return the records by their text in a column; those without one are in no group."""
    groups = defaultdict(list)
    for record in records:
        name = named(record, column)
        if name is not None:
            groups[name].append(record)
    return groups


def ranked(numbers, top, noun):
    """Return the names by falling numbers, each with the members of its row, and their counts.

    The last row can have several members. Ties are in the order of the names.
    """

    def order(name):
        falling = [-number for number in numbers[name]]
        return (*falling, name)

    names = sorted(numbers, key=order)
    # A row for a single other name would take as much room as the name itself.
    if top is None or len(names) <= top + 1:
        top = len(names)
    others = names[top:]
    rows = [(name, [name]) for name in names[:top]]
    if others:
        rows.append((f"other ({len(others):,} {noun})", others))
    return rows, {noun: len(names), f"{noun}_in_other": len(others)}


# Languages


def main_languages(records, top, numbers):
    """Return the label and the records of each row, those with a language, and the counts."""
    groups = grouped(records, LANGUAGE)
    ranking, counted = ranked(
        {name: numbers(group) for name, group in groups.items()}, top, "languages"
    )
    rows = []
    for label, members in ranking:
        rows.append((label, [record for name in members for record in groups[name]]))
    spoken = [record for group in groups.values() for record in group]
    without = [record for record in records if not named(record, LANGUAGE)]
    without_analysis = [record for record in without if "analysis_id" not in record]
    counted |= {
        "projects": len(records),
        "with_language": len(spoken),
        "without_language": len(without),
        "without_analysis": len(without_analysis),
    }
    return rows, spoken, counted


def total(group, *columns):
    """Return the sum of the valid values, or None where there are none."""
    values = [first_of(record, *columns) for record in group]
    known = [value for value in values if valid(value)]
    return sum(known) if known else None


def language_share(records, top=None):
    groups, spoken, counted = main_languages(records, top, lambda group: [len(group)])
    counted |= unusable([record.get(LINES) for record in spoken], "code_lines")
    counted |= unusable([first_of(record, *USERS) for record in spoken], "users")
    rows = []
    for name, group in groups:
        part = share(len(group), len(spoken))
        rows.append((name, len(group), part, total(group, LINES), total(group, *USERS)))
    return rows, counted


def quartiles(values):
    """Return both quartiles and the median between them."""
    if not values:
        return [None, None, None]
    if len(values) == 1:
        return values * 3
    return quantiles(values, n=4, method="inclusive")


def interval_of_median(values):
    """Return the ends of the 95% interval of the median, by the binomial distribution."""
    n = len(values)
    # The largest place from either end below which the median is in 2.5% of all samples at most.
    place = -1
    while sum(comb(n, below) for below in range(place + 2)) <= 0.025 * 2**n:
        place += 1
    if place < 0:
        return [None, None]
    ascending = sorted(values)
    return [float(ascending[place]), float(ascending[n - 1 - place])]


def contributors_by_language(records, top=None):
    def people(group):
        return [record[PEOPLE] for record in group if valid(record.get(PEOPLE))]

    def numbers(group):
        return bool(people(group)), sum(people(group)), len(group)

    groups, spoken, counted = main_languages(records, top, numbers)
    rows = []
    for name, group in groups:
        known = people(group)
        sizes = (len(group), len(known), total(group, PEOPLE))
        most = max(known, default=None)
        rows.append((name, *sizes, *quartiles(known), *interval_of_median(known), most))
    counted["with_language_and_contributors"] = len(people(spoken))
    counted |= unusable([record.get(PEOPLE) for record in spoken], "contributors")
    return rows, counted


def percentage(text):
    """Return the percentage that a text states, or None if it states none."""
    text = (text or "").strip()
    if text == "<1":
        return 0.5
    if re.fullmatch(r"-?\d+", text):
        return float(text)
    return None


def breakdown_state(entries, lines, parts):
    """Return the reason why a record has no usable breakdown, or that it has one."""
    if not entries:
        return "breakdown_missing"
    if lines is None:
        return "code_lines_missing"
    if lines < 0:
        return "code_lines_negative"
    if any(part is None or not 0 <= part <= 100 for part in parts):
        return "percentages_impossible"
    return "with_breakdown"


BREAKDOWN_STATES = (
    "breakdown_missing",
    "code_lines_missing",
    "code_lines_negative",
    "percentages_impossible",
    "with_breakdown",
)


def language_breakdown(records, top=None):
    states = []
    lines, projects = defaultdict(float), Counter()
    unnamed = 0.0
    for record in records:
        entries = record.get("analysis_languages", [])
        parts = [percentage(entry.get("percentage")) for entry in entries]
        code_lines = record.get(LINES)
        states.append(breakdown_state(entries, code_lines, parts))
        if states[-1] != "with_breakdown":
            continue
        names = set()
        for entry, part in zip(entries, parts, strict=True):
            name = stripped(entry, "language")
            if name is None or re.fullmatch(r"\d+ Others?", name):
                unnamed += code_lines * part / 100
            else:
                lines[name] += code_lines * part / 100
                names.add(name)
        projects.update(names)
    numbers = {name: (lines[name], projects[name]) for name in lines}
    ranking, counted = ranked(numbers, top, "languages")
    rows = []
    for label, members in ranking:
        own_lines = sum(lines[name] for name in members)
        own_projects = sum(projects[name] for name in members)
        rows.append((label, own_projects, own_lines, share(own_lines, sum(lines.values()))))
    counted |= {"projects": len(records), "code_lines_unnamed": round(unnamed)}
    counted |= {state: states.count(state) for state in BREAKDOWN_STATES}
    return rows, counted


def observed_until(records, column, retrieved):
    """Return the retrieval, or else the newest date of a column."""
    return retrieved or max(record[column] for record in records if column in record)


def languages_by_year(records, top=None, date=FIRST, *, retrieved):
    _, spoken, counted = main_languages(records, None, lambda group: [len(group)])
    dated = [record for record in spoken if date in record]
    groups, _, names = main_languages(dated, top, lambda group: [len(group)])
    years = [record[date].year for record in dated]
    rows = []
    if years:
        until = observed_until(records, date, retrieved).year
        for year in range(min(years), max(years) + 1):
            for name, group in groups:
                projects = sum(record[date].year == year for record in group)
                part = share(projects, years.count(year))
                rows.append((year, name, projects, part, until > year))
    counted["languages"] = names["languages"]
    counted["languages_in_other"] = names["languages_in_other"]
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
    """Return the first text among some fields of an entry, without white space around it."""
    for field in fields:
        text = named(entry, field)
        if text is not None:
            return text
    return None


def memberships(sets, top, noun, name):
    counts = Counter(label for own in sets for label in own)
    having = len([own for own in sets if own])
    ranking, groups = ranked({label: [n] for label, n in counts.items()}, top, noun)
    rows = []
    for label, members in ranking:
        n = sum(not own.isdisjoint(members) for own in sets)
        rows.append((label, n, share(n, having)))
    return rows, {
        "projects": len(sets),
        f"with_{name}": having,
        f"without_{name}": len(sets) - having,
        f"{name}s": len(counts),
        f"{name}s_in_other": groups[f"{noun}_in_other"],
    }


def tags_of(record):
    tags = [tag.strip() for tag in record.get("tags", [])]
    return {tag for tag in tags if tag}


def tags(records, top=None):
    return memberships([tags_of(record) for record in records], top, "tags", "tag")


def code_of(entry):
    """Return the code of a licence: its name in today's dialect is in another field."""
    return stripped(entry, "vanity_url", "name")


def codes_of(record):
    codes = [code_of(entry) for entry in record.get("licenses", [])]
    return {code for code in codes if code}


def licenses(records, top=None):
    sets = [codes_of(record) for record in records]
    shares, counted = memberships(sets, top, "licences", "license")
    titles = defaultdict(set)
    for record in records:
        for entry in record.get("licenses", []):
            title = stripped(entry, "nice_name", "name")
            if title is not None:
                titles[code_of(entry)].add(title)
    rows = []
    for label, projects, part in shares:
        title = min(titles.get(label, ()), default=None)
        rows.append((label, title, projects, part))
    return rows, counted


def family_of(code):
    for name, codes in FAMILIES.items():
        if code in codes.split():
            return name
    return "other"


def license_families(records):
    counts = Counter()
    for record in records:
        families = {family_of(code) for code in codes_of(record)}
        counts.update(families or {"none"})
    order = ["permissive", "weak copyleft", "strong copyleft", "other", "none"]
    rows = [(name, counts[name], share(counts[name], len(records))) for name in order]
    none = counts["none"]
    return rows, {
        "projects": len(records),
        "with_license": len(records) - none,
        "without_license": none,
    }


# Contributors, users and accounts


def numbers_of(records, column, collection, what):
    """Return the valid values of a column, and the counts."""
    values = [record.get(column) for record in records]
    known = [value for value in values if valid(value)]
    counted = {collection: len(records), f"with_{what}": len(known)}
    return known, counted | unusable(values, what)


def distribution(known):
    rows, so_far = [], 0
    for value, count in sorted(Counter(known).items()):
        so_far += count
        rows.append((value, count, share(count, len(known)), share(so_far, len(known))))
    return rows


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
    if not sum(known):
        return [], counted
    rows = [(0.0, 0.0, None)]
    for most in sorted(set(known)):
        below = [value for value in known if value <= most]
        rows.append((len(below) / len(known), sum(below) / sum(known), most))
    return rows, counted


def gini(values):
    """Return half of the relative mean difference."""
    if not sum(values):
        return None
    pairs = sum(abs(one - other) for one in values for other in values)
    return pairs / (2 * len(values) * sum(values))


def top_share(values, part):
    """Return the share of the largest part of the values, the last one in proportion."""
    if not sum(values):
        return None
    largest = sorted(values, reverse=True)
    size = part * len(values)
    whole = int(size)
    edge = 0
    if whole < len(largest):
        edge = (size - whole) * largest[whole]
    return (sum(largest[:whole]) + edge) / sum(values)


def concentration(values):
    """Return the Gini coefficient and the shares of the largest 1, 10, 20 and 50%."""
    return [gini(values), *(top_share(values, part) for part in (0.01, 0.1, 0.2, 0.5))]


def contributor_concentration(records):
    known, counted = contributors(records)
    positive = [value for value in known if value]
    row = (*concentration(known), *concentration(positive))
    return [row], counted | {"projects_without_contributors": known.count(0)}


def class_name(low, high):
    if high is None:
        return f"{low:,} or more"
    if low == high:
        return f"{low:,}"
    return f"{low:,}–{high:,}"


def team_size_classes(records, bounds=(0, 1, 2, 5, 10, 20, 50, 100)):
    known, counted = contributors(records)
    highs = [after - 1 for after in bounds[1:]]
    rows = []
    for low, high in zip(bounds, [*highs, None], strict=True):
        inside = [n for n in known if n >= low and (high is None or n <= high)]
        part = share(len(inside), len(known))
        rows.append((class_name(low, high), low, high, len(inside), part, sum(inside)))
    return rows, counted


def users_against_contributors(records):
    users = [first_of(record, *USERS) for record in records]
    people = [record.get(PEOPLE) for record in records]
    pairs = zip(users, people, strict=True)
    known = [pair for pair in pairs if valid(pair[0]) and valid(pair[1])]
    counted = {"projects": len(records), "with_both": len(known)}
    counted |= unusable(users, "users")
    counted |= unusable(people, "contributors")
    rows = [(*pair, count) for pair, count in sorted(Counter(known).items())]
    return rows, counted


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


def per_million(number, code):
    """Return a number for each million of inhabitants, if those of the country are known."""
    if code not in INHABITANTS:
        return None
    return number / INHABITANTS[code] * 10**6


def accounts_by_country(records, top=None):
    groups = grouped(records, "country_name")
    known = sum(len(group) for group in groups.values())
    sizes = {name: [len(group)] for name, group in groups.items()}
    ranking, counted = ranked(sizes, top, "countries")
    rows = []
    for label, members in ranking:
        own = groups.get(label, ())  # the others have no code
        codes = [record["country_alpha_2"] for record in own if "country_alpha_2" in record]
        code = min(codes, default=None)
        n = sum(len(groups[name]) for name in members)
        rows.append((code, label, n, share(n, known), INHABITANTS.get(code), per_million(n, code)))
    unknown = [record for record in records if not named(record, "country_name")]
    missing = [record for record in unknown if not named(record, "country_code")]
    return rows, counted | {
        "accounts": len(records),
        "with_country": known,
        "country_missing": len(missing),
        "country_unresolved": len(unknown) - len(missing),
    }


# Time


#: The months of each period that is no day or week, by the first letter of its frequency.
MONTHS_OF_PERIOD = {"M": 1, "Q": 3, "Y": 12}


def period(day, freq):
    """Return the first day of the period that a day is in."""
    day = datetime(day.year, day.month, day.day, tzinfo=UTC)
    if freq == "D":
        return day
    if freq == "W":
        return day - timedelta(days=day.weekday())
    months = MONTHS_OF_PERIOD[freq[0]]
    first = (day.month - 1) // months * months + 1
    return day.replace(day=1, month=first)


def growth(records, freq="MS", collection="projects", *, retrieved):
    days = [record["created_at"] for record in records if "created_at" in record]
    counted = {
        collection: len(records),
        "with_created_at": len(days),
        "created_at_missing": len(records) - len(days),
    }
    if not days:
        return [], counted
    until = observed_until(records, "created_at", retrieved)
    counts = Counter(period(day, freq) for day in days)
    span = (max(days) - min(days)).days + 400  # with the period after the last
    starts = {period(min(days) + timedelta(n), freq) for n in range(span)}
    rows, so_far = [], 0
    for start, after in pairwise(sorted(starts)):
        if start <= max(days):
            so_far += counts[start]
            rows.append((start, counts[start], so_far, after <= until))
    return rows, counted


def month(when):
    """Return the number of a month since the year 0."""
    if when is None:
        return None
    return 12 * when.year + when.month - 1


def first_day(number):
    if number is None:
        return None
    return datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC)


def months_of(record):
    """Return the first, the last and the fetched month of a project."""
    first, last = month(record.get(FIRST)), month(record.get(LAST))
    return first, last, month(first_of(record, *FETCHED))


def median_month(records, retrieved):
    """Return the month in the middle of those in which the projects were fetched."""
    fetched = [months_of(record)[2] for record in records]
    possible = sorted(when for when in fetched if when is not None and when <= retrieved)
    if not possible:
        return None
    return possible[len(possible) // 2]


FAULTS = ("month_missing", "months_reversed", "months_after_fetch")


def fault(first, last, fetched, retrieved):
    """Return the reason why a project cannot be placed in time."""
    if first is None or last is None:
        return "month_missing"
    if last < first:
        return "months_reversed"
    known_until = retrieved if fetched is None else fetched
    if last > known_until:
        return "months_after_fetch"
    return None


def state(record, as_of, window, retrieved):
    first, last, fetched = months_of(record)
    reason = fault(first, last, fetched, retrieved)
    if reason is not None:
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
    states = Counter(state(record, at, window, retrieved) for record in records)
    reasons = (*FAULTS, "fetch_missing", "fetch_impossible", "not_fetched_since")
    unknown = sum(states[reason] for reason in reasons)
    known = states["active"] + states["dormant"]
    rows = [
        ("active", states["active"], share(states["active"], known), first_day(at)),
        ("dormant", states["dormant"], share(states["dormant"], known), first_day(at)),
        ("unknown", unknown, None, first_day(at)),
    ]
    counted = {"projects": len(records), "with_activity": known, "unknown": unknown}
    counted |= {reason: states[reason] for reason in reasons}
    counted["begun_after_as_of"] = states["begun_after_as_of"]
    return rows, counted | {"window": window}


def lives(records, window, retrieved):
    """Return the records with a life, each with its months and whether it ended, and the counts."""
    faults, found = [], []
    for record in records:
        first, last, fetched = months_of(record)
        reason = fault(first, last, fetched, retrieved)
        faults.append(reason)
        if reason is not None:
            continue
        ended = None
        if fetched is not None and fetched <= retrieved:
            ended = last <= fetched - window
        found.append((record, last - first + 1, ended))
    ends = [ended for _, _, ended in found]
    counted = {
        "projects": len(records),
        "ended": ends.count(True),
        "not_ended": ends.count(False),
        "end_unknown": ends.count(None),
    }
    counted |= {reason: faults.count(reason) for reason in FAULTS}
    return found, counted | {"window": window}


def missing_first(text):
    """Return a key that sorts what is missing before all texts."""
    return text is not None, text or ""


def life_span(records, top=None, window=12, *, loaded):
    def order(row):
        identifier, name, _, first, _, months, *_ = row
        return -months, first, missing_first(name), missing_first(identifier)

    found, counted = lives(records, window, month(loaded))
    rows = []
    for record, months, ended in found:
        names = (record.get("id"), record.get("name"), named(record, LANGUAGE))
        life = (record[FIRST], record[LAST], months, ended)
        rows.append((*names, *life, total([record], PEOPLE)))
    rows.sort(key=order)
    kept = rows[:top]
    counted |= {"with_life_span": len(rows), "projects_not_shown": len(rows) - len(kept)}
    return kept, counted


def survival(records, window=12, confidence=0.95, *, loaded):
    found, counted = lives(records, window, month(loaded))
    known = [(months, ended) for _, months, ended in found if ended is not None]
    counted["with_known_end"] = len(known)
    if not known:
        return [], counted
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rows, estimate, variance = [], 1.0, 0.0
    for at in [0, *sorted({months for months, _ in known})]:
        at_risk = sum(months >= at for months, _ in known)
        ended, censored = known.count((at, True)), known.count((at, False))
        estimate *= 1 - ended / at_risk
        low, high = None, None
        if 0 < estimate < 1:
            variance += ended / at_risk / (at_risk - ended)  # Greenwood
            half = z * sqrt(variance) / -log(estimate)
            low, high = estimate ** exp(half), estimate ** exp(-half)
        rows.append((at, at_risk, ended, censored, estimate, low, high))
    return rows, counted


# One project


def commits_by_contributor(records):
    def order(record):
        identifier, name = record.get("contributor_id"), record.get("contributor_name")
        return -record["commits"], missing_first(identifier), missing_first(name)

    known, counted = numbers_of(records, "commits", "contributors", "commits")
    some = [record for record in records if valid(record.get("commits"))]
    rows, so_far = [], 0
    for rank, record in enumerate(sorted(some, key=order), start=1):
        n = record["commits"]
        so_far += n
        who = (record.get("contributor_id"), record.get("contributor_name"))
        rows.append((rank, *who, n, share(n, sum(known)), share(so_far, sum(known))))
    return rows, counted


def commit_concentration(records):
    _, counted = commits_by_contributor(records)
    known, _ = numbers_of(records, "commits", "contributors", "commits")
    commits = sorted(known, reverse=True)
    total_commits = sum(commits)
    if not total_commits:
        return [(None, None, None, None)], counted
    fewest = 1
    while 2 * sum(commits[:fewest]) < total_commits:
        fewest += 1
    largest, largest_five = commits[0], sum(commits[:5])
    row = (largest / total_commits, largest_five / total_commits, gini(commits), fewest)
    return [row], counted


def monthly_activity(records, *, loaded):
    counts, lines = ("commits", "contributors"), ("code_added", "code_removed")
    of_month = {month(record["month"]): record for record in records if "month" in record}
    counted = {
        "activity_facts": len(records),
        "with_month": len(of_month),
        "month_missing": len(records) - len(of_month),
    }
    for name in counts:
        invalid = [record for record in of_month.values() if not valid(record.get(name))]
        counted[f"{name}_invalid"] = len(invalid)
    if not of_month:
        return [], counted | {"months_filled": 0}
    # Lines that no month has were not sent; they are not zero in the months between.
    sent = [name for name in lines if any(name in record for record in of_month.values())]
    nothing = dict.fromkeys([*counts, *sent], 0)
    first, last = min(of_month), max(of_month)
    rows = []
    for number in range(first, last + 1):
        record = of_month.get(number, nothing)
        values = [total([record], name) for name in (*counts, *lines)]
        rows.append((first_day(number), *values, is_over(number, last, loaded)))
    return rows, counted | {"months_filled": last - first + 1 - len(of_month)}


def is_over(number, last, loaded):
    """Return whether a month was over when the frame was loaded; of the last one it is unknown."""
    if loaded is not None:
        return first_day(number + 1) <= loaded
    return None if number == last else True


# Records by chance, as plain Python and as a frame, and the tables of both compared

#: When the records of most frames were loaded; some of their dates are after it.
LOADED = datetime(2004, 3, 17, tzinfo=UTC)
_BEGIN = datetime(2001, 1, 1, tzinfo=UTC)
_SECONDS = 4 * 365 * 86_400


def _some(fields, random, gaps):
    """Make a record that lacks each field by chance."""
    record = {}
    for name, values in fields.items():
        if random.random() >= gaps:
            record[name] = random.choice(values)
    return record


def _lists(**fields):
    """Make lists of entries that have some of the fields."""
    lists = []
    for size in [_POOL.randint(0, 3) for _ in range(300)]:
        entries = [_some(fields, _POOL, _POOL.choice([0, 0.5])) for _ in range(size)]
        lists.append(entries)
    return lists


def _padded(texts):
    """Return each text with a blank or none, before it and behind it."""
    padded = []
    for text in texts:
        padded += [f" {text} ", f" {text}", f"{text} ", text]
    return padded


#: Makes the values from which those of the records are drawn.
_POOL = Random(7)
_DAYS = [_BEGIN + timedelta(seconds=_POOL.randrange(_SECONDS)) for _ in range(400)]
_MONTHS = [day.replace(day=1, hour=0, minute=0, second=0) for day in _DAYS]
_DAYS[:80] = _MONTHS[:80]
_FEW = range(-1, 13)
_NUMBERS = [*range(-2, 4), *range(13), *(_POOL.randrange(10**6) for _ in range(15))]
_WORDS = ["C", "C", "C", "c", "Java", "Java", "R", " R", "C ", "ß", " ", ""]
_IDS = ["1", "2", "10"]
_PADDED = [*_padded("aabBä"), "", " "]
_LANGUAGES = [*_PADDED, *["C", "2 Other", "1 Others", "2 Other C"] * 6]
_PERCENTAGES = [*["0", "1", "33", "100", "<1"] * 5, "-1", "101", "", "?"]
_DTYPES = {int: "Int64", datetime: "datetime64[us, UTC]", list: "object", str: "str"}
#: The columns of each kind of frame, and their values.
FIELDS = {
    "projects": {
        "id": _IDS,
        "name": _WORDS,
        LANGUAGE: _WORDS,
        "analysis_id": _IDS,
        LINES: _NUMBERS,
        PEOPLE: _FEW,
        "stack_count": _FEW,
        "user_count": _FEW,
        FIRST: _MONTHS,
        LAST: _MONTHS,
        "analysis_logged_at": _DAYS,
        "analysis_oldest_code_set_time": _DAYS,
        "created_at": _DAYS,
        "updated_at": _DAYS,
        "tags": [[_POOL.choice(_PADDED) for _ in range(n % 5)] for n in range(300)],
        "licenses": _lists(name=_PADDED, nice_name=_PADDED, vanity_url=_PADDED),
        "analysis_languages": _lists(language=_LANGUAGES, percentage=_PERCENTAGES),
    },
    "accounts": {
        "id": _IDS,
        "country_alpha_2": _IDS,
        "country_code": _WORDS,
        "country_name": _WORDS,
        "kudo_score_kudo_rank": _FEW,
        "posts_count": _FEW,
        "created_at": _DAYS,
        "updated_at": _DAYS,
    },
    "contributors": {
        "contributor_id": _IDS,
        "contributor_name": _WORDS[:-2],
        "commits": _NUMBERS,
    },
    "activity": {
        "month": _MONTHS,
        "commits": _FEW,
        "contributors": _FEW,
        "code_added": _FEW,
        "code_removed": _FEW,
    },
}


def make(kind, random, size):
    """Make records that have some of the fields, and not the others."""
    gaps = random.choice([0, 0.1, 0.3, 0.8])
    records = [_some(FIELDS[kind], random, gaps) for _ in range(size)]
    for place, record in enumerate(records):
        if {FIRST, LAST, FETCHED[0]} <= record.keys() and random.random() < 0.7:
            _set_in_order(record)
        record.pop("code_removed", None)
        if "contributor_id" in record:  # of one project, who is there once
            record["contributor_id"] = str(place)
        if "month" in record:
            record["month"] = first_day(month(_BEGIN) + place * 2 - place % 3)
    random.shuffle(records)
    return records


def _set_in_order(record):
    """Let a project begin before it ends, and be fetched after that."""
    first, last, fetched = sorted([record[FIRST], record[LAST], record[FETCHED[0]]])
    record[FIRST] = first_day(month(first))
    record[LAST] = first_day(month(last))
    record[FETCHED[0]] = fetched


def frame(kind, records, loaded=LOADED):
    """Return the frame that a loader would return of these records."""
    columns = {}
    for name, values in FIELDS[kind].items():
        dtype = _DTYPES[type(values[0])]
        columns[name] = pd.Series([record.get(name) for record in records], dtype=dtype)
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
#: The statistics of each kind of frame, and the options that are made for them.
STATISTICS: dict[str, dict[str, tuple[str, ...]]] = {
    "projects": {
        "language_share": ("top",),
        "contributors_by_language": ("top",),
        "language_breakdown": ("top",),
        "licenses": ("top",),
        "tags": ("top",),
        "contributor_concentration": (),
        "contributor_distribution": (),
        "lorenz": (),
        "license_families": (),
        "users_against_contributors": (),
        "languages_by_year": ("top", "date"),
        "team_size_classes": ("bounds",),
        "growth": ("freq",),
        "activity": ("as_of", "window"),
        "life_span": ("top", "window"),
        "survival": ("window", "confidence"),
    },
    "accounts": {
        "accounts_by_country": ("top",),
        "accounts_by_kudo_rank": (),
        "posts_distribution": (),
        "growth": ("freq",),
    },
    "contributors": {"commits_by_contributor": (), "commit_concentration": ()},
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
    found = list(zip(*columns, strict=True))
    if len(found) != len(rows):
        return [f"{len(found)} rows instead of {len(rows)}"]
    differing = []
    for place, (own, row) in enumerate(zip(found, rows, strict=True)):
        if not _is_same_row(own, row):
            differing.append(f"row {place}: {own} instead of {tuple(row)}")
    own_counts = table.attrs["dirframe"]["counted"]
    if own_counts != counted:
        differing.append(f"counted {own_counts} instead of {counted}")
    return differing


def _is_same_row(own, row):
    if len(own) != len(row):
        return False
    return all(_is_same(cell, value) for cell, value in zip(own, row, strict=True))


def _is_same(cell, value):
    if isinstance(value, float) and isinstance(cell, float):
        return isclose(cell, value, rel_tol=1e-9, abs_tol=1e-9)
    return cell == value


def failures(kind, seed, size, names):
    """Compute statistics of records made by chance in both ways; return what differs."""
    random = Random(seed)
    records = make(kind, random, size)
    loaded = LOADED
    if kind == "activity":
        loaded = random.choice([LOADED, LOADED, None])
    records_frame = frame(kind, records, loaded)
    found = []
    for name in names:
        options = {option: random.choice(_OPTIONS[option]) for option in STATISTICS[kind][name]}
        table = getattr(stats, name)(records_frame, **options)
        rows, counted = expected(kind, name, records, loaded, **options)
        found += [f"{name}({options}): {one}" for one in differences(table, rows, counted)]
    return found
