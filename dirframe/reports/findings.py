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

    _Described = tuple[Callable[..., pd.DataFrame], Callable[[pd.DataFrame], str]]

_NAMED = 3
#: Fewer projects have no tenth.
_FEW = 10


def findings(frame: pd.DataFrame, resource: Resource) -> list[str]:
    """State the findings of projects or accounts in sentences, read from their statistics.

    Statistics whose columns the frame lacks are named at the end.
    """
    if frame.empty:
        return [f"There are no {resource.words[1]}."]
    sentences: list[str] = []
    omitted: list[str] = []
    for statistic, describe in _statistics(resource.collection):
        try:
            table = statistic(frame)
        except (MissingColumnsError, ColumnsNotSentError):
            omitted.append(f"stats.{statistic.__name__}")
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
        sentences.append(f"Not computed, since columns are missing: {', '.join(omitted)}.")
    return list(dict.fromkeys(sentences))


def _most_frequent(name: str, table: pd.DataFrame) -> str:
    """Name the rows with the most records, unless one that is left out has as many."""
    count = "projects" if "projects" in table else "accounts"
    rows = table[table[name].notna() & (table[count] > 0)]
    rows = rows.sort_values(count, ascending=False, kind="stable")
    left_out = rows[count].iloc[_NAMED] if len(rows) > _NAMED else 0
    named = rows[rows[count] > left_out].head(_NAMED)
    parts = [
        f"{label} ({number:,}, {percent(share)})"
        for label, number, share in named[[name, count, "share"]].itertuples(index=False)
    ]
    return f"the most frequent: {', '.join(parts)}" if parts else ""


def _distribution(name: str, table: pd.DataFrame) -> str:
    # The number of records with each number has the quantiles.
    numbers = table[name].repeat(table.iloc[:, 1].tolist())
    none = int((numbers == 0).sum())
    median, ninth = (f"{numbers.quantile(at):,.1f}".removesuffix(".0") for at in (0.5, 0.9))
    return (
        f"{percent(none / len(numbers))} ({none:,}) have none; the median is {median}, the 90th "
        f"percentile {ninth} and the maximum {counted(int(numbers.max()), name.removesuffix('s'))}"
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
    states = table.set_index("activity")
    active, dormant = (
        f"{percent(states['share'][state])} ({states['projects'][state]:,})"
        for state in ("active", "dormant")
    )
    return f"{active} are active and {dormant} dormant, as of {table['as_of'].iloc[0]:%Y-%m}"


def _statistics(collection: str) -> list[_Described]:
    """Return the statistics of a collection, each with what makes a sentence of its table."""
    if collection == "accounts":
        return [
            (stats.accounts_by_country, partial(_most_frequent, "country_name")),
            (stats.accounts_by_kudo_rank, partial(_most_frequent, "kudo_rank")),
            (stats.posts_distribution, partial(_distribution, "posts")),
        ]
    return [
        (stats.language_share, partial(_most_frequent, "language")),
        (stats.contributor_distribution, partial(_distribution, "contributors")),
        (stats.contributor_concentration, _concentration),
        (stats.activity, _activity),
        (stats.licenses, partial(_most_frequent, "title")),
    ]
