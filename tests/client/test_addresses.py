"""Which addresses are asked, and what is known of them before."""

from __future__ import annotations

import pytest

from dirframe.client.addresses import address_of, known_resource, path_of
from dirframe.errors import InvalidInputError
from dirframe.schema.extensions import ALL_RESOURCES

BASE = "https://directory.example/base"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/languages.xml", "/languages.xml"),
        (" languages.xml ", "/languages.xml"),
        (f"{BASE}/languages.xml", "/languages.xml"),
        ("/projects/étoile 3/contributors.xml", "/projects/%C3%A9toile%203/contributors.xml"),
        ("/projects/c%2B%2B/contributors.xml", "/projects/c%2B%2B/contributors.xml"),
    ],
)
def test_a_path_is_written_as_an_address_needs_it(text: str, path: str) -> None:
    assert address_of(text, BASE).path == path


def test_a_query_of_its_own_stays() -> None:
    assert address_of("/projects.xml?sort=name&q=a+b", BASE).parameters == {
        "sort": "name",
        "q": "a b",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("https://elsewhere.example/languages.xml", "an address of elsewhere.example"),
        ("//elsewhere.example/languages.xml", "an address of elsewhere.example"),
        ("https://directory.example/basement/x.xml", "an address of directory.example"),
        ("http://directory.example/base/x.xml", "an address of directory.example"),
        ("file:///etc/passwd.xml", "another kind"),
        ("/../languages.xml", "a step such as"),
        ("/a/%2e%2e/languages.xml", "a step such as"),
        ("/languages.xml#top", "a fragment"),
        ("/languages", "does not end in .xml"),
        ("/languages.xml/", "does not end in .xml"),
        ("/languages.xml?page=2", "names a page"),
        ("/languages.xml?api_key=k", "holds an api_key"),
        ("/languages.xml?API%5FKEY=k", "holds an api_key"),
        ("", "pass one below the base URL"),
        (None, "pass one below the base URL"),
        (7, "pass one below the base URL"),
    ],
)
def test_what_leads_elsewhere_or_holds_too_much_is_refused(text: object, said: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        address_of(text, BASE)
    assert said in str(caught.value)


def test_a_key_or_a_password_in_the_path_is_refused_and_not_repeated() -> None:
    for text in ("/projects/s3cret+key.xml", "/x.xml?q=s3cret%2Bkey", "https://u:s3cret@h/x.xml"):
        with pytest.raises(InvalidInputError) as caught:
            address_of(text, BASE, secret="s3cret+key")
        assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("path", "name", "is_collection"),
    [
        ("/projects.xml", "project", True),
        ("/projects/firefox.xml", "project", False),
        ("/accounts/1.xml", "account", False),
        ("/languages.xml", "language", True),
        ("/languages/7.xml", "language", False),
        ("/projects/1/contributors.xml", "contributor_fact", True),
        ("/projects/1/contributors/5.xml", "contributor_fact", False),
        ("/projects/1/analyses/latest.xml", "analysis", False),
        ("/projects/1/analyses/latest/size_facts.xml", "size_fact", True),
        ("/accounts/1/kudos/sent.xml", "kudo", True),
    ],
)
def test_the_vocabulary_says_what_is_at_a_path(path: str, name: str, is_collection: bool) -> None:
    resource, collection = known_resource(path)
    assert resource is not None
    assert (resource.name, collection) == (name, is_collection)


def test_nothing_is_said_of_a_path_that_nobody_described() -> None:
    assert known_resource("/forums/1/posts.xml") == (None, False)
    assert address_of("/forums/1/posts.xml", BASE).paged is None


def test_a_template_is_filled_in_as_one_step_of_the_path() -> None:
    template = "/projects/{project}/contributors.xml"
    assert path_of(template, project="a/b?c") == "/projects/a%2Fb%3Fc/contributors.xml"
    assert path_of(template, project=12) == "/projects/12/contributors.xml"
    for nothing in ("", " ", ".", ".."):
        with pytest.raises(InvalidInputError, match="The project is"):
            path_of(template, project=nothing)


def test_every_known_path_leads_to_its_own_resource() -> None:
    for resource in ALL_RESOURCES.values():
        for template in resource.paths:
            path = path_of(template, project=1, account=1, analysis="latest", id=1, name="n")
            assert known_resource(path)[0] is resource
