"""Each dialect over HTTP: what it answers, and that our own client reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import requests
from lxml import etree

import dirframe
from dirframe.errors import (
    InvalidInputError,
    InvalidKeyError,
    NotFoundError,
    QuotaExceededError,
)
from dirframe.schema import ACCOUNT, PROJECT
from dirframe.service.api_keys import KeyStore
from dirframe.service.dialects.dialects import DIALECTS, SPECIFICATION, TODAY
from dirframe.service.server import serve
from dirframe.service.store.build import build_store
from dirframe.service.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from lxml.etree import _Element

DIGEST = "12ab34cd56ef78ab90cd12ef34ab56cd"
PAGE = "<response><status>success</status><result>{}</result></response>"
ANALYSIS = """<analysis><id>70</id><project_id>1</project_id>
<updated_at>2013-07-10T01:42:07Z</updated_at><logged_at>2013-07-10T01:42:05Z</logged_at>
<min_month>2007-06-01T00:00:00Z</min_month><max_month>2010-08-01T00:00:00Z</max_month>
<twelve_month_contributor_count>3</twelve_month_contributor_count>
<total_code_lines>16055</total_code_lines><main_language_name>C</main_language_name></analysis>"""
PROJECTS = [
    f"""<project><id>1</id><name>Git</name><created_at>2008-07-09T08:59:08Z</created_at>
    <url_name>git</url_name><irc_url/><stack_count>12</stack_count>{ANALYSIS}
    <licenses><license><name>gpl</name><nice_name>GNU GPL</nice_name></license></licenses>
    </project>""",
    *(
        f"<project><id>{n}</id><name>P {n}</name><created_at>2008-07-{n:02}T08:59:08Z</created_at>"
        "</project>"
        for n in range(2, 13)
    ),
]
ACCOUNTS = [
    f"""<account><id>{n}</id><name>A {n}</name><login>a{n}</login>
    <created_at>2010-10-06T16:15:{n:02}Z</created_at><updated_at>2013-07-10T19:20:03Z</updated_at>
    <kudo_score><kudo_rank>9</kudo_rank><position>3</position></kudo_score></account>"""
    for n in range(1, 13)
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("dialects")
    (folder / "p.xml").write_text(PAGE.format("".join(PROJECTS)))
    (folder / "a.xml").write_text(PAGE.format("".join(ACCOUNTS)))
    with Store(build_store(folder / "store.sqlite", [folder / "p.xml", folder / "a.xml"])) as store:
        yield store


class Served:
    """A service of one dialect and a key to it."""

    def __init__(self, url: str, keys: KeyStore) -> None:
        self.url, self.keys = url, keys
        self.key = keys.add("a tester", "tests")

    def get(self, target: str, **options: Any) -> requests.Response:
        glue = "&" if "?" in target else "?"
        return requests.get(f"{self.url}{target}{glue}api_key={self.key}", timeout=60, **options)

    def root(self, target: str) -> _Element:
        return etree.fromstring(self.get(target).content)

    def directory(self, folder: Path) -> dirframe.Directory:
        return dirframe.Directory(self.url, self.key, cache_dir=folder)


@pytest.fixture
def served(store: Store, tmp_path: Path) -> Iterator[Callable[[str], Served]]:
    from contextlib import ExitStack

    with ExitStack() as stack:

        def start(dialect: str) -> Served:
            keys = stack.enter_context(KeyStore(tmp_path / f"{dialect}.sqlite"))
            return Served(stack.enter_context(serve(store, keys=keys, dialect=dialect)), keys)

        yield start


def test_the_dialect_of_the_specification_sends_what_the_store_keeps(
    served: Callable[[str], Served], store: Store
) -> None:
    there = served(SPECIFICATION.name)
    for resource in (ACCOUNT, PROJECT):
        page = "".join(store.page(resource).fragments)
        assert f"<result>\n{page}</result>" in there.get(f"/{resource.collection}.xml").text
    assert there.get("/projects/git.xml").text.count(store.by_id(PROJECT, "1") or "-") == 1


@pytest.mark.parametrize("dialect", DIALECTS)
def test_our_client_reads_whole_collections_and_single_records(
    served: Callable[[str], Served], dialect: str, tmp_path: Path
) -> None:
    with served(dialect).directory(tmp_path / "cache") as directory:
        projects = dirframe.load_projects(directory=directory)
        accounts = dirframe.load_accounts(directory=directory)
        account = dirframe.load_account("a3", directory=directory)
        project = dirframe.load_project("git", directory=directory)
    assert sorted(map(int, projects["id"])) == sorted(map(int, accounts["id"])) == [*range(1, 13)]
    assert list(account["id"]) == ["3"]
    assert list(project["analysis_total_code_lines"]) == [16_055]
    users = "stack_count" if dialect == SPECIFICATION.name else "user_count"
    assert list(project[users]) == [12]
    assert str(account["created_at"][0].time()) == (
        "00:00:00" if dialect == TODAY.name else "16:15:03"
    )


def test_the_recorded_dialect_has_its_names_and_page_sizes(
    served: Callable[[str], Served],
) -> None:
    there = served("recorded")
    project = there.root("/projects/1.xml").find("result/project")
    assert project is not None
    tags = [child.tag for child in project]
    assert tags.index("url_name") < tags.index("user_count") < tags.index("analysis")
    assert not {"stack_count", "irc_url", "vanity_url"} & set(tags)
    assert project.findtext("analysis/logged_at") == "2013-07-10T01:42:05Z"
    assert len(there.root("/accounts.xml").findall("result/account")) == 10
    listed = there.root("/projects.xml").findall("result/project")
    assert len(listed) == 12
    assert sum(one.find("analysis") is not None for one in listed) == 1


def test_today_a_project_moves_to_another_path_with_its_key(
    served: Callable[[str], Served],
) -> None:
    there = served("today")
    for old, new in (
        ("/projects/git.xml", "/p/git.xml"),
        ("/projects.xml", "/p.xml"),
        ("/projects/gr%C3%BCn.xml", "/p/gr%C3%BCn.xml"),
    ):
        answer = there.get(f"{old}?page=2", allow_redirects=False)
        assert answer.status_code == 302
        assert answer.headers["Location"] == f"{new}?page=2&api_key={there.key}"
        assert answer.content == b""


def test_today_collections_have_no_analysis_and_ten_records(
    served: Callable[[str], Served],
) -> None:
    root = served("today").root("/p.xml?sort=id&page=1")
    assert root.findtext("items_returned") == "10"
    assert len(root.findall("result/project")) == 10
    assert root.find(".//analysis") is None


def test_today_a_single_project_has_the_names_of_today(served: Callable[[str], Served]) -> None:
    there = served("today")
    project = there.root("/p/git.xml").find("result/project")
    assert project is not None
    texts = {name: project.findtext(name) for name in ("vanity_url", "user_count", "description")}
    assert texts == {"vanity_url": "git", "user_count": "12", "description": ""}
    assert project.findtext("analysis/oldest_code_set_time") == "2013-07-10T01:42:05Z"
    assert project.find("analysis/logged_at") is None
    assert project.find("stack_count") is None
    licence = project.find("licenses/license")
    assert licence is not None
    assert [(c.tag, c.text) for c in licence] == [("vanity_url", "gpl"), ("name", "GNU GPL")]
    account = there.root("/accounts/a3.xml").find("result/account")
    assert account is not None
    assert account.findtext("created_at") == "2010-10-06T00:00:00Z"
    assert account.findtext("homepage_url") == ""


def test_today_nothing_is_no_result(served: Callable[[str], Served]) -> None:
    there = served("today")
    beyond, none = there.root("/p.xml?page=5"), there.root("/accounts.xml?query=nobody")
    assert [(c.tag, c.text) for c in beyond] == [
        ("status", "success"),
        ("items_returned", "0"),
        ("items_available", "12"),
        ("first_item_position", "40"),
    ]
    assert [c.text for c in none] == ["success", "0", "0", "0"]


def test_today_what_cannot_be_meant_falls_back(served: Callable[[str], Served]) -> None:
    there = served("today")
    first = there.get("/p.xml").text
    for page in ("0", "-1", "abc"):
        assert there.get(f"/p.xml?page={page}").text == first
    assert there.get("/p.xml?sort=stars").text == first
    assert there.get("/p.xml?sort=name").text != first
    accounts = there.get("/accounts.xml").text
    assert there.get("/accounts.xml?sort=id").text == accounts


def test_today_a_project_without_an_analysis_has_no_status(
    served: Callable[[str], Served],
) -> None:
    answer = served("today").get("/p/2.xml")
    assert answer.status_code == 200
    assert [child.tag for child in etree.fromstring(answer.content)] == ["error"]


def test_today_errors_have_no_envelope_and_their_own_codes(
    served: Callable[[str], Served],
) -> None:
    there = served("today")
    missing = requests.get(f"{there.url}/p.xml", timeout=60)
    unknown = requests.get(f"{there.url}/p.xml?api_key=x", timeout=60)
    nowhere = there.get("/accounts/nobody.xml")
    there.keys.set_daily_limit(1, 1)
    spent = there.get("/p.xml")
    answers = (missing, unknown, nowhere, spent)
    assert [a.status_code for a in answers] == [400, 400, 404, 401]
    assert [a.headers["Content-Type"].partition(";")[0] for a in answers] == [
        "application/xml",
        "application/xml",
        "text/html",
        "application/xml",
    ]
    texts = []
    for answer in answers:
        root = etree.fromstring(answer.content)
        assert (root.tag, [child.tag for child in root]) == ("error", ["message"])
        texts.append(root.findtext("message"))
    assert texts[2] == "Not Found"
    assert texts[3] == "The request has exceeded the limit of 1 requests per day."
    assert texts[0] != texts[1]


def test_our_client_takes_the_errors_of_today_for_what_they_are(
    served: Callable[[str], Served], tmp_path: Path
) -> None:
    there = served("today")
    with there.directory(tmp_path / "c") as directory, pytest.raises(NotFoundError):
        dirframe.load_account("nobody", directory=directory)
    with (
        dirframe.Directory(there.url, "0" * 40, cache=False) as directory,
        pytest.raises(InvalidKeyError),
    ):
        dirframe.load_accounts(directory=directory)
    there.keys.set_daily_limit(1, 1)
    with there.directory(tmp_path / "d") as directory, pytest.raises(QuotaExceededError):
        dirframe.load_accounts(directory=directory)


def test_today_an_unknown_md5_is_taken_for_a_number(served: Callable[[str], Served]) -> None:
    assert served("today").root(f"/accounts/{DIGEST}.xml").findtext("result/account/id") == "12"
    assert served("specification").get(f"/accounts/{DIGEST}.xml").status_code == 404


def test_a_dialect_that_is_none_is_named(store: Store) -> None:
    with pytest.raises(InvalidInputError, match=r"'2007'.*specification, recorded, today"):
        serve(store, dialect="2007")


@pytest.mark.parametrize("name", ["today_project_show", "today_account_show"])
def test_documents_of_today_come_back_as_they_were(shared: Path, tmp_path: Path, name: str) -> None:
    path = shared / "samples" / f"{name}.xml"
    record = etree.parse(path).getroot().find("result/*")
    assert record is not None
    with (
        Store(build_store(tmp_path / "s", [path])) as store,
        KeyStore(tmp_path / "k") as keys,
        serve(store, keys=keys, dialect="today") as url,
    ):
        there = Served(url, keys)
        folder = {"project": "p", "account": "accounts"}[record.tag]
        again = there.root(f"/{folder}/{record.findtext('id')}.xml").find("result/*")
    assert again is not None
    parser = etree.XMLParser(remove_blank_text=True)
    pair = [
        etree.fromstring(etree.tostring(one, with_tail=False), parser) for one in (record, again)
    ]
    for one in pair:
        for element in one.iter():
            element.text = (element.text or "").strip()
    assert etree.tostring(pair[0], method="c14n") == etree.tostring(pair[1], method="c14n")
