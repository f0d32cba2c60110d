"""A small directory of files that are written by hand, and its application with a key."""

import threading
from contextlib import ExitStack, closing, contextmanager
from urllib.parse import urlencode

import pytest
from lxml import etree

import dirframe
from dirframe.service.app import create_app
from dirframe.service.keys import KeyStore
from dirframe.service.site import Site
from dirframe.service.store import open_data
from tests.rig.server import page_xml, record


def _stamp(day):
    return f"2010-01-{day % 28 + 1:02d}T00:00:00Z"


#: Few different names, days and numbers, so that every sort has ties.
ACCOUNTS = [
    {
        "identifier": str(n),
        "name": ["Ada Example", "bob", "Zoë GRÖSSE", "çelik"][n % 4],
        "created_at": _stamp(n // 3),
        "updated_at": _stamp(n // 2),
        "avatar_url": "http://avatars.example/x.png",
        "email_md5": f"{n:032x}",
    }
    for n in range(1, 108)
]
PROJECTS = [
    {
        "identifier": str(n),
        "name": f"Project {n}",
        "created_at": _stamp(n),
        "updated_at": _stamp(n // 5),
        "description": "Reads <XML> & writes it." if n % 2 else "Something else.",
        "stack_count": n % 7,
        "inner": "<tags><tag>c++</tag><tag>version_control</tag></tags>" if n % 3 else "<tags/>",
    }
    for n in range(1, 64)
]


class Client:
    """An application, asked with a key of its own."""

    def __init__(self, application, keys):
        self.keys = keys
        self.key = keys.add("a tester", "tests")
        self.client = application.test_client()

    @classmethod
    def of(cls, store, keys, *, analyses=True, **site):
        """Return the application of a store, with options of it and of its site."""
        return cls(create_app(store, keys, site=Site(**site), analyses=analyses), keys)

    def get(self, target, *, method="GET", **headers):
        glue = "&" if "?" in target else "?"
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        return self.client.open(f"{target}{glue}api_key={self.key}", method=method, headers=named)

    def root(self, target, *, status=200, **parameters):
        """Return the document, whose status is the code's; parameters are texts as they are."""
        query = f"?{urlencode(parameters)}" if parameters else ""
        response = self.get(f"{target}{query}")
        assert response.status_code == status, response.text
        assert response.content_type == "application/xml; charset=utf-8"
        root = etree.fromstring(response.get_data())
        assert root.findtext("status") == ("success" if status == 200 else "failed")
        return root

    def error(self, target, status):
        root = self.root(target, status=status)
        assert [child.tag for child in root] == ["status", "error"]
        return root.findtext("error")

    def ids(self, target, **parameters):
        """Return the ids of a page; parameters are texts as they are."""
        root = self.root(target, **parameters)
        return [element.text for element in root.iterfind("result/*/id")]

    def all_ids(self, target):
        """Return the ids of all pages."""
        found, page = [], 1
        while ids := self.ids(f"{target}{'&' if '?' in target else '?'}page={page}"):
            found += ids
            page += 1
        return found

    def used(self):
        return self.keys.records()[0]["used"]


@pytest.fixture(scope="session")
def records_folder(tmp_path_factory):
    """Return a folder of 107 accounts and 63 projects as XML."""
    folder = tmp_path_factory.mktemp("directory")
    for kind, records in (("account", ACCOUNTS), ("project", PROJECTS)):
        page = page_xml([record(kind=kind, **fields) for fields in records])
        (folder / f"{kind}s.xml").write_bytes(page)
    return folder


@pytest.fixture(scope="session")
def store(records_folder):
    """Return the records of the folder, for the application without a socket."""
    with closing(open_data(records_folder)) as store:
        yield store


@pytest.fixture
def keys(tmp_path):
    with KeyStore(tmp_path / "keys.sqlite") as keys:
        yield keys


@pytest.fixture(scope="session")
def application(store):
    """Return the application of the folder: its addresses and templates are compiled once."""
    with KeyStore() as nobody:
        yield create_app(store, nobody)


@pytest.fixture
def client(application, keys, monkeypatch):
    """Return the application of the folder, with keys of the test's own and one of them."""
    monkeypatch.setitem(application.extensions, "keys", keys)
    return Client(application, keys)


class Held:
    """Holds each request before it is counted until it may go on."""

    def __init__(self, patch):
        self.asked, self.go_on = threading.Event(), threading.Event()
        charge = KeyStore.charge

        def hold(keys, key):
            self.asked.set()
            assert self.go_on.wait(60)
            return charge(keys, key)

        patch.setattr(KeyStore, "charge", hold)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Return a cache folder of the test's own, in which stores are kept."""
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@contextmanager
def client_of(data, **options):
    """Import data, and give its application, with options of it and of its site."""
    with closing(open_data(data)) as store, KeyStore() as keys:
        yield Client.of(store, keys, **options)


def write(folder, *pages):
    """Write pages, of records or as they are, as files; return their folder."""
    folder.mkdir(exist_ok=True)
    for number, page in enumerate(pages):
        content = page if isinstance(page, bytes) else page_xml(page)
        (folder / f"{number}.xml").write_bytes(content)
    return folder


@pytest.fixture
def imported(cache):
    """Import data, and return its application, with options of it and of its site."""
    with ExitStack() as stack:
        yield lambda data, **options: stack.enter_context(client_of(data, **options))


@pytest.fixture
def open_written(tmp_path, imported):
    """Write pages, of records or as they are, as files, and return the application of the folder."""
    return lambda *pages: imported(write(tmp_path / "data", *pages))


@pytest.fixture(scope="session")
def service(records_folder):
    """Serve the folder over a socket, with a key of its own."""
    with dirframe.serve(records_folder) as service:
        yield service
