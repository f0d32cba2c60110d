"""Single records: the one that was asked for, or an error."""

import re
from hashlib import md5, sha1
from urllib.parse import quote, quote_plus

import numpy as np
import pandas as pd
import pytest

import dirframe
from dirframe.errors import (
    AnalysesNotSentWarning,
    CacheError,
    InvalidInputError,
    NotFoundError,
    ServiceError,
    UnreadableResponseError,
)
from dirframe.provenance import get_provenance
from tests.cases import raised
from tests.rig.server import Reply, failed, page_xml, record
from tests.rig.today import DELETED, SILENT, Today, without_analysis

ADA = "Ada@Example.org"
MISSING = Reply(failed("There is no such record"), 404)


def digest(address):
    return md5(address.encode()).hexdigest()


def account(address, identifier="7"):
    return record(identifier, "account", email_sha1=sha1(address.encode()).hexdigest())


@pytest.fixture
def people(serve):
    """Serve a member whose address is known in lower case, as today's service does."""
    page = page_xml([account(f"mailto:{ADA.lower()}")])
    pages = {f"/accounts/{name}.xml": page for name in ("7", digest(ADA.lower()))}
    return serve(lambda asked: pages.get(asked.path, MISSING))


@pytest.fixture
def named_rig():
    """Serve three projects and three accounts, with names."""
    with Today(3).in_process() as rig:
        rig.add("account", 3)
        rig.moves = False
        yield rig


def test_record_is_loaded_by_its_id(people, named_rig, connect):
    ids = ("7", 7, " 7 ", np.int64(7))
    frames = [dirframe.load_account(identifier, directory=connect(people)) for identifier in ids]
    assert [frame["id"].tolist() for frame in frames] == [["7"]] * 4
    facts = get_provenance(frames[-1])
    assert (facts["resource"], facts["complete"], facts["query"]) == ("account", True, {"id": "7"})
    assert [asked.path for asked in people.requests] == ["/accounts/7.xml"]
    frame = dirframe.load_project(1, directory=connect(named_rig))
    assert frame["id"].tolist() == ["1"]
    assert frame["analysis_total_code_lines"].tolist() == [1000]
    many = dirframe.load_projects(
        connect(named_rig), sort="project_name", details=True, progress=False
    )
    assert frame.dtypes.equals(many.dtypes[list(frame)])


def test_record_second_look_costs_nothing(people, connect):
    directory = connect(people)
    made, sent = [], []
    for options in ({}, {}, {"offline": True}, {"refresh": True}):
        people.forget()
        frame = dirframe.load_account(ADA, directory=directory, **options)
        made.append(get_provenance(frame)["requests_made"])
        sent.append(len(people.requests))
    assert made == sent == [1, 0, 0, 1]


def test_record_of_an_address_is_asked_for_by_its_digest(people, connect, tmp_path):
    spellings = (ADA, ADA.lower(), f"  {ADA.upper()} ")
    frames = [dirframe.load_account(spelling, directory=connect(people)) for spelling in spellings]
    assert [frame["id"].tolist() for frame in frames] == [["7"]] * 3
    assert [asked.path for asked in people.requests] == [f"/accounts/{digest(ADA.lower())}.xml"]
    written = repr(people.requests) + "".join(repr(frame.attrs) for frame in frames)
    written += "".join(f.read_bytes().decode("latin-1") for f in (tmp_path / "cache").iterdir())
    assert "example.org" not in written.lower()


@pytest.mark.parametrize("form", [ADA, ADA.lower(), f"mailto:{ADA}", f"mailto:{ADA.lower()}"])
def test_record_digest_in_each_form_is_accepted(form, serve, connect):
    path = f"/accounts/{digest(form.removeprefix('mailto:'))}.xml"
    pages = {path: page_xml([account(form)])}
    rig = serve(lambda asked: pages.get(asked.path, MISSING))
    frame = dirframe.load_account(ADA, directory=connect(rig, cache=False))
    assert get_provenance(frame)["requests_made"] == len(rig.requests)


@pytest.mark.parametrize(
    "received",
    [account("bob@example.org"), record("7", "account")],
    ids=["another address", "no address"],
)
def test_record_of_another_address_is_refused(received, serve, connect):
    rig = serve(page_xml([received]))
    with pytest.raises(NotFoundError) as caught:
        dirframe.load_account(ADA, directory=connect(rig))
    assert "ada@" not in str(caught.value).lower()
    assert len(rig.requests) == 2


