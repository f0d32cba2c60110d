"""The live service as it is today: its pages, codes and errors, and orders that do not hold."""

import re
from collections import Counter
from functools import lru_cache
from math import inf
from random import Random
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from tests.rig.server import ID, XML, Reply, Request, Rig, failed, id_of, numbered, page_xml, record

#: Most projects on a page, by `per_page`, and contributors on each.
MOST_ON_A_PAGE, CONTRIBUTORS_ON_A_PAGE = 25, 20
#: Bytes that the server takes of the first line of a request.
LONGEST_LINE = 8_190

ANALYSIS = (
    "<analysis><id>{id}</id><url>http://directory.example/p/{id}/analyses/{id}</url>"
    "<updated_at>2026-11-01T00:00:00Z</updated_at>"
    "<oldest_code_set_time>2026-10-30T00:00:00Z</oldest_code_set_time>"
    "<min_month>2007-01-01T00:00:00Z</min_month><max_month>2026-10-01T00:00:00Z</max_month>"
    "<twelve_month_contributor_count>3</twelve_month_contributor_count>"
    "<total_code_lines>1000</total_code_lines><main_language_id>7</main_language_id>"
    "<main_language_name>C</main_language_name></analysis>"
)


def failure(text):
    """Write a failure in the words of the live service."""
    return f"<error><message>{escape(text)}</message></error>".encode()


#: Own pages of projects that are not as usual, for `Today.own_pages`.
GONE = Reply(failure("404 - Not Found"), 404, {"Content-Type": "text/html"})
DELETED = Reply(failed("This project has been deleted."))
REFUSED = Reply(failed("Not any more."), 410)
BROKEN = Reply(failed("Out of order."), 500)
SILENT = Reply(b"<response><error>No Analysis to display.</error></response>")
#: Of a collection of a project without an analysis.
UNANALYSED = Reply(
    b"<response><status>error</status><message>Code analysis is not available</message></response>"
)


#: Of a request line that is too long: from the server before the application.
TOO_LONG = Reply(
    b"<html><title>414 Request-URI Too Large</title></html>", 414, {"Content-Type": "text/html"}
)

_ACTIVITY = "<project_activity_index><value>{}</value><description>{}</description></project_activity_index>"
_SOME, _NONE = _ACTIVITY.format(40, "Low"), _ACTIVITY.format(0, "Not Available")
_ORGANIZATION = (
    "<organization><id>61</id><name>{name}</name><vanity_url>{short}</vanity_url>"
    "<html_url>http://directory.example/orgs/{short}</html_url></organization>"
)
_SEARCHED = re.compile("<(?:name|description|tag)>([^<]*)<")
_POSITION = re.compile("<position>([0-9]+)</position>")
_ACTIVITY_VALUE = re.compile("<project_activity_index><value>([0-9]+)<")


def projects(ids):
    """Write projects with an analysis, whose names are in another order than their ids."""
    return [
        record(
            one,
            name=f"project {sum(map(ord, one)) * 7919 % 1000:03d} {one}",
            created_at="2007-01-01T00:00:00Z",
            updated_at="2026-11-01T00:00:00Z",
            user_count=1,
            analysis_id=one,
            inner=_SOME + ANALYSIS.format(id=one),
        )
        for one in ids
    ]


def accounts(ids, *, unranked=()):
    """Write accounts with their positions: a rank with gaps, in another order than the ids."""
    positions = Random(0).sample(range(1, 3 * len(ids) + 1), len(ids))
    return [
        record(
            one,
            "account",
            name=f"account {one}",
            inner=""
            if one in unranked
            else f"<kudo_score><kudo_rank>5</kudo_rank><position>{position}</position></kudo_score>",
        )
        for one, position in zip(ids, positions, strict=True)
    ]


def without_analysis(xml):
    """Return a record without its analysis."""
    before, found, rest = xml.partition("<analysis>")
    return before + rest.partition("</analysis>")[2] if found else xml


@lru_cache(100_000)  # each request asks for the ids of all records again
def leading_number(text):
    """Return the number that a text begins with, as Ruby reads one: `12abc` is 12, `abc` is 0."""
    digits = re.match(r"\s*([0-9]{1,30})", text)
    return int(digits[1]) if digits else 0


def by_id(xml):
    """Return what sorts records by id."""
    return leading_number(id_of(xml))


