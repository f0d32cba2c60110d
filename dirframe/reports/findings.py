"""What the statistics of a report's frames say, in sentences."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from dirframe import provenance, stats
from dirframe._display.values import counted, percent
from dirframe.errors import ColumnsNotSentError, MissingColumnsError
from dirframe.reports.passages import Block, Passage, listed
from dirframe.reports.selection import options_for
from dirframe.schema import ACCOUNT, PROJECT

if TYPE_CHECKING:
    from collections.abc import Callable

    from dirframe.reports.inputs import ReportData
    from dirframe.schema import Resource
    from dirframe.stats._options.selection import Selection

    Statistic = Callable[..., pd.DataFrame]
    Compute = Callable[[Statistic], pd.DataFrame]
    Describe = Callable[[pd.DataFrame, str, Compute], str]

_NAMED = 3
#: Fewer projects have no tenth.
_FEW = 10


def build_findings(material: ReportData) -> Passage:
    """State the findings of a report in sentences, computed from its statistics.

    Parameters
    ----------
    material : ReportData
        As returned by `report_data`.

    Returns
    -------
    Passage
        An item per finding. Records excluded from the report are excluded from findings; strata
        are not divided. Topics whose columns the frames lack are named at the end.

    Examples
    --------
    >>> from dirframe.reports.inputs import collect_inputs
    >>> frame = pd.DataFrame({"id": ["1", "2"], "licenses": [[{"name": "mit"}], None]})
    >>> print(build_findings(collect_inputs({"projects": frame}, None)))
    Of 1 project with a licence (of 2), 1 (100.0%) is under mit; a project can have several.
    Not computed, since columns are missing: languages, contributors by language, ...
    """
    sentences: list[str] = []
    omitted: list[str] = []
    selection = material.selection.copy()
    selection.pop("by", None)
    for resource in (PROJECT, ACCOUNT):
        frame = material.frames.get(resource.collection, pd.DataFrame())
        for topic, statistic, describe in _TOPICS[resource] if len(frame) else ():
            compute = partial(_computed, frame, selection)
            try:
                table = compute(statistic)
            except (MissingColumnsError, ColumnsNotSentError):
                omitted.append(topic)
                continue
            record = provenance.get_provenance(table)
            records, which = record["base"]["records"], record["base"]["which"]
            total = record["counted"][resource.collection]
            of_total = f" (of {total:,})" if total != records else ""
            if records:
                base = f"Of {counted(records, *resource.words)} {which}{of_total}"
                sentences.append(describe(table, base, compute))
            else:
                sentences.append(f"There are no {resource.words[1]} {which}{of_total}.")
    if omitted:
        topics = ", ".join(dict.fromkeys(omitted))
        sentences.append(f"Not computed, since columns are missing: {topics}.")
    if not sentences:
        return Passage(((Block.TEXT, "There are no records."),))
    return Passage(
        tuple((Block.ITEM, sentence) for sentence in dict.fromkeys(sentences) if sentence)
    )


def _computed(frame: pd.DataFrame, selection: Selection, statistic: Statistic) -> pd.DataFrame:
    return statistic(frame, **options_for(statistic, frame, selection, {}))


def _leading(
    table: pd.DataFrame, count: str, name: str, *, verbs: tuple[str, str], preposition: str = ""
) -> str:
    """Return the first rows: ``2 (66.7%) are in C and 1 (33.3%) in Perl``."""
    rows = table[table[name].notna() & (table[count] > 0)].head(_NAMED)
    parts: list[str] = []
    for number, share, label in rows[[count, "share", name]].itertuples(index=False):
        verb = "" if parts else verbs[0 if number == 1 else 1]
        words = f"{number:,} ({percent(share)})", verb, preposition, str(label)
        parts.append(" ".join(filter(None, words)))
    return listed(parts)


def _language_share(table: pd.DataFrame, base: str, _: Compute) -> str:
    leading = _leading(table, "projects", "language", verbs=("is", "are"), preposition="in")
    return f"{base}, {leading}{_rest(table, 'is in', 'other language')}."


def _rest(table: pd.DataFrame, verb: str, noun: str, plural: str = "") -> str:
    others = len(table) - _NAMED
    return f"; the rest {verb} {counted(others, noun, plural)}" if others > 0 else ""


def _contributors_by_language(table: pd.DataFrame, base: str, _: Compute) -> str:
    rows = table[table["contributors"].fillna(0) > 0].head(_NAMED)
    columns = ["language", "projects_counted", "contributors", "median"]
    if rows.empty:
        return f"{base}, none has a contributor."
    parts = [
        f"{language} has {counted(contributors, 'contributor')} in {counted(projects, 'project')} "
        f"(median {_number(median)} a project)"
        for language, projects, contributors, median in rows[columns].itertuples(index=False)
    ]
    return f"{listed(parts)}; who is in two projects counts twice."


def _quantiles(table: pd.DataFrame, base: str, compute: Compute) -> str:
    rows = table.loc[table.index.repeat(table["projects"].to_numpy(int))]
    at = rows["contributors"].quantile([0.5, 0.9, 1.0])
    sizes = compute(stats.team_size_classes).set_index("smallest")["projects"]
    none = f"{_share(int(sizes[0]), int(sizes.sum()), 'has', 'have')} none; " if sizes[0] else ""
    return (
        f"{base}, {none}the median is {_number(at[0.5])}, the 90th percentile {_number(at[0.9])} "
        f"and the maximum {counted(int(at[1.0]), 'contributor')}."
    )


def _concentration(table: pd.DataFrame, base: str, _: Compute) -> str:
    values = table.set_index("measure")["value"]
    is_few = provenance.get_provenance(table)["base"]["records"] < _FEW
    if is_few or values.isna().all():
        return ""
    return (
        f"{base}, the 10% with the most contributors have {percent(values['top 10%'])} of all "
        f"contributors; the Gini coefficient is {values['gini']:.2f}."
    )


def _activity(table: pd.DataFrame, base: str, _: Compute) -> str:
    projects = table.set_index("activity")["projects"]
    active, dormant = int(projects["active"]), int(projects["dormant"])
    known = active + dormant
    return (
        f"{base}, {_share(active, known, 'is', 'are')} active and {_share(dormant, known)} dormant, "
        f"as of {table['as_of'].iloc[0]:%Y-%m}."
    )


def _licenses(table: pd.DataFrame, base: str, _: Compute) -> str:
    named = table.assign(title=table["title"].fillna(table["license"]))
    leading = _leading(named, "projects", "title", verbs=("is", "are"), preposition="under")
    return f"{base}, {leading}; a project can have several."


def _countries(table: pd.DataFrame, base: str, _: Compute) -> str:
    rest = _rest(table, "name", "other country", "other countries")
    leading = _leading(table, "accounts", "country_name", verbs=("names", "name"))
    return f"{base}, {leading}{rest}."


def _kudo_ranks(table: pd.DataFrame, base: str, _: Compute) -> str:
    ordered = table.sort_values("accounts", ascending=False, kind="stable")
    leading = _leading(ordered, "accounts", "kudo_rank", verbs=("has", "have"), preposition="rank")
    return f"{base}, {leading}; 10 is the highest."


def _posts(table: pd.DataFrame, base: str, _: Compute) -> str:
    accounts = table.set_index("posts")["accounts"]
    none = _share(int(accounts.get(0, 0)), int(accounts.sum()), "has", "have")
    return f"{base}, {none} none; the most is {counted(int(table['posts'].max()), 'post')}."


def _share(count: int, total: int, singular: str = "", plural: str = "") -> str:
    """Return a count, its share and a verb: ``1 (50.0%) is``."""
    return f"{count:,} ({percent(count / total)}) {singular if count == 1 else plural}".rstrip()


def _number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


#: Topic, statistic and sentence of each finding, by collection.
_TOPICS: dict[Resource, tuple[tuple[str, Statistic, Describe], ...]] = {
    PROJECT: (
        ("languages", stats.language_share, _language_share),
        ("contributors by language", stats.contributors_by_language, _contributors_by_language),
        ("contributors", stats.contributor_distribution, _quantiles),
        ("contributors", stats.contributor_concentration, _concentration),
        ("activity", stats.activity, _activity),
        ("licences", stats.licenses, _licenses),
    ),
    ACCOUNT: (
        ("countries", stats.accounts_by_country, _countries),
        ("kudo ranks", stats.accounts_by_kudo_rank, _kudo_ranks),
        ("posts", stats.posts_distribution, _posts),
    ),
}
