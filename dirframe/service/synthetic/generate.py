"""Generate collections of any size and write them as XML."""

# A record depends only on the seed and its index. A smaller collection is therefore a prefix of
# every larger one with the same seed, and memory use is constant.

from __future__ import annotations

import gzip
import io
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from dirframe._files import atomic_write, make_folder
from dirframe.errors import Hint, InvalidInputError
from dirframe.schema import ACCOUNT, PROJECT, Resource
from dirframe.service.dialects.xml_writer import collection_parts, record_xml
from dirframe.service.synthetic.accounts import account
from dirframe.service.synthetic.projects import project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dirframe.service.records import Record, Value


#: Seed of the bundled sample, chosen among eleven so that rare values are as frequent as measured.
SEED = 2006

#: Records between two progress calls, and between two writes.
_STEP = 500


#: Progress callback: name of the collection, records written, total number of records.
Progress: TypeAlias = "Callable[[str, int, int], None]"


def generate_accounts(count: int, *, seed: int = SEED) -> Iterator[dict[str, Value]]:
    """Yield synthetic accounts.

    Parameters
    ----------
    count
        Number of records.
    seed
        A non-negative integer.

    Yields
    ------
    dict
        A record as described in `dirframe.service.records`. Besides the fields of the
        interface it has `email_md5`, the MD5 of the synthetic e-mail address, which the service
        uses for lookups and does not send.

    Raises
    ------
    InvalidInputError
        If `count` or `seed` is negative.

    Examples
    --------
    >>> [record["id"] for record in generate_accounts(3)]
    ['1', '2', '3']
    """
    return _generated(account, count, seed)


def generate_projects(count: int, *, seed: int = SEED) -> Iterator[dict[str, Value]]:
    """Yield synthetic projects that follow figures of 12,360 real ones.

    Parameters
    ----------
    count
        Number of records.
    seed
        A non-negative integer.

    Yields
    ------
    dict
        A record as described in `dirframe.service.records`.

    Raises
    ------
    InvalidInputError
        If `count` or `seed` is negative.

    Notes
    -----
    Source of the figures: the OhlohAnalytics data set (M. Bruntink, 2013, CC-BY 3.0).

    Examples
    --------
    >>> first, = generate_projects(1)
    >>> first["created_at"] <= first["updated_at"]
    True
    """
    return _generated(project, count, seed)


def _generated(
    make: Callable[[Random, int, int], dict[str, Value]], count: int, seed: int
) -> Iterator[dict[str, Value]]:
    for name, number in (("count", count), ("seed", seed)):
        if number < 0:
            raise InvalidInputError(f"{name} is {number}; it must be a whole number from 0.")
    rng = Random()
    return (make(rng, seed, index) for index in range(count))


def write_collection(
    resource: Resource,
    records: Iterable[Record],
    path: Path | str,
    *,
    count: int,
    progress: Progress | None = None,
) -> None:
    """Write generated records as one collection document, marked as synthetic.

    Parameters
    ----------
    resource
        The kind of record: `dirframe.schema.ACCOUNT` or `PROJECT`.
    records
        The records, written one at a time.
    path
        The file, compressed if its name ends in ``.gz``. It is written atomically and replaces
        an existing file.
    count
        Number of records, which the document states before the first one.
    progress
        Called periodically with the name of the collection, the records written, and `count`.

    Raises
    ------
    InvalidInputError
        If the number of records is not `count`; no file is left.
    OSError
        If the file cannot be written; an existing file is unchanged.

    Examples
    --------
    >>> from dirframe.schema import PROJECT
    >>> write_collection(PROJECT, generate_projects(2), "two.xml", count=2)
    >>> Path("two.xml").read_text(encoding="utf-8").count("<project>")
    2
    """
    with atomic_write(Path(path), overwrite=True) as scratch:
        fragments = _counted(resource, records, count, progress)
        _write(fragments, scratch, count=count, compressed=Path(path).suffix == ".gz")


def generate(
    folder: Path | str,
    *,
    accounts: int = 2_000,
    projects: int = 1_500,
    seed: int = SEED,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> tuple[Path, Path]:
    """Write a synthetic directory: ``accounts.xml.gz`` and ``projects.xml.gz``.

    Parameters
    ----------
    folder
        Output folder; created if missing.
    accounts, projects
        Number of records.
    seed
        A non-negative integer. The same seed gives the same records.
    overwrite
        Whether to replace existing files.
    progress
        Called periodically with the name of the collection, the records written, and their
        total number.

    Returns
    -------
    tuple of pathlib.Path
        The two files.

    Raises
    ------
    InvalidInputError
        If a number is negative, or a file exists and `overwrite` is False.
    OSError
        If a file cannot be written.

    Examples
    --------
    >>> [path.name for path in generate("directory", accounts=3, projects=2)]
    ['accounts.xml.gz', 'projects.xml.gz']
    """
    target = Path(folder)
    collections = (
        (ACCOUNT, generate_accounts(accounts, seed=seed), accounts),
        (PROJECT, generate_projects(projects, seed=seed), projects),
    )
    paths = tuple(target / f"{resource.collection}.xml.gz" for resource, _, _ in collections)
    if not overwrite and (existing := [path.name for path in paths if path.exists()]):
        raise InvalidInputError(
            f"{target} holds {' and '.join(existing)} already.",
            hint=Hint(
                "Choose another folder, or pass overwrite=True to replace them.",
                shell="Choose another folder, or use --overwrite to replace them.",
            ),
        )
    make_folder(target)
    with (
        atomic_write(paths[0], overwrite=overwrite) as first,
        atomic_write(paths[1], overwrite=overwrite) as second,
    ):
        for (resource, records, count), scratch in zip(collections, (first, second), strict=True):
            fragments = _counted(resource, records, count, progress)
            _write(fragments, scratch, count=count, compressed=True)
    return paths[0], paths[1]


def _write(fragments: Iterator[str], path: Path, *, count: int, compressed: bool) -> None:
    parts = collection_parts(fragments, returned=count, available=count, first=0, synthetic=True)
    with path.open("wb") as file:
        # No file name and no timestamp, so that the same records give the same bytes.
        packed = gzip.GzipFile("", "wb", 6, file, mtime=0) if compressed else file
        with packed, io.TextIOWrapper(packed, encoding="utf-8", newline="") as text:
            while batch := "".join(islice(parts, _STEP)):
                text.write(batch)


def _counted(
    resource: Resource, records: Iterable[Record], count: int, progress: Progress | None
) -> Iterator[str]:
    done = 0
    for done, record in enumerate(records, 1):
        if progress and (done % _STEP == 0 or done == count):
            progress(resource.collection, done, count)
        yield record_xml(resource, record)
    if done != count:
        raise InvalidInputError(
            f"{done:,} {resource.collection} were generated, but {count:,} were announced.",
            hint=Hint("Pass their number as count=.", shell=""),
        )
