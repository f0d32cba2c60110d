"""The collections outside the specification, each with its columns and units."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dirframe
from dirframe.errors import IncompleteCollectionError, IncompleteWarning, InvalidInputError
from dirframe.provenance import caption, get_provenance
from dirframe.schema.extensions import EXTENSIONS
from tests.client import Asked, Reply, Server, page_xml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dirframe.client.directory import Directory

XML = Path(__file__).parent.parent / "xml"

PAGES = {
    "/languages.xml": "languages-page.xml",
    "/projects/example/contributors.xml": "contributors-page.xml",
    "/projects/example/analyses/latest/activity_facts.xml": "activity-facts.xml",
    "/projects/example/analyses/latest/size_facts.xml": "size-facts.xml",
}


def answer(asked: Asked) -> Reply:
    page = PAGES.get(asked.path)
    if page is None:
        return Reply(b"<error><message>nothing here</message></error>", status=404)
    return Reply((XML / page).read_bytes())


@pytest.fixture
def served() -> Iterator[Server]:
    with Server(answer) as server:
        yield server


@pytest.fixture
def there(served: Server, at: Callable[..., Directory]) -> Directory:
    return at(served)


def columns(resource: str) -> list[str]:
    return [field.column for field in EXTENSIONS[resource].core]


def test_languages_come_as_they_were_written(there: Directory) -> None:
    frame = dirframe.load_languages(directory=there, progress=False)
    assert list(frame) == columns("language")
    assert frame["id"].tolist() == ["7", "60"]
    assert frame["code"].tolist() == [456_492_953, 0]
    assert frame["comment_ratio"].tolist() == [0.199350244364884, pd.NA]
    assert frame["category"].tolist() == ["code", "build"]
    assert get_provenance(frame)["complete"] is True


def test_contributors_come_as_they_were_written(there: Directory, served: Server) -> None:
    frame = dirframe.load_contributors("example", directory=there, progress=False)
    assert list(frame) == columns("contributor_fact")
    assert frame["contributor_id"].tolist() == ["5", "0009", "77"]
    assert frame["account_name"].isna().tolist() == [False, True, True]
    assert frame["first_commit_time"][0] == pd.Timestamp("2011-02-03T04:05:06Z")
    assert frame["commits"].tolist() == [322, 1, pd.NA]
    assert frame["contributor_name"][1] == "Zoë <z...@e...>"
    assert get_provenance(frame)["query"] == {"project": "example"}
    assert served.asked[0].query["page"] == "1"


def test_the_months_of_a_project_come_as_they_were_written(
    there: Directory, served: Server
) -> None:
    frame = dirframe.load_activity("example", directory=there)
    assert list(frame) == columns("activity_fact")
    assert frame["month"].dtype == "datetime64[us, UTC]"
    assert frame["month"].dt.strftime("%Y-%m-%d").tolist() == [
        *("2012-12-01", "2013-01-01", "2013-02-01", "2013-04-01")
    ]
    assert frame["code_added"].tolist() == [1204, 90, 0, 12]
    assert frame["comments_added"].tolist() == [200, 7, 0, pd.NA]
    assert "page" not in served.asked[0].query  # all months are one document
    assert len(served.asked) == 1


def test_the_size_of_a_project_keeps_what_older_documents_add(there: Directory) -> None:
    frame = dirframe.load_size("example", directory=there)
    assert list(frame) == [*columns("size_fact"), "cumulative_code"]
    assert frame["comment_ratio"].tolist() == [pd.NA, 0.184659090909091]
    assert frame["man_months"].tolist() == [3, 5]
    assert frame["cumulative_code"].tolist() == [0, 861]
    assert frame["cumulative_code"].dtype == "Int64"


def test_chosen_columns_come_with_what_tells_the_records_apart(there: Directory) -> None:
    people = dirframe.load_contributors(
        "example", columns=["commits"], directory=there, progress=False
    )
    assert list(people) == ["contributor_id", "commits"]
    assert list(dirframe.load_activity("example", columns=["commits"], directory=there)) == [
        *("month", "commits")
    ]


def test_a_short_name_is_one_step_of_the_path(at: Callable[..., Directory]) -> None:
    with Server(lambda _: page_xml([], available=0, first=0)) as server:
        dirframe.load_contributors("a/../b", directory=at(server), progress=False)
    assert server.asked[0].path == "/projects/a%2F..%2Fb/contributors.xml"


def test_an_empty_project_or_a_wrong_sort_is_refused_before_anything_is_sent(
    there: Directory, served: Server
) -> None:
    for load in (dirframe.load_contributors, dirframe.load_activity, dirframe.load_size):
        with pytest.raises(InvalidInputError, match="The project is ''"):
            load(" ", directory=there)
    with pytest.raises(InvalidInputError, match="cannot be sorted by 'id'"):
        dirframe.load_languages(sort="id", directory=there)
    with pytest.raises(InvalidInputError, match='must be "raise" or "warn"'):
        dirframe.load_size(1, incomplete="never", directory=there)  # type: ignore[arg-type]  # what is refused
    assert served.asked == []


def test_months_that_are_fewer_than_said_are_no_complete_answer(
    at: Callable[..., Directory],
) -> None:
    fact = "<activity_fact><month>2013-01-01T00:00:00Z</month></activity_fact>"
    with Server(lambda _: page_xml([fact], available=3, first=0)) as server:
        directory = at(server)
        with pytest.raises(IncompleteCollectionError, match="activity_facts"):
            dirframe.load_activity(1, directory=directory)
        with pytest.warns(IncompleteWarning) as warned:
            frame = dirframe.load_activity(1, directory=directory, incomplete="warn")
    assert len(frame) == 1
    assert warned[0].filename == __file__


def test_a_month_that_comes_twice_is_no_complete_answer(at: Callable[..., Directory]) -> None:
    fact = "<activity_fact><month>2013-01-01T00:00:00Z</month></activity_fact>"
    page, said = page_xml([fact, fact], available=2, first=0), "repeated"
    with Server(lambda _: page) as server, pytest.raises(IncompleteCollectionError, match=said):
        dirframe.load_activity(1, directory=at(server))


def test_the_caption_and_the_citation_say_what_the_records_are(there: Directory) -> None:
    frame = dirframe.load_activity("example", directory=there)
    assert caption(frame).startswith("n = 4 activity facts ·")
    assert "Activity facts, project example (4 records)" in dirframe.cite(frame)


@pytest.mark.parametrize(
    ("file", "resource", "load"),
    [
        ("languages-page.xml", "language", {}),
        ("contributors-page.xml", "contributor_fact", {}),
        ("activity-facts.xml", "activity_fact", {}),
        ("size-facts.xml", "size_fact", {}),
    ],
)
def test_recorded_files_give_the_frame_of_the_loader(
    file: str, resource: str, load: dict[str, Any], there: Directory
) -> None:
    [path] = [path for path, page in PAGES.items() if page == file]
    loaded = dirframe.load(path, directory=there, progress=False, **load)
    found = dirframe.read_pages(XML / file)
    pd.testing.assert_frame_equal(found, loaded)
    facts = get_provenance(found)
    assert (facts["resource"], facts["complete"]) == (resource, True)
    pd.testing.assert_frame_equal(dirframe.read_pages(XML / file, resource=resource), found)


def test_recorded_months_of_two_projects_are_all_kept(tmp_path: Path) -> None:
    content = (XML / "activity-facts.xml").read_bytes()
    for name in ("one", "other"):
        (tmp_path / f"{name}.xml").write_bytes(content)
    frame = dirframe.read_pages(tmp_path)
    assert len(frame) == 8
    assert get_provenance(frame)["complete"] is True
    assert get_provenance(frame)["items_available"] == 8


def test_a_recorded_answer_of_2008_gives_its_languages(shared: Path) -> None:
    frame = dirframe.read_pages(shared / "samples" / "languages_2008_yanick.xml")
    assert len(frame) == 32
    assert list(frame) == columns("language")
    assert frame["id"][0] == "21"
    assert frame["comment_ratio"][0] == 0.238928822531949
    assert frame["nice_name"][1] == "Assembly"
    assert frame["code"].dtype == "Int64"
    assert get_provenance(frame)["complete"] is True


@pytest.mark.parametrize("resource", EXTENSIONS)
def test_fields_lists_the_extension_marked_as_one(resource: str) -> None:
    said = dirframe.fields(resource)
    own = said.set_index("name").loc[columns(resource), "dialects"]
    assert set(own) == {"extension outside the specification"}
    assert said["name"].tolist() == [
        *columns(resource),
        *(f.column for f in EXTENSIONS[resource].fields if f.column not in columns(resource)),
    ]
