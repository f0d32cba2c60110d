"""The words of errors and warnings that a person meets: here alone they are pinned.

After a change of words: pytest tests/test_messages.py --inline-snapshot=fix
"""

import re
import warnings
from contextlib import closing
from functools import partial
from itertools import count
from random import Random

import pandas as pd
import pytest
from inline_snapshot import snapshot

import dirframe
from dirframe import Directory, cite, plot, provenance, stats
from tests.rig import faults
from tests.rig.server import MARK, Rig, page_xml, record
from tests.rig.today import Today

ADDRESS = "https://directory.example"
RAISED = (dirframe.DirframeError, OSError)

#: What varies from run to run, and the word in its place.
VARIES = {
    r"\d{4}-\d\d-\d\d(T| )\d\d:\d\d(:\d\d)?": "DATE",
    r"\d{4}-\d\d-\d\d": "DATE",
    r"127\.0\.0\.1(:|', |, port )\d+": r"127.0.0.1\1PORT",
    r"python -m [\w.]+": "dirframe",
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
        told = [f"{w.category.__name__}: {w.message}" for w in warned]
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
        "InvalidInputError: Expected a Directory; got a str. Pass dirframe.Directory(...) or dirframe.sample_directory(); to search for text, pass query=."
    )
    assert message(dirframe.load_project, "", directory=directory) == snapshot(
        "InvalidInputError: The project is ''; it must be a name, or an id as text or a whole number. Pass one id or name. Read a column of ids as text; from a row of a frame, pass row['id']."
    )
    assert message(dirframe.load, "forums", directory=directory) == snapshot(
        "InvalidInputError: There is no collection 'forums'. Did you mean 'orgs'? Choose one of accounts, projects, languages, orgs, or pass a path, such as '/projects/1/contributors.xml'."
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
        'IncompleteCollectionError: The projects of rig are not proven complete: 3 different records were received of 4; 1 repeated. Run it again, or choose another sort (--sort): cached pages cost nothing, and refresh=True (--refresh) requests all pages, also those that were refused; incomplete="warn" (--incomplete warn) accepts the partial result.'
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
    with Rig(3).in_process() as rig:
        directory = rig.directory(tmp_path)
        rig.always = faults.rewrites(lambda body: body.replace(b"<id>1<", b"<id>2<"))
        assert message(dirframe.load_project, 1, directory=directory) == snapshot(
            "NotFoundError: http://127.0.0.1:PORT/projects/1.xml returned 2 (project 1), not the project with the id or name '1'."
        )


def test_loads_beyond_the_quota_samples_and_many_projects(load, message, tmp_path):
    assert load(30, options={"daily_quota": 6}) == snapshot(
        "QuotaExceededError: http://127.0.0.1:PORT/projects.xml?page=7 was not requested: the quota of 6 requests within 24 hours is used up, and the next one is free at DATE UTC. Received pages are cached: run it again later, and only the rest is requested."
    )
    assert load(40, sorted=reshuffled()) == snapshot(
        "IncompleteCollectionError: The projects of rig are not proven complete: 25 different records were received of 40; 15 repeated; the directory's own order did not hold from one page to the next (records came again on other pages, and others on none); on today's live service the sort= (--sort) that is stable is project_name. Run it again with refresh=True (--refresh): records may have moved once while they were read. If that fails, too, the order is not stable: choose another sort (--sort); incomplete=\"warn\" (--incomplete warn) accepts the partial result."
    )
    assert load(200, options={"daily_quota": 6}) == snapshot(
        "QuotaExceededError: The projects of rig need about 99 more requests, and 5 of 6 are left today. Pages stay fresh for 7 days, so this load would never finish; it was not started. dirframe.harvest (dirframe harvest) stores a collection over as many days as it takes; sample= (--sample) draws a part of it."
    )
    assert load(200, options={"daily_quota": 6, "cache": False}) == snapshot(
        "QuotaExceededError: The projects of rig need about 99 more requests, and 5 of 6 are left today. Without a cache no page is stored, so this load would never finish; it was not started. dirframe.harvest (dirframe harvest) stores a collection over as many days as it takes; sample= (--sample) draws a part of it."
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
        "InvalidInputError: Expected records: a DataFrame of pandas, Polars or Dask, a table of Arrow, a relation of DuckDB, or the path of a Parquet file or folder; got a list."
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
UnresolvedCountriesError: 1 values in 1 records name no country:
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
        "InvalidInputError: Expected a frame of pandas or Polars, or an Arrow table; got a list. Convert a Dask frame with .compute(), a lazy Polars frame with .collect(), a DuckDB relation with .to_arrow_table()."
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
            "IncompleteWarning: The archive FOLDER/other.archive is incomplete: the pages overlap, leave gaps or contradict their count of 5 records; the directory's own order did not hold from one page to the next (records came again on other pages, and others on none); on today's live service the sort= (--sort) that is stable is project_name. Harvest it into another file in another order (sort=, --sort): stored pages are not requested again."
        )
        assert message(harvest, "projects", kept, query="xml") == snapshot(
            "ArchiveError: FOLDER/kept.archive holds another collection: its query is None, not 'xml'. Name another file."
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


# The command line: exit code and standard error


def test_wrong_calls(run, tmp_path):
    def said(*words):
        done = run(*words)
        assert done.out == ""
        return fixed(tmp_path, f"{done.code}: {done.err}")

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
