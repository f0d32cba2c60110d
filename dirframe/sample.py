"""A directory on the embedded service and its bundled sample data: everything runs offline."""

# Apart from the command line, this is the only module that imports both client and service.

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from dirframe._files import data_folder
from dirframe.client.directory import Directory, embedded_directory
from dirframe.service.server import serve


def sample_directory(*, cache: bool | str | Path = True, analyses: bool = True) -> Directory:
    """Start the embedded service on the bundled sample data and return a directory for it.

    The service listens on a free port of this machine alone. Its data is synthetic, as frames and
    charts say. Pages are found again in the cache although the port changes.

    Parameters
    ----------
    cache : bool, str or pathlib.Path, default True
        As in `Directory`.
    analyses : bool, default True
        Whether collections have the analyses of projects. Without, as today, own pages alone have
        them (``details=True`` loads these), and a page has ten records.

    Returns
    -------
    Directory
        Closing it or leaving its ``with`` block stops the service.

    Raises
    ------
    StoreError
        If the sample data is missing from the installation.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     len(directory.accounts(max_items=25))
    25
    """
    digest = sha256(b"" if analyses else b"without analyses")
    for path in sorted(data_folder().rglob("*.xml.gz")):
        digest.update(path.read_bytes())
    service = serve(analyses=analyses)
    assert service.api_key is not None  # noqa: S101  # serve() makes one when given no keys
    return embedded_directory(
        service.url,
        service.api_key,
        identity=f"sample-{digest.hexdigest()[:16]}",
        stop=service.stop,
        name="dirframe sample directory",
        cache=cache,
    )
