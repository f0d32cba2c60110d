"""Collections of owners: of projects, accounts and organizations, one or many."""

import pandas as pd
import pytest

import dirframe
from dirframe.errors import (
    IncompleteCollectionError,
    InvalidInputError,
    OverQuotaWarning,
    QuotaExceededError,
    ServiceError,
)
from dirframe.provenance import get_provenance, set_provenance
from dirframe.schema import COLLECTIONS
from tests.rig.organizations import Organizations, element
from tests.rig.server import Reply, failed, page_xml

#: Collections by what owns them, and the first column of their frames.
OWNED = {
    "project_id": {
        "contributors", "activity_facts", "size_facts", "enlistments", "factoids", "stacks",
    },
    "account_id": {"positions", "kudos", "kudos_sent", "managed_projects"},
    "organization": {
        "portfolio_projects", "outside_projects", "affiliated_committers", "outside_committers",
    },
}  # fmt: skip
NAMES = [(column, name) for column, names in OWNED.items() for name in sorted(names)]
PATHS = {
    "contributors": "/projects/{}/contributors.xml",
    "activity_facts": "/projects/{}/analyses/latest/activity_facts.xml",
    "size_facts": "/projects/{}/analyses/latest/size_facts.xml",
    "enlistments": "/projects/{}/enlistments.xml",
    "factoids": "/projects/{}/factoids.xml",
    "stacks": "/projects/{}/stacks.xml",
    "positions": "/accounts/{}/positions.xml",
    "kudos": "/accounts/{}/kudos.xml",
    "kudos_sent": "/accounts/{}/kudos/sent.xml",
    "managed_projects": "/accounts/{}/projects.xml",
    "portfolio_projects": "/orgs/{}/projects.xml",
    "outside_projects": "/orgs/{}/outside_projects.xml",
    "affiliated_committers": "/orgs/{}/affiliated_committers.xml",
    "outside_committers": "/orgs/{}/outside_committers.xml",
}


def written(name, number):
    """Write a record of a collection with the number in its key."""
    collection = COLLECTIONS[name]
    resource = COLLECTIONS[collection.record + "s"] if collection.record else collection
    fields = {}
    if resource.key:
        fields[resource.key] = f"2020-0{number}-01T00:00:00Z" if resource.key == "month" else number
    return element(resource.element, **fields)


def answer(request):
    """Answer for the owners 1 and two, each with three records."""
    for name, path in PATHS.items():
        if request.path in {path.format("1"), path.format("two")}:
            records = [written(name, n) for n in (1, 2, 3)]
            wrapper = COLLECTIONS[name].wrapper
            page = page_xml(records, available=3, first=0).decode()
            if wrapper:
                page = page.replace("<result>", f"<result><{wrapper}>")
                page = page.replace("</result>", f"</{wrapper}></result>")
            return page.encode()
    return Reply(failed("Not found."), 404)


def test_owned_collections_are_the_documented_ones():
    owners = {"project_id": "project", "account_id": "account", "organization": "org"}
    found = {
        column: {name for name, collection in COLLECTIONS.items() if collection.owner == owner}
        for column, owner in owners.items()
    }
    assert found == OWNED


@pytest.mark.parametrize(("column", "name"), NAMES)
def test_owned_collection_of_many_is_one_tidy_frame(column, name, serve, connect):
    rig = serve(answer)
    price = dirframe.plan(name, of=[1, "two"], directory=connect(rig))
    assert (price.owners, price.requests_at_least, rig.requests) == (2, 2, [])
    frame = dirframe.load(name, of=[1, "two"], directory=connect(rig))
    assert frame.columns[0] == column
    assert frame[column].tolist() == ["1"] * 3 + ["two"] * 3
    assert sorted({request.path for request in rig.requests}) == sorted(
        PATHS[name].format(owner) for owner in ("1", "two")
    )
    record = get_provenance(frame)
    word = column.removesuffix("_id")
    assert (record["completeness"], record["query"]) == ("proven", {f"{word}s": 2})
    one = dirframe.load(name, of="two", directory=connect(rig))
    pd.testing.assert_frame_equal(
        frame[frame[column] == "two"].reset_index(drop=True), one, check_flags=False
    )
    assert f"2 {word}s" in dirframe.cite(frame)


@pytest.mark.parametrize(("column", "name"), NAMES)
def test_owned_collection_without_an_owner_is_refused(column, name, serve, connect):
    rig = serve(answer)
    owner = column.removesuffix("_id")
    with pytest.raises(InvalidInputError) as caught:
        dirframe.load(name, directory=connect(rig))
    assert owner in str(caught.value)
    with pytest.raises(InvalidInputError) as caught:
        dirframe.plan(name, directory=connect(rig))
    assert owner in str(caught.value)
    assert rig.requests == []


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("enlistments", []),
        ("enlistments", ""),
        ("enlistments", [None]),
        ("enlistments", pd.DataFrame({"name": ["a"]})),
        ("enlistments", pd.DataFrame({"id": []})),
        ("portfolio_projects", pd.DataFrame({"id": ["1"]})),
        ("enlistments", set_provenance(pd.DataFrame({"id": ["1"]}), resource="account")),
        ("/projects/1/enlistments.xml", ["1"]),
        ("projects", ["1"]),
        ("orgs", ["1"]),
        ("enlistment", ["1"]),
        (7, ["1"]),
    ],
)
def test_owners_that_are_none_are_refused_before_a_request(name, of, serve, connect):
    rig = serve(answer)
    with pytest.raises(InvalidInputError):
        dirframe.load(name, of=of, directory=connect(rig))
    with pytest.raises(InvalidInputError):
        dirframe.plan(name, of=of, directory=connect(rig))
    assert rig.requests == []


