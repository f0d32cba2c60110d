"""Files with one byte changed: how each kind is made and used, and what the change may do."""

import warnings
from collections import Counter
from random import Random

import pandas as pd
import pytest
import requests

import dirframe
from dirframe.service.keys import KeyStore
from tests import frames
from tests.rig.server import Rig, record

#: Warnings that name what cannot be read in a changed file.
NAMED = dirframe.ExportWarning, dirframe.UnreadableValueWarning


class File:
    """A kind of file; `use` returns its content.

    `is_sealed` says whether a changed file never gives other content without a warning.
    """

    is_sealed = True
    is_database = False  # most bytes of a database are zeros that say nothing

    def __init__(self, folder):
        self.folder = folder
        self.path = self.make()
        self._content = self.path.read_bytes()
        self._right = self.use()
        self.restore()

    def restore(self):
        """Put the file back as it was, alone in its folder."""
        for path in self.path.parent.iterdir():
            if path.is_file() and path.name.startswith(self.path.name):
                path.unlink()
        self.path.write_bytes(self._content)

    def places(self, step):
        """Return the places at every `step` bytes; of a database those that hold something."""
        every = range(0, len(self._content), step)
        return [place for place in every if self._content[place] or not self.is_database]

    def outcome(self, place):
        """Return what a change at a place does; the change of a place is always the same."""
        change = Random(place).randrange(1, 256)
        damaged = bytearray(self._content)
        damaged[place] ^= change
        self.path.write_bytes(damaged)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                made = self.use()
            except dirframe.DirframeError:
                return "refused"
            finally:
                self.restore()
        if any(isinstance(one.message, NAMED) for one in caught):
            return "named"
        if is_same(made, self._right):
            return "same"
        return "wrong" if self.is_sealed else "read"


def is_same(made, right):
    """Return whether two results are equal."""
    if not isinstance(made, pd.DataFrame):
        return made == right
    try:
        pd.testing.assert_frame_equal(made, right, check_exact=True)
    except AssertionError:
        return False
    return made.attrs == right.attrs


def load(folder, **options):
    """Load 25 projects of three pages, without what the frame says of its cost."""
    with Rig(25).in_process() as rig, rig.directory(folder, **options) as directory:
        frame = dirframe.load_projects(directory, progress=False)
        used = directory.quota().used
    frame.attrs.clear()
    return frame, used


class Table(File):
    """A table that `export` wrote."""

    suffix = ".parquet"

    def make(self):
        return dirframe.export(frames.rich(), self.folder / f"projects{self.suffix}")

    def use(self):
        return dirframe.read_table(self.path)

    def restore(self):
        self.path.write_bytes(self._content)


class Csv(Table):
    suffix = ".csv"


class Json(Table):
    suffix = ".json"


class Record(Csv):
    """The provenance beside a table."""

    def make(self):
        self.table = super().make()
        return self.table.with_name(f"{self.table.name}.provenance.json")

    def use(self):
        return dirframe.read_table(self.table)


class Foreign(Table):
    """Parquet of another program: no digest tells a wrong value from a right one."""

    is_sealed = False

    def make(self):
        frame = frames.rich().drop(columns="analysis_languages")
        frame.attrs.clear()
        frame.to_parquet(self.folder / "projects.parquet")
        return self.folder / "projects.parquet"


class Counted(Table):
    """Parquet of which a statistic reads some columns."""

    def make(self):
        return dirframe.export(frames.projects(30), self.folder / "projects.parquet")

    def use(self):
        return dirframe.stats.language_share(str(self.path))


class Page(Table):
    """A recorded page of XML."""

    is_sealed = False

    def make(self):
        path = self.folder / "page.xml"
        path.write_bytes(frames.page_xml([record("1", inner=frames.RICH)], available=1, first=0))
        return path

    def use(self):
        return dirframe.read_pages(self.path)


class Archive(File):
    is_database = True

    def make(self):
        path = self.folder / "projects.archive"
        with Rig(12).in_process() as rig, rig.directory(cache=False) as directory:
            dirframe.harvest("projects", path, directory=directory)
        return path

    def use(self):
        archive = dirframe.open_archive(self.path)
        archive.verify()
        assert repr(archive.status())
        return archive.frame()


class Cache(File):
    """The page cache: a load gets the same records, and `clear_cache` leaves a sound file."""

    is_database = True

    def make(self):
        load(self.folder)
        return dirframe.cache_info(self.folder / "cache").file

    def use(self):
        frame, _ = load(self.folder, data=self.folder / "other")
        dirframe.clear_cache(self.path.parent)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert dirframe.cache_info(self.path.parent).pages == 0
            load(self.folder, data=self.folder / "other")
            assert dirframe.cache_info(self.path.parent).pages == 3
        return frame


class Quota(File):
    """The count of requests: a load works, and what it used is counted."""

    is_database = True

    def make(self):
        load(self.folder, cache=False)
        return next((self.folder / "data").iterdir())

    def use(self):
        frame, used = load(self.folder, cache=False)
        assert used >= 3
        return frame


class Keys(File):
    """The keys of a service, and the counts of their requests."""

    is_database = True

    def make(self):
        path = self.folder / "keys" / "keys.sqlite"
        with KeyStore(path) as keys:
            self.key = keys.add("Ada", "charts")
            keys.add("Grace", "maps")
        return path

    def use(self):
        with KeyStore(self.path) as keys:
            keys.charge(self.key)
            keys.add("Linus", "tables")
            keys.revoke(2)
            return [tuple(row)[:5] for row in keys.records()[:2]]


class Store(File):
    """The store of a service: it is built again."""

    is_database = True

    def make(self):
        self.source = self.folder / "projects.xml"
        inner = frames.RICH.partition("<homepage_url>")[0]
        self.source.write_bytes(frames.page_xml([record("1", inner=inner)], available=1, first=0))
        self.use()
        return next((self.folder / "cache" / "stores").iterdir())

    def use(self):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DIRFRAME_CACHE_DIR", str(self.folder / "cache"))
            service = dirframe.serve(self.source)
        try:
            query = {"api_key": service.api_key.reveal()}
            answers = []
            for path in ("/projects.xml", "/projects.xml?query=quoted", "/projects/1.xml", "/"):
                answer = requests.get(service.url + path, params=query, timeout=60)
                answers.append((answer.status_code, answer.content))
            return answers
        finally:
            service.stop()


KINDS = {
    "table": Table,
    "csv": Csv,
    "json": Json,
    "record": Record,
    "foreign": Foreign,
    "counted": Counted,
    "page": Page,
    "archive": Archive,
    "cache": Cache,
    "quota": Quota,
    "keys": Keys,
    "store": Store,
}
#: What a change may do: a sealed file is refused, named or the same, never wrong.
ALLOWED = {"refused", "named", "same", "read"}


def outcomes(kind, folder, *, step, most):
    """Count the outcomes of a change at every `step` bytes of a file, at `most` places of it."""
    file = KINDS[kind](folder)
    places = file.places(step)
    if len(places) > most:
        places = sorted(Random(0).sample(places, most))
    found = {place: file.outcome(place) for place in places}
    wrong = {place: outcome for place, outcome in found.items() if outcome not in ALLOWED}
    assert wrong == {}
    return Counter(found.values())
