"""The words of errors and warnings that a person meets: here alone they are pinned.

After a change of words: pytest tests/test_messages.py --inline-snapshot=fix
"""

import copy
import os
import re
import sqlite3
import warnings
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from random import Random

import matplotlib.pyplot as plt
import pandas as pd
import pyarrow as pa
import pytest
import requests
import time_machine
from inline_snapshot import snapshot
from lxml import etree

import dirframe
from dirframe import Directory, cite, plot, provenance, stats
from dirframe.service.app import create_app
from dirframe.service.keys import KeyStore
from dirframe.service.store import open_data
from tests.rig import faults
from tests.rig.organizations import Organizations
from tests.rig.server import MARK, Rig, page_xml, record
from tests.rig.today import Today

ADDRESS = "https://directory.example"
RAISED = (dirframe.DirframeError, OSError, AttributeError, TypeError)

#: What varies from run to run, and the word in its place.
VARIES = {
    r"\d{4}-\d\d-\d\d(T| )\d\d:\d\d(:\d\d)?": "DATE",
    r"\d{4}-\d\d-\d\d": "DATE",
    r"127\.0\.0\.1(:|', |, port )\d+": r"127.0.0.1\1PORT",
    r"python -m [\w.]+": "dirframe",
    r"\d+-[0-9a-f]{16}-[0-9a-f]+\.sqlite": "STORE.sqlite",
    # The words of libraries: lxml, sockets.
    r"[^:(]*, line \d+, column \d+": " REASON",
    r"\d+ bytes read, \d+ more expected": "REASON",
    r"Address already in use \([^()]*\([^()]*\)\)": "REASON",
}


def fixed(folder, text):
    """Put fixed words for folders, dates and ports."""
    text = text.replace(str(folder), "FOLDER")
    for pattern, word in VARIES.items():
        text = re.sub(pattern, word, text)
    assert MARK not in text
    return text.rstrip()


@pytest.fixture
def message(tmp_path):
    """Return the type and the text of the error of a call, or of its warnings."""

    def of(call, *arguments, **options):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                call(*arguments, **options)
            except RAISED as error:
                return fixed(tmp_path, f"{type(error).__name__}: {error}")
        told = [f"{warning.category.__name__}: {warning.message}" for warning in warned]
        return fixed(tmp_path, "\n".join(told))

    return of


@pytest.fixture
def load(message, tmp_path):
    """Return the message of a load from a directory with some properties, in this process."""
    folders = count()

    def of(records=3, fault=None, *, kind=Rig, options=None, **properties):
        with kind(records, size=2).in_process() as rig:
            rig.always = fault
            for name, value in properties.items():
                setattr(rig, name, value)
            folder = tmp_path / str(next(folders))  # no cache and no quota of another load
            with closing(rig.directory(folder, **options or {})) as directory:
                return message(dirframe.load_projects, directory)

    return of


@pytest.fixture
def three_projects():
    """Return three projects as a loader gives them."""
    frame = pd.DataFrame(
        {
            "id": ["1", "2", "3"],
            "name": ["a", "b", "c"],
            "created_at": pd.to_datetime(["2008-01-01T00:00:00Z"] * 3),
            "analysis_main_language_name": ["C", "Java", None],
            "analysis_total_code_lines": pd.array([10, -5, None], dtype="Int64"),
        }
    )
    return provenance.set_provenance(frame, resource="project", source="A directory")


def reshuffled():
    """Return an order of a rig's records that is another one at each request."""
    seeds = count()
    return lambda _, records: Random(next(seeds)).sample(records, len(records))


@pytest.fixture
def stores_folder(tmp_path, monkeypatch):
    """Return the folder in which a service keeps its stores, of the test's own."""
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "stores"


# Address, key and options


def test_directory(message):
    assert message(Directory, ADDRESS) == snapshot(
        "ConfigurationError: No API key is given for https://directory.example. Set DIRFRAME_API_KEY, or open dirframe.Directory(base_url, getpass.getpass()) in a notebook. Open Hub issues keys to its members at https://www.openhub.net/accounts/LOGIN/api_keys/new (LOGIN is your login name). Without a key, use dirframe.sample_directory() (--demo) for the bundled sample data."
    )
    assert message(Directory, "directory.example", "k") == snapshot(
        "ConfigurationError: The base URL must begin with https:// (or http:// on this machine) and name a host."
    )
    assert message(Directory, "http://directory.example", "k") == snapshot(
        "ConfigurationError: The base URL http://directory.example cannot be used. The key would be readable on the way: use https://, or pass allow_http=True."
    )
    assert message(Directory, f"{ADDRESS}?api_key={MARK}", "k") == snapshot(
        "ConfigurationError: The base URL https://directory.example cannot be used. Leave out the user, the query and the fragment; the key is passed as key=, or taken from DIRFRAME_API_KEY."
    )
    assert message(Directory, ADDRESS, "two words ") == snapshot(
        "ConfigurationError: The API key is empty or contains blanks or control characters; copy it again as the directory shows it."
    )


def test_options_of_a_load(message):
    directory = Directory(ADDRESS, "some-key-1234567", cache=False)
    load = partial(dirframe.load_projects, directory)
    assert message(load, max_items=-1) == snapshot(
        "InvalidInputError: max_items is -1; it must be a whole number from 1."
    )
    assert message(load, sort="nme") == snapshot(
        "InvalidInputError: projects cannot be sorted by 'nme'; choose one of created_at, created_at_reverse, id, id_reverse, name, name_reverse, updated_at, updated_at_reverse, stack_count, stack_count_reverse, new, users, popularity, rating, activity_level, active_committers, project_name, description, relevance."
    )
    assert message(load, refresh=True, offline=True) == snapshot(
        "InvalidInputError: refresh requests every page, and offline requests none. Pass refresh=True (--refresh) or offline=True (--offline), not both."
    )
    assert message(dirframe.load_projects, ADDRESS) == snapshot(
        "InvalidInputError: Expected a Directory; got str. Pass dirframe.Directory(...) or dirframe.sample_directory(); to search for text, pass query=."
    )
    assert message(dirframe.load_project, "", directory=directory) == snapshot(
        "InvalidInputError: The project is ''; it must be a name, or an id as text or a whole number. Pass one id or name. Read a column of ids as text; from a row of a frame, pass row['id']."
    )
    assert message(dirframe.load, "forums", directory=directory) == snapshot(
        "InvalidInputError: There is no collection 'forums'. Did you mean 'orgs'? Choose one of accounts, projects, languages, orgs, or pass a path, such as '/projects/1/contributors.xml'."
    )


def test_settings(message):
    directory = partial(Directory, ADDRESS, "some-key-1234567")
    assert {
        "cache": message(directory, cache=None),
        "expire_after": message(directory, expire_after=7),
        "daily_quota": message(directory, daily_quota=0),
        "rate": message(directory, rate=0),
        "timeout": message(directory, timeout="long"),
        "key": message(Directory, ADDRESS, 7),
        "address that is no text": message(Directory, 7, "k"),
        "address without a host": message(Directory, "https://", "k"),
        "name": message(directory, name="two\nlines"),
        "folder": message(directory, cache=""),
        "setting of an open one": message(setattr, directory(cache=False), "timeout", 5),
        "copy": message(copy.copy, directory(cache=False)),
        "option": message(partial(directory, url=ADDRESS)),
    } == snapshot(
        {
            "cache": "InvalidInputError: cache is None; it must be True, False or the name of a folder.",
            "expire_after": "InvalidInputError: expire_after is 7; it must be a timedelta from 0 to 36,500 days, such as timedelta(days=7).",
            "daily_quota": "InvalidInputError: daily_quota is 0; it must be a whole number from 1 to 1,000,000,000.",
            "rate": "InvalidInputError: rate is 0; it must be a number of requests per second, at least one a day (1 / 86400), or math.inf.",
            "timeout": "InvalidInputError: timeout is 'long'; it must be a number of seconds from 0.001 to 86,400.",
            "key": "ConfigurationError: The API key must be text, not int.",
            "address that is no text": "ConfigurationError: The base URL must be text, not int.",
            "address without a host": "ConfigurationError: The base URL names no host that can be requested. A name has letters, digits, hyphens and dots; an IPv6 address is in brackets, as in https://[2001:db8::1]; a port is a number from 1 to 65535.",
            "name": "InvalidInputError: name is 'two\\nlines'; it must be text of one line, without control characters.",
            "folder": "InvalidInputError: cache is ''; it must be the name of a file or folder, without control characters.",
            "setting of an open one": "AttributeError: 'timeout' of a Directory cannot be set: its settings are read-only. Open another one with dirframe.Directory(...).",
            "copy": "TypeError: A Directory is neither copied nor pickled: it holds the key and open files. Pass it on, or open another one.",
            "option": "TypeError: Directory(): got an unexpected keyword argument 'url'. Did you mean 'base_url'?",
        }
    )


def test_options_that_exclude_each_other(message):
    directory = Directory(ADDRESS, "some-key-1234567", cache=False)
    load, plan = (partial(call, directory=directory) for call in (dirframe.load, dirframe.plan))
    assert {
        "details of accounts": message(plan, "accounts", details=True),
        "projects of another collection": message(plan, "accounts", projects=["1"]),
        "projects and query": message(dirframe.load_projects, directory, projects=[1], query="x"),
        "no projects": message(dirframe.load_projects, directory, projects=[]),
        "several organizations": message(dirframe.load_projects, directory, organization=["a"]),
        "collection without its owner": message(load, "enlistments"),
        "path of an owner": message(load, "/projects/1/enlistments.xml", of=["1"]),
        "collection of nobody": message(load, "languages", of=["1"]),
        "path that is none": message(load, "/projects/../1.xml"),
        "parameter without a value": message(load, "/projects.xml?a="),
        "empty query": message(dirframe.load_projects, directory, query=" "),
        "incomplete": message(dirframe.load_projects, directory, incomplete="ok"),
        "progress": message(dirframe.load_projects, directory, progress="bar"),
        "plan of a directory": message(dirframe.plan, directory),
        "plan of an organization": message(plan, "accounts", organization="apache"),
        "many items": message(dirframe.load_projects, directory, max_items=10**30),
        "key as a query": message(dirframe.load_projects, directory, query="some-key-1234567"),
        "long address": message(Directory, f"{ADDRESS}/{'a' * 5_000}", "k"),
    } == snapshot(
        {
            "details of accounts": "InvalidInputError: Details are the own page of each project; accounts have none. Leave details= (--details) out.",
            "projects of another collection": "InvalidInputError: projects= names the projects to load; of= names whose collection is loaded.",
            "projects and query": "InvalidInputError: projects= names the projects to load, and query= would choose others. Leave one of them out; select the frame, or sort it, afterwards.",
            "no projects": "InvalidInputError: No project is named; pass at least one, or a frame with the column id.",
            "several organizations": "InvalidInputError: The organization is one short name, as in the column url_name of load_organizations().",
            "collection without its owner": 'InvalidInputError: enlistments belong to projects: name one or several in of= (--of). As in load("enlistments", of=projects): ids, short names, or a frame.',
            "path of an owner": 'InvalidInputError: A path names whose collection it is, and of= (--of) does the same for a name. Leave of= out, or pass a name, such as load("enlistments", of=projects).',
            "collection of nobody": "InvalidInputError: 'languages' is no collection that belongs to projects, accounts or organizations. Choose one of contributors, activity_facts, size_facts, factoids, enlistments, stacks, kudos, positions, portfolio_projects, outside_projects, affiliated_committers, outside_committers, kudos_sent, managed_projects.",
            "path that is none": "InvalidInputError: '/projects/../1.xml' is no path below https://directory.example that can be loaded: it must end in .xml, without a key, another host, a fragment, a step such as '..', a page, or an option that is given beside it, too. All pages are loaded; max_items= (--max-items) loads less.",
            "parameter without a value": "InvalidInputError: The parameter 'a' of /projects.xml has no value, or is there twice: the interface has no such parameters, and the page would be stored as another one. Pass each parameter once, as in '?name=value'.",
            "empty query": "InvalidInputError: query is ' '; it must be text that is not empty, without control characters. Leave query= (--query) out for all records.",
            "incomplete": 'InvalidInputError: incomplete is \'ok\'; it must be "raise" or "warn".',
            "progress": "InvalidInputError: progress is 'bar'; it must be True, False or a function of two numbers.",
            "plan of a directory": 'InvalidInputError: Name the collection first: dirframe.plan("projects", directory=directory).',
            "plan of an organization": "InvalidInputError: organization= names whose projects are loaded.",
            "many items": "InvalidInputError: max_items is larger than 92,233,720,368,547,758,070.",
            "key as a query": "InvalidInputError: An id, a query or another part of the address to request contains the API key. Nothing was requested or stored. Pass it as the key of Directory alone, or set DIRFRAME_API_KEY.",
            "long address": "ConfigurationError: The base URL holds control characters, or more than 2,000 characters.",
        }
    )


