"""Records are found by the names and the digest that they carry, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dirframe.service.store.build import build_store
from dirframe.service.store.store import Store
from tests.service import Directory
from tests.service.importing.test_importer import build, page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dirframe.service.api_keys import KeyStore

DIGEST = "f1c4c8746d8e42872f6db32977ad5d61"
PROJECTS = (
    "<project><id>9</id><name>Mozilla Firefox</name><url_name>firefox</url_name></project>",
    "<project><id>20</id><name>Seven</name><vanity_url>SevenZip</vanity_url></project>",
    "<project><id>10</id><name>Both</name><vanity_url>both</vanity_url></project>",
    "<project><id>8</id><name>Both again</name><vanity_url>Both</vanity_url></project>",
    "<project><id>20000</id><name>A number</name><vanity_url>9</vanity_url></project>",
    "<project><id>30</id><html_url>https://openhub.net/p/gr%C3%BCn</html_url></project>",
)
ACCOUNTS = (
    "<account><id>1</id><name>Stefan</name><login>fst</login></account>",
    f"""<account><id>2</id><name>Jim</name><url>https://openhub.net/accounts/jim.xml</url>
    <avatar_url>https://www.gravatar.com/avatar.php?gravatar_id={DIGEST}</avatar_url></account>""",
    f"""<account><id>3</id><email_md5>{"0" * 32}</email_md5>
    <avatar_url>http://gravatar.com/avatar/{"a" * 32}?s=80</avatar_url></account>""",
)


@pytest.fixture
def named(tmp_path: Path, keys: KeyStore) -> Iterator[Directory]:
    with build(tmp_path, page(*PROJECTS), page(*ACCOUNTS)) as store:
        yield Directory(store, keys)


@pytest.mark.parametrize(
    ("target", "wanted"),
    [
        ("/projects/firefox.xml", "9"),
        ("/projects/FireFox.xml", "9"),
        ("/p/firefox.xml", "9"),
        ("/p/9.xml", "9"),  # an id comes before a name
        ("/p/sevenzip.xml", "20"),
        ("/projects/both.xml", "8"),  # the lowest id of several
        ("/projects/gr%C3%9Cn.xml", "30"),
        ("/accounts/fst.xml", "1"),
        ("/accounts/JIM.xml", "2"),
        (f"/accounts/{DIGEST}.xml", "2"),
        (f"/accounts/{DIGEST.upper()}.xml", "2"),
        (f"/accounts/{'0' * 32}.xml", "3"),
    ],
)
def test_a_record_is_found_by_id_name_and_digest(
    named: Directory, target: str, wanted: str
) -> None:
    assert named.ids(target) == [wanted]
    assert named.used() == 1
    assert named.client.get(target).status_code == 403


@pytest.mark.parametrize(
    "target",
    [
        "/projects/mozilla.xml",
        "/p/fst.xml",
        "/accounts/firefox.xml",
        f"/accounts/{'a' * 32}.xml",  # another digest of this account is known
        f"/projects/{DIGEST}.xml",
        "/p/.xml",
    ],
)
def test_other_names_are_404(named: Directory, target: str) -> None:
    named.root(target, status=404)


def test_pages_are_found_by_name_and_by_no_digest(named: Directory) -> None:
    for target in ("/projects/firefox", "/p/FIREFOX", "/p/9"):
        assert "Mozilla Firefox" in named.client.get(target).get_data(as_text=True)
    assert "Stefan" in named.client.get("/accounts/fst").get_data(as_text=True)
    assert named.client.get(f"/accounts/{DIGEST}").status_code == 404


def test_real_projects_are_found_by_their_short_names(
    tmp_path: Path, shared: Path, keys: KeyStore
) -> None:
    with Store(build_store(tmp_path / "s", [shared / "real" / "pages"])) as store:
        directory = Directory(store, keys)
        single = sorted((shared / "real" / "projects").glob("*.xml"))
        assert single
        for path in single:
            root = directory.root(f"/projects/{path.stem}.xml")
            assert (root.findtext("result/project/url_name") or "").lower() == path.stem.lower()
