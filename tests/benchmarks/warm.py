"""A warm cache: what a page costs that is at hand already.

Beside requests-cache's own ways to the same pages: `session.get` of a cached session with the
default serializer, and reading the whole load end to end. Figures are microseconds of a page
and ratios of medians of one run.
"""

import tempfile
from functools import partial
from pathlib import Path

import requests_cache
from lxml import etree

import dirframe
from dirframe.client.directory import Directory
from dirframe.client.http.cache import CACHE_FILE
from dirframe.settings import ApiKey, Settings
from tests.benchmarks._corpus import project_pages, side_by_side
from tests.benchmarks._report import Cell, Listing, Measure, Table

PAGES = 200
ROUNDS = 7


def through_get(session, urls):
    for url in urls:
        _ = session.get(url).content


def through_ours(session, urls):
    for url in urls:
        page = session.cache.get(session._key(url))
        assert page is not None
        _ = page.content


def through_ours_parsed(session, pages):
    for page in range(1, pages + 1):
        _ = session.get("/projects.xml", {"page": str(page)}).page


def bare(pages):
    for page in pages:
        etree.fromstring(page)


def numbered(pages):
    """Give the pages the counts of one collection, so that a load can prove itself."""
    counts = b"<items_available>%d</items_available><first_item_position>%d</first_item_position>"
    return [
        b"<response><status>success</status>"
        + counts % (25 * len(pages) - 1, 25 * number)
        + page[page.index(b"<result>") :]
        for number, page in enumerate(pages)
    ]


def last_but_one(page):
    """Take the last record away: then no page behind the last has to be asked for."""
    end = page.rindex(b"<project>")
    return page[:end] + b"</result></response>"


def main():
    originals, kind = project_pages(25 * PAGES)
    pages = [page for page in originals if page.count(b"<project>") == 25]
    pages = numbered(pages)
    pages[-1] = last_but_one(pages[-1])
    base = "http://127.0.0.1:1"
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            base_url=base, api_key=ApiKey("k"), cache_dir=Path(folder), quota_dir=None
        )
        theirs = requests_cache.CachedSession(Path(folder) / "default.sqlite")
        with Directory.from_settings(settings) as directory:
            session = directory.session
            for number, page in enumerate(pages, start=1):
                url = session.address("/projects.xml", {"page": str(number)})
                session.cache.put(session._key(url), url, page, "application/xml")
                theirs.cache.save_response(_response(url, page))
            urls = [
                session.address("/projects.xml", {"page": str(number)})
                for number in range(1, len(pages) + 1)
            ]
            load = partial(
                dirframe.load_projects, directory=directory, offline=True, progress=False
            )
            taken = side_by_side(
                {
                    "session.get of requests-cache": partial(through_get, theirs, urls),
                    "dirframe": partial(through_ours, session, urls),
                    "dirframe, checked and scanned": partial(
                        through_ours_parsed, session, len(pages)
                    ),
                    "bare lxml of the pages": partial(bare, pages),
                    "a cached load of everything": load,
                },
                ROUNDS,
            )
        size = sum(map(len, pages))
        stored = sum(file.stat().st_size for file in Path(folder).glob(f"{CACHE_FILE}*"))
        theirs.close()
    print(f"{len(pages)} pages of 25 {kind}, {size / 1e6:.1f} MB.")
    table = Table("way", Measure("a page", "µs", "lower", ".0f"))
    peers = ("session.get of requests-cache", "bare lxml of the pages")
    for name, seconds in taken.items():
        table.row(name, Cell(seconds / len(pages) * 1e6, directed=name not in peers))
    first, ours, _, floor, whole = taken.values()
    goals = Listing()
    goals.row("session.get, to a page of ours", first / ours, better="higher", goal=6, form=".1f")
    goals.row("the file, to the bodies", stored / size, better="lower", goal=0.3)
    name = "a cached load of everything, to bare lxml"
    goals.row(name, whole / floor, better="lower", goal=5)


def _response(url, page):
    import requests

    response = requests.Response()
    response.status_code, response.url, response._content = 200, url, page
    response.request = requests.Request("GET", url).prepare()
    response.raw = __import__("urllib3").HTTPResponse(body=b"", status=200, preload_content=False)
    return response


if __name__ == "__main__":
    main()
