"""The live service as it is today: its pages, codes and errors, and orders that do not hold."""

from random import Random
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from tests.rig.server import ID, XML, Reply, Request, Rig, failed, id_of, numbered, record

#: The names that are seen in its records: nearly unique, in no relation to the ids.
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


def projects(ids):
    """Write projects with an analysis, whose names are in another order than their ids."""
    return [
        record(
            one,
            name=f"project {sum(map(ord, one)) * 7919 % 1000:03d} {one}",
            created_at="2007-01-01T00:00:00Z",
            updated_at="2026-11-01T00:00:00Z",
            analysis_id=one,
            inner=ANALYSIS.format(id=one),
        )
        for one in ids
    ]


def without_analysis(xml):
    """Return a record without its analysis."""
    before, found, rest = xml.partition("<analysis>")
    return before + rest.partition("</analysis>")[2] if found else xml


class Today(Rig):
    """The live service: ten a page, no analyses in collections, project_name the one order kept."""

    def __init__(self, records=(), **options):
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

    def refusal(self, reason):
        status, text = {
            "key": (400, "api_key: invalid"),
            "limit": (401, "This api_key has exceeded the limit of 1000 requests per day."),
            "missing": (404, "404 - Not Found"),
        }[reason]
        kind = "text/html" if reason == "missing" else XML
        return Reply(failure(text), status, {"Content-Type": kind})

    def reply(self, request):
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

    def listed(self, xml):
        return xml if id_of(xml) in self.whole else without_analysis(xml)

    def sorted(self, request, records):
        if request.path != "/projects.xml":
            return list(records)  # accounts have one order, whatever is requested
        records = [self._bare(xml) for xml in records]
        sort = request.query.get("sort")
        if sort == "project_name":
            return sorted(records, key=lambda xml: xml.partition("<name>")[2].lower())
        seed = len(self.requests) if self.reshuffles else f"{sort} {request.page}"
        return Random(seed).sample(records, len(records))

    def own_page(self, request):
        wanted = request.path.rpartition("/")[2].removesuffix(".xml")
        if wanted in self.own_pages:
            return self.own_pages[wanted]
        if wanted in self.other:
            request = Request(request.path.replace(wanted, self.other[wanted]))
        reply = super().own_page(request)
        reply.body = self._bare(reply.body.decode()).encode()
        return reply

    def _bare(self, xml):
        found = ID.search(xml)
        if not found or found[1] not in self.bare:
            return xml
        return without_analysis(xml).replace(f"<analysis_id>{found[1]}</", "<analysis_id></")
