"""Statistics of projects by licence, and by the family of their licences."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from dirframe import provenance
from dirframe._display import suggests_options
from dirframe._tables import read_rows
from dirframe.stats.counts import share_of
from dirframe.stats.intervals import Shares, check_confidence
from dirframe.stats.lists import count_records_by, explode
from dirframe.stats.records import LICENSES, Frame, read, require_records
from dirframe.stats.result import Counts, as_statistic, typed_table

#: The families, in the order of rows.
FAMILIES = ("permissive", "weak copyleft", "strong copyleft", "other", "none")
#: Words that tell no licence from another.
_FILLERS = {
    "the",
    "license",
    "licence",
    "licenses",
    "agreement",
    "v",
    "version",
    "only",
    "or",
    "later",
}


@suggests_options
def licenses(frame: Frame, *, top: int | None = None, confidence: float = 0.95) -> pd.DataFrame:
    """Count the projects under each licence.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with the column ``licenses``.
    top : int, optional
        Number of licences with rows of their own; the others share a last row,
        ``other (n licences)``, with the projects that name any of them. By default, all have rows.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.

    Returns
    -------
    pandas.DataFrame
        One row per licence, the most projects first; ties by code:

        - ``license`` (str): its code, such as ``gpl3``: its ``vanity_url`` or else its ``name``,
          which is the code in recorded answers and the title in today's
        - ``title`` (str): its ``nice_name`` or else its ``name``, the first by code point of
          several; missing for ``other``
        - ``projects`` (Int64, projects): that name it, each once
        - ``share`` (Float64, 0 to 1): of the projects that name a licence; they can sum to more
          than 1
        - ``low``, ``high`` (Float64, 0 to 1): of a random sample, the interval of ``share``

        Counted: ``with_license``, ``without_license``, ``licenses``, ``licenses_in_other``.

    Examples
    --------
    >>> recorded = {"name": "gpl3", "nice_name": "GNU General Public License 3.0"}
    >>> today = {"name": "GNU General Public License 3.0", "vanity_url": "gpl3"}
    >>> licenses(pd.DataFrame({"licenses": [[recorded], [today], None]}))["projects"].tolist()
    [2]
    """
    check_confidence(confidence)
    columns = read(frame, [LICENSES])
    entries = license_entries(columns[LICENSES])
    table, numbers = count_records_by(entries, "license", "licences", top)
    titles = entries.groupby("license")["title"].min()
    table.insert(1, "title", table["license"].map(titles).astype("str"))
    counts = Counts(
        "projects",
        len(columns),
        base="with_license",
        which="with a licence",
        numbers={
            "with_license": numbers["with_any"],
            "without_license": len(columns) - numbers["with_any"],
            "licenses": numbers["different"],
            "licenses_in_other": numbers["in_other"],
        },
    )
    shares = Shares(numbers["with_any"], confidence)
    return as_statistic(table, "licenses", source=frame, counts=counts, shares=shares)


@suggests_options
def license_families(frame: Frame, *, confidence: float = 0.95) -> pd.DataFrame:
    """Count the projects under permissive, weak and strong copyleft, and other licences.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with the column ``licenses``.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.

    Returns
    -------
    pandas.DataFrame
        A row for each family, also where no project is:

        - ``family`` (str): ``"permissive"``, ``"weak copyleft"``, ``"strong copyleft"``,
          ``"other"``, ``"none"``, as the table ``stats/licenses.csv`` has it for the licence's code,
          or else for its title; ``"other"`` if neither is there
        - ``projects`` (Int64, projects): that name a licence of the family, each once; in
          ``"none"``, those that name no licence, which is not to have none
        - ``share`` (Float64, 0 to 1): of all projects; a project can be in several families, also
          by one licence, such as that of Perl, which is a choice of two
        - ``low``, ``high`` (Float64, 0 to 1): of a random sample, the interval of ``share``

        Counted: ``with_license``, ``without_license``.

    Examples
    --------
    >>> projects = pd.DataFrame({"licenses": [[{"name": "gpl3"}], [{"name": "mit"}], None]})
    >>> print(license_families(projects)["projects"].tolist())
    [1, 0, 1, 0, 1]
    """
    check_confidence(confidence)
    columns = read(frame, [LICENSES])
    families = family_entries(columns[LICENSES])
    numbers = families["license_family"].value_counts().reindex(FAMILIES, fill_value=0)
    without = int(numbers["none"])
    table = typed_table(
        {
            "family": ("str", FAMILIES),
            "projects": ("Int64", numbers),
            "share": ("Float64", share_of(numbers, len(columns))),
        }
    )
    counts = Counts(
        "projects",
        len(columns),
        base="projects",
        which="with a licence or none",
        numbers={"with_license": len(columns) - without, "without_license": without},
    )
    shares = Shares(len(columns), confidence)
    return as_statistic(table, "license_families", source=frame, counts=counts, shares=shares)


def with_license_family(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the family of its licences to each project.

    Parameters
    ----------
    frame : pandas.DataFrame
        Projects with the column ``licenses``.

    Returns
    -------
    pandas.DataFrame
        A new frame with the column ``license_family`` (str): that of `dirframe.stats.license_families`,
        ``"none"`` where a project names no licence, and of several families all, as in
        ``"permissive, strong copyleft"``.

    Examples
    --------
    >>> projects = pd.DataFrame({"licenses": [[{"name": "gpl3"}], [{"name": "mit"}], None]})
    >>> with_license_family(projects)["license_family"].tolist()
    ['strong copyleft', 'permissive', 'none']
    """
    frame = require_records(frame)
    families = family_entries(read(frame, [LICENSES])[LICENSES])
    names = families.groupby("record")["license_family"].agg(", ".join)
    result = frame.assign(license_family=names.astype("str").array)
    return provenance.copy_provenance(frame, result, "with_license_family")