@pytest.mark.parametrize(
    ("frame", "asked"),
    [
        ({"url_name": ["acme", "beta"], "vanity_url": ["x", "y"]}, ["acme", "beta"]),
        ({"vanity_url": ["beta", "acme", "beta"]}, ["beta", "acme"]),
    ],
)
def test_owners_of_a_frame_of_organizations_are_named_by_their_short_name(
    frame, asked, serve, connect
):
    rig = serve(Organizations({"acme": 45, "beta": 0}))
    portfolio = dirframe.load_portfolio(pd.DataFrame(frame), directory=connect(rig))
    assert portfolio["organization"].unique().tolist() == ["acme"]
    assert list(dict.fromkeys(one.path.split("/")[2] for one in rig.requests)) == asked
    record = get_provenance(portfolio)
    assert (len(portfolio), record["completeness"], record["failures"]) == (45, "counted", {})


def test_owner_that_is_not_there_is_a_failure_by_name(serve, connect):
    rig = serve(Organizations({"acme": 3}))
    with pytest.raises(IncompleteCollectionError) as caught:
        dirframe.load_portfolio(["acme", "nobody"], directory=connect(rig))
    assert get_provenance(caught.value.frame)["failures"].keys() == {"nobody"}
    assert len(caught.value.frame) == 3


@pytest.mark.filterwarnings("error::dirframe.errors.OverQuotaWarning")
def test_owners_need_more_than_the_quota_leaves_warns_after_their_first_pages(serve, connect):
    rig = serve(Organizations({"acme": 45, "beta": 45, "none": 0}))
    client = connect(rig, daily_quota=10)
    with pytest.raises(OverQuotaWarning) as caught:
        dirframe.load("affiliated_committers", of=["acme", "beta", "none"], directory=client)
    assert (caught.value.needed, len(rig.requests)) == (8, 3)


@pytest.mark.filterwarnings("error::dirframe.errors.OverQuotaWarning")
def test_owners_whose_first_pages_fit_the_quota_are_compared_with_it_by_all_pages(serve, connect):
    names = [f"org{number}" for number in range(8)]
    rig = serve(Organizations(dict.fromkeys(names, 15)))
    with pytest.raises(OverQuotaWarning) as caught:
        dirframe.load("affiliated_committers", of=names, directory=connect(rig, daily_quota=10))
    assert (caught.value.needed, len(rig.requests)) == (8, 8)
    client = connect(rig, daily_quota=10)
    with pytest.raises(OverQuotaWarning) as caught:  # what is in the cache is not counted
        dirframe.load("affiliated_committers", of=names, directory=client)
    assert (caught.value.needed, len(rig.requests)) == (8, 8)


def test_owners_that_would_never_end_end_with_the_first_pages(serve, connect):
    rig = serve(Organizations({"acme": 450, "beta": 5}))
    client = connect(rig, daily_quota=4, cache=False)
    with pytest.raises(QuotaExceededError) as caught:
        dirframe.load("affiliated_committers", of=["acme", "beta"], directory=client)
    assert caught.value.frame["organization"].value_counts().to_dict() == {"acme": 10, "beta": 5}
    assert len(rig.requests) == 2


def test_owners_that_fit_the_quota_are_loaded_at_the_price_of_their_pages(serve, connect):
    rig = serve(Organizations({"acme": 45, "beta": 45, "none": 0}))
    people = dirframe.load(
        "affiliated_committers", of=["acme", "beta", "none"], directory=connect(rig)
    )
    assert (len(people), len(rig.requests)) == (90, 11)


def test_portfolio_of_an_empty_organization_has_all_columns(serve, connect):
    rig = serve(Organizations({"acme": 3, "none": 0}))
    client = connect(rig)
    none = dirframe.load_portfolio("none", directory=client)
    some = dirframe.load_portfolio("acme", directory=client)
    assert (len(none), dict(none.dtypes)) == (0, dict(some.dtypes))
    before = len(rig.requests)
    assert dirframe.load_portfolio(["none", "acme"], directory=client).equals(some)
    assert len(rig.requests) == before  # an empty list is remembered, too


# Repositories


