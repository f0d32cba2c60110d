"""The rules by which the tables of a study were made, in words, for its README."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from dirframe import stats
from dirframe._display import quantity
from dirframe.io.writers import WRITERS
from dirframe.provenance import get_provenance, resource_of
from dirframe.quality.rules import DOUBTFUL
from dirframe.schema import PROJECT
from dirframe.stats.licenses import families_of, license_entries
from dirframe.stats.records import LICENSES

#: Definitions of the rules of `dirframe.flags`.
FLAG_RULES = {
    "began_before_1970": "the first month with activity is before 1970",
    "began_before_language": "the first month with activity is before the year in which the main "
    "language first appeared (the earliest that PLDB and Wikipedia have)",
    "duplicate_id": "the id stands in more than one record",
    "impossible_kudo_rank": "the kudo rank is not from 1 to 10",
    "impossible_latitude": "the latitude is not from -90 to 90",
    "impossible_longitude": "the longitude is not from -180 to 180",
    "lines_outlier": "the modified z-score of the logarithm of the lines of code is above 3.5, in the "
    "main language or, below 20 projects, in all (Iglewicz and Hoaglin, How to Detect and Handle "
    "Outliers, 1993)",
    "month_in_future": "the code was fetched before the last month with activity",
    "months_reversed": "the last month with activity is before the first one",
    "negative_contributors": "the number of contributors in twelve months is below 0",
    "negative_lines": "the number of lines of code is below 0",
    "negative_posts": "the number of posts is below 0",
    "stale_analysis": "the code was fetched longer ago than the age that the step names, before the "
    "retrieval (if not known or synthetic, before the fetch of the median project)",
    "updated_before_created": "the record was changed before it was created",
}
#: Statistics of projects whose months are judged, and how.
_LIFE = {"life_span", "survival"}
_MONTHS = (
    "A project is placed in time by the first and the last month with activity (`analysis_min_month`, "
    "`analysis_max_month`) and the month in which its code was fetched (`analysis_logged_at`, or else "
    "`analysis_oldest_code_set_time`). It is left out if one of the months is missing, they are "
    "reversed, or the last one is after the fetch or the retrieval."
)
_FAMILIES = (
    "The family of a licence is that of its code in `rules/licenses.csv`, or else that of its title; "
    "a licence that is not in this list is in the family “other”, and a choice of two licences is in "
    "the families of both. Names are compared by their words and numbers: without case, signs, “v” "
    "before a number, final zeros, and words such as “license” or “only”. "
    "`rules/license_families.csv` has the result for each licence of the projects in this study, if "
    "it holds them. A project without a licence in the directory is in “none”, which is not to have "
    "none."
)
_COUNTRIES = (
    "A country is read from the column `country_code`, and is missing where it is not certain; "
    "`dirframe.country_audit` shows each decision."
)
_AGE = (
    "The age of a project is the number of whole years from its first month with activity "
    "(`analysis_min_month`) to the month of the retrieval or, if that is not known or the data are "
    "synthetic, to the month in which the code of the median project was fetched "
    "(`analysis_logged_at`). It is missing if the first month is missing, or later than this month."
)


class Rules(NamedTuple):
    """Rules in words, and the files that they refer to, by their names in a study."""

    words: list[str]
    files: dict[str, bytes]


def rules_used(tables: Sequence[pd.DataFrame]) -> Rules:
    """Return the rules by which tables were made."""
    words: list[str] = []
    files: dict[str, bytes] = {}
    for table in tables:
        record = get_provenance(table)
        words += _rules_of_activity(record)
        words += _rules_of_flags(record)
        if "license_family" in table or record["statistic"].get("name") == "license_families":
            words.append(_FAMILIES)
            files |= _files_of_families(tables)
        stratum = record["statistic"].get("by")
        if record["countries"] or "country_alpha_2" in table or stratum == "country":
            words.append(_COUNTRIES)
        if stratum == "age" or ("age" in table and resource_of(table) == PROJECT):
            words.append(_AGE)
    return Rules(list(dict.fromkeys(words)), files)


def _files_of_families(tables: Sequence[pd.DataFrame]) -> dict[str, bytes]:
    """Return the list of licences with their families, and the licences of the projects here."""
    known = Path(stats.__file__).with_name("licenses.csv")
    entries = [license_entries(table[LICENSES]) for table in tables if LICENSES in table]
    files = {"rules/licenses.csv": known.read_bytes()}
    if entries:
        here = pd.concat(entries)[["license", "title"]].drop_duplicates()
        rows = [
            (code, title, family)
            for code, title in here.to_numpy()
            for family in families_of(code, title)
        ]
        found = pd.DataFrame(rows, columns=["license", "title", "family"], dtype="str")
        found = found.sort_values([*found], ignore_index=True)
        files["rules/license_families.csv"] = WRITERS[".csv"](found)
    return files


def _rules_of_activity(record: Mapping[str, Any]) -> list[str]:
    name = record["statistic"].get("name", "")
    counted = record["counted"]
    window = "window of months (12 by default)"
    if "window" in counted:
        window = quantity(counted["window"], "month")
    # A selection of projects may be one by their activity.
    is_selected = bool(record["selection"]) and record["resource"] == PROJECT.name
    if name == "activity" or is_selected:
        rule = (
            f"A project is active if its last month with activity is within the {window} up to the "
            "month `as_of` or later, dormant if it is before these, and unknown if it was not placed "
            "in time, the day of the fetch is missing or impossible, or the code was not fetched "
            "since `as_of`. By default, `as_of` is the month of the fetch of the median project."
        )
        return [_MONTHS, rule]
    if name in _LIFE:
        rule = (
            "The life of a project lasts from the first to the last month with activity, both "
            f"counted. It has ended if the last {window} up to the fetch had no activity; else it is "
            "censored."
        )
        return [_MONTHS, rule]
    return []


def _rules_of_flags(record: Mapping[str, Any]) -> list[str]:
    names = list(record["excluded"])
    if record["statistic"].get("name") == "flags":
        names += [rule for rule in FLAG_RULES if f"flagged_{rule}" in record["counted"]]
    lines: list[str] = []
    for name in names:
        if name in FLAG_RULES:
            kind = "doubtful" if name in DOUBTFUL else "impossible"
            lines.append(f"`{name}` ({kind}): {FLAG_RULES[name]}.")
    return lines