def test_sample_directory_that_is_closed(message):
    with dirframe.sample_directory(cache=False) as directory:
        pass
    assert message(dirframe.load_projects, directory) == snapshot(
        "ConfigurationError: dirframe sample directory is closed, and its service has stopped. Open it again, or load inside the with block."
    )


# What a directory answers


def test_refusals(load):
    assert load(fault=faults.fails_today("api_key: invalid", 400)) == snapshot(
        'InvalidKeyError: http://127.0.0.1:PORT/projects.xml?page=1 responded with status 400 ("api_key: [api key removed]"). The key is missing, unknown or revoked. Check it, or register an application with the directory to get one.'
    )
    assert load(fault=faults.fails("over the limit", 429, Retry_After="3600")) == snapshot(
        'QuotaExceededError: http://127.0.0.1:PORT/projects.xml?page=1 responded with status 429 ("over the limit"). The daily quota of this key is used up. The quota resets at DATE UTC. Received pages are cached: run it again later, and only the rest is requested.'
    )
    assert load(fault=faults.fails("page is not a number", 400)) == snapshot(
        'ServiceError: http://127.0.0.1:PORT/projects.xml?page=1 responded with status 400 ("page is not a number"). The request did not succeed and nothing was stored.'
    )
    assert load(fault=faults.fails("This project was deleted by its manager.")) == snapshot(
        'NotFoundError: http://127.0.0.1:PORT/projects.xml?page=1 responded with status 200 ("This project was deleted by its manager.").'
    )
    assert load(fault=faults.fails_today("404 - Not Found", 404)) == snapshot(
        'NotFoundError: http://127.0.0.1:PORT/projects.xml?page=1 responded with status 404 ("404 - Not Found"). Nothing was found there, or the directory could not send it now.'
    )
    page = "<html><head><title>Just a moment...</title></head></html>"
    assert load(fault=faults.answers(page, 403)) == snapshot(
        'UnreadableResponseError: http://127.0.0.1:PORT/projects.xml?page=1 responded with status 403 and an HTML page with the title "Just a moment...". It is not a response of the directory\'s interface, so it says nothing about the key or the quota. Open the address in a browser: a firewall, a login, maintenance or a proxy may answer instead of the directory. Check the base URL, too.'
    )
    assert load(fault=faults.answers(page, 429, Retry_After="120")) == snapshot(
        'UnreadableResponseError: http://127.0.0.1:PORT/projects.xml?page=1 responded with status 429 and an HTML page with the title "Just a moment...". It is not a response of the directory\'s interface, so it says nothing about the key or the quota. It asks clients to wait 120 seconds. Open the address in a browser: a firewall, a login, maintenance or a proxy may answer instead of the directory. Check the base URL, too.'
    )
    assert load(fault=faults.answers('{"message": "limit"}', 429)) == snapshot(
        "UnreadableResponseError: http://127.0.0.1:PORT/projects.xml?page=1 responded with status 429 and JSON. It is not a response of the directory's interface, so it says nothing about the key or the quota. Open the address in a browser: a firewall, a login, maintenance or a proxy may answer instead of the directory. Check the base URL, too."
    )
    assert load(fault=faults.answers(page)) == snapshot(
        'UnreadableResponseError: http://127.0.0.1:PORT/projects.xml?page=1 responded with status 200 and an HTML page with the title "Just a moment...". It is not a response of the directory\'s interface, so it says nothing about the key or the quota. Open the address in a browser: a firewall, a login, maintenance or a proxy may answer instead of the directory. Check the base URL, too.'
    )
    assert load(fault=faults.redirects("http://127.0.0.2:1/projects.xml")) == snapshot(
        'ServiceError: http://127.0.0.1:PORT/projects.xml?page=1 redirects to http://127.0.0.2:1. The redirect was not followed, because the key is sent only to http://127.0.0.1:PORT. If that is the address of the directory, pass base_url="http://127.0.0.2:1" (--base-url), or set DIRFRAME_BASE_URL to it.'
    )


def test_redirects_and_certificates(load, message, tmp_path, monkeypatch):
    assert load(fault=faults.redirects("http://[")) == snapshot(
        "ServiceError: http://127.0.0.1:PORT/projects.xml?page=1 redirects to an address that is invalid."
    )
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "gone.pem"))
    with Rig().in_process() as rig:
        encrypted = rig.directory(tmp_path, url=ADDRESS)
        assert message(dirframe.load_projects, encrypted) == snapshot(
            "NetworkError: https://directory.example/projects.xml?page=1 was not requested: REQUESTS_CA_BUNDLE (or CURL_CA_BUNDLE) names certificates that do not exist: FOLDER/gone.pem. Set it to the PEM file of the authority, or remove it."
        )


def test_pages_of_another_day(message, tmp_path):
    options = {"progress": False}
    with Rig(3, size=2).in_process() as rig:
        with time_machine.travel(datetime.now(UTC) + timedelta(days=30), tick=True):
            message(dirframe.load_projects, rig.directory(tmp_path / "future"), **options)
        with time_machine.travel(datetime.now(UTC) - timedelta(days=30), tick=True):
            message(dirframe.load_projects, rig.directory(tmp_path / "past"), **options)
        options["offline"] = True
        assert {
            "future": message(
                dirframe.load_projects, rig.directory(tmp_path / "future"), **options
            ),
            "past": message(dirframe.load_projects, rig.directory(tmp_path / "past"), **options),
        } == snapshot(
            {
                "future": "StaleWarning: Pages from the cache are dated in the future, up to DATE UTC: the clock was or is wrong. Their age is unknown; the time of this load is recorded instead. refresh=True (--refresh) requests them again.",
                "past": "StaleWarning: Old pages from the cache are used: the oldest was fetched 30.0 days ago, at DATE UTC.",
            }
        )


def test_caches_that_cannot_be_used(message, tmp_path):
    (tmp_path / "file").touch()
    damaged = tmp_path / "cache" / dirframe.cache_info(tmp_path / "cache").file.name
    damaged.parent.mkdir()
    damaged.write_text("no database" * 100)
    with Rig(3, size=2).in_process() as rig:
        below_a_file = rig.directory(tmp_path, cache=tmp_path / "file" / "cache")
        texts = {
            "below a file": message(dirframe.load_projects, below_a_file),
            "damaged": message(dirframe.load_projects, rig.directory(tmp_path)),
        }
    assert texts == snapshot(
        {
            "below a file": "CacheWarning: The cache FOLDER/file/cache/http-cache-3.sqlite cannot be used in full ([Errno 20] Not a directory: 'FOLDER/file/cache'). The load continues with what can be read of it, and other pages are requested again next time. Name another folder by cache= or DIRFRAME_CACHE_DIR, or remove the file with dirframe.clear_cache() (dirframe cache clear).",
            "damaged": "CacheWarning: The cache FOLDER/cache/http-cache-3.sqlite cannot be used in full (file is not a database). The load continues with what can be read of it, and other pages are requested again next time. Name another folder by cache= or DIRFRAME_CACHE_DIR, or remove the file with dirframe.clear_cache() (dirframe cache clear).",
        }
    )


def test_damaged_pages(load, monkeypatch):
    assert load(fault=faults.answers(faults.HTML)) == snapshot(
        "UnreadableResponseError: http://127.0.0.1:PORT/projects.xml?page=1 is an HTML page, not a response of the directory's XML interface, whose root is <response>. Check the address and that its path ends in .xml; a page saved from a browser is not enough."
    )
    monkeypatch.setattr("dirframe.client.http.responses.MAX_BYTES", 100)
    assert load() == snapshot(
        "UnreadableResponseError: http://127.0.0.1:PORT/projects.xml?page=1 sent a response of more than 100 bytes; the rest was not read."
    )


def test_connections(message, tmp_path):
    with Rig(3) as rig:
        hurried = rig.directory(tmp_path, timeout=0.05)
        rig.always = faults.silence
        assert message(dirframe.load_projects, hurried) == snapshot(
            "NetworkError: http://127.0.0.1:PORT/projects.xml?page=1 could not be fetched: no data was received for 0.05 seconds. Received pages are cached: run it again. For a slow directory, pass a longer timeout= to Directory."
        )
        directory = rig.directory(tmp_path)
        load = partial(dirframe.load_projects, directory)
        rig.always = faults.cut_short
        assert message(load) == snapshot(
            "NetworkError: http://127.0.0.1:PORT/projects.xml?page=1 could not be fetched: the response ended early (IncompleteRead(REASON)). Received pages are cached: run it again."
        )
    # Nothing listens any longer.
    assert message(load) == snapshot(
        "NetworkError: http://127.0.0.1:PORT/projects.xml?page=1 could not be fetched: there was no connection to 127.0.0.1:PORT (Connection refused). The request was not sent and not counted. Check the address, the connection and this machine's clock; HTTPS_PROXY and NO_PROXY set a proxy, REQUESTS_CA_BUNDLE the certificate of an institution's own authority. Received pages are cached: run it again."
    )
    assert message(load, offline=True) == snapshot(
        "CacheError: http://127.0.0.1:PORT/projects.xml?page=1 is not in the cache, and offline mode sends no requests. Load it once without offline=True (--offline)."
    )