def enlistment(number, url="git://github.com/owner/name{}.git", **fields):
    location = (
        element(
            "code_location",
            id=number,
            type="GitRepository",
            url=url.format(number),
            module_name="main",
            username="someone",
            password="secret",
            logged_at="2026-11-01T00:00:00Z",
            commits=10 * number,
            ohloh_job_status="success",
        )
        .removeprefix("<code_location>")
        .removesuffix("</code_location>")
    )
    return element(
        "enlistment", id=number, project_id=77, code_location=f"<id/>{location}"[5:], **fields
    )


def repositories(count, **options):
    """Answer with the repositories of every project, ten a page."""

    def reply(request):
        first = 10 * (request.page - 1)
        records = [enlistment(n, **options) for n in range(first + 1, min(first + 10, count) + 1)]
        return page_xml(records, available=count, first=first)

    return reply


def holds_login(frame):
    return frame.astype("str").isin(["secret", "someone"]).any(axis=None)


def test_repositories_have_canonical_addresses_and_no_logins(serve, connect, tmp_path):
    client = connect(serve(repositories(12)))
    frame = dirframe.load_repositories(["name", "1"], directory=client)
    assert frame.columns.tolist() == [
        "project_id", "type", "url", "canonical_url", "host", "owner", "name", "branch", "commits",
        "fetched_at", "status",
    ]  # fmt: skip
    assert frame.iloc[0][["project_id", "canonical_url", "host", "owner", "name"]].tolist() == [
        "name", "https://github.com/owner/name1", "github.com", "owner", "name1",
    ]  # fmt: skip
    assert (len(frame), str(frame["commits"].dtype)) == (24, "Int64")
    assert get_provenance(frame)["resource"] == "repository"
    whole = dirframe.load("enlistments", of="name", directory=client)
    assert whole["project_id_sent"].unique().tolist() == ["77"]
    assert not holds_login(frame)
    assert not holds_login(whole)
    dirframe.export(frame, tmp_path / "repositories.csv")
    assert dirframe.read_table(tmp_path / "repositories.csv").equals(frame)


@pytest.mark.parametrize("one", [True, False])
@pytest.mark.parametrize(
    "reply",
    [
        Reply(failed("Not found."), 404),
        Reply(b"", 302, {"Location": "/"}),
    ],
)
def test_repositories_of_a_service_that_is_down_are_failures(reply, one, serve, connect):
    up = repositories(2)
    is_down = True

    def answer(request):
        if request.path == "/":
            return Reply(b"<!DOCTYPE html><title>Home</title>", 200, {"Content-Type": "text/html"})
        if is_down and "/2/" in request.path:
            return reply
        return up(request)

    rig = serve(answer)
    projects = "2" if one else ["1", "2", "3"]
    with pytest.raises(IncompleteCollectionError) as caught:
        dirframe.load_repositories(projects, directory=connect(rig))
    assert get_provenance(caught.value.frame)["failures"].keys() == {"2"}
    is_down = False  # asked again by the same call
    frame = dirframe.load_repositories(projects, directory=connect(rig))
    assert len(frame) == (2 if one else 6)


def test_repositories_without_an_address_are_failures(serve, connect):
    rig = serve(repositories(2, url=""))
    with pytest.raises(IncompleteCollectionError) as caught:
        dirframe.load_repositories(["1"], directory=connect(rig))
    assert get_provenance(caught.value.frame)["failures"].keys() == {"1"}
    with pytest.warns(dirframe.IncompleteWarning):
        frame = dirframe.load_repositories("1", directory=connect(rig), incomplete="warn")
    assert len(frame) == 2


def test_organizations_are_loaded_in_an_order_without_ties(serve, connect):
    def answer(request):
        names = ["a", "b", "c"] if request.query.get("sort") == "name" else ["c", "a", "b"]
        records = [element("org", name=n, url=f"/orgs/{n}.xml", url_name=n) for n in names]
        return page_xml(records, available=3, first=0)

    client = connect(serve(answer))
    frame = dirframe.load_organizations(client)
    assert frame["url_name"].tolist() == ["a", "b", "c"]
    assert dirframe.load_organizations(client, max_items=2)["name"].tolist() == ["c", "a"]
    with pytest.raises(InvalidInputError):
        dirframe.load_organizations(client, sort="colour")


def test_redirect_of_one_owner_to_another_page_is_its_failure(serve, connect):
    organizations = Organizations({"acme": 0})

    def answer(request):
        if request.path.endswith("projects.xml"):
            return Reply(b"", 302, {"Location": "/sessions/new"})
        return Reply(b"<!DOCTYPE html><title>Log in</title>", 200, {"Content-Type": "text/html"})

    assert organizations
    with pytest.raises(ServiceError):
        dirframe.load_portfolio("acme", directory=connect(serve(answer)))


def test_owners_are_named_in_the_command_line(run, serve, connect):
    outcome = run("load", "activity_facts", "--of", "633", "--of", "714", "--demo")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0].startswith("project_id,month")
    assert {line.split(",")[0] for line in lines[1:]} == {"633", "714"}
    assert run("load", "activity_facts", "--demo").code == 2
    assert (
        "2 projects"
        in run("load", "activity_facts", "--of", "1", "--of", "2", "--plan", "--demo").out
    )
