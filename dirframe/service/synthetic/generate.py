"""Generated collections: any number of records, written as they are made.

A record depends on the seed and its index alone. A smaller collection is therefore the
beginning of every larger one with the same seed, and memory does not grow with the size.
"""

from __future__ import annotations

import gzip
import io
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Protocol

from dirframe._atomic import atomic_write, make_folder
from dirframe.errors import Hint, InvalidInputError
from dirframe.schema import ACCOUNT, PROJECT, Resource
from dirframe.service.dialects.xml_writer import collection_parts, record_xml
from dirframe.service.synthetic.accounts import account
from dirframe.service.synthetic.projects import project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dirframe.service.records import Record, Value

__all__ = ["SEED", "generate", "generate_accounts", "generate_projects", "write_collection"]

#: The seed of the bundled sample: of eleven tried, one with rare values about as often as measured.
SEED = 2006

#: Records between two calls of a progress function, and between two writes.
_STEP = 500


class Progress(Protocol):
    """Is told how far a collection is: its name, the records written and all there will be."""

    def __call__(self, collection: str, done: int, total: int, /) -> None: ...


def generate_accounts(count: int, *, seed: int = SEED) -> Iterator[dict[str, Value]]:
    """Yield invented accounts.

    Parameters
    ----------
    count
        How many.
    seed
        A whole number from 0. Another seed gives other members.

    Yields
    ------
    dict
        A record as `dirframe.service.records` describes it. Beside the fields of the
        interface it has `email_md5`, the MD5 of the invented e-mail address, by which the
        service finds the account and which it sends to nobody.

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
    """Yield invented projects that follow figures of 12,360 real ones.

    Parameters
    ----------
    count
        How many.
    seed
        A whole number from 0. Another seed gives other projects.

    Yields
    ------
    dict
        A record as `dirframe.service.records` describes it.

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
    rng = Random()  # noqa: S311  # invented records need repeatable chance, not secrecy
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
        The records; they are written as they come and not kept.
    path
        The file, compressed if its name ends in ``.gz``. It appears when it is complete and
        replaces what stood there.
    count
        How many records there are: the document says so before the first.
    progress
        Called now and then with the collection's name, the records written, and `count`.

    Raises
    ------
    InvalidInputError
        If there are more or fewer records than `count`; no file is left then.
    OSError
        If the file cannot be written; what stood there before is untouched.

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
        Where to; it is made if need be.
    accounts, projects
        How many of each.
    seed
        A whole number from 0. The same seed gives the same records.
    overwrite
        Whether files that exist already may be replaced.
    progress
        Called now and then with the collection's name, the records written, and their number.

    Returns
    -------
    tuple of pathlib.Path
        The two files. Neither is there unless it is complete.

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
    made = (
        (ACCOUNT, generate_accounts(accounts, seed=seed), accounts),
        (PROJECT, generate_projects(projects, seed=seed), projects),
    )
    paths = tuple(target / f"{resource.collection}.xml.gz" for resource, _, _ in made)
    if not overwrite and (found := [path.name for path in paths if path.exists()]):
        raise InvalidInputError(
            f"{target} holds {' and '.join(found)} already.",
            hint=Hint(
                "Choose another folder, or pass overwrite=True to replace them.",
                shell="Choose another folder, or give --overwrite to replace them.",
            ),
        )
    make_folder(target)
    with (
        atomic_write(paths[0], overwrite=overwrite) as first,
        atomic_write(paths[1], overwrite=overwrite) as second,
    ):
        for (resource, records, count), scratch in zip(made, (first, second), strict=True):
            fragments = _counted(resource, records, count, progress)
            _write(fragments, scratch, count=count, compressed=True)
    return paths[0], paths[1]


def _write(fragments: Iterator[str], path: Path, *, count: int, compressed: bool) -> None:
    parts = collection_parts(fragments, returned=count, available=count, first=0, synthetic=True)
    with path.open("wb") as file:
        # No name and no time go into the file, so that the same records give the same bytes.
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
            f"{done:,} {resource.collection} came where {count:,} were announced.",
            hint=Hint("Pass their number as count=.", shell=""),
        )
