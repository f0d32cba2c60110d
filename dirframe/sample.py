"""The embedded service with a directory on it: everything runs offline.

Beside the command line this is the only module that knows both client and service.
"""

from __future__ import annotations

from contextlib import ExitStack
from hashlib import sha256
from typing import TYPE_CHECKING

from dirframe.client.directory import Directory
from dirframe.service.dialects.dialects import SPECIFICATION
from dirframe.service.server import serve
from dirframe.service.store.sample import sample_files
from dirframe.settings import Settings, cache_folder

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["sample_directory"]

SAMPLE_NAME = "dirframe sample directory"


def sample_directory(
    *,
    cache: bool = True,
    cache_dir: Path | None = None,
    max_workers: int = 4,
    dialect: str = SPECIFICATION.name,
) -> Directory:
    """Start the embedded service on the bundled sample data and give a directory on it.

    The service listens on a free port of this machine alone; the data is synthetic, and
    every frame and chart says so. Pages are cached under the digest of the sample, so that
    they are found again although the port changes.

    Parameters
    ----------
    cache : bool, default True
        Whether pages are kept on disk and read from there.
    cache_dir : pathlib.Path, optional
        Folder of the cache. Left out: DIRFRAME_CACHE_DIR, then the person's cache folder.
    max_workers : int, default 4
        Pages that are fetched at the same time.
    dialect : {"specification", "recorded", "today"}, default "specification"
        What the service's XML is like: as specified, as answers were recorded from 2008 to
        2013, or as the live service answers.

    Returns
    -------
    Directory
        Closing it, or leaving its ``with`` block, stops the service.

    Raises
    ------
    StoreError
        If the sample data is missing from the installation.
    InvalidInputError
        If there is no such dialect.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     accounts = dirframe.load_accounts(max_items=25, directory=directory)
    >>> accounts.attrs["dirframe"]["synthetic"]
    True
    """
    content = sha256(b"" if dialect == SPECIFICATION.name else dialect.encode())
    for file in sample_files():
        content.update(file.read_bytes())
    with ExitStack() as stack:
        service = serve(dialect=dialect)
        stack.callback(service.stop)
        assert service.api_key is not None  # noqa: S101  # serve() makes one when given no keys
        settings = Settings(
            base_url=service.url,
            api_key=service.api_key,
            name=SAMPLE_NAME,
            cache_dir=(cache_dir or cache_folder()) if cache else None,
            cache_namespace=f"sample-{content.hexdigest()[:16]}",
            max_workers=max_workers,
            quota_dir=None,  # its key lives as long as this service
        )
        return Directory.from_settings(settings, closing=stack.pop_all())