def test_record_of_another_digest_is_refused(serve, connect):
    rig = serve(page_xml([record("12", "account")]))  # the number that a digest begins with
    with pytest.raises(NotFoundError):
        dirframe.load_account("12" + "a" * 30, directory=connect(rig))
    assert len(dirframe.load_account("1" + "a" * 31, directory=connect(rig))) == 1


@pytest.mark.parametrize("numbers", [["8"], [], ["7", "7"]], ids=["another", "none", "two"])
def test_record_that_is_not_the_one_is_refused(numbers, serve, connect):
    rig = serve(page_xml([record(n, "account") for n in numbers]))
    with pytest.raises(NotFoundError) as caught:
        dirframe.load_account(7, directory=connect(rig))
    assert caught.value.url == f"{rig.url}/accounts/7.xml"


def test_record_whose_login_is_the_id_is_refused(serve, connect):
    rig = serve(page_xml([record("8", "account", login="7")]))  # digits are an id
    with pytest.raises(NotFoundError):
        dirframe.load_account("7", directory=connect(rig))


def test_record_of_another_kind_is_refused(serve, connect):
    rig = serve(page_xml([record("7", "project")]))
    with pytest.raises(UnreadableResponseError) as caught:
        dirframe.load_account(7, directory=connect(rig))
    assert caught.value.found == "<project>"


@pytest.mark.parametrize(
    ("load", "kind"), [(dirframe.load_project, "project"), (dirframe.load_account, "account")]
)
def test_record_is_looked_up_by_a_name_that_it_has(load, kind, named_rig, connect):
    directory = connect(named_rig)
    name = load(1, directory=directory)["name"].item()
    frame = load(name, directory=directory)
    assert frame["id"].tolist() == ["1"]
    assert get_provenance(frame)["query"] == {"id": name}
    named_rig.own_pages = {quote(name.upper()): Reply(page_xml([record(1, kind, name=name)]))}
    assert load(name.upper(), directory=directory)["id"].tolist() == ["1"]


def test_record_name_of_another_one_is_refused_and_named(named_rig, connect):
    named_rig.other = {"firefox": "2"}
    with pytest.raises(NotFoundError, match="firefox") as caught:
        dirframe.load_project("firefox", directory=connect(named_rig))
    name = dirframe.load_project(2, directory=connect(named_rig))["name"].item()
    assert f"2 ({name})" in str(caught.value)


def test_record_without_an_own_page_comes_from_the_collection_by_its_name(named_rig, connect):
    found = Reply(page_xml([record("8", name="Firefox tools"), record("9", name="Firefox")]))
    named_rig.own_pages = {"firefox": SILENT, "9": SILENT, "lost": SILENT, "shut": DELETED}
    answer = named_rig.reply
    named_rig.reply = lambda asked: found if asked.query.get("query") else answer(asked)
    frame = dirframe.load_project("firefox", directory=connect(named_rig))
    facts = get_provenance(frame)
    assert frame["id"].tolist() == ["9"]
    assert (facts["query"], facts["completeness"]) == ({"id": "firefox"}, "proven")
    assert facts["requests_made"] == len(named_rig.requests) == 2
    # That it has none is remembered.
    again = dirframe.load_project("firefox", directory=connect(named_rig))
    offline = dirframe.load_project("firefox", directory=connect(named_rig), offline=True)
    assert (again.equals(frame), offline.equals(frame)) == (True, True)
    assert len(named_rig.requests) == 2
    names = ("9", "lost", "shut")
    errors = {
        name: type(raised(dirframe.load_project, name, directory=connect(named_rig)))
        for name in names
    }
    assert errors == {"9": ServiceError, "lost": NotFoundError, "shut": NotFoundError}
    # An id cannot be queried, and a failure of another kind is no reason to.
    assert [asked.query.get("query") for asked in named_rig.requests[2:]] == [
        None,
        None,
        "lost",
        None,
    ]
    named_rig.moves = True
    named_rig.forget()
    frame = dirframe.load_project("firefox", directory=connect(named_rig), refresh=True)
    assert get_provenance(frame)["requests_made"] == len(named_rig.requests)


def test_record_by_name_offline_is_no_search_that_lacks_its_analysis(named_rig, connect):
    found, answer = without_analysis(named_rig.records[0]), named_rig.reply
    page = Reply(page_xml([found], available=1, first=0))
    named_rig.reply = lambda asked: page if asked.query.get("query") else answer(asked)
    name = re.search("<name>([^<]*)", found)[1]
    own_page = f"/projects/{quote(name)}.xml"
    with pytest.raises(CacheError, match=own_page):
        dirframe.load_project(name, directory=connect(named_rig), offline=True)
    with pytest.warns(AnalysesNotSentWarning):
        dirframe.load_projects(connect(named_rig), query=name)
    # The search is in the cache now.
    with pytest.raises(CacheError, match=own_page):
        dirframe.load_project(name, directory=connect(named_rig), offline=True)
    with pytest.warns(AnalysesNotSentWarning):
        dirframe.load_projects(connect(named_rig), query=name)


