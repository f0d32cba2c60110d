"""Organizations of the rehearsal for the live service: their projects, people and repositories."""

import gzip
from hashlib import sha256

import pytest
import requests

import dirframe
from dirframe._files import data_folder
from dirframe.errors import InvalidInputError, NotFoundError
from dirframe.provenance import get_provenance

#: Numbers of projects by short name: none, one, several, a full page, several pages.
PROJECTS = {"harbour": 7, "lantern": 20, "meridian": 45, "orchard": 12, "quarry": 1, "vacant": 0}
HISTORIES = {
    "17", "143", "464", "579", "633", "663", "714", "779", "814", "864",
    "883", "885", "948", "959", "966", "983", "1005", "1051", "1253", "1488",
}  # fmt: skip
#: Accounts of people of an organization, who have lists of their own.
MEMBERS = ["284", "291", "296"]
#: Of all files of the sample, by `python -m tools.synthetic data`.
SAMPLE = "bd0c1f7b1abd044d"


def test_organizations_of_the_rehearsal(rehearsal):
    organizations = dirframe.load_organizations(rehearsal)
    assert organizations.set_index("url_name")["projects_count"].to_dict() == PROJECTS
    assert dirframe.load_organizations(rehearsal, query="agency")["name"].tolist() == [
        "Orchard Agency"
    ]
    first = dirframe.load_organizations(rehearsal, max_items=2)
    assert first["url_name"].tolist() == ["meridian", "lantern"]


def test_portfolios_of_the_rehearsal_are_projects_of_the_sample(rehearsal, sample_projects):
    organizations = dirframe.load_organizations(rehearsal)
    portfolio = dirframe.load_portfolio(organizations, directory=rehearsal)
    counts = portfolio["organization"].value_counts().to_dict()
    assert counts == {name: count for name, count in PROJECTS.items() if count}
    known = sample_projects.set_index("name")
    assert portfolio["name"].is_unique
    assert known.index.value_counts()[portfolio["name"]].eq(1).all()
    joined = portfolio.merge(sample_projects, on="name", how="left")
    assert joined["i_use_this"].eq(joined["stack_count"]).all()
    languages = joined["analysis_main_language_name"]
    assert joined["primary_language"].fillna("").eq(languages.fillna("")).all()
    # Another project of the sample has the name of 885.
    assert HISTORIES - {*joined.query("organization == 'lantern'")["id"]} == {"885"}


@pytest.mark.parametrize(
    "name", ["outside_projects", "affiliated_committers", "outside_committers"]
)
def test_lists_of_organizations_of_the_rehearsal_are_whole(name, rehearsal):
    organizations = dirframe.load_organizations(rehearsal)
    frame = dirframe.load(name, of=organizations, directory=rehearsal)
    assert get_provenance(frame)["failures"] == {}
    assert set(frame["organization"]) >= {"harbour", "lantern", "meridian", "orchard"}
    if name == "affiliated_committers":
        counts = organizations.set_index("url_name")["affiliated_committers"]
        assert frame["organization"].value_counts().eq(counts[counts > 0]).all()


def test_organization_of_the_rehearsal_has_its_counts(rehearsal):
    frame = dirframe.load("/orgs/orchard.xml", directory=rehearsal)
    assert frame["infographic_details_portfolio_projects"].tolist() == [12]
    assert frame["infographic_details_affiliators"].tolist() == [21]


def test_repositories_of_the_rehearsal(rehearsal, sample_projects):
    with_many = dirframe.load_repositories([50, 633], directory=rehearsal)
    assert with_many["project_id"].value_counts().to_dict() == {"50": 12, "633": 1}
    assert with_many["canonical_url"].notna().all()
    empty = sample_projects[sample_projects["analysis_id"].isna()]["id"].head(20)
    assert len(dirframe.load_repositories(empty, directory=rehearsal)) < len(empty)
    with pytest.raises(dirframe.IncompleteCollectionError):
        dirframe.load_repositories(["no-such-project"], directory=rehearsal)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("positions", [1, 2, 1]),
        ("kudos", [3, 3, 3]),
        ("kudos_sent", [3, 3, 3]),
        ("managed_projects", [1, 1, 1]),
    ],
)
def test_rehearsal_lists_of_accounts(name, counts, rehearsal):
    frame = dirframe.load(name, of=MEMBERS, directory=rehearsal)
    assert frame["account_id"].value_counts()[MEMBERS].tolist() == counts


def test_rehearsal_kudos_are_of_their_accounts(rehearsal):
    received = dirframe.load("kudos", of=MEMBERS, directory=rehearsal)
    sent = dirframe.load("kudos_sent", of=MEMBERS, directory=rehearsal)
    assert received["receiver_account_id"].equals(received["account_id"])
    assert sent["sender_account_id"].equals(sent["account_id"])


