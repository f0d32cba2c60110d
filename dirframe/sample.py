"""A directory on the embedded service and its bundled sample data: everything runs offline."""

# Apart from the command line, this is the only module that imports both client and service.

from __future__ import annotations

import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Thread
from weakref import finalize

from dirframe._files import data_folder
from dirframe.client.directory import Directory, connection_of
from dirframe.client.http.session import Session
from dirframe.errors import ConfigurationError
from dirframe.local_service import serve
from dirframe.settings import ApiKey, check_switches

_NAME = "dirframe sample directory"


def sample_directory(*, cache: bool | str | Path = True, analyses: bool = True) -> Directory:
    """Start the embedded service on the bundled sample data and return a directory for it.

    The service listens on a free port, on this machine only. Its data is synthetic, and frames and
    charts say so. Cached pages are found again although the port changes.

    Parameters
    ----------
    cache : bool, str or pathlib.Path, default True
        As in `Directory`.
    analyses : bool, default True
        Whether collections have the analyses of projects. False is a rehearsal for today's live
        service: only each project's own page has the analysis (``details=True`` loads it), and a
        page has ten records. Collections of projects then also take ``per_page`` (up to 25) and
        ``ids``, and there are organizations with their projects and people, and repositories of all
        projects (`load_organizations`, `load_portfolio`, `load_repositories`).

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
    ...     len(dirframe.load_accounts(directory, max_items=25))
    25
    """
    check_switches(analyses=analyses)
    digest = sha256(b"" if analyses else b"without analyses")
    folders = [data_folder()] if analyses else [data_folder(), data_folder("rehearsal")]
    for folder in folders:
        for path in sorted(folder.rglob("*.xml.gz")):
            digest.update(path.read_bytes())
    # Address and key are those of the service, which is started once the other settings are valid.
    settings = Directory(
        "http://localhost", ApiKey("no-service-yet-has-one"), name=_NAME, cache=cache
    )
    connection = replace(
        connection_of(settings),
        identity=f"sample-{digest.hexdigest()[:16]}",
        quota_folder=None,  # a key is valid for one service only
        code=f"dirframe.sample_directory({'' if analyses else 'analyses=False'})",
    )
    directory = _SampleDirectory._from(connection)
    directory._serve(analyses=analyses)
    return directory


class _SampleDirectory(Directory):
    """The directory of a service in this process, which is stopped with it; a fork starts its own."""

    def _serve(self, *, analyses: bool) -> None:
        """Start the service and connect to it."""
        service = serve(analyses=analyses)
        if service.api_key is None:
            raise ValueError(service)
        self._connection = replace(self._connection, base_url=service.url, key=service.api_key)
        self._analyses, self._process, self._stop = analyses, os.getpid(), service.stop
        # If nobody closes it: in a thread of its own, since garbage is collected in any thread, also
        # in one of the service.
        stopper = Thread(target=service.stop, name="dirframe close", daemon=True)
        self._stopper = finalize(self, stopper.start)
        self._stopper.atexit = False

    @property
    def _session(self) -> Session:
        if not self._stopper.alive:
            raise ConfigurationError(
                f"{self.name} is closed, and its service has stopped. Open it again, or load inside the "
                "with block."
            )
        process = os.getpid()
        with self._opening[process]:
            if self._process != process:  # the service is a thread of the process that forked
                self._stopper.detach()
                self._serve(analyses=self._analyses)
        return super()._session

    def close(self) -> None:
        super().close()
        self._stopper.detach()
        self._stop()
