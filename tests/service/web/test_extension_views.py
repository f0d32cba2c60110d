"""The other collections of today's services, over HTTP and by our own client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lxml import etree

import dirframe
from dirframe.schema import PROJECT
from dirframe.service.dialects.dialects import DIALECTS
from dirframe.service.store.sample import open_data
from tests.service import Directory
from tests.service.importing.test_importer import build, page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dirframe.service.api_keys import KeyStore
    from dirframe.service.store.store import Store


@pytest.fixture(scope="module")
def sample() -> Iterator[Store]:
    with open_data() as store:
        yield store


@pytest.fixture
def directory(sample: Store, keys: KeyStore) -> Directory:
    return Directory(sample, keys)


EVERY = (
    "/languages.xml",
    "/languages/{language}.xml",
    "/projects/{id}/contributors.xml",
    "/p/{id}/contributors/{contributor}.xml",
    "/projects/{id}/analyses/latest.xml",
    "/projects/{id}/analyses/{analysis}.xml",
    "/p/{id}/analyses/{analysis}/activity_facts.xml",
    "/projects/{id}/analyses/latest/size_facts.xml",
)


def analysed(store: Store) -> dict[str, str]:
    """Return a project with several pages of contributors and of months, and ids in it."""
    # Those of the first pages have thousands of contributors, each of which takes its time.
    for fragment in store.page(PROJECT, sort="active_committers", page=4).fragments:
        element = etree.fromstring(fragment)
        first = element.findtext("analysis/min_month") or "9"
        # Active for years: its months fill more than a page.
        if element.findtext("analysis/main_language_id") and first < "2008":
            number = element.findtext("id") or ""
            return {
                "id": number,
                "analysis": element.findtext("analysis_id") or "",
                "language": element.findtext("analysis/main_language_id") or "",
                "contributor": str(int(number) * 10_000 + 1),
            }
    raise AssertionError


@pytest.mark.parametrize("template", EVERY)
def test_every_address_needs_a_key_counts_and_is_marked(
    directory: Directory, sample: Store, template: str
) -> None:
    target = template.format(**analysed(sample))
    root = directory.root(target)
    assert len(root.findall("result/*")) >= 1
    mark = root.getprevious()
    assert mark is not None
    assert isinstance(mark, etree._ProcessingInstruction)
    assert directory.client.get(target).status_code == 403
    assert directory.used() == 1


def test_contributors_are_paged_ordered_and_single(directory: Directory, sample: Store) -> None:
    address = f"/projects/{analysed(sample)['id']}/contributors"
    available = int(directory.root(f"{address}.xml").findtext("items_available") or 0)
    assert available > 25
    by_page = [
        text
        for number in range(1, 2 + available // 25)
        for text in names(directory.root(f"{address}.xml?sort=name&page={number}"))
    ]
    assert len(by_page) == available
    assert by_page == sorted(by_page, key=str.lower)
    single = directory.root(f"{address}/{analysed(sample)['contributor']}.xml")
    facts = "result/contributor_fact/contributor_language_facts/contributor_language_fact"
    assert single.find(facts) is not None
    assert "commits_12_mo" in (
        directory.root(f"{address}.xml?sort=stars", status=400).findtext("error") or ""
    )
    directory.root(f"{address}/1.xml", status=404)


def names(root: etree._Element) -> list[str]:
    return [e.text or "" for e in root.iterfind("result/contributor_fact/contributor_name")]


def test_months_come_in_one_answer(directory: Directory, sample: Store) -> None:
    root = directory.root(f"/projects/{analysed(sample)['id']}/analyses/latest/size_facts.xml")
    months = [e.text for e in root.iterfind("result/size_fact/month")]
    assert len(months) > 25
    assert months == sorted(set(months), key=str)
    assert root.findtext("items_available") == root.findtext("items_returned") == str(len(months))


@pytest.mark.parametrize(
    "rest", ["contributors", "contributors/1", "analyses/latest", "analyses/latest/size_facts"]
)
def test_a_project_without_an_analysis_says_so_with_200_and_neither_status(
    tmp_path: Path, keys: KeyStore, rest: str
) -> None:
    with build(tmp_path, page("<project><id>1</id></project>")) as store:
        answer = Directory(store, keys).get(f"/projects/1/{rest}.xml")
    assert answer.status_code == 200
    root = etree.fromstring(answer.get_data())
    assert [child.tag for child in root] == ["status", "message"]
    assert root.findtext("status") == "error"


def test_nothing_is_invented_for_imported_records(tmp_path: Path, keys: KeyStore) -> None:
    record = "<project><id>1</id><analysis><id>7</id><x>y</x></analysis></project>"
    with build(tmp_path, page(record)) as store:
        directory = Directory(store, keys)
        for rest in ("contributors", "analyses/7/activity_facts", "analyses/7/size_facts"):
            text = directory.root(f"/projects/1/{rest}.xml", status=404).findtext("error") or ""
            assert "imported" in text
        assert "imported" in (directory.root("/languages.xml", status=404).findtext("error") or "")
        assert directory.root("/projects/1/analyses/7.xml").findtext("result/analysis/x") == "y"
        directory.root("/projects/1/analyses/8.xml", status=404)
        directory.root("/projects/2/contributors.xml", status=404)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_our_client_loads_them_from_the_sample(dialect: str, sample: Store, tmp_path: Path) -> None:
    number = analysed(sample)["id"]
    with dirframe.sample_directory(dialect=dialect, cache_dir=tmp_path) as directory:
        languages = dirframe.load_languages(directory=directory)
        contributors = dirframe.load_contributors(number, directory=directory)
        activity = dirframe.load_activity(number, directory=directory)
        size = dirframe.load_size(number, directory=directory)
        project = dirframe.load_project(number, directory=directory)
    assert len(languages) > 20
    assert languages["id"].is_unique
    assert contributors["commits"].sum() == activity["commits"].sum() == size["commits"].iloc[-1]
    assert size["code"].iloc[-1] == project["analysis_total_code_lines"].iloc[0]
    assert contributors.attrs["dirframe"]["synthetic"]