def test_rehearsal_account_without_a_list_has_an_empty_one(rehearsal):
    frame = dirframe.load("positions", of="1", directory=rehearsal)
    assert (len(frame), get_provenance(frame)["completeness"]) == (0, "proven")
    with pytest.raises(NotFoundError):
        dirframe.load("positions", of="no-such-account", directory=rehearsal)


@pytest.mark.filterwarnings("ignore::dirframe.AnalysesNotSentWarning")
@pytest.mark.parametrize("details", [False, True])
def test_rehearsal_projects_name_their_organization(details, rehearsal):
    projects = dirframe.load_projects(rehearsal, projects=[633, 464, 2], details=details)
    facts = projects[["organization_vanity_url", "organization_name"]].fillna("")
    assert facts.to_numpy().tolist() == [["lantern", "Lantern Institute"]] * 2 + [["", ""]]


def test_rehearsal_project_that_moved_to_another_organization_is_none_of_the_first(rehearsal):
    projects = dirframe.load_projects(rehearsal, organization="orchard", details=True)
    assert projects["organization_vanity_url"].tolist() == ["orchard"] * 12
    assert projects["organization_id"].nunique() == 1


def test_rehearsal_repositories_are_sorted_and_searched(rehearsal):
    def urls(**asked):
        frame = dirframe.load("enlistments", of="50", directory=rehearsal, **asked)
        return frame["code_location_url"].tolist()

    usual = urls()
    assert (len(usual), urls(sort="url")) == (12, sorted(usual))
    assert urls(query=usual[3].removeprefix("git:").upper()) == [usual[3]]
    assert urls(query="nothing at all") == []
    with pytest.raises(InvalidInputError):
        urls(sort="commits")


@pytest.mark.parametrize(
    ("path", "size"),
    [
        ("/orgs/lantern/affiliated_committers.xml", 20),
        ("/orgs/lantern/projects.xml", 20),
        ("/projects/633/contributors.xml", 20),
        ("/projects/50/enlistments.xml", 10),
        ("/orgs.xml", 6),
    ],
)
def test_rehearsal_pages_have_as_many_records_as_today(path, size, rehearsal):
    key = {"api_key": dirframe.client.directory.connection_of(rehearsal).key.reveal()}
    answer = requests.get(f"{rehearsal.base_url}{path}", params=key, timeout=10)
    assert f"<items_returned>{size}<" in answer.text


def test_empty_portfolio_has_its_day_of_retrieval(rehearsal):
    frame = dirframe.load_portfolio("vacant", directory=rehearsal)
    record = get_provenance(frame)
    assert record["retrieved_oldest"] is not None
    assert f"Retrieved {record['retrieved_oldest'][:10]}" in dirframe.cite(frame)


def test_rehearsal_page_past_the_end_redirects_to_the_page_for_people(rehearsal):
    key = {"api_key": dirframe.client.directory.connection_of(rehearsal).key.reveal()}
    url = f"{rehearsal.base_url}/orgs/lantern/projects.xml"
    past = requests.get(url, params=key | {"page": 2}, timeout=10, allow_redirects=False)
    assert (past.status_code, past.headers["Location"]) == (302, "/orgs/lantern")
    page = requests.get(f"{rehearsal.base_url}/orgs/lantern", timeout=10)
    assert "<title>Lantern Institute</title>" in page.text
    assert requests.get(url, timeout=10).status_code == 403  # no key


def test_rehearsal_requests_of_a_portfolio_are_one_for_twenty_projects(rehearsal, tmp_path):
    frame = dirframe.load_portfolio("meridian", directory=rehearsal, refresh=True)
    assert get_provenance(frame)["requests_made"] == 3


def test_rehearsal_in_the_command_line(run):
    outcome = run("load", "orgs", "--rehearsal", "--columns", "url_name,projects_count")
    assert outcome.table.set_index("url_name")["projects_count"].to_dict() == PROJECTS


def test_ordinary_sample_has_no_organizations(sample):
    with pytest.raises(NotFoundError):
        dirframe.load_organizations(sample)


def test_files_of_the_sample_are_what_they_were():
    """The slow tests make them again."""
    folder = data_folder()
    digest = sha256()
    for path in sorted(folder.rglob("*.xml.gz")):
        digest.update(gzip.decompress(path.read_bytes()))
    assert digest.hexdigest().startswith(SAMPLE)


def test_projects_of_an_organization_with_repositories_cost_three_requests_each(rehearsal):
    projects = dirframe.load_projects(
        rehearsal, organization="meridian", details=True, refresh=True
    )
    repositories = dirframe.load_repositories(projects, directory=rehearsal, refresh=True)
    portfolio = dirframe.load_portfolio("meridian", directory=rehearsal)
    assert projects["name"].tolist() == portfolio["name"].tolist()
    assert projects["analysis_total_code_lines"].notna().all()
    facts = [get_provenance(frame) for frame in (projects, repositories)]
    more = repositories["project_id"].value_counts().floordiv(10).sum()
    assert sum(one["requests_made"] for one in facts) <= 3 * len(projects) + 10 + more
