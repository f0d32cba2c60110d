"""Further documents of today's live service, in the types and marks of the schema."""

import pandas as pd
import pytest

import dirframe
from dirframe.provenance import get_provenance
from dirframe.schema import ALL_RESOURCES, COLLECTIONS
from tests.rig.organizations import element

MOMENT = "2026-01-02T03:04:05Z"
PROJECT = (
    "<id>7</id><name>Seven</name><url_name>seven</url_name><created_at>2007-01-01T00:00:00Z</created_at>"
    "<analysis_id>70</analysis_id><analysis><id>71</id><total_code_lines>1,200</total_code_lines></analysis>"
    "<tags><tag>a</tag><tag>b</tag></tags>"
)
DOCUMENTS = {
    "position": (
        element(
            "position",
            title="Maintainer",
            organization="Acme",
            started_at=MOMENT,
            ended_at="",
            commits="1,234",
            project=PROJECT,
        ),
        {
            "commits": 1234,
            "started_at": pd.Timestamp(MOMENT),
            "project_id": "7",
            "project_analysis_id": "70",
            "project_analysis__id": "71",
            "project_analysis_total_code_lines": 1200,
            "project_tags": ["a", "b"],
        },
    ),
    "stack": (
        element(
            "stack",
            id=1,
            title="Default",
            project_count=3,
            account_id=12,
            account="<id>12</id><name>Ada</name><posts_count>5</posts_count>",
        ),
        {"project_count": 3, "account_id": "12", "account__id": "12", "account_posts_count": 5},
    ),
    "kudo": (
        element(
            "kudo", sender_account_id=1, created_at=MOMENT, project_id=7, contributor_name="ada"
        ),
        {"sender_account_id": "1", "project_id": "7", "created_at": pd.Timestamp(MOMENT)},
    ),
    "org": (
        element(
            "org",
            name="Acme",
            url_name="acme",
            infographic_details="<portfolio_projects>45</portfolio_projects><affiliators>9</affiliators>",
            portfolio_projects="<project><name>a</name></project><project><name>b</name></project>",
        ),
        {
            "url_name": "acme",
            "infographic_details_portfolio_projects": 45,
            "infographic_details_affiliators": 9,
            "portfolio_projects": [{"name": "a"}, {"name": "b"}],
        },
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documented_record_has_the_types_of_the_schema(name, read):
    xml, expected = DOCUMENTS[name]
    frame = read(xml)
    assert get_provenance(frame)["resource"] == name
    assert {column: frame[column].item() for column in expected} == expected
    fields = dirframe.fields(name).set_index("name")
    dtypes = {column: str(frame[column].dtype) for column in frame if column in fields.index}
    assert dtypes == fields["type"][[*dtypes]].to_dict()
    assert not [column for column in frame if column not in fields.index]


@pytest.mark.parametrize(
    ("name", "personal"),
    [
        ("position", {"title", "organization", "html_url", "sparkline_url"}),
        (
            "stack",
            {
                "title",
                "description",
                "account_name",
                "account_email_sha1",
                "account_location",
                "account_login",
            },
        ),
        ("kudo", {"sender_account_name", "receiver_account_name", "contributor_name"}),
        ("affiliated_committer", {"name"}),
        ("outside_committer", {"name", "affiliated_with"}),
        ("portfolio_project", set()),
        ("repository", set()),
    ],
)
def test_documented_personal_fields_are_marked(name, personal):
    fields = dirframe.fields(name)
    marked = set(fields.loc[fields["personal"], "name"])
    assert marked >= personal
    assert personal or not marked


def test_documented_lists_of_one_organization_are_tables(read):
    frame = read(DOCUMENTS["org"][0])
    assert dirframe.child_table(frame, "portfolio_projects")["name"].tolist() == ["a", "b"]


def test_owner_of_a_collection_is_that_of_its_path():
    owners = {name: collection.owner for name, collection in COLLECTIONS.items()}
    assert {name for name, owner in owners.items() if not owner} == {
        "accounts",
        "projects",
        "languages",
        "analyses",
        "orgs",
    }
    assert set(owners.values()) <= {"", *ALL_RESOURCES}


def test_passwords_of_repositories_are_in_no_schema():
    columns = {column for resource in ALL_RESOURCES.values() for column in resource.by_column}
    assert not [name for name in columns if "password" in name or "username" in name]
