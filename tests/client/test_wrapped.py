"""Records in one more element: the lists of an organization, by every way in which a page is read."""

import pytest

import dirframe
from dirframe.errors import IncompleteCollectionError, ServiceError, UnreadableResponseError
from dirframe.provenance import get_provenance
from tests.cases import slow_except
from tests.rig.organizations import CHANGE, ELEMENTS, SIZES, Organizations
from tests.rig.server import page_xml, record

RESOURCES = {
    "projects": "portfolio_project",
    "outside_projects": "outside_project",
    "affiliated_committers": "affiliated_committer",
    "outside_committers": "outside_committer",
}


def load(client, kind="projects", **options):
    return dirframe.load(f"/orgs/acme/{kind}.xml", directory=client, **options)


@pytest.mark.parametrize(
    ("count", "identifiers"),
    slow_except(
        [(count, identifiers) for count in (0, 1, 20, 45) for identifiers in (False, True)],
        [(0, False), (45, False), (45, True)],
    ),
)
@pytest.mark.parametrize("kind", ELEMENTS)
def test_wrapped_records_are_all_loaded(kind, count, identifiers, serve, connect):
    rig = serve(Organizations({"acme": count}, identifiers=identifiers))
    frame = load(connect(rig), kind)
    record = get_provenance(frame)
    pages = max(-(-count // SIZES[kind]), 1) + (count == 20)
    assert (len(frame), record["resource"], record["completeness"], len(rig.requests)) == (
        count,
        RESOURCES[kind],
        "proven" if count <= SIZES[kind] else "counted",
        pages + (kind == "projects" and count in {0, 20}),  # and the page that it redirects to
    )
    dtypes = frame.dtypes.astype(str)
    assert dict(dtypes) == dict(load(connect(rig), kind).dtypes.astype(str))
    assert "detailed_page_url" not in frame


def test_wrapped_records_have_the_types_of_the_schema(serve, connect):
    frame = load(connect(serve(Organizations({"acme": 5}))))
    assert frame.iloc[4].isna()[["primary_language", "community_rating"]].all()
    assert frame["i_use_this"].tolist() == [1001, 1002, 1003, 1004, 1005]
    assert frame[f"{CHANGE}_percentage_change_in_commits"].tolist() == [-1.5, 2.5, -3.5, 4.5, -5.5]
    assert frame[f"{CHANGE}_percentage_change_in_committers"].isna().all()
    people = load(connect(serve(Organizations({"acme": 3}))), "affiliated_committers")
    assert people["most_commits_commits"].tolist() == [1, 2, 3]
    assert people["most_recent_commit_project"].isna().all()
    assert str(people["most_recent_commit_date"].dtype) == "datetime64[us, UTC]"


@pytest.mark.parametrize("count", [0, 1, 20, 45])
def test_wrapped_records_have_the_same_dtypes_for_any_number(count, serve, connect):
    frame = load(connect(serve(Organizations({"acme": count}))))
    one = load(connect(serve(Organizations({"acme": 1}))))
    assert dict(frame.dtypes) == dict(one.dtypes)


@pytest.mark.parametrize("count", [0, 1, 20, 45])
def test_wrapped_records_of_recorded_pages_and_of_a_plan(count, serve, connect, read):
    organizations = Organizations({"acme": count})
    organizations.redirects = set()
    rig = serve(organizations)
    loaded = load(connect(rig))
    replies = dict.fromkeys(map(organizations, rig.requests))
    recorded = read(*replies)
    assert recorded.equals(loaded)
    assert get_provenance(recorded)["completeness"] == "proven"
    price = dirframe.plan("/orgs/acme/projects.xml", directory=connect(rig, cache=False))
    assert (price.items, price.requests_at_most) == (count, len(rig.requests) - 1)


@pytest.mark.parametrize("count", [1, 20, 45])
def test_wrapped_records_are_harvested(count, serve, connect, tmp_path):
    def answer(request):
        first = 20 * (request.page - 1)
        numbers = range(first, min(first + 20, count))
        inside = "".join(record(n, name=f"n{n:02}") for n in numbers)
        page = page_xml([f"<projects>{inside}</projects>"], available=count, first=first)
        return page.replace(b"returned>1<", b"returned>%d<" % len(numbers))

    client = connect(serve(answer))
    archive = dirframe.harvest("projects", tmp_path / "wrapped.archive", directory=client)
    assert archive.frame()["id"].tolist() == [str(n) for n in range(count)]
    assert archive.status().completeness == "proven"


def test_wrapped_records_by_the_name_of_their_collection(read):
    """Any list in an element with the name of its collection is read; none is taken for a record."""
    inside = "".join(record(n, name=f"n{n}") for n in (1, 2, 3))
    frame = read(f"<projects>{inside}</projects>")
    assert frame["id"].tolist() == ["1", "2", "3"]
    assert get_provenance(frame)["resource"] == "project"


def test_wrapped_record_of_another_kind_is_refused(read):
    inside = "<project><name>a</name></project><account><name>b</name></account>"
    with pytest.raises(dirframe.errors.InvalidInputError) as caught:
        read(f"<portfolio_projects>{inside}</portfolio_projects>")
    assert caught.value.found == "<account>"


def test_wrapper_of_another_collection_is_refused(serve, connect):
    page = page_xml(["<outside_projects><project><name>a</name></project></outside_projects>"])
    with pytest.raises(UnreadableResponseError) as caught:
        load(connect(serve(page)))
    assert caught.value.found == "<outside_projects>"


def test_items_returned_of_another_number_ends_at_the_first_page(serve, connect):
    rig = serve(Organizations({"acme": 45}, returned=12))
    with pytest.raises(IncompleteCollectionError) as caught:
        load(connect(rig))
    assert (len(caught.value.frame), len(rig.requests)) == (20, 1)
    assert "12" in str(caught.value.missing)
    assert "20" in str(caught.value.missing)


@pytest.mark.parametrize("kind", ["affiliated_committers", "outside_committers"])
def test_records_that_the_service_leaves_out_are_counted(kind, serve, connect):
    rig = serve(Organizations({"acme": 45}, omitted={3, 4, 25}))
    with pytest.raises(IncompleteCollectionError) as caught:
        load(connect(rig), kind)
    error = caught.value
    assert (len(error.frame), error.received, error.expected) == (42, 42, 45)
    assert len(rig.requests) <= 6  # each page once, and one behind the last


def test_page_past_the_end_that_redirects_elsewhere_is_a_failure(serve, connect):
    organizations = Organizations({"acme": 20})
    organizations.redirects = {"outside_projects"}
    rig = serve(organizations)
    with pytest.raises((ServiceError, UnreadableResponseError)):
        load(connect(rig), "outside_projects")
    organizations.counts["acme"] = 0
    with pytest.raises(ServiceError):
        load(connect(rig, cache=False), "outside_projects")


def test_redirect_in_the_middle_of_a_collection_is_a_failure(serve, connect):
    organizations = Organizations({"acme": 45})

    def answer(request):
        if request.page == 2:
            organizations.counts["acme"] = 0
        return organizations(request)

    with pytest.raises((ServiceError, UnreadableResponseError, IncompleteCollectionError)):
        load(connect(serve(answer)))
