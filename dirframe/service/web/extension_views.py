"""Views of the extension outside the specification: languages, contributors, months, analyses."""

# Languages, contributors and months exist for generated records only; for imported ones the
# response is 404. Analyses exist for all projects that have one.

from __future__ import annotations

from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from lxml import etree
from werkzeug.exceptions import NotFound

from dirframe.errors import InvalidInputError
from dirframe.schema import PROJECT
from dirframe.service.dialects.record_shapes import shape_element
from dirframe.service.dialects.xml_writer import (
    collection_xml,
    element_xml,
    single_xml,
)
from dirframe.service.records import fold, record_from_xml, text_of
from dirframe.service.synthetic.history import History
from dirframe.service.synthetic.languages import languages
from dirframe.service.web.params import request_arguments, requested_page, requested_query

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dirframe.service.dialects.dialects import Rules
    from dirframe.service.records import Record, Value
    from dirframe.service.store.store import Store


#: Number of project histories that are cached for further pages.
_CACHED_HISTORIES = 16

_NOT_COUNTED = (
    "This directory does not hold the {what} of this project: its record was imported, "
    "and the {what} are not part of a record."
)

_LATEST = "latest"


def _descending(name: str) -> Callable[[Record], object]:
    return lambda record: -float(text_of(record, name) or 0)


_LANGUAGE_SORTS: dict[str, Callable[[Record], object]] = {
    "name": lambda record: fold(text_of(record, "name")),
    "total": lambda record: (
        -sum(int(text_of(record, name)) for name in ("code", "comments", "blanks"))
    ),
    **{
        name: _descending(name)
        for name in ("code", "projects", "comment_ratio", "contributors", "commits")
    },
}
_CONTRIBUTOR_SORTS: dict[str, Callable[[Record], object]] = {
    "commits_12_mo": lambda _: 0,  # the order of the history
    "commits": _descending("commits"),
    "name": lambda record: fold(text_of(record, "contributor_name")),
    "oldest": lambda record: text_of(record, "first_commit_time"),
    "latest_commit": lambda record: _reversed_text(text_of(record, "last_commit_time")),
    "newest": lambda record: _reversed_text(text_of(record, "first_commit_time")),
}


class AnalysisUnavailable(Exception):  # noqa: N818  # no error: the response is a success
    """The project has no analysis."""


class ExtensionViews:
    """Extension views of a store in one dialect; each returns a document."""

    def __init__(self, store: Store, rules: Rules) -> None:
        self.store = store
        self.rules = rules
        self._counting = Lock()
        self._counted: list[dict[str, Value]] | None = None
        self._history = lru_cache(_CACHED_HISTORIES)(_history)

    def languages(self) -> bytes:
        """Return a page of languages."""
        return self._page("language", self._languages(), _LANGUAGE_SORTS, "nice_name")

    def language(self, identifier: str) -> bytes:
        """Return a language by its id or its short name."""
        for record in self._languages():
            if identifier in {text_of(record, "id"), text_of(record, "name")}:
                return single_xml(element_xml("language", record), synthetic=self.store.synthetic)
        raise NotFound("There is no such language.")

    def contributors(self, segment: str) -> bytes:
        """Return a page of a project's contributors."""
        records = self._history_of(segment, _LATEST, "contributors").contributors()
        return self._page("contributor_fact", records, _CONTRIBUTOR_SORTS, "contributor_name")

    def contributor(self, segment: str, identifier: str) -> bytes:
        """Return one contributor of a project, with their languages."""
        record = self._history_of(segment, _LATEST, "contributors").contributor(identifier)
        if record is None:
            raise NotFound("There is no such contributor.")
        fragment = element_xml("contributor_fact", record)
        return single_xml(fragment, synthetic=self.store.synthetic)

    def activity_facts(self, segment: str, analysis: str) -> bytes:
        """Return the activity in each month."""
        records = self._history_of(segment, analysis, "activity facts").activity()
        return self._document("activity_fact", records, available=len(records))

    def size_facts(self, segment: str, analysis: str) -> bytes:
        """Return the size of the source code after each month."""
        records = self._history_of(segment, analysis, "size facts").sizes()
        return self._document("size_fact", records, available=len(records))

    def analysis(self, segment: str, analysis: str) -> bytes:
        """Return the analysis element of a project."""
        fragment, project = self._project(segment)
        _check_analysis(project, analysis)
        [element] = etree.fromstring(fragment).iterfind("analysis")
        xml = shape_element(self.rules, element)
        return single_xml(xml, synthetic=self.store.synthetic)

    def _languages(self) -> list[dict[str, Value]]:
        if not self.store.synthetic:
            raise NotFound("This directory does not hold languages: its records were imported.")
        with self._counting:  # once, at the first request: it reads every generated project
            if self._counted is None:
                self._counted = languages(map(record_from_xml, self.store.synthetic_projects()))
        return self._counted

    def _project(self, segment: str) -> tuple[str, dict[str, Value]]:
        fragment = self.store.by_segment(PROJECT, segment)
        if fragment is None:
            raise NotFound("There is no such project.")
        return fragment, record_from_xml(fragment)

    def _history_of(self, segment: str, analysis: str, what: str) -> History:
        fragment, project = self._project(segment)
        _check_analysis(project, analysis)
        if not self.store.is_synthetic(PROJECT, text_of(project, "id")):
            raise NotFound(_NOT_COUNTED.format(what=what))
        return self._history(fragment)

    def _page(
        self,
        tag: str,
        records: Sequence[Record],
        sorts: Mapping[str, Callable[[Record], object]],
        name: str,
    ) -> bytes:
        arguments = request_arguments()
        sort = arguments.get("sort") or next(iter(sorts))
        if sort not in sorts:
            if not self.rules.lenient:
                raise InvalidInputError(
                    f"There is no sort {sort[:50]!r} here; there are {', '.join(sorts)}."
                )
            sort = next(iter(sorts))
        words = fold(requested_query(arguments)).split()
        matching = [r for r in records if all(w in fold(text_of(r, name)) for w in words)]
        matching.sort(key=sorts[sort])  # type: ignore[arg-type]  # the keys of a sort are comparable
        page = requested_page(arguments, lenient=self.rules.lenient)
        size = self.rules.page_size[PROJECT.name]
        first = (page - 1) * size
        page_records = matching[first : first + size]
        return self._document(tag, page_records, available=len(matching), first=first)

    def _document(
        self, tag: str, records: Sequence[Record], *, available: int, first: int = 0
    ) -> bytes:
        return collection_xml(
            [element_xml(tag, record) for record in records],
            available=available,
            first=first,
            synthetic=self.store.synthetic,
            empty_result=self.rules.empty_result,
        )


def _history(fragment: str) -> History:
    history = History(record_from_xml(fragment))
    history.contributors()  # computed once, before other threads read it
    return history


def _check_analysis(project: Record, analysis: str) -> None:
    """Raise unless a project has an analysis, and it is the requested one."""
    content = project.get("analysis")
    if not isinstance(content, dict):
        raise AnalysisUnavailable
    if analysis not in {_LATEST, text_of(content, "id")}:
        raise NotFound("There is no such analysis of this project; the current one is latest.")


def _reversed_text(text: str) -> tuple[int, ...]:
    return tuple(-ord(character) for character in text)
