"""What the statistics of a frame say, in sentences."""

from __future__ import annotations

from functools import partial
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
        of_total = f" (of {total:,})" if total != records else ""
        if not records:
            sentences.append(f"There are no {resource.words[1]} {which} (of {total:,}).")
        elif found := describe(table):
            base = f"Of {counted(records, *resource.words)} {which}{of_total}"
            sentences.append(f"{base}, {found}.")
    if omitted:
        topics = ", ".join(dict.fromkeys(omitted))
        sentences.append(f"Not computed, since columns are missing: {topics}.")
    return list(dict.fromkeys(sentences))


def _most_frequent(name: str, noun: str, nouns: str, table: pd.DataFrame) -> str:
    """Name the rows with the most records: ``... languages are C (2, 66.7%) and Ada (1, 33.3%)``.

    Those as frequent as one that is left out are counted instead.
    """
    count = "projects" if "projects" in table else "accounts"
    rows = table[table[name].notna() & (table[count] > 0)]
    rows = rows.sort_values(count, ascending=False, kind="stable")
    left_out = int(rows[count].iloc[_NAMED]) if len(rows) > _NAMED else 0
    named, tied = rows[rows[count] > left_out].head(_NAMED), rows[rows[count] == left_out]
    parts = [
        f"{label} ({number:,}, {percent(share)})"
        for label, number, share in named[[name, count, "share"]].itertuples(index=False)
    ]
    if len(parts) < min(_NAMED, len(rows)):
        others = "others with" if parts else "with"
        each = f"{left_out:,} each, {percent(tied['share'].iloc[0])}"
        parts.append(f"{len(tied):,} {others} {each}")
    of = f" of {len(table):,}" if len(table) > _NAMED else ""
    are = f"{nouns} are" if len(parts) > 1 else f"{noun} is"
    return f"the most frequent{of} {are} {_listed(parts)}"


def _contributors_by_language(table: pd.DataFrame) -> str:
    rows = table[table["contributors"].fillna(0) > 0].head(_NAMED)
    if rows.empty:
        return "none has a contributor"
    columns = ["language", "projects_counted", "contributors", "median"]
    parts = [
        f"{language} ({contributors:,} in {counted(projects, 'project')}, median {_number(median)})"
        for language, projects, contributors, median in rows[columns].itertuples(index=False)
    ]
    return f"the most contributors are in {_listed(parts)}; who is in two projects counts twice"


def _contributors(table: pd.DataFrame) -> str:
    # The number of projects with each number of contributors has the quantiles.
    numbers = table["contributors"].repeat(table["projects"].tolist())
    median, ninth = (float(numbers.quantile(at)) for at in (0.5, 0.9))
    return (
        f"{_share(int((numbers == 0).sum()), len(numbers))} have none; the median is "
        f"{_number(median)}, the 90th percentile {_number(ninth)} and the maximum "
        f"{counted(int(numbers.max()), 'contributor')}"
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
        f"{_share(active, known)} are active and {_share(dormant, known)} dormant, "
        f"as of {table['as_of'].iloc[0]:%Y-%m}"
    )


def _posts(table: pd.DataFrame) -> str:
    accounts = table.set_index("posts")["accounts"]
    none = _share(int(accounts.get(0, 0)), int(accounts.sum()))
    return f"{none} have none; the most is {counted(int(table['posts'].max()), 'post')}"


def _share(count: int, total: int) -> str:
    return f"{percent(count / total)} ({count:,})"


def _number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _listed(parts: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _topics(collection: str) -> list[_Topic]:
    """Return the topic, statistic and sentence of each finding of a collection."""
    if collection == "projects":
        languages = partial(_most_frequent, "language", "language", "languages")
        several = "licences (a project can have several)"
        return [
            ("languages", stats.language_share, languages),
            ("contributors by language", stats.contributors_by_language, _contributors_by_language),
            ("contributors", stats.contributor_distribution, _contributors),
            ("contributors", stats.contributor_concentration, _concentration),
            ("activity", stats.activity, _activity),
            ("licences", stats.licenses, partial(_most_frequent, "title", "licence", several)),
        ]
    countries = partial(_most_frequent, "country_name", "country", "countries")
    ranks = partial(_most_frequent, "kudo_rank", "rank", "ranks (10 is the highest)")
    return [
        ("countries", stats.accounts_by_country, countries),
        ("kudo ranks", stats.accounts_by_kudo_rank, ranks),
        ("posts", stats.posts_distribution, _posts),
    ]
