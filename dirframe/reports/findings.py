"""What the statistics of a frame say, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe import provenance, stats
from dirframe._display import counted, percent
from dirframe.errors import ColumnsNotSentError, MissingColumnsError

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from dirframe.schema import Resource

    _Topic = tuple[str, Callable[..., pd.DataFrame], Callable[[pd.DataFrame], str]]

_NAMED = 3
#: Fewer projects have no tenth.
_FEW = 10


def findings(frame: pd.DataFrame, resource: Resource) -> list[str]:
    """State the findings of projects or accounts in sentences, read from their statistics.

    Topics whose columns the frame lacks are named at the end.
    """
    if frame.empty:
        return []
    sentences: list[str] = []
    omitted: list[str] = []
    for topic, statistic, describe in _topics(resource.collection):
        try:
            table = statistic(frame)
        except (MissingColumnsError, ColumnsNotSentError):
            omitted.append(topic)
            continue
        record = provenance.get_provenance(table)
        records, which = record["base"]["records"], record["base"]["which"]
        total = record["counted"][resource.collection]
        if records:
            of_total = f" (of {total:,})" if total != records else ""
            found = describe(table)
            base = f"Of {counted(records, *resource.words)} {which}{of_total}"
            sentences += [f"{base}, {found}."] if found else []
        else:
            sentences.append(f"There are no {resource.words[1]} {which} (of {total:,}).")
    if omitted:
        topics = ", ".join(dict.fromkeys(omitted))
        sentences.append(f"Not computed, since columns are missing: {topics}.")
    return list(dict.fromkeys(sentences))


def _language_share(table: pd.DataFrame) -> str:
    leading = _leading(table, "projects", "language", ("is in", "are in", "in"))
    return leading + _rest(table, "is in", "other language")


def _contributors_by_language(table: pd.DataFrame) -> str:
    rows = table[table["contributors"].fillna(0) > 0].head(_NAMED)
    if rows.empty:
        return "none has a contributor"
    columns = ["language", "projects_counted", "contributors", "median"]
    parts = [
        f"{language} has {counted(contributors, 'contributor')} in {counted(projects, 'project')} "
        f"(median {_number(median)} a project)"
        for language, projects, contributors, median in rows[columns].itertuples(index=False)
    ]
    return f"{_listed(parts)}; who is in two projects counts twice"


def _contributors(table: pd.DataFrame) -> str:
    """Read the quantiles off the number of projects with each number of contributors."""
    numbers = table["contributors"].repeat(table["projects"].tolist())
    without = int((numbers == 0).sum())
    none = f"{_share(without, len(numbers), 'has', 'have')} none; " if without else ""
    median, ninth = (float(numbers.quantile(at)) for at in (0.5, 0.9))
    return (
        f"{none}the median is {_number(median)}, the 90th percentile {_number(ninth)} "
        f"and the maximum {counted(int(numbers.max()), 'contributor')}"
    )


def _concentration(table: pd.DataFrame) -> str:
    values = table.set_index("measure")["value"]
    if provenance.get_provenance(table)["base"]["records"] < _FEW or values.isna().all():
        return ""
    return (
        f"the 10% with the most contributors have {percent(values['top 10%'])} of all "
        f"contributors; the Gini coefficient is {values['gini']:.2f}"
    )


def _activity(table: pd.DataFrame) -> str:
    projects = table.set_index("activity")["projects"]
    active, dormant = int(projects["active"]), int(projects["dormant"])
    known = active + dormant
    return (
        f"{_share(active, known, 'is', 'are')} active and {_share(dormant, known)} dormant, "
        f"as of {table['as_of'].iloc[0]:%Y-%m}"
    )


def _licenses(table: pd.DataFrame) -> str:
    named = table.assign(title=table["title"].fillna(table["license"]))
    leading = _leading(named, "projects", "title", ("is under", "are under", "under"))
    return f"{leading}; a project can have several"


def _countries(table: pd.DataFrame) -> str:
    leading = _leading(table, "accounts", "country_name", ("names", "name", ""))
    return leading + _rest(table, "name", "other country", "other countries")


def _kudo_ranks(table: pd.DataFrame) -> str:
    ordered = table.sort_values("accounts", ascending=False, kind="stable")
    leading = _leading(ordered, "accounts", "kudo_rank", ("has rank", "have rank", "rank"))
    return f"{leading}; 10 is the highest"


def _posts(table: pd.DataFrame) -> str:
    accounts = table.set_index("posts")["accounts"]
    none = _share(int(accounts.get(0, 0)), int(accounts.sum()), "has", "have")
    return f"{none} none; the most is {counted(int(table['posts'].max()), 'post')}"


def _leading(table: pd.DataFrame, count: str, name: str, verbs: tuple[str, str, str]) -> str:
    """Return the first rows: ``2 (66.7%) are in C and 1 (33.3%) in Perl``."""
    singular, plural, others = verbs
    rows = table[table[name].notna() & (table[count] > 0)].head(_NAMED)
    parts: list[str] = []
    for number, share, label in rows[[count, "share", name]].itertuples(index=False):
        verb = others if parts else singular if number == 1 else plural
        parts.append(" ".join(f"{number:,} ({percent(share)}) {verb} {label}".split()))
    return _listed(parts)


def _rest(table: pd.DataFrame, verb: str, noun: str, plural: str = "") -> str:
    others = len(table) - _NAMED
    return f"; the rest {verb} {counted(others, noun, plural)}" if others > 0 else ""


def _share(count: int, total: int, singular: str = "", plural: str = "") -> str:
    """Return a count, its share and a verb: ``1 (50.0%) is``."""
    return f"{count:,} ({percent(count / total)}) {singular if count == 1 else plural}".rstrip()


def _number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _listed(parts: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _topics(collection: str) -> list[_Topic]:
    """Return the topic, statistic and sentence of each finding of a collection."""
    if collection == "projects":
        return [
            ("languages", stats.language_share, _language_share),
            ("contributors by language", stats.contributors_by_language, _contributors_by_language),
            ("contributors", stats.contributor_distribution, _contributors),
            ("contributors", stats.contributor_concentration, _concentration),
            ("activity", stats.activity, _activity),
            ("licences", stats.licenses, _licenses),
        ]
    return [
        ("countries", stats.accounts_by_country, _countries),
        ("kudo ranks", stats.accounts_by_kudo_rank, _kudo_ranks),
        ("posts", stats.posts_distribution, _posts),
    ]