def test_proxies(message, tmp_path, monkeypatch):
    monkeypatch.setenv("https_proxy", "http://ada:s3cret@127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://ada:s3cret@127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    with Rig().in_process() as rig:
        encrypted = rig.directory(tmp_path, url=ADDRESS)
        assert message(dirframe.load_projects, encrypted) == snapshot(
            "NetworkError: https://directory.example/projects.xml?page=1 could not be fetched: there was no connection to directory.example through the proxy 127.0.0.1:PORT (Connection refused). The request was not sent and not counted. Check the address, the connection and this machine's clock; HTTPS_PROXY and NO_PROXY set a proxy, REQUESTS_CA_BUNDLE the certificate of an institution's own authority. Received pages are cached: run it again."
        )
        monkeypatch.setenv("https_proxy", "http://ada:s3/cret@127.0.0.1:9")
        assert message(dirframe.load_projects, encrypted) == snapshot(
            "NetworkError: https://directory.example/projects.xml?page=1 was not requested: the proxy 127.0.0.1:PORT cannot be used. Its address is invalid, or of a kind that is not installed. Set HTTPS_PROXY to an address such as http://proxy.example:3128, and spell special characters of a password by their codes, such as %2F for a slash. An address that begins with socks5:// needs the package PySocks."
        )
        clear = rig.directory(tmp_path, url="http://directory.example", allow_http=True)
        assert message(dirframe.load_projects, clear) == snapshot(
            "NetworkError: http://directory.example/projects.xml?page=1 was not requested: it is not encrypted, so the proxy 127.0.0.1:PORT could read the API key. Use https://, or name the host in the environment variable NO_PROXY."
        )


def test_records(load, message, tmp_path):
    assert load(["1", "2", "2", "3"]) == snapshot(
        'IncompleteCollectionError: The projects of rig are not proven complete: different records received: 3 of 4; 1 repeated. Run it again, or choose another sort (--sort): cached pages cost nothing, and refresh=True (--refresh) requests all pages, also those that were refused; incomplete="warn" (--incomplete warn) accepts the partial result.'
    )
    unreadable = [record(1, name="a", stack_count="many", created_at="yesterday")]
    assert load(unreadable) == snapshot(
        "UnreadableValueWarning: Values of the projects could not be read: 1 in created_at ('yesterday'); 1 in stack_count ('many'). They are missing there and kept as text in the columns that end in _unreadable."
    )
    assert load(kind=Today) == snapshot(
        "AnalysesNotSentWarning: 3 of 3 projects have an analysis, but its columns are empty: this directory sends analyses only on each project's own page. details=True (--details) requests these pages: at most 3 requests."
    )
    bare = set(map(str, range(1, 61)))
    assert load(60, kind=Today, size=10, stops={"ids": 2}, bare=bare) == snapshot(
        "ServiceChangedWarning: The remaining projects of rig were read in another way, because the directory stopped answering by ids: nothing is lost, but the load needed more requests. dirframe.check() (dirframe check) shows what the directory sends now."
    )
    with Rig(answer=Organizations({"acme": 45}, omitted={3, 4, 25})).in_process() as rig:
        directory = rig.directory(tmp_path)
        path = "/orgs/acme/outside_committers.xml"
        assert message(dirframe.load, path, directory=directory) == snapshot(
            'IncompleteCollectionError: The outside committers of rig are not proven complete: records received: 42 of 45; the directory leaves out the others from its pages, although it counts them. Running it again does not help: the directory does not send what would prove completeness; incomplete="warn" (--incomplete warn) accepts the partial result.'
        )
    with Rig(3).in_process() as rig:
        directory = rig.directory(tmp_path)
        rig.always = faults.rewrites(lambda body: body.replace(b"<id>1<", b"<id>2<"))
        assert message(dirframe.load_project, 1, directory=directory) == snapshot(
            "NotFoundError: http://127.0.0.1:PORT/projects/1.xml returned 2 (project 1), not the project with the id or name '1'."
        )


def test_singular_nouns_after_a_count_of_one(load, message, tmp_path):
    rows = pd.DataFrame({"country_code": ["Atlantis"]})
    with Rig(1).in_process() as rig:
        directory = rig.directory(tmp_path, daily_quota=1)
        texts = {
            "analysis": load(1, kind=Today),
            "quota": load(3, options={"daily_quota": 1}),
            "directory": fixed(tmp_path, str(directory)).splitlines()[-1],
            "plan": fixed(tmp_path, str(dirframe.plan("projects", directory=directory))),
            "countries": dirframe.country_note(dirframe.unify_countries(rows)),
            "unresolved": message(dirframe.unify_countries, rows, errors="raise"),
        }
    assert texts == snapshot(
        {
            "analysis": "AnalysesNotSentWarning: 1 of 1 project has an analysis, but its columns are empty: this directory sends analyses only on each project's own page. details=True (--details) requests these pages: at most 1 request.",
            "quota": "QuotaExceededError: http://127.0.0.1:PORT/projects.xml?page=2 was not requested: the quota of 1 request within 24 hours is used up, and the next one is free at DATE UTC. Received pages are cached: run it again later, and only the rest is requested.",
            "directory": "  quota    1 request a day",
            "plan": """\
Plan: load the projects
  records           1 project on 1 page
  in the cache      1 page
  requests to pay   0 requests
  left today        0 requests of 1
  first comes back  DATE UTC
It fits.\
""",
            "countries": "1 of 1 record (100.0%) has no country: 0 without a value, 1 with a value that names none. Shares by country describe only the others.",
            "unresolved": """\
UnresolvedCountriesError: Without a country: 1 value in 1 record:
  'Atlantis' (1): names no country that is known
Resolve them with overrides={value: code or None} (--overrides FILE, which --audit writes), or pass errors="coerce" (leave --strict out).\
""",
        }
    )


def test_loads_beyond_the_quota_samples_and_many_projects(load, message, tmp_path):
    assert load(30, options={"daily_quota": 6}) == snapshot(
        "QuotaExceededError: http://127.0.0.1:PORT/projects.xml?page=7 was not requested: the quota of 6 requests within 24 hours is used up, and the next one is free at DATE UTC. Received pages are cached: run it again later, and only the rest is requested."
    )
    assert load(40, sorted=reshuffled()) == snapshot(
        "IncompleteCollectionError: The projects of rig are not proven complete: different records received: 25 of 40; 15 repeated; the directory's own order did not hold from one page to the next (records came again on other pages, and others on none); on today's live service the sort= (--sort) that is stable is project_name. Run it again with refresh=True (--refresh): records may have moved once while they were read. If that fails, too, the order is not stable: choose another sort (--sort); incomplete=\"warn\" (--incomplete warn) accepts the partial result."
    )
    assert load(200, options={"daily_quota": 6}) == snapshot(
        "QuotaExceededError: The projects of rig need about 99 more requests; left today: 5 of 6. Pages stay fresh for 7 days, so this load would never finish; it was not started. dirframe.harvest (dirframe harvest) stores a collection over as many days as it takes; sample= (--sample) draws a part of it."
    )
    assert load(200, options={"daily_quota": 6, "cache": False}) == snapshot(
        "QuotaExceededError: The projects of rig need about 99 more requests; left today: 5 of 6. Without a cache no page is stored, so this load would never finish; it was not started. dirframe.harvest (dirframe harvest) stores a collection over as many days as it takes; sample= (--sample) draws a part of it."
    )
    with Rig(5).in_process() as rig:
        directory = rig.directory(tmp_path)
        drawn = partial(dirframe.load_projects, directory, sample=2)
        assert message(drawn, max_items=3) == snapshot(
            "InvalidInputError: sample (--sample) draws from the whole collection, and max_items (--max-items) takes its first records. Leave out one of them."
        )
        assert message(dirframe.load_size, [7, 8], directory=directory) == snapshot(
            'IncompleteCollectionError: The size facts of 2 projects of rig are not complete: 7, 8 (not found) could not be loaded. Running it again does not help: leave out what the directory does not have; incomplete="warn" (--incomplete warn) accepts the partial result.'
        )
        rig.items_available = lambda _: None
        assert message(drawn, refresh=True) == snapshot(
            "InvalidInputError: No sample can be drawn: the directory does not state how many records it has (items_available)."
        )


# Frames


def test_statistics_and_charts(message, three_projects):
    wrong = three_projects.assign(analysis_total_code_lines=[1.5, 2.0, 3.0])
    empty = provenance.set_provenance(
        three_projects.copy(), not_sent=["analysis_main_language_name"]
    )
    empty["analysis_main_language_name"] = pd.array([None] * 3, dtype="str")
    assert message(
        stats.language_share, three_projects.drop(columns="analysis_main_language_name")
    ) == (
        snapshot(
            "MissingColumnsError: The frame has no column analysis_main_language_name. The loaded frame had this column, and it was dropped since: keep it."
        )
    )
    accounts = provenance.set_provenance(pd.DataFrame({"id": ["1"]}), resource="account")
    assert message(stats.language_share, accounts) == snapshot(
        "MissingColumnsError: The frame has no column analysis_main_language_name. It holds accounts: pass projects."
    )
    assert message(stats.language_share, ["C"]) == snapshot(
        "InvalidInputError: Expected records: a DataFrame of pandas, Polars or Dask, a table of Arrow, a relation of DuckDB, or the path of a Parquet file or folder; got list."
    )
    assert message(stats.language_share, three_projects, top=0) == snapshot(
        "InvalidInputError: top is 0; it must be a whole number of 1 or more, or None for all languages."
    )
    assert message(dirframe.exclude, three_projects, ["negativ"]) == snapshot(
        "InvalidInputError: There is no rule negativ. The rules are began_before_1970, began_before_language, duplicate_id, impossible_kudo_rank, impossible_latitude, impossible_longitude, lines_outlier, month_in_future, months_reversed, negative_contributors, negative_lines, negative_posts, stale_analysis, updated_before_created."
    )
    assert message(stats.language_share, wrong) == snapshot(
        "InvalidInputError: The column analysis_total_code_lines must hold whole numbers: Float value 1.500000 was truncated converting to int64. Convert it first, such as with pandas.to_numeric(…)."
    )
    assert message(stats.language_share, empty) == snapshot(
        "ColumnsNotSentError: Columns that were not sent: analysis_main_language_name. The directory sends them only on each project's own page, so their values are unknown. Load with details=True (--details) to request these pages; dirframe.plan(..., details=True) (dirframe projects --details --plan) estimates the cost."
    )
    assert message(stats.accounts_by_country, three_projects) == snapshot(
        "MissingColumnsError: The frame has no column country_code, country_alpha_2, country_name. dirframe.unify_countries(accounts) (dirframe clean) adds country_alpha_2 and country_name by the column country_code. Projects have no country."
    )
    assert message(stats.language_share, stats.language_share(three_projects)) == snapshot(
        "InvalidInputError: The frame is the result of language_share: pass the records instead."
    )
    assert message(plot.language_share, three_projects, width="wide") == snapshot(
        "InvalidInputError: width is 'wide'; it must be 'column' or 'page'."
    )


def test_frames(message, three_projects):
    accounts = pd.DataFrame({"id": ["1"], "posts_count": [1], "country_code": ["Korea"]})
    provenance.set_provenance(accounts, resource="account")
    assert message(dirframe.select, three_projects, languages="Jav") == snapshot(
        "UnknownValueWarning: No record has the main language 'Jav'. Did you mean 'Java'?"
    )
    assert message(dirframe.select, three_projects, languages="Java,C") == snapshot(
        "UnknownValueWarning: No record has the main language 'Java,C'. Give several as a list: languages=['Java', 'C'] (--where language=Java --where language=C)."
    )
    assert message(dirframe.select, three_projects, years=(2010, 2000)) == snapshot(
        "InvalidInputError: years is (2010, 2000); give the first and the last, such as (2008, 2010) or (2008, None), or (None, None) for the records without a value."
    )
    assert message(dirframe.child_table, three_projects, "tag") == snapshot(
        "InvalidInputError: There is no table 'tag' of projects; choose one of factoids, languages, licenses, links, similar_projects, tags."
    )
    assert message(dirframe.fields, "projct") == snapshot(
        "InvalidInputError: There is no resource 'projct'; choose one of account, project, language, contributor_fact, activity_fact, size_fact, analysis, factoid, enlistment, stack, kudo, org, position, portfolio_project, outside_project, affiliated_committer, outside_committer, repository."
    )
    assert message(cite, pd.DataFrame({"id": ["1"]})) == snapshot(
        "InvalidInputError: The frame has no provenance, so it cannot be cited. Cite the frame of a loader (a file of dirframe accounts or projects); after a merge, call dirframe.provenance.copy_provenance(loaded, frame) first."
    )
    assert message(dirframe.unify_countries, three_projects) == snapshot(
        "InvalidInputError: The frame has no column 'country_code'. It has 'id', 'name', 'created_at', 'analysis_main_language_name', 'analysis_total_code_lines'. Pass column= (--column) to name the one that holds the countries."
    )
    assert message(dirframe.unify_countries, accounts, errors="raise") == snapshot("""\
UnresolvedCountriesError: Without a country: 1 value in 1 record:
  'Korea' (1): could be more than one country
Resolve them with overrides={value: code or None} (--overrides FILE, which --audit writes), or pass errors="coerce" (leave --strict out).\
""")
    assert message(dirframe.unify_countries, accounts, overrides={"Korea": "KOR"}) == snapshot(
        "InvalidInputError: Overrides without a valid country code (1): 'Korea': 'KOR'. Give a two-letter code of ISO 3166-1 in capitals (or XK), or None for no country."
    )
    twice = pd.DataFrame({"raw": ["Congo"] * 2, "country_alpha_2": ["CD", "CG"]})
    assert message(dirframe.unify_countries, accounts, overrides=twice) == snapshot(
        "InvalidInputError: Overrides with several answers: 'Congo'. Keep one of each."
    )
    assert message(dirframe.country_note, accounts) == snapshot(
        "InvalidInputError: The frame does not record how many of its records have no country. Pass what unify_countries() or country_audit() returned (a file of dirframe clean)."
    )


def test_options_of_statistics(message, three_projects, tmp_path):
    parquet = three_projects.assign(analysis_languages=7)
    twice = pd.concat([three_projects, three_projects[["name"]]], axis=1)
    csv = tmp_path / "projects.csv"
    csv.write_text("id,name\n1,a\n")
    contributors = pd.DataFrame(
        {"contributor_id": ["1", "1"], "contributor_name": ["a", "b"], "commits": [1, 2]}
    )
    assert {
        "frequency": message(stats.growth, three_projects, freq="2W"),
        "column of a statistic": message(stats.by, stats.growth, three_projects, 7),
        "column that is not there": message(stats.by, stats.growth, three_projects, "age"),
        "statistic": message(stats.by, "growth", three_projects, "name"),
        "list": message(stats.language_breakdown, parquet),
        "columns of one name": message(stats.growth, twice),
        "file": message(stats.growth, "projects.parquet"),
        "as_of": message(stats.activity, three_projects, as_of="soon"),
        "window": message(stats.activity, three_projects, window=0),
        "confidence": message(stats.activity, three_projects, confidence=95),
        "bounds": message(stats.team_size_classes, three_projects, bounds=[1, 5]),
        "entries of a list": message(stats.tags, three_projects.assign(tags=[[["a"]]] * 3)),
        "result of an own one": message(stats.by, list, three_projects, "name"),
        "half a pair of an own one": message(stats.by, lambda _: "\ud83d", three_projects, "name"),
        "stratum": message(stats.by, stats.growth, three_projects, "colour"),
        "stratum of fractions": message(
            stats.by, stats.growth, three_projects.assign(size=0.5), "size"
        ),
        "table of a statistic": message(stats.growth, stats.growth(three_projects)),
        "text file": message(stats.growth, csv),
        "contributor twice": message(stats.commits_by_contributor, contributors),
        "several projects": message(
            stats.commits_by_contributor, contributors.assign(project_id=["1", "2"])
        ),
        "number beyond 64 bits": message(
            stats.language_share, three_projects.assign(analysis_total_code_lines=2**62)
        ),
        "name": message(getattr, stats, "langage_share"),
        "module": message(stats.languages, three_projects),
        "option": message(partial(stats.growth, three_projects, frequency="M")),
        "name of the accessor": message(getattr, three_projects.dirframe.stats, "langage_share"),
    } == snapshot(
        {
            "frequency": "InvalidInputError: freq is '2W'; it must be one of D, W, MS, QS, YS, M, Q, Y.",
            "column of a statistic": "InvalidInputError: Expected the name of a column; got 7.",
            "column that is not there": "MissingColumnsError: The frame has no column analysis_min_month. The loaded frame had this column, and it was dropped since: keep it.",
            "statistic": "InvalidInputError: Expected a function of dirframe.stats, such as stats.tags; got 'growth'. stats.by divides what a statistic counts, and plot.panels what a chart shows.",
            "list": "InvalidInputError: The column analysis_languages must hold lists, or lists as JSON; it holds values of type int. read_table reads the lists that export wrote; Dask makes text of lists unless the option dataframe.convert-string is False.",
            "columns of one name": "InvalidInputError: The frame has several columns of one name (name), and columns are found by their names. Rename them, or drop all but one.",
            "file": "InvalidInputError: There is no file projects.parquet.",
            "as_of": "InvalidInputError: as_of must be a day such as 'DATE' or a month such as '2013-07'; got 'soon'.",
            "window": "InvalidInputError: window is 0; it must be a whole number from 1 to 24, in months.",
            "confidence": "InvalidInputError: confidence is 95; it must be a share between 0 and 1, such as 0.95.",
            "bounds": "InvalidInputError: bounds must ascend from 0; got [1, 5].",
            "entries of a list": "InvalidInputError: The entries of a list must be texts, or records of texts.",
            "result of an own one": "InvalidInputError: The statistic returned a list; it must return a frame, a Series or a value.",
            "half a pair of an own one": "InvalidInputError: The statistic returned half a UTF-16 pair, which is no text: '\\ud83d'. Replace it first, such as by text.encode('utf-8', 'replace').decode().",
            "stratum": "MissingColumnsError: The stratum 'colour' is neither a column of the frame nor one of language, country, year, age, team_size, license, license_family, tag.",
            "stratum of fractions": "InvalidInputError: The column 'size' holds neither text nor whole numbers to divide by. Convert it first, such as with frame.astype('str').",
            "table of a statistic": "InvalidInputError: The frame is the result of growth: pass the records instead.",
            "text file": "InvalidInputError: FOLDER/projects.csv is not Parquet. Pass the frame of dirframe.read_table, which reads CSV and JSON too.",
            "contributor twice": "InvalidInputError: The contributor '1' is in the frame more than once. Pass the records of one project, or those of several with stats.by or plot.panels (--by) and the column that tells their projects apart, such as project_id.",
            "several projects": "InvalidInputError: The frame has records of 2 projects (1, 2). Pass the records of one project, or those of several with stats.by or plot.panels (--by) and the column that tells their projects apart, such as project_id.",
            "number beyond 64 bits": "InvalidInputError: Numbers of code_lines, or their sum, are beyond 64 bits (9.2e18), so that no right sum can be given. Leave out the records whose number cannot be right, such as those above 1e12.",
            "name": "AttributeError: module 'dirframe.stats' has no attribute 'langage_share'. Did you mean 'language_share' or 'languages_by_year' or 'language_breakdown'?",
            "module": "TypeError: dirframe.stats.languages is a module, not a function. Its functions: dirframe.stats.contributors_by_language, dirframe.stats.language_breakdown, dirframe.stats.language_share, dirframe.stats.languages_by_year.",
            "option": "TypeError: growth(): got an unexpected keyword argument 'frequency'. Did you mean 'freq'?",
            "name of the accessor": "AttributeError: DataFrame.dirframe of dirframe.stats has no attribute 'langage_share'. Did you mean 'language_share' or 'languages_by_year' or 'language_breakdown'?",
        }
    )


def test_options_of_charts(message, three_projects):
    _, axes = plt.subplots(2)
    polar = plt.figure().add_subplot(projection="polar")
    growth, panels = plot.growth, plot.panels
    assert {
        "several Axes": message(growth, three_projects, ax=axes),
        "projection": message(growth, three_projects, ax=polar),
        "width of given Axes": message(growth, three_projects, ax=axes[0], width="page"),
        "title": message(growth, three_projects, title=3),
        "Axes of panels": message(panels, growth, three_projects, "name", ax=axes[0]),
        "half a pair": message(growth, three_projects, title="\ud83d"),
        "own chart without Axes": message(panels, len, three_projects, "name"),
        "width": message(growth, three_projects, width="wide"),
    } == snapshot(
        {
            "several Axes": "InvalidInputError: ax must be one Axes, such as axes[0] of several; got ndarray.",
            "projection": "InvalidInputError: ax must have an x and a y axis; got polar axes.",
            "width of given Axes": "InvalidInputError: width= is that of a new figure: leave out ax, or width.",
            "title": "InvalidInputError: title is 3; it must be text, or False for none.",
            "Axes of panels": "InvalidInputError: panels makes its own axes: leave out ax.",
            "half a pair": "InvalidInputError: title is '\\ud83d'; it holds half a UTF-16 pair, which is no text.",
            "own chart without Axes": "InvalidInputError: len takes no ax: panels calls chart(frame, ax=ax).",
            "width": "InvalidInputError: width is 'wide'; it must be 'column' or 'page'.",
        }
    )


def test_series_without_a_name(message):
    half_pair = pd.Series(["\ud83d"], dtype="object")
    assert {
        "half a pair": message(dirframe.country_audit, half_pair),
        "half a pair in a named one": message(dirframe.country_audit, half_pair.rename("land")),
        "lists": message(dirframe.unify_countries, pd.Series([["DE"]])),
    } == snapshot(
        {
            "half a pair": "InvalidInputError: The Series holds half a UTF-16 pair, which is no text: row 0 ('\\ud83d'). Replace it first, such as by text.encode('utf-8', 'replace').decode().",
            "half a pair in a named one": "InvalidInputError: The column land holds half a UTF-16 pair, which is no text: row 0 ('\\ud83d'). Replace it first, such as by text.encode('utf-8', 'replace').decode().",
            "lists": "InvalidInputError: The Series holds lists or other values that are no text. Make a row of each entry first, such as with pandas.DataFrame.explode.",
        }
    )


def test_options_of_frames(message, three_projects, tmp_path):
    other = provenance.set_provenance(pd.DataFrame({"id": ["1"]}), resource="account")
    twice = pd.concat([three_projects, three_projects])
    page = tmp_path / "report.html"
    people = pd.DataFrame({"contributor_id": ["1"], "contributor_name": ["a"], "commits": [1]})
    assert {
        "age": message(dirframe.exclude, three_projects, older_than="2 m"),
        "years as a range": message(dirframe.select, three_projects, ranges=[1, 2]),
        "search": message(dirframe.select, three_projects, search=7),
        "countries of a list": message(dirframe.unify_countries, ["DE"]),
        "errors": message(dirframe.unify_countries, three_projects, errors="ignore"),
        "overrides": message(
            dirframe.unify_countries, three_projects, column="name", overrides=["DE"]
        ),
        "citation style": message(cite, three_projects, style="ris"),
        "snapshots of other records": message(dirframe.compare, three_projects, other),
        "snapshot with an id twice": message(dirframe.compare, three_projects, twice),
        "report of a list": message(dirframe.report, [1], "report.html"),
        "switch": message(dirframe.plan, "projects", refresh="yes"),
        "provenance": message(provenance.set_provenance, three_projects, query={"a": {1}}),
        "fact": message(partial(provenance.set_provenance, three_projects, colour="red")),
        "type of a fact": message(partial(provenance.set_provenance, three_projects, steps="a")),
        "address of a fact": message(
            partial(provenance.set_provenance, three_projects, base_url="https://a.example?b=c")
        ),
        "flags of nothing": message(dirframe.flags, pd.DataFrame({"x": [1]})),
        "languages of numbers": message(dirframe.select, three_projects, languages=[7]),
        "overrides without a column": message(
            dirframe.unify_countries, other, column="id", overrides=pd.DataFrame({"raw": ["x"]})
        ),
        "report of two": message(dirframe.report, [three_projects, three_projects], page),
        "report of parts alone": message(dirframe.report, other, page, contributors=people),
        "report of parts without an owner": message(
            dirframe.report, three_projects, page, contributors=people
        ),
        "report of others": message(
            dirframe.report, three_projects, page, contributors=people.assign(project_id="9")
        ),
    } == snapshot(
        {
            "age": "InvalidInputError: '2 m' is not an age. Pass text such as 90d, 26w, 18mo or 2y.",
            "years as a range": "InvalidInputError: ranges is [1, 2]; give a range by column, as a dictionary.",
            "search": "InvalidInputError: search is 7; it must be text.",
            "countries of a list": "InvalidInputError: Expected a DataFrame or a Series of countries; got list.",
            "errors": 'InvalidInputError: errors is "coerce" or "raise", not \'ignore\'.',
            "overrides": "InvalidInputError: overrides is a mapping of raw values to two-letter codes (None for no country) or the table of country_audit(), not list.",
            "citation style": "InvalidInputError: There is no citation style 'ris'; it is one of text, bibtex, apa.",
            "snapshots of other records": "InvalidInputError: The snapshots are of projects and of accounts. Compare two of the same.",
            "snapshot with an id twice": "InvalidInputError: In `after`, each record must have an id of its own, as text or a whole number: 0 without one, 3 with that of an earlier one; the ids are string. Leave records out first, such as with frame.dropna(subset='id') and frame.drop_duplicates('id'), or convert them with frame.astype({'id': 'Int64'}).",
            "report of a list": "InvalidInputError: Expected a frame of pandas or Polars, or an Arrow table; got int. Convert a Dask frame with .compute(), a lazy Polars frame with .collect(), a DuckDB relation with .to_arrow_table().",
            "switch": "InvalidInputError: refresh is 'yes'; it must be True or False.",
            "provenance": "InvalidInputError: Provenance holds JSON values only: Object of type set is not JSON serializable.",
            "fact": "TypeError: Provenance has no fact 'colour'.",
            "type of a fact": "InvalidInputError: steps must be of type list, not str.",
            "address of a fact": "InvalidInputError: Provenance is shown and exported: it takes no address with a user or a query, and no query with an api_key.",
            "flags of nothing": "MissingColumnsError: The frame has no column that a rule reads. Pass accounts or projects of a loader.",
            "languages of numbers": "InvalidInputError: languages is [7]; give texts, or [None] for the records without any.",
            "overrides without a column": "InvalidInputError: The table of overrides has no column 'country_alpha_2'. A frame of overrides is the table of country_audit(), which --audit writes.",
            "report of two": 'InvalidInputError: A report takes one frame of projects, one of accounts, or both; got one of projects and one of projects. If it holds projects, name it: {"projects": frame}. Compare two of the same with dirframe.compare.',
            "report of parts alone": "InvalidInputError: contributors belong to projects: pass the projects, too.",
            "report of parts without an owner": 'MissingColumnsError: contributors has no column project_id, which says whose each record is. Load it of all projects: dirframe.load("contributors", of=projects).',
            "report of others": "InvalidInputError: contributors has records of other projects (9), and none of those reported.",
        }
    )


# Files


def test_files(message, three_projects, tmp_path):
    there = tmp_path / "there.csv"
    there.write_text("id,name\n1,a\n")
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(b"PAR1 and no more")
    export, read = dirframe.export, dirframe.read_table
    assert message(export, three_projects, there) == snapshot(
        "InvalidInputError: FOLDER/there.csv already exists. Choose another name or pass overwrite=True (--overwrite)."
    )
    assert message(export, three_projects, tmp_path / "a.docx") == snapshot(
        "InvalidInputError: FOLDER/a.docx has the suffix '.docx'; choose one of .csv, .tsv, .json, .jsonl, .parquet, .xlsx, .zip."
    )
    assert message(export, [1], tmp_path / "a.csv") == snapshot(
        "InvalidInputError: Expected a frame of pandas or Polars, or an Arrow table; got list. Convert a Dask frame with .compute(), a lazy Polars frame with .collect(), a DuckDB relation with .to_arrow_table()."
    )
    assert message(
        export, {"projects": three_projects, "more": three_projects}, tmp_path / "a.csv"
    ) == (
        snapshot(
            "InvalidInputError: A .csv file cannot hold 2 tables ('projects', 'more'). Export each by itself, or all to one of .xlsx, .zip."
        )
    )
    assert message(read, tmp_path / "gone.csv") == snapshot(
        "InvalidInputError: There is no file FOLDER/gone.csv."
    )
    assert message(read, damaged) == snapshot(
        "InvalidInputError: FOLDER/damaged.parquet holds no table of records as CSV, TSV, JSON, JSON lines or Parquet: Parquet magic bytes not found in footer. Either the file is corrupted or this is not a parquet file. Save text as UTF-8, and restore a damaged file from a copy. Recorded XML is read by dirframe.read_pages (dirframe export FILE records.parquet)."
    )
    assert message(dirframe.open_archive, tmp_path / "gone.archive") == snapshot(
        "ArchiveError: There is no file FOLDER/gone.archive; an archive is one file."
    )


def test_tables_that_cannot_be_read(message, tmp_path):
    contents = {
        "empty": "",
        "a blank line first": "\nid,name\n1,a\n",
        "a title": "Projects of 2020\nid,name\n1,a\n2,b\n",
        "columns of one name": "id,id\n1,2\n",
        "a column without a name": "id,\n1,a\n",
        "a row of more values": "id,name\n1,a,b\n",
        "an open quotation mark": 'id,name\n1,"a\n',
        "a blank before a mark": 'id, "name"\n1,a\n',
        "decimal commas": "id;stack_count\n1;1,5\n",
        "a web page": "<html><body>x</body></html>",
    }
    said = {}
    for case, content in contents.items():
        file = tmp_path / f"{case}.csv"
        file.write_text(content)
        said[case] = message(dirframe.read_table, file)
    (tmp_path / "latin.csv").write_bytes("id,name\n1,Zoë\n".encode("latin-1"))
    (tmp_path / "text.json").write_text("[1, 2]")
    (tmp_path / "half.json").write_text('[{"name": "\\ud800"}]')
    for name in ("latin.csv", "text.json", "half.json"):
        said[name] = message(dirframe.read_table, tmp_path / name)
    assert said == snapshot(
        {
            "empty": "InvalidInputError: FOLDER/empty.csv holds no table of records as CSV, TSV, JSON, JSON lines or Parquet: it is empty; a table has at least a line of columns. Save text as UTF-8, and restore a damaged file from a copy. Recorded XML is read by dirframe.read_pages (dirframe export FILE records.parquet).",
            "a blank line first": "InvalidInputError: FOLDER/a blank line first.csv cannot be read as a table: the first line is empty. Delete the lines above the names.",
            "a title": "InvalidInputError: FOLDER/a title.csv cannot be read as a table: the first line ('Projects of 2020') names one column, and the lines below it have 2, separated by ','. Delete the lines above the names, or put each value in quotation marks.",
            "columns of one name": "InvalidInputError: FOLDER/columns of one name.csv cannot be read as a table: there are several columns of one name: 'id'. Rename all but one.",
            "a column without a name": "InvalidInputError: FOLDER/a column without a name.csv cannot be read as a table: column 2 has values and no name. Name it in the first line, and delete titles above the names.",
            "a row of more values": "InvalidInputError: FOLDER/a row of more values.csv cannot be read as a table: CSV parse error: Row #2: Expected 2 columns, got 3: 1,a,b. Give each row as many values as the first line has names, and delete titles and remarks above it.",
            "an open quotation mark": "InvalidInputError: FOLDER/an open quotation mark.csv holds no table of records as CSV, TSV, JSON, JSON lines or Parquet: a quotation mark is opened and not closed. Save text as UTF-8, and restore a damaged file from a copy. Recorded XML is read by dirframe.read_pages (dirframe export FILE records.parquet).",
            "a blank before a mark": "InvalidInputError: FOLDER/a blank before a mark.csv cannot be read as a table: a blank stands before a quotation mark in the first line. Remove the blanks behind the separators.",
            "decimal commas": "InvalidInputError: FOLDER/decimal commas.csv cannot be read as a table: its columns are separated by semicolons, so the comma of '1,5' in stack_count may begin a fraction. Write fractions with a point, and thousands without a separator.",
            "a web page": "InvalidInputError: FOLDER/a web page.csv holds no table of records as CSV, TSV, JSON, JSON lines or Parquet: the first line does not name columns. Save text as UTF-8, and restore a damaged file from a copy. Recorded XML is read by dirframe.read_pages (dirframe export FILE records.parquet).",
            "latin.csv": "InvalidInputError: FOLDER/latin.csv cannot be read as a table: line 2 is not UTF-8. Save the file in UTF-8.",
            "text.json": "InvalidInputError: FOLDER/text.json holds no table of records as CSV, TSV, JSON, JSON lines or Parquet: JSON is read as a list of records, each an object. Save text as UTF-8, and restore a damaged file from a copy. Recorded XML is read by dirframe.read_pages (dirframe export FILE records.parquet).",
            "half.json": "InvalidInputError: FOLDER/half.json cannot be read as a table: name of record 1 holds half a UTF-16 pair, which is no text ('\\ud800'). Replace it, such as by \\ufffd.",
        }
    )


def test_tables_that_were_changed_since_their_export(message, three_projects, tmp_path):
    file = dirframe.export(three_projects, tmp_path / "p.csv")
    exported = file.read_text()
    file.write_text(exported.replace("Java", "Perl"))
    changed = message(dirframe.read_table, file)
    file.write_text("".join(exported.splitlines(keepends=True)[:-1]))
    cut = message(dirframe.read_table, file)
    record = tmp_path / "p.csv.provenance.json"
    record.write_text(record.read_text().replace("A directory", "Mine"))
    assert {
        "values": changed,
        "rows": cut,
        "provenance": message(dirframe.read_table, file),
    } == snapshot(
        {
            "values": "ExportWarning: FOLDER/p.csv was changed since its export.",
            "rows": "ExportWarning: FOLDER/p.csv holds 2 rows; the export wrote 3, so it was changed.",
            "provenance": "InvalidInputError: FOLDER/p.csv.provenance.json, which holds the provenance of the table, is damaged or was changed since its export. Restore it from a copy, or remove it to read the table without its provenance.",
        }
    )


def test_exports(message, three_projects, tmp_path):
    folder, link = tmp_path / "folder.csv", tmp_path / "link.csv"
    folder.mkdir()
    link.symlink_to(tmp_path / "elsewhere.csv")
    export = partial(dirframe.export, three_projects)
    study = partial(export, tmp_path / "study.zip")
    twice = pd.concat([three_projects["id"], three_projects["id"]], axis=1)
    assert {
        "folder": message(export, folder),
        "link": message(export, link, overwrite=True),
        "title of a table": message(export, tmp_path / "a.csv", title="A study"),
        "columns of one name": message(dirframe.export, twice, tmp_path / "a.csv"),
        "column that is no text": message(
            dirframe.export, pd.DataFrame({7: [1]}), tmp_path / "a.csv"
        ),
        "index and column of one name": message(
            dirframe.export, three_projects.set_index("id", drop=False), tmp_path / "a.csv"
        ),
        "title": message(study, title=1),
        "authors": message(study, authors="Grace Hopper"),
        "license": message(study, license="public domain"),
        "keep": message(study, keep={"accounts": ["id"]}),
        "files": message(study, files="figure.pdf"),
        "file that is not there": message(study, files=["figure.pdf"]),
        "archive": message(study, archive=tmp_path / "a.archive"),
        "recorded pages": message(dirframe.read_pages, tmp_path),
        "recorded page": message(dirframe.read_pages, tmp_path / "gone.xml"),
    } == snapshot(
        {
            "folder": "InvalidInputError: FOLDER/folder.csv is a folder; name a file in it.",
            "link": "InvalidInputError: FOLDER/link.csv is a symbolic link, which a file would replace. Name the file that it is to: FOLDER/elsewhere.csv.",
            "title of a table": "InvalidInputError: title can be given for a study (.zip), not for a .csv file.",
            "columns of one name": "InvalidInputError: The frame has several columns of one name (id), and columns are found by their names. Rename them, or drop all but one.",
            "column that is no text": "InvalidInputError: The columns of 'a' are [7]; an export needs at least one column, and names that are text. Rename them first.",
            "index and column of one name": "InvalidInputError: The index of 'a' and a column are both called 'id'. Rename one of them, or leave the index out with reset_index(drop=True).",
            "title": "InvalidInputError: title is 1; it must be text.",
            "authors": "InvalidInputError: authors is 'Grace Hopper'; it must be a list of names, such as [\"Grace Hopper\"].",
            "license": "InvalidInputError: license is 'public domain'; it must be an expression of SPDX, such as CC-BY-4.0, or the address of the licence.",
            "keep": "InvalidInputError: keep names the table 'accounts', which is not exported.",
            "files": "InvalidInputError: files is 'figure.pdf'; give a list, such as [\"figure.pdf\"].",
            "file that is not there": "InvalidInputError: There is no file figure.pdf to add to the study.",
            "archive": "InvalidInputError: An archive holds personal data: a study includes it only with personal=True (--personal).",
            "recorded pages": "InvalidInputError: There is no .xml file in FOLDER.",
            "recorded page": "InvalidInputError: There is no file or folder FOLDER/gone.xml.",
        }
    )


def test_targets_that_cannot_be_written(message, three_projects, tmp_path):
    pipe, file, archive = tmp_path / "pipe.csv", tmp_path / "file", tmp_path / "a.csv"
    os.mkfifo(pipe)
    file.touch()
    with Rig(2, size=2).in_process() as rig:
        dirframe.harvest("projects", archive, directory=rig.directory(tmp_path))
    half_pair = pd.DataFrame({"name": pd.Series(["\ud83d"], dtype="object")})
    mixed = pd.DataFrame({"name": [object()]})
    small = three_projects[["id"]]
    assert {
        "pipe": message(dirframe.export, small, pipe, overwrite=True),
        "below a file": message(dirframe.export, small, file / "a.csv"),
        "archive": message(dirframe.export, small, archive, overwrite=True),
        "half a pair": message(dirframe.export, half_pair, tmp_path / "b.csv"),
        "objects": message(dirframe.export, mixed, tmp_path / "b.csv"),
        "objects in Parquet": message(dirframe.export, mixed, tmp_path / "b.parquet"),
        "sheet of Excel": message(dirframe.export, {"History": small}, tmp_path / "b.xlsx"),
        "sheet of a name": message(dirframe.export, {"a\x01": small}, tmp_path / "b.xlsx"),
        "sheet of signs": message(dirframe.export, {"a:b": small}, tmp_path / "b.xlsx"),
        "two tables": message(dirframe.export, {"a b": small, "a-b": small}, tmp_path / "b.zip"),
        "long text": message(
            dirframe.export, pd.DataFrame({"a": ["x" * 40_000]}), tmp_path / "b.xlsx"
        ),
    } == snapshot(
        {
            "pipe": "InvalidInputError: FOLDER/pipe.csv is a pipe or a device, not a file. Choose another name.",
            "below a file": "InvalidInputError: FOLDER/file/a.csv cannot be written: FOLDER/file is not a folder that you can write to.",
            "archive": "InvalidInputError: FOLDER/a.csv is an archive of pages, which is never replaced. Choose another name.",
            "half a pair": "InvalidInputError: FOLDER/b.csv cannot hold the text 'name\\n\\ud83d\\n': it has half a UTF-16 pair, which is no text. Replace it first, such as by text.encode('utf-8', 'replace').decode().",
            "objects": "InvalidInputError: The column 'name' holds values of type object, which this format cannot hold. Turn them into text, numbers or lists of these first; .parquet holds bytes too.",
            "objects in Parquet": "InvalidInputError: The column name holds what no file can: Object of type object is not JSON serializable. Turn it into text, numbers or lists of them first.",
            "sheet of Excel": "InvalidInputError: Excel allows no sheet with the name history. Rename the frame.",
            "sheet of a name": "InvalidInputError: The name of a sheet, 'a\\x01', holds a control character, which a workbook cannot hold there. Rename the frame.",
            "sheet of signs": "InvalidInputError: Invalid Excel character '[]:*?/\\' in sheetname 'a:b'. Rename the frame.",
            "two tables": "InvalidInputError: Two tables would have the file data/a-b.csv. Rename one.",
            "long text": "InvalidInputError: The column 'a' of 'data' has a text of 40,000 characters, and a cell of a workbook holds 32,767. Shorten it, leave the column out, or export to another format.",
        }
    )


def test_studies(message, three_projects, tmp_path):
    study = partial(dirframe.export, path=tmp_path / "study.zip")
    people = provenance.set_provenance(
        pd.DataFrame({"id": ["1"], "name": ["Ada"]}), resource="account", source="A directory"
    )
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "figure.svg").write_text("<svg/>")
    figures = [tmp_path / "a" / "figure.svg", tmp_path / "b" / "figure.svg"]
    two = {"projects": three_projects, "others": three_projects}
    assert {
        "persons": message(study, people[["name"]]),
        "table called as a person": message(study, {"ada": three_projects, "people": people}),
        "long name": message(study, {"a" * 300: three_projects}),
        "keep of a text": message(study, three_projects, keep="name"),
        "keep of no table": message(study, two, keep=["name"]),
        "keep of no column": message(study, three_projects, keep={"study": ["nam"]}),
        "files of one name": message(study, three_projects, files=figures),
    } == snapshot(
        {
            "persons": 'InvalidInputError: All columns of \'study\' are about persons (name), or may be, and a study holds them only with personal=True (--personal). keep={"TABLE": ["COLUMN"]} (--keep TABLE.COLUMN) names single ones.',
            "table called as a person": "InvalidInputError: The table 'ada' may be named after a person of this study, and a study is published. Rename it, or pass personal=True (--personal).",
            "long name": "InvalidInputError: The table 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… has a name of 300 characters; 200 are allowed. Rename it.",
            "keep of a text": 'InvalidInputError: keep is \'name\'; give columns by table: {"TABLE": ["COLUMN"]}.',
            "keep of no table": 'InvalidInputError: keep names columns of no table, and there are 2: projects, others. Give them by table: {"TABLE": ["COLUMN"]}.',
            "keep of no column": "InvalidInputError: keep names the column 'nam', which 'study' does not have. Did you mean 'name'?",
            "files of one name": "InvalidInputError: Two files have the name figure.svg. Rename one.",
        }
    )