@pytest.mark.parametrize("field", ["url_name", "vanity_url"])
def test_record_name_is_found_in_every_dialect(field, serve, connect):
    directory = connect(serve(page_xml([record("9", **{field: "Fire Fox"})])))
    assert dirframe.load_project("fire fox", directory=directory)["id"].tolist() == ["9"]
    with pytest.raises(NotFoundError, match="9 "):
        dirframe.load_project("fox", directory=directory)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("fire fox/x", "/projects/fire%20fox%2Fx.xml"),
        ("../accounts", "/projects/..%2Faccounts.xml"),
        ("1?page=2", "/projects/1%3Fpage%3D2.xml"),
        ("1#x", "/projects/1%23x.xml"),
        ("a%2fb", "/projects/a%252fb.xml"),
        ("1&api_key=x", "/projects/1%26api_key%3Dx.xml"),
    ],
)
def test_record_name_never_changes_what_is_asked(name, path, serve, connect):
    rig = serve(page_xml([record("7", url_name=name)]))
    assert len(dirframe.load_project(name, directory=connect(rig))) == 1
    [asked] = rig.requests
    assert (asked.path, list(asked.query)) == (path, ["api_key"])


def test_record_is_not_asked_for_by_what_is_no_id(people, connect):
    directory = connect(people)
    wrong = ["", "  ", "..", None, 1.0, pd.NA, True, b"7"]
    single, many = [[1, 2], pd.Series([1])], [[], [1, ""], pd.DataFrame({"name": ["a"]})]
    calls = [
        *((dirframe.load_project, value) for value in [*wrong, *single]),
        *((dirframe.load_account, value) for value in [*wrong, *single]),
        *((dirframe.load_size, value) for value in [*wrong, *many]),
    ]
    refused = {
        (load.__name__, repr(value)): type(raised(load, value, directory=directory))
        for load, value in calls
    }
    assert len(refused) == 10 + 10 + 11
    assert refused == dict.fromkeys(refused, InvalidInputError)
    assert people.requests == []


@pytest.mark.filterwarnings("ignore::dirframe.ShortKeyWarning")
def test_record_or_query_that_holds_the_key_is_refused_and_not_stored(people, connect, tmp_path):
    key = "k3y+M4RKED0123456789"
    directory = connect(people, key=key)
    kept = tmp_path / "kept"
    errors = {
        "project": raised(dirframe.load_project, key, directory=directory),
        "account": raised(dirframe.load_account, key, directory=directory),
        "activity": raised(dirframe.load_activity, key, directory=directory),
        "load": raised(dirframe.load_projects, directory=directory, query=f"x {key}"),
        "plan": raised(dirframe.plan, "projects", directory=directory, query=key),
        "harvest": raised(dirframe.harvest, "projects", kept, directory=directory, query=key),
    }
    kinds = {name: type(error) for name, error in errors.items()}
    assert kinds == dict.fromkeys(errors, InvalidInputError)
    assert [name for name, error in errors.items() if key in str(error)] == []
    assert people.requests == []
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if key.encode() in path.read_bytes()]
    # An id that is also a short key is an id.
    assert len(dirframe.load_account("7", directory=connect(people, key="7"))) == 1


@pytest.mark.parametrize(
    "spell", [quote, quote_plus, lambda key: quote(quote(key)), lambda key: quote(key).lower()]
)
def test_record_or_query_that_holds_the_key_as_addresses_spell_it_is_refused(
    spell, people, connect
):
    directory = connect(people, key="k3y+ M4RKED/%0123456789é")
    spelt = spell("k3y+ M4RKED/%0123456789é")
    errors = {
        "project": raised(dirframe.load_project, spelt, directory=directory),
        "contributors": raised(dirframe.load_contributors, spelt, directory=directory),
        "plan": raised(dirframe.plan, "projects", query=f"x {spelt}", directory=directory),
    }
    kinds = {name: type(error) for name, error in errors.items()}
    assert kinds == dict.fromkeys(errors, InvalidInputError)
    assert [name for name, error in errors.items() if "0123456789" in str(error)] == []
    assert people.requests == []