def license_entries(lists: pd.Series[Any]) -> pd.DataFrame:
    """Return a row for each licence of each record: ``record``, ``license``, its code, ``title``."""
    entries = explode(lists, ["vanity_url", "name", "nice_name"])
    code = entries["vanity_url"].fillna(entries["name"])
    title = entries["nice_name"].fillna(entries["name"])
    table = pd.DataFrame({"record": entries["record"], "license": code, "title": title})
    return table[code.notna()]


def family_entries(lists: pd.Series[Any]) -> pd.DataFrame:
    """Return a row for each family of each record, in their order: ``record``, ``license_family``."""
    entries = license_entries(lists)
    different = entries[["license", "title"]].drop_duplicates()
    families = pd.Series(
        [families_of(code, title) for code, title in different.to_numpy()],
        index=different.index,
        dtype="object",
    )
    table = different.assign(license_family=families).explode("license_family")
    pairs = entries.merge(table, on=["license", "title"])[["record", "license_family"]]
    without = pd.RangeIndex(len(lists)).difference(pd.Index(entries["record"]))
    none = pd.DataFrame({"record": without, "license_family": "none"})
    pairs = pd.concat([pairs, none]).drop_duplicates()
    pairs["license_family"] = pd.Categorical(pairs["license_family"], FAMILIES)
    return pairs.sort_values(["record", "license_family"], ignore_index=True)


def families_of(code: str, title: object) -> list[str]:
    """Return the families of a licence by its code, or else by its title."""
    known = _families_by_name()
    for text in (code, title):
        if isinstance(text, str) and _normal(text) in known:
            return known[_normal(text)]
    return ["other"]


@cache
def _families_by_name() -> dict[str, list[str]]:
    """Return the families of each licence of the table by its code, title and SPDX id."""
    found: dict[str, list[str]] = {}
    for row in read_rows(Path(__file__).with_name("licenses.csv")):
        for name in (row["code"], row["title"], row["spdx"]):
            families = found.setdefault(_normal(name), [])
            if row["family"] not in families:
                families.append(row["family"])
    del found[""]  # rows without a code or an SPDX id
    return found


def _normal(name: str) -> str:
    """Return the words and numbers that tell a licence: GPLv3, GPL-3.0 and GPL-3.0-only are gpl3."""
    parts: list[str] = []
    words = re.sub(r"v(?=\d)", " ", name.casefold())
    for part in re.findall(r"[a-z]+|\d+", words):
        is_zero = part == "0" and parts and parts[-1].isdigit()
        if part not in _FILLERS and not is_zero:
            parts.append(part)
    return " ".join(parts)


def spdx_id(code: object, title: object) -> str:
    """Return the SPDX id of a licence by its code, or else by its title; empty if it has none.

    Unlike a family, an id tells "or later" from "only", so that names have to be the same. A choice
    of two licences has none.
    """
    known = _spdx_by_name()
    for text in (code, title):
        if isinstance(text, str) and _folded(text) in known:
            return known[_folded(text)]
    return ""


@cache
def _spdx_by_name() -> dict[str, str]:
    """Return the SPDX id of each licence of the table that has one, by its code and title."""
    ids: dict[str, set[str]] = {}
    for row in read_rows(Path(__file__).with_name("licenses.csv")):
        if row["spdx"]:
            for name in {_folded(row["code"]), _folded(row["title"])} - {""}:
                ids.setdefault(name, set()).add(row["spdx"])
    return {name: found.pop() for name, found in ids.items() if len(found) == 1}


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