def test_harvest(message, tmp_path):
    there, kept = tmp_path / "there.csv", tmp_path / "kept.archive"
    there.write_text("id,name\n1,a\n")
    with Rig(5, size=2).in_process() as rig, closing(rig.directory(tmp_path)) as directory:
        harvest = partial(dirframe.harvest, directory=directory)
        assert message(harvest, "projects", there) == snapshot(
            "ArchiveError: FOLDER/there.csv is not an archive. Name another file."
        )
        assert message(harvest, "projcts", kept) == snapshot(
            "InvalidInputError: There is no collection 'projcts'; choose one of accounts, projects."
        )
        harvest("projects", kept)
        rig.sorted = reshuffled()
        other = harvest("projects", tmp_path / "other.archive")
        assert message(other.frame) == snapshot(
            "IncompleteWarning: The archive FOLDER/other.archive is incomplete: the pages overlap, leave gaps or contradict their count: they state 5 as the number of records; the directory's own order did not hold from one page to the next (records came again on other pages, and others on none); on today's live service the sort= (--sort) that is stable is project_name. Harvest it into another file in another order (sort=, --sort): stored pages are not requested again."
        )
        assert message(harvest, "projects", kept, query="xml") == snapshot(
            "ArchiveError: FOLDER/kept.archive holds another collection: it has no query instead of the query 'xml'. Name another file."
        )


