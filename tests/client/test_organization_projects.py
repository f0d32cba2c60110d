"""The projects of an organization: found by their titles, and believed only if these are exact."""

import pytest

import dirframe
from dirframe.errors import (
    AnalysesNotSentWarning,
    IncompleteCollectionError,
    InvalidInputError,
    NotFoundError,
)
from dirframe.provenance import get_provenance
from tests.rig.organizations import WEB_PAGE, element
from tests.rig.server import Reply, failed, page_xml
from tests.rig.today import ANALYSIS


def project(identifier, name, *, organization="acme", analysis=True, own=True):
    """Write a project; one of a collection comes without its analysis."""
    facts = {"id": identifier, "name": name, "analysis_id": identifier if analysis else ""}
    if organization:
        facts["organization"] = f"<id>61</id><vanity_url>{organization}</vanity_url>"
    if own and analysis:
        facts["analysis"] = ANALYSIS.format(id=identifier).removeprefix("<analysis>")[:-11]
    return element("project", **facts)


class Directory:
    """An organization whose projects have titles; `own` are the projects at short names."""

    def __init__(self, titles, own, found=()):
        self.titles, self.own, self.found = titles, own, dict(found)

    def __call__(self, request):
        parts = request.path.removesuffix(".xml").strip("/").split("/")
        if request.path == "/orgs/acme/projects.xml":
            return self.portfolio(request)
        if parts == ["orgs", "acme"]:
            return WEB_PAGE
        if request.path == "/projects.xml":
            records = self.found.get(request.query.get("query"), [])
            return page_xml(records, available=len(records), first=0)
        record = self.own.get(parts[-1])
        return Reply(failed("Not found."), 404) if record is None else page_xml([record])

    def portfolio(self, request):
        first = 20 * (request.page - 1)
        shown = self.titles[first : first + 20]
        if not shown:
            return Reply(b"", 302, {"Location": "/orgs/acme"})
        inside = "".join(element("project", name=title) for title in shown)
        page = page_xml(
            [f"<portfolio_projects>{inside}</portfolio_projects>"],
            available=len(self.titles),
            first=first,
        )
        return page.replace(b"returned>1<", b"returned>%d<" % len(shown))


def load(directory, **options):
    return dirframe.load_projects(directory, organization="acme", **options)


def test_organization_projects_are_read_by_their_short_names(serve, connect):
    titles = [f"Project {n}" for n in range(45)]
    own = {f"project{n}": project(n, f"Project {n}") for n in range(45)}
    rig = serve(Directory(titles, own))
    frame = load(connect(rig), details=True)
    assert frame["name"].tolist() == titles
    assert frame["analysis_total_code_lines"].tolist() == [1000] * 45
    record = get_provenance(frame)
    assert (record["completeness"], record["resource"]) == ("counted", "project")
    assert record["query"] == {"organization": "acme", "details": True}
    assert record["requests_made"] == len(rig.requests) == 45 + 3
    before = len(rig.requests)
    assert load(connect(rig), details=True).equals(frame)
    assert len(rig.requests) == before


def test_organization_project_is_found_by_a_query_where_the_short_name_is_another(serve, connect):
    titles = ["GNU Emacs", "vi", "2048"]
    own = {
        "vi": project(1, "Visual"),  # a title that only looks like it
        "2048": project(2048, "Another"),  # an id
        "7": project(7, "GNU Emacs"),
        "8": project(8, "vi"),
    }
    bare = {"own": False}
    found = {
        "GNU Emacs": [project(6, "GNU Emacs Lisp", **bare), project(7, "GNU Emacs", **bare)],
        "vi": [project(8, "vi", **bare), project(9, "VI", **bare)],
        "2048": [project(11, "2048", analysis=False)],
    }
    rig = serve(Directory(titles, own, found))
    frame = load(connect(rig), details=True)
    assert frame["id"].tolist() == ["7", "8", "11"]
    assert frame["analysis__id"].fillna("").tolist() == ["7", "8", ""]
    assert get_provenance(frame)["completeness"] == "proven"
    assert len(rig.requests) <= 3 * 3 + 1
    with pytest.warns(AnalysesNotSentWarning) as warned:
        bare = load(connect(rig))
    assert warned[0].message.requests == 2
    assert bare["analysis_total_code_lines"].isna().all()
    with pytest.raises(dirframe.ColumnsNotSentError):
        dirframe.stats.language_share(bare)


def test_organization_projects_that_are_not_there_are_failures_by_name(serve, connect):
    titles = ["kept", "renamed", "twice", "moved"]
    own = {"kept": project(1, "kept"), "moved": project(5, "moved", organization="other")}
    found = {
        "renamed": [project(2, "Renamed since")],
        "twice": [project(3, "twice"), project(4, "twice")],
    }
    rig = serve(Directory(titles, own, found))
    with pytest.raises(IncompleteCollectionError) as caught:
        load(connect(rig), details=True)
    assert caught.value.frame["id"].tolist() == ["1"]
    assert get_provenance(caught.value.frame)["failures"].keys() == {"renamed", "twice", "moved"}
    assert (caught.value.received, caught.value.expected) == (1, 4)


def test_organization_without_projects_has_none_and_all_columns(serve, connect):
    rig = serve(Directory([], {}))
    frame = load(connect(rig), details=True)
    assert (len(frame), get_provenance(frame)["completeness"]) == (0, "proven")
    assert "analysis_main_language_name" in frame
    assert len(rig.requests) == 2


def test_organization_that_is_not_there_is_not_found(serve, connect):
    with pytest.raises(NotFoundError) as raised:
        dirframe.load_projects(connect(serve(Directory([], {}))), organization="nobody")
    assert "load_organizations" in raised.value.hint


@pytest.mark.parametrize(
    "options",
    [
        {"organization": ["acme"]},
        {"organization": ""},
        {"organization": "acme", "query": "x"},
        {"organization": "acme", "sort": "name"},
        {"organization": "acme", "max_items": 5},
        {"organization": "acme", "sample": 5},
    ],
)
def test_organization_beside_other_options_is_refused(options, serve, connect):
    rig = serve(Directory(["a"], {"a": project(1, "a")}))
    with pytest.raises(InvalidInputError):
        dirframe.load_projects(connect(rig), **options)
    assert rig.requests == []


def test_plan_of_an_organization_bounds_its_requests(serve, connect):
    titles = [f"Project {n}" for n in range(45)]
    own = {f"project{n}": project(n, f"Project {n}") for n in range(45)}
    rig = serve(Directory(titles, own))
    client = connect(rig)
    price = dirframe.plan("projects", organization="acme", details=True, directory=client)
    assert (price.items, price.requests_at_least, price.requests_at_most) == (45, 47, 47 + 2 * 45)
    assert len(rig.requests) == 1
    load(client, details=True)
    assert price.requests_at_least == len(rig.requests) - 1
    price = dirframe.plan("projects", organization="acme", details=True, directory=client)
    assert (price.requests_at_least, price.requests_at_most) == (0, 0)
    with pytest.raises(InvalidInputError):
        dirframe.plan("accounts", organization="acme", directory=client)
