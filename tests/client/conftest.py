"""What the tests of the client share."""

import tempfile
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest

import dirframe
from tests.rig.server import Reply, Rig, failed, page_xml

XML = Path(__file__).parent.parent / "xml"


@pytest.fixture
def rig():
    """Serve 55 projects on six pages, in this process."""
    with Rig(55).in_process() as opened:
        yield opened


@pytest.fixture
def connect(tmp_path):
    """Connect to rigs, with cache and quota in this test's own folder."""
    return lambda rig, **options: rig.directory(tmp_path, **options)


@pytest.fixture
def serve():
    """Serve what a function of a request returns, or one document for all, in this process."""
    ports = count(10)  # several at a time
    with ExitStack() as stack:

        def serve(answer, **options):
            rig = Rig(answer=answer if callable(answer) else lambda _: answer, **options)
            rig.url = f"http://127.0.0.1:{next(ports)}"
            return stack.enter_context(rig.in_process())

        yield serve


@pytest.fixture
def written(serve):
    """Serve the documents of tests/xml by their paths."""
    paths = {
        "/accounts.xml": "accounts-page.xml",
        "/projects.xml": "projects-page.xml",
        "/languages.xml": "languages-page.xml",
        "/projects/example/contributors.xml": "contributors-page.xml",
        "/projects/1/contributors/5.xml": "contributor.xml",
        "/projects/example/analyses/latest/activity_facts.xml": "activity-facts.xml",
        "/projects/example/analyses/latest/size_facts.xml": "size-facts.xml",
        "/projects/none/contributors.xml": "no-analysis.xml",
        "/projects/none/analyses/latest/activity_facts.xml": "no-analysis.xml",
    }
    missing = Reply(failed("Not found."), 404)
    return serve(
        lambda asked: (XML / paths[asked.path]).read_bytes() if asked.path in paths else missing
    )


@pytest.fixture(scope="session")
def read():
    """Read pages as if they were recorded: bytes, or the XML of records."""

    def read(*pages, **options):
        with tempfile.TemporaryDirectory() as folder:
            for number, page in enumerate(pages):
                content = page if isinstance(page, bytes) else page_xml([page])
                (Path(folder) / f"{number:04}.xml").write_bytes(content)
            return dirframe.read_pages(folder, **options)

    return read