def test_archives(message, tmp_path):
    unfinished, damaged = tmp_path / "unfinished.archive", tmp_path / "damaged.archive"
    table = tmp_path / "table.csv"
    with Rig(5, size=2).in_process() as rig, closing(rig.directory(tmp_path)) as directory:
        harvest = partial(dirframe.harvest, "projects", directory=directory)
        harvest(damaged, sort="name")
        other_order = message(harvest, damaged, sort="id")
        rig.always = faults.fails("page is not a number", 400)
        message(harvest, unfinished, query="xml")
    table.write_text("id\n1\n")
    with closing(sqlite3.connect(damaged)) as database, database:
        database.execute("UPDATE pages SET content = x'00' WHERE id = 2")
    content = message(lambda: dirframe.open_archive(damaged).frame())
    with closing(sqlite3.connect(damaged)) as database, database:
        database.execute("UPDATE pages SET size = 1 WHERE id = 2")
    row = message(dirframe.open_archive, damaged)
    with closing(sqlite3.connect(damaged)) as database, database:
        database.execute("UPDATE archive SET query = 'x'")
    assert {
        "other order": other_order,
        "folder": message(harvest, tmp_path),
        "table": message(dirframe.open_archive, table),
        "unfinished": message(lambda: dirframe.open_archive(unfinished).frame()),
        "damaged content": content,
        "damaged row": row,
        "damaged facts": message(dirframe.open_archive, damaged),
    } == snapshot(
        {
            "other order": "InvalidInputError: FOLDER/damaged.archive is sorted by 'name', not by 'id'. Leave sort out, or name another file.",
            "folder": "ArchiveError: FOLDER is a folder; an archive is one file: name one in it.",
            "table": "ArchiveError: FOLDER/table.csv is not an archive. Name another file.",
            "unfinished": "IncompleteWarning: The archive FOLDER/unfinished.archive is incomplete: not finished: 0 records received. Run the harvest again: only what is missing is requested.",
            "damaged content": "ArchiveError: Page 2 in FOLDER/damaged.archive is damaged. Restore the file from a copy.",
            "damaged row": "ArchiveError: FOLDER/damaged.archive is damaged (row 2 does not match its checksum). Restore it from a copy.",
            "damaged facts": "ArchiveError: FOLDER/damaged.archive is damaged (its facts do not match their checksum). Restore it from a copy.",
        }
    )


