"""The words for what a load received: how complete it is, why, and what helps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dirframe._display import quantity
from dirframe.client.paging.fetch import Failure, Reason, Refusal
from dirframe.client.paging.ids import Window
from dirframe.client.paging.order import better_sort
from dirframe.client.paging.proof import Completeness, Problem, Verdict
from dirframe.client.paging.query import Query
from dirframe.client.paging.received import NoIds, Received
from dirframe.errors import CacheError, QuotaExceededError, UnreadableResponseError

_NAMED = 20  # missing records in a message; the provenance lists all of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """How complete the records are, with own pages, and the reason; `is_capped` by max_items."""

    completeness: Completeness
    reason: str | None = None
    is_capped: bool = False


def summarize(received: Received) -> Summary:
    """Return how complete what was received of a query is, and why."""
    lack = _lack(received)
    if lack is not None:
        return Summary(completeness=Completeness.INCOMPLETE, reason=lack)
    verdict = received.verdict
    limit = received.query.max_items
    if verdict.is_capped:
        reason = f"capped at max_items={limit}"
        return Summary(completeness=Completeness.INCOMPLETE, reason=reason, is_capped=True)
    if verdict.completeness is not Completeness.COUNTED:
        return Summary(completeness=verdict.completeness)
    change = "in an order with ties" if verdict.has_ties else "while the directory changed"
    period = _period(verdict) or f"read {change}"
    if received.no_ids is NoIds.STOPPED:
        period = f"{reason_of(received.no_ids)}; {period}"
    reason = (
        f"{period}, as many different records as the directory counts; records that were exchanged "
        "meanwhile cannot be seen"
    )
    return Summary(completeness=Completeness.COUNTED, reason=reason)


def _lack(received: Received) -> str | None:
    """Return why records or own pages are missing, or may be."""
    verdict = received.verdict
    number = f"{len(verdict.places):,}"
    end = ""
    failure = received.failure
    if failure is not None and not isinstance(failure.error, QuotaExceededError | CacheError):
        end = f"; {_what_failed(failure)} failed ({failure_words(failure)})"
    if verdict.problem is Problem.UNFINISHED:
        if verdict.expected is None:
            number = quantity(len(verdict.places), "record")
        else:
            number = f"{number} of {quantity(verdict.expected, 'record')}"
        return f"not finished: {number} received{end}"
    own_missing = len(received.own_missing())
    if own_missing:
        return f"not finished: {quantity(own_missing, 'own page')} not requested yet{end}"
    if verdict.problem is not None:
        order = _order_words(received.query) if verdict.is_order_unstable else ""
        words = _count_words(verdict) or _problem_words(verdict)
        parts = [words, _period(verdict), order]
        return "; ".join(part for part in parts if part)
    lost = lost_words(received)
    if lost:
        return about_lost(lost)
    return None


def _order_words(query: Query) -> str:
    """Return what is known of an order in which records moved while they were read."""
    order = f"the sort order {query.sort!r}" if query.sort else "the directory's own order"
    words = (
        f"{order} did not hold from one page to the next (records came again on other pages, and "
        "others on none)"
    )
    better = better_sort(query)
    if better is not None:
        words += f"; on today's live service the sort= (--sort) that is stable is {better}"
    return words


#: Of problems without numbers.
_FIXED_WORDS = {
    Problem.NO_TOTAL: "the directory does not state the number of records (items_available)",
    Problem.NOT_RANDOM: "the share of drawn ids that exist differs from what the directory counts by "
    "more than four standard errors, so that the records are no random sample",
}


#: Problems of what the directory sends, which other requests do not solve.
_NEVER_PROVEN = {Problem.NO_TOTAL, Problem.NO_IDS, Problem.LEFT_OUT}


def _what_failed(failure: Failure) -> str:
    error = failure.error
    if failure.ids is not None:
        return window_words(failure.ids)
    return str(getattr(error, "url", ""))


def window_words(window: Window) -> str:
    """Return what the ids of a request are called."""
    if len(window) == 1:
        return f"project {window.first}"
    if window.is_run:
        return f"projects {window.first:,} to {window.last:,}"
    return f"{len(window):,} named projects"


def reason_of(no_ids: NoIds) -> str:
    """Return why projects were not read by their ids."""
    return {
        NoIds.NOT_OFFERED: "the directory does not send 25 projects a page, or not the newest first",
        NoIds.IGNORED: "the directory does not answer by ids",
        NoIds.STOPPED: "the directory stopped answering by ids",
        NoIds.SMALL_PAGES: "the directory stopped sending 25 projects a page",
        NoIds.SPARSE: "so few ids exist that page numbers cost less",
    }[no_ids]


def _count_words(verdict: Verdict) -> str:
    """Return what is wrong with the numbers of records that pages state; empty if it is not that."""
    page = verdict.miscounted
    if page is not None:
        return (
            f"page {page.number:,} holds {quantity(len(page.ids), 'record')} and states {page.returned:,} "
            "(items_returned), so that the pages are not what they say"
        )
    if verdict.problem is Problem.LEFT_OUT:
        return (
            f"records received: {len(verdict.places):,} of {verdict.expected:,}; the directory leaves out "
            "the others from its pages, although it counts them"
        )
    return ""


def _problem_words(verdict: Verdict) -> str:
    number, expected = f"{len(verdict.places):,}", verdict.expected
    if verdict.problem in _FIXED_WORDS:
        return _FIXED_WORDS[verdict.problem]
    if verdict.problem is Problem.NO_IDS:
        return (
            f"{quantity(verdict.without_id, 'record')} without an id, which cannot be distinguished"
        )
    if verdict.problem in {Problem.WRONG_NUMBER, Problem.REMOVED}:
        end = f"; {verdict.repeated:,} repeated" if verdict.repeated else ""
        if verdict.problem is Problem.REMOVED:
            end = (
                "; some were removed while others were read, and none that was there throughout is "
                "missing"
            )
        return f"different records received: {number} of {expected:,}{end}"
    if verdict.problem is Problem.LOST:
        names = {str(number): "could not be sent" for number in verdict.lost}
        return f"{quantity(len(verdict.places), 'project')} received; {list_named(names)}"
    if verdict.problem is Problem.SKIPPED:
        numbers = ", ".join(f"{number:,}" for number in verdict.skipped_after)
        return f"records may have been skipped behind page {numbers}, where others were removed"
    totals = " and ".join(f"{total:,}" for total in verdict.totals)
    return f"the pages overlap, leave gaps or contradict their count: they state {totals} as the number of records"


def _period(verdict: Verdict) -> str:
    days = verdict.days
    return f"read from {days[0]} to {days[-1]}" if len(days) > 1 else ""


def advice(received: Received) -> str:
    """Return what helps where records are missing."""
    verdict = received.verdict
    if verdict.is_order_unstable:
        return (
            "Run it again with refresh=True (--refresh): records may have moved once while they were "
            "read. If that fails, too, the order is not stable: choose another sort (--sort)"
        )
    if verdict.problem in _NEVER_PROVEN:
        return "Running it again does not help: the directory does not send what would prove completeness"
    if verdict.problem in {Problem.UNFINISHED, Problem.LOST} or received.own_missing():
        return "Run it again: only missing pages are requested"
    if verdict.problem is None:
        return (
            "Run it again: pages that failed are requested again. refresh=True (--refresh) requests "
            "all pages, also those that were refused"
        )
    if len(verdict.days) > 1:
        return (
            "refresh=True (--refresh) requests all pages again: pages of earlier days do not match, and "
            "would be read from the cache"
        )
    return (
        "Run it again, or choose another sort (--sort): cached pages cost nothing, and "
        "refresh=True (--refresh) requests all pages, also those that were refused"
    )


def advice_on_archive(received: Received) -> str | None:
    """Return what helps where an archive is incomplete; None if nothing does."""
    verdict = received.verdict
    if verdict.problem is Problem.UNFINISHED or received.own_missing():
        return "Run the harvest again: only what is missing is requested."
    if verdict.problem is None or verdict.problem in _NEVER_PROVEN:
        return None
    if verdict.is_order_unstable:
        return (
            "Harvest it into another file in another order (sort=, --sort): stored pages are not "
            "requested again."
        )
    return "Harvest it into another file: stored pages are not requested again."


# Own pages, and pages of many owners


def lost_words(received: Received) -> dict[str, str]:
    """Return the records whose own page could not be loaded, and why."""
    return {record: answer_words(answer) for record, answer in received.lost_own_pages().items()}


def about_lost(lost: Mapping[str, str]) -> str:
    """Return which own pages could not be loaded, and why."""
    return (
        f"the own pages of {quantity(len(lost), 'record')} could not be loaded: {list_named(lost)}"
    )


def with_an_analysis(number: int, of: int) -> str:
    """Return how many of the projects of a frame have an analysis."""
    have = "has" if number == 1 else "have"
    return f"{number:,} of {quantity(of, 'project')} {have} an analysis"


def advice_on_failures(*, may_come_later: bool) -> str:
    """Return what helps where some of many are missing by name."""
    if may_come_later:
        return "Run it again: only the missing ones are requested"
    return "Running it again does not help: leave out what the directory does not have"


def answer_words(answer: Refusal | Failure) -> str:
    """Return why there is no page."""
    if isinstance(answer, Failure):
        return failure_words(answer)
    if answer.reason is Reason.OTHER_RECORD:
        names = ", ".join(map(str, answer.other_ids[:3])) or "nothing"
        return f"returned {names}"
    return str(answer.reason.value)


def failure_words(failure: Failure) -> str:
    """Return why a page could not be loaded that may come another time."""
    error = failure.error
    if isinstance(error, CacheError):
        return "not in the cache"
    if isinstance(error, QuotaExceededError):
        return "not asked for"
    if isinstance(error, UnreadableResponseError):
        return f"unreadable, status {error.status}" if error.status else "unreadable"
    return f"status {error.status}" if error.status else "no response"


def list_named(missing: Mapping[str, str]) -> str:
    """Return the names of what is missing, the first twenty for each reason."""
    parts = []
    for reason in dict.fromkeys(missing.values()):
        names = [name for name, other in missing.items() if other == reason]
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        parts.append(f"{', '.join(names[:_NAMED])}{more} ({reason})")
    return ", ".join(parts)