class Today(Rig):
    """The live service: ten a page, no analyses in collections, and few orders that are kept.

    `/p.xml` takes `per_page` up to 25. With `ids=1,2,3` it has the projects among these that exist,
    in the order of ids, whatever query and sort are; with an empty `ids=` all projects. It keeps the
    sorts `project_name`, `activity_level` and `new` (ids fall); `popularity` leaves out projects
    without users. Accounts have one order of their own, and `kudo_position`.
    A page that is not full counts itself: its total is its position and its length. Whatever fails
    inside is a 404.
    """

    def __init__(self, records=(), **options):
        self._earlier = []  # the records before each change
        super().__init__((), **options)
        ids = numbered(records) if isinstance(records, int) else records
        written = self.kind != "project" or any(one.startswith("<") for one in ids)
        self.add(self.kind, ids if written else projects(ids))
        # Ties are in another order at each request; else each page of each sort is always the same,
        # but a record is repeated for each that is missing.
        self.reshuffles = True
        self.empty_has_result = False
        self.moves = True  # /projects….xml answers 302 to /p….xml, with the key in the address
        self.own_pages = {}  # those that are not as usual, by id: a `Reply` of this module
        self.other = {}  # by id: whose own page is sent instead
        self.bare = set()  # ids of projects without an analysis
        self.whole = set()  # ids of projects whose analysis is in collections too
        self.unused = set()  # ids of projects without users
        self.organizations = {}  # names of organizations, by the ids of their projects
        self.unsendable = set()  # ids of records that fail: so does each page that would have one
        self.deleted = {}  # records by their ids
        self.replica_lag = 0  # changes that every second request does not see yet
        # Parameters and sorts that the service does not know, or no longer after a number of requests:
        # ids, per_page, popularity, new, kudo_position.
        self.ignored, self.stops = set(), {}
        self.answers_unasked = False  # pages by ids have a project that was not asked for
        self._uses = Counter()

    # Changes of the projects, at any time

    def edit(self, change):
        self._earlier.append(list(self.records))
        super().edit(change)

    def create(self, count=1):
        """Add the newest projects."""
        newest = max(map(by_id, [*self.records, *self.deleted.values()]), default=0)
        self._earlier.append(list(self.records))
        self.records.extend(projects([str(newest + n) for n in range(1, count + 1)]))

    def delete(self, *ids):
        """Delete projects: their own pages say so."""
        self.deleted |= {id_of(xml): xml for xml in self.records if id_of(xml) in ids}
        self.edit(lambda known: [one for one in known if one not in ids])

    def undelete(self, *ids):
        """Bring deleted projects back, with their ids."""
        self._earlier.append(list(self.records))
        self.records.extend(self.deleted.pop(one) for one in ids)

    def merge(self, identifier, into):
        """Merge a project into another one, which takes over its users."""
        self.delete(identifier)
        self.unused.discard(into)

    def rename(self, identifier, name):
        """Give a project another name."""
        self._earlier.append(list(self.records))
        new = f"<name>{escape(name)}</name>"
        self.records[:] = [
            re.sub("<name>.*?</name>", lambda _: new, xml, count=1)
            if id_of(xml) == identifier
            else xml
            for xml in self.records
        ]

    # What it answers

    def refusal(self, reason):
        status, text = {
            "key": (400, "api_key: invalid"),
            "limit": (401, "This api_key has exceeded the limit of 1000 requests per day."),
            "missing": (404, "404 - Not Found"),
        }[reason]
        kind = "text/html" if reason == "missing" else XML
        return Reply(failure(text), status, {"Content-Type": kind})

    def reply(self, request):
        if len(f"GET {request.target} HTTP/1.1") > LONGEST_LINE:
            return TOO_LONG
        parts = urlsplit(request.target)
        name, dot, rest = parts.path.removeprefix("/").partition(".")
        first, slash, own = name.partition("/")
        if first in {"p", "projects"}:
            to = "projects" if first == "p" else "p"
            other = parts._replace(path=f"/{to}{slash}{own}{dot}{rest}").geturl()
            if first == "projects" and self.moves:
                return Reply(b"", 302, {"Location": other})
            if first == "p":
                request = Request(other, request.headers)
        return super().reply(request)

    def page(self, request):
        size, number = self.page_size(request), self.page_number(request)
        if size < 0 or number >= 10**17 or request.query.get("sort") == "activity":
            return self.refusal("missing")  # an error of the application
        records = self.chosen(request)
        first = (number - 1) * size
        shown = records[first : first + size]
        if not self.unsendable.isdisjoint(map(id_of, shown)):
            return self.refusal("missing")
        if 0 < len(shown) < size or (not shown and first == 0 < size):
            available = first + len(shown)
        else:
            available = self.items_available(len(records))  # a second query
        shown = [self.listed(self._shown(xml)) for xml in shown]
        return Reply(page_xml(shown, available=available, first=first, result=bool(shown)))

    def page_size(self, request):
        """Return the number of records on a page; negative ones are an error."""
        if request.path.endswith("/contributors.xml"):
            return CONTRIBUTORS_ON_A_PAGE
        asked = request.query.get("per_page")
        if not asked or request.path != "/projects.xml" or not self.honours("per_page"):
            return self.size
        return -1 if asked.startswith("-") else min(leading_number(asked), MOST_ON_A_PAGE)

    def page_number(self, request):
        """Return the number of a page; what is none is the first."""
        return max(leading_number(request.query.get("page", "1")), 1)

    def honours(self, name):
        """Return whether the service knows a parameter or a sort; a request asks once for each."""
        self._uses[name] += 1
        return name not in self.ignored and self._uses[name] <= self.stops.get(name, inf)

    def chosen(self, request):
        """Return the records that a request is about, in their order."""
        records = self.collections[request.path]
        if request.path != "/projects.xml":
            return self.sorted(request, records)
        if self.replica_lag and len(self._earlier) >= self.replica_lag and len(self.requests) % 2:
            records = self._earlier[-self.replica_lag]
        asked = request.query.get("ids")
        if not asked or not self.honours("ids"):
            return self.sorted(request, self.found(request, records))
        ids = {leading_number(part) for part in asked.split(",")}
        if self.answers_unasked:
            ids.add(min(number for number in map(by_id, records) if number not in ids))
        return sorted((xml for xml in records if by_id(xml) in ids), key=by_id)

    def found(self, request, records):
        """Return the records that have all words of a query in their name, description or tags."""
        words = request.query.get("query", request.query.get("q", "")).lower().split()
        if not words:
            return records
        texts = [" ".join(_SEARCHED.findall(xml)).lower() for xml in records]
        return [
            xml
            for xml, text in zip(records, texts, strict=True)
            if all(word in text for word in words)
        ]

    def listed(self, xml):
        return xml if id_of(xml) in self.whole else without_analysis(xml)

    def sorted(self, request, records):
        sort = request.query.get("sort")
        if request.path != "/projects.xml":
            is_ranked = sort == "kudo_position" and self.honours(sort)
            return self._by_position(records) if is_ranked else list(records)
        if sort == "project_name":
            return sorted(records, key=lambda xml: xml.partition("<name>")[2].lower())
        if sort == "activity_level":
            return sorted(records, key=lambda xml: (-self._activity(xml), by_id(xml)))
        if sort == "new" and self.honours(sort):
            return sorted(records, key=by_id, reverse=True)
        if sort == "popularity" and self.honours(sort):
            records = [xml for xml in records if self._has_users(xml)]
        seed = len(self.requests) if self.reshuffles else f"{sort} {request.page}"
        return Random(seed).sample(records, len(records))

    def own_page(self, request):
        before, _, last = request.path.rpartition("/")
        wanted = last.removesuffix(".xml")
        if wanted in self.own_pages:
            return self.own_pages[wanted]
        if wanted in self.unsendable:
            return self.refusal("missing")
        if wanted in self.deleted:
            return DELETED
        if wanted in self.other:
            request = Request(request.path.replace(wanted, self.other[wanted]))
        reply = super().own_page(request)
        if reply.status == 404 and (number := leading_number(wanted)):
            reply = super().own_page(Request(f"{before}/{number}.xml"))
        xml = reply.body.decode()
        found = ID.search(xml)
        if found and found[1] in self.bare:
            return SILENT
        reply.body = self._shown(xml).encode()
        return reply

    def _by_position(self, records):
        """Return accounts by their position; those without one are last, and in no order."""
        ranked = [xml for xml in records if _POSITION.search(xml)]
        others = [xml for xml in records if not _POSITION.search(xml)]
        ranked.sort(key=lambda xml: int(_POSITION.search(xml)[1]))
        return ranked + Random(len(self.requests)).sample(others, len(others))

    def _has_users(self, xml):
        return id_of(xml) not in self.unused and "<user_count>0<" not in xml

    def _activity(self, xml):
        found = _ACTIVITY_VALUE.search(xml)
        return int(found[1]) if found and id_of(xml) not in self.bare else 0

    def _shown(self, xml):
        """Return a project as it is now: without an analysis, without users, of an organization."""
        found = ID.search(xml)
        identifier = found and found[1]
        if identifier in self.bare:
            xml = without_analysis(xml).replace(_SOME, _NONE)
            xml = xml.replace(f"<analysis_id>{identifier}</", "<analysis_id></")
        if identifier in self.unused:
            xml = re.sub("<user_count>[0-9]+<", "<user_count>0<", xml)
        if identifier in self.organizations:
            name = self.organizations[identifier]
            short = name.lower().replace(" ", "")
            organization = _ORGANIZATION.format(name=escape(name), short=escape(short))
            xml = xml.replace("</analysis_id>", f"</analysis_id>{organization}", 1)
        return xml