def test_service(message, tmp_path):
    files = {
        "no-id.csv": "name\nada\n",
        "value.csv": "id,name,posts_count\n1,a,many\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "cut.xml").write_bytes(page_xml([record(1, name="a")])[:-30])
    assert message(dirframe.serve, {"accounts": tmp_path / "no-id.csv"}) == snapshot(
        'ConfigurationError: FOLDER/no-id.csv has no column id, which every record needs; its columns are name. Rename them: dirframe.fields("account") lists the names.'
    )
    assert message(dirframe.serve, {"accounts": tmp_path / "value.csv"}) == snapshot("""\
StoreError: Values of FOLDER/value.csv do not fit; nothing was imported.
  column posts_count, 1: it is not a whole number, written in digits alone: row 1 ('many').
The first row or record is number 1.\
""")
    assert message(dirframe.serve, tmp_path / "cut.xml") == snapshot(
        "StoreError: FOLDER/cut.xml cannot be read: REASON (cut.xml, line 2). Nothing was imported."
    )
    with dirframe.serve() as service:
        port = int(service.url.rpartition(":")[2])
        assert message(dirframe.serve, port=port) == snapshot(
            "ConfigurationError: The service cannot listen at 127.0.0.1, port PORT: REASON. Choose another address or port; port 0 takes a free one."
        )


def test_service_sources(message, tmp_path):
    (tmp_path / "people.csv").write_text("id,name\n1,Ada\n")
    assert message(dirframe.serve, tmp_path / "people.csv") == snapshot(
        'ConfigurationError: It is not clear whether FOLDER/people.csv holds accounts or projects. Name the file accounts or projects, such as accounts.csv; or pass {"accounts": …} to dirframe.serve.'
    )
    assert message(dirframe.serve, tmp_path) == snapshot(
        "StoreError: The folder FOLDER holds no .xml and no .xml.gz file. Of a folder only XML is read; name each table by its own path."
    )


def test_service_store(message, stores_folder, tmp_path, caplog):
    table = tmp_path / "projects.csv"
    table.write_text("id,name\n1,a\n")
    with dirframe.serve(table) as service:
        [store] = stores_folder.iterdir()
        content = store.read_bytes()
        store.write_bytes(b"damaged")
        of_store = requests.get(f"{service.url}/projects/1", timeout=60)
        store.write_bytes(content.replace(b"<project>", b"<pro<ect>"))
        of_record = requests.get(f"{service.url}/projects/1", timeout=60)
    assert (of_store.status_code, of_record.status_code) == (500, 500)

    class Changing:
        """A frame that is read while a file changes."""

        def __arrow_c_stream__(self, requested_schema=None):
            table.write_text("id,name\n2,b\n")
            return pa.table({"id": ["9"], "name": ["z"]}).__arrow_c_stream__()

    changed = message(dirframe.serve, {"projects": [table, Changing()]})
    log = [entry.getMessage() for entry in caplog.records if entry.levelname == "ERROR"]
    assert {
        "damaged store": fixed(tmp_path, log[0]),
        "damaged record": fixed(tmp_path, log[1]),
        "changed files": changed,
    } == snapshot(
        {
            "damaged store": "A request failed. The store FOLDER/cache/stores/STORE.sqlite cannot be read: file is not a database. Start the service again: it rebuilds a damaged store.",
            "damaged record": "A request failed. The store FOLDER/cache/stores/STORE.sqlite holds a damaged record: REASON (<string>, line 1).",
            "changed files": "StoreError: The files changed during the import, so nothing was imported. Run it again when no program writes to them.",
        }
    )


def test_service_data(message, stores_folder, tmp_path):
    (tmp_path / "again").symlink_to(tmp_path)
    pages = {
        "a web page": b"<html><body>Maintenance</body></html>",
        "a failure": b"<response><status>failed</status><error>No.</error></response>",
        "a document type": b"<!DOCTYPE response><response><result/></response>",
        "records of another kind": page_xml([record(1, "language")]),
        "no id": page_xml(["<account><name>x</name></account>"]),
        "values": page_xml(
            [record(n, "account", email_md5="12", created_at="today") for n in range(4)]
        ),
    }
    serve = partial(dirframe.serve, pd.DataFrame({"id": ["1"], "name": ["a"], "posts_count": [1]}))
    said = {}
    for case, page in pages.items():
        file = tmp_path / f"{case}.xml"
        file.write_bytes(page)
        said[case] = message(dirframe.serve, file)
    contents = {
        "accounts-1.csv": "id,name\n1,\n1,a\n",
        "accounts-2.csv": "",
        "projects.csv": "id,name,tags\n1,a,[1\n",
    }
    for name, text in contents.items():
        (tmp_path / name).write_text(text)
        said[name] = message(dirframe.serve, tmp_path / name)
    assert {
        "linked folder": message(dirframe.serve, tmp_path),
        "no file": message(dirframe.serve, tmp_path / "gone.csv"),
        "no data": message(dirframe.serve, []),
        "other collections": message(dirframe.serve, {"people": tmp_path / "accounts-1.csv"}),
        "port": message(serve, port=70_000),
        "host": message(serve, host=" "),
        "proxy": message(serve, trusted_proxy="nginx"),
        **said,
    } == snapshot(
        {
            "linked folder": "StoreError: FOLDER/again is a link to a folder that holds it. Remove the link.",
            "no file": "InvalidInputError: There is no file or folder FOLDER/gone.csv.",
            "no data": "InvalidInputError: There is no data to serve: name a file, a folder or a frame.",
            "other collections": "ConfigurationError: Data is served as accounts and projects, not as people.",
            "port": "ConfigurationError: There is no port 70000: ports go from 0 to 65535.",
            "host": "ConfigurationError: The service cannot listen at ' ': name an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them.",
            "proxy": "ConfigurationError: The trusted proxy is 'nginx'; it must be an IP address or a network, such as 127.0.0.1 or 10.0.0.0/8.",
            "a web page": "StoreError: FOLDER/a web page.xml is not a collection: its root is <html>, not <response>. Nothing was imported.",
            "a failure": "StoreError: FOLDER/a failure.xml is not a collection: its status is 'failed'. Nothing was imported.",
            "a document type": "StoreError: FOLDER/a document type.xml is not a collection: it declares a document type. Nothing was imported.",
            "records of another kind": "StoreError: FOLDER/records of another kind.xml is not a collection: it holds <language> where <account> or <project> is expected. Nothing was imported.",
            "no id": """\
StoreError: Values of FOLDER/no id.xml do not fit; nothing was imported.
  column id, 1: an id has 1 to 100 characters, without blanks and slashes: record 1 (line 2) ('').
The first row or record is number 1.\
""",
            "values": """\
StoreError: Values of FOLDER/values.xml do not fit; nothing was imported.
  column email_md5, 4: it is not 32 hexadecimal digits: record 1 (line 2) ('12'), record 2 (line 2) ('12'), record 3 (line 2) ('12') and 1 more.
  column created_at, 4: it is not a timestamp of ISO 8601: record 1 (line 2) ('today'), record 2 (line 2) ('today'), record 3 (line 2) ('today') and 1 more.
The first row or record is number 1.\
""",
            "accounts-1.csv": """\
StoreError: Values of FOLDER/accounts-1.csv do not fit; nothing was imported.
  column name, 1: every record needs one: row 1 ('').
  column id, 1: another row has the same id: row 2 ('1').
The first row or record is number 1.\
""",
            "accounts-2.csv": "StoreError: FOLDER/accounts-2.csv cannot be read as a table (it is empty; a table has at least a line of columns).",
            "projects.csv": """\
StoreError: Values of FOLDER/projects.csv do not fit; nothing was imported.
  column tags, 1: it is not a list in JSON: row 1 ('[1').
The first row or record is number 1.\
""",
        }
    )


def test_service_keys(message, tmp_path):
    file, garbage = tmp_path / "keys.sqlite", tmp_path / "garbage"
    garbage.write_text("not a database, but long enough to be read as one" * 10)
    with closing(sqlite3.connect(tmp_path / "other")) as database:
        database.execute("CREATE TABLE t (x)")
    with KeyStore(file) as keys:
        keys.add("Ada", "charts")
        said = {
            "application": message(keys.add, "Ada", "charts"),
            "name": message(keys.add, "Ada", ""),
            "number": message(keys.revoke, 7),
            "limit": message(keys.set_daily_limit, 1, 0),
        }
        for number in range(4):
            keys.add("Ada", f"maps {number}")
        said["sixth key"] = message(keys.add, "Ada", "more")
        with closing(sqlite3.connect(file)) as database, database:
            database.execute("UPDATE keys SET developer = 'Eve'")
        said["changed key"] = message(keys.records)
    said["garbage"] = message(KeyStore, garbage)
    said["other database"] = message(KeyStore, tmp_path / "other")
    assert said == snapshot(
        {
            "application": "InvalidInputError: Ada has a key for charts; each application has one. Revoke it first, or name another application.",
            "name": "InvalidInputError: '' is not a printable name of at most 200 characters.",
            "number": "InvalidInputError: There is no active key number 7.",
            "limit": "InvalidInputError: The limit is 0; it must be a number of requests from 1 to 9223372036854775807.",
            "sixth key": "InvalidInputError: Ada has keys for charts, maps 0, maps 1, maps 2, maps 3; a developer may have 5. Revoke one first, or allow more (--beyond-limit).",
            "changed key": "StoreError: Key number 1 in FOLDER/keys.sqlite is damaged. Restore the file from a copy.",
            "garbage": "StoreError: FOLDER/garbage cannot be used as a key file: file is not a database.",
            "other database": "StoreError: FOLDER/other cannot be used as a key file: it is a database of another program.",
        }
    )


def test_service_responses(tmp_path):
    frame = pd.DataFrame({"id": ["1"], "name": ["a"]})
    requested = {
        "page": "/projects.xml?page=0",
        "sort": "/projects.xml?sort=stars",
        "query": "/projects.xml?query=a%00",
        "many words": "/projects.xml?query=a+b+c+d+e+f+g+h+i+j+k",
        "no project": "/projects/9.xml",
        "no contributors": "/projects/1/contributors.xml",
        "no CSV": "/accounts.csv",
        "no address": "/nothing.xml",
    }
    with closing(open_data({"projects": frame})) as store, KeyStore() as keys:
        client = create_app(store, keys).test_client()
        key = keys.add("Ada", "charts")
        texts = {}
        for case, path in requested.items():
            response = client.get(f"{path}{'&' if '?' in path else '?'}api_key={key}")
            root = etree.fromstring(response.get_data())
            texts[case] = f"{response.status_code}: {root.findtext('error')}"
    assert texts == snapshot(
        {
            "page": "400: There is no page '0': the first page is 1, and a page is a whole number.",
            "sort": "400: There is no sort of projects by 'stars'; there are created_at, created_at_reverse, id, id_reverse, name, name_reverse, updated_at, updated_at_reverse, stack_count, stack_count_reverse, new, users, popularity, project_name, description, relevance.",
            "query": "400: query must not contain control characters.",
            "many words": "400: A query has at most 10 different words.",
            "no project": "404: There is no such project.",
            "no contributors": "404: Code analysis is not available: this project has not been analysed.",
            "no CSV": "404: This directory does not offer its accounts as CSV.",
            "no address": "404: There is nothing at this address.",
        }
    )


# The command line: exit code and standard error


@pytest.fixture
def said(run, tmp_path):
    """Return exit code and standard error of a command that writes no output."""

    def of(*words):
        done = run(*words)
        assert done.out == ""
        return fixed(tmp_path, f"{done.code}: {done.err}")

    return of


def test_wrong_calls(said, tmp_path):
    there = tmp_path / "there.csv"
    there.write_text("id,name\n1,a\n")
    assert said("projects") == snapshot(
        "3: dirframe: No directory is given. Set DIRFRAME_BASE_URL (--base-url), or pass dirframe.Directory(base_url, key) to the loader. The address of Open Hub is https://www.openhub.net; it issues keys to its members at https://www.openhub.net/accounts/LOGIN/api_keys/new (LOGIN is your login name). Without a key, use dirframe.sample_directory() (--demo) for the bundled sample data."
    )
    assert said("projcts") == snapshot("""\
2: Usage: dirframe [OPTIONS] COMMAND [ARGS]...
Try 'dirframe --help' for help.

Error: No such command 'projcts'. Did you mean 'projects'?\
""")
    assert said("projects", "--demo", "--max-item", "5") == snapshot("""\
2: Usage: dirframe projects [OPTIONS] [PROJECT]...
Try 'dirframe projects --help' for help.

Error: No such option '--max-item'. Did you mean '--max-items'?\
""")
    assert said("stats", "language_share", there) == snapshot("""\
2: dirframe: The frame has no column analysis_main_language_name. Pass a frame of a loader, such as dirframe.load_projects(), or name a file of one, with all of its columns.\
""")


def last_line(text):
    """Leave out the usage, which is above an error of the command line."""
    return text.splitlines()[-1]


def test_wrong_options(said, tmp_path):
    table = tmp_path / "accounts.csv"
    table.write_text("id,name,posts_count\n1,a,3\n")
    (tmp_path / "empty.txt").touch()
    column = tmp_path / "column.csv"
    column.write_text("short\nfirefox\n")
    same = tmp_path / "same" / "accounts.csv"
    same.parent.mkdir()
    same.write_text("id,name\n1,a\n")
    lists = dirframe.export(pd.DataFrame({"id": ["1"], "links": [["x"]]}), tmp_path / "l.parquet")
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"Zo\xeb\n")
    lines = {
        "seed": "projects --demo --seed 7",
        "two directories": f"projects --demo --base-url {ADDRESS}",
        "plan offline": "projects --demo --plan --offline",
        "commas": "projects --demo 633,714",
        "words": ["projects", "--demo", "text editor"],
        "file of ids": ["projects", "--demo", table],
        "ids from nothing": ["projects", "--demo", "--ids-from", tmp_path / "empty.txt"],
        "repositories of nobody": "load repositories --demo",
        "condition without a value": f"export {table} {tmp_path}/a.csv --where name",
        "condition of no column": f"export {table} {tmp_path}/a.csv --where nam=a",
        "condition that is no number": f"export {table} {tmp_path}/a.csv --where posts_count=many",
        "range": f"export {table} {tmp_path}/a.csv --where years=2008..x",
        "columns": "accounts --demo -n 3 --columns nam",
        "file and directory": f"summary {table} --demo",
        "source as target": f"export {table}",
        "statistic of nothing": "stats tags",
        "accounts with details": "report --collection accounts --demo --details",
        "address as a file": f"summary {ADDRESS}/projects.xml",
        "format and file": f"projects --demo --format json -o {tmp_path}/a.csv",
        "table to keep": f"export {table} {tmp_path}/a.zip --keep projects.name",
        "condition twice": f"export {table} {tmp_path}/a.csv --where name=a --where name=b",
        "ids without a column": f"projects --demo --ids-from {column}",
        "resolution": f"plot accounts_by_country {table} -o {tmp_path}/a.svg --dpi 300",
        "groups": f"stats growth {table} --min-records 5",
        "another collection": "stats tags --collection accounts --demo",
        "file of facts": "stats code_growth",
        "limit of repositories": "load repositories --of 464 --demo -n 3",
        "source replaced": f"export {table} {table} --overwrite",
        "page of a statistic": f"stats growth {table} -o {tmp_path}/a.html",
        "more arguments": f"summary {table} {table} {table}",
        "audit and table": f"clean {table} --audit {tmp_path}/a.csv -o {tmp_path}/a.csv",
        "report of a page": f"report {tmp_path}/a.html",
        "files of one name": f"export {table} {same} {tmp_path}/a.zip",
        "option of no chart": f"plot growth {table} -p colour=red",
        "columns with blanks": "projects --demo --columns id name",
        "lists to compare": f"export {lists} {tmp_path}/a.csv --where links=x",
        "ids in Latin-1": f"projects --demo --ids-from {latin}",
    }
    texts = {}
    for case, line in lines.items():
        words = line.split() if isinstance(line, str) else line
        texts[case] = last_line(said(*words))
    assert texts == snapshot(
        {
            "seed": "Error: --seed needs --sample, the size of the random sample.",
            "two directories": "Error: --demo and --base-url exclude each other.",
            "plan offline": "Error: --plan sends requests and --offline sends none: leave one out.",
            "commas": "Error: Separate projects by blanks: 633 714",
            "words": "Error: 'text editor' is not an id or short name: --query 'text editor' loads the projects with these words.",
            "file of ids": "Error: FOLDER/accounts.csv is a file: --ids-from FOLDER/accounts.csv reads the ids in it.",
            "ids from nothing": "Error: FOLDER/empty.txt names no record.",
            "repositories of nobody": "Error: Name the projects: dirframe load repositories --of 464.",
            "condition without a value": "Error: Invalid value for '--where': 'name' is not of the form NAME=VALUE; a range is NAME=1..5, NAME=5.. or NAME=..5.",
            "condition of no column": "Error: There is no column nam. Did you mean 'name'?",
            "condition that is no number": "Error: posts_count has numbers, not 'many'.",
            "range": "Error: Invalid value for '--where': '2008..x' is not a range such as 2008..2010.",
            "columns": "Error: There is no column nam. Did you mean 'name'?",
            "file and directory": "Error: FOLDER/accounts.csv is a file, and --demo is for a directory.",
            "source as target": "Error: FOLDER/accounts.csv exists, and no second file is named to write to: dirframe export FOLDER/accounts.csv TARGET converts it. Records of the directory are written to a new file.",
            "statistic of nothing": "Error: Name a file, or --collection projects.",
            "accounts with details": "Error: --details is about projects; accounts have no own pages: name --collection projects.",
            "address as a file": "Error: https://directory.example/projects.xml is an address, and FILE is on this machine: download it first.",
            "format and file": "Error: The suffix of the file sets its format: leave out --format or -o.",
            "table to keep": "Error: --keep projects.name names no table; it is TABLE.COLUMN, of the tables accounts.",
            "condition twice": "Error: Invalid value for '--where': name is given twice.",
            "ids without a column": "Error: FOLDER/column.csv has no column id (of organizations: url_name).",
            "resolution": "Error: --dpi is for .png files: FOLDER/a.svg has no resolution.",
            "groups": "Error: --min-records needs --by, which names the groups.",
            "another collection": "Error: This is about projects: leave --collection accounts out.",
            "file of facts": "Error: Invalid value for 'NAME': There is no 'code_growth'. Did you mean 'growth'? dirframe stats --help names all.",
            "limit of repositories": "Error: -n is not an option of repositories: leave it out.",
            "source replaced": "Error: FOLDER/accounts.csv is read by this command, and is not replaced by its result: name another file to write.",
            "page of a statistic": "2: dirframe: FOLDER/a.html has the suffix '.html'; choose one of .csv, .tsv, .json, .jsonl, .parquet, .xlsx, .zip.",
            "more arguments": "Error: Unexpected argument 'FOLDER/accounts.csv FOLDER/accounts.csv'. It takes one file; dirframe compare BEFORE AFTER compares two.",
            "audit and table": "Error: --audit and --output both name FOLDER/a.csv: name two files.",
            "report of a page": "Error: FOLDER/a.html is a web page, not a table. -o FOLDER/a.html writes the report to it.",
            "files of one name": "Error: Each table is named after its file, and two files have the same name: rename one.",
            "option of no chart": "Error: growth takes no -p colour; it takes freq, cumulative, title, caption, width.",
            "columns with blanks": "Error: Separate columns by commas: --columns id,name",
            "lists to compare": "Error: links holds neither texts nor numbers to compare with.",
            "ids in Latin-1": "Error: Line 1 of FOLDER/latin.txt is not UTF-8. Save it in UTF-8.",
        }
    )
