"""Where the cache is, how big and how old it is, and how to get rid of it.

What stays out: reading and storing pages (`dirframe.client.http.cache`).
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dirframe.client.http.cache import CACHE_FILE, PageCache
from dirframe.settings import cache_folder
from dirframe.show import Card

if TYPE_CHECKING:
    from datetime import datetime, timedelta

__all__ = ["CacheInfo", "cache_info", "clear_cache", "prune_cache"]


@dataclass(frozen=True, kw_only=True, repr=False)
class CacheInfo(Card):
    """Where the cache is, how big and how old.

    Attributes
    ----------
    file : pathlib.Path
        The file.
    bytes : int
        Its size on disk, with SQLite's companion files.
    pages : int
        How many documents it holds.
    oldest, newest : datetime or None
        When the first and the last of them were fetched, in UTC.
    """

    file: Path
    bytes: int
    pages: int
    oldest: datetime | None
    newest: datetime | None

    def _card(self) -> tuple[str, dict[str, str], str]:
        facts = {
            "file": str(self.file),
            "size": f"{self.bytes / 1024**2:,.1f} MiB",
            "pages": f"{self.pages:,}",
        }
        if self.oldest is not None and self.newest is not None:
            facts["fetched"] = f"{self.oldest:%Y-%m-%d %H:%M} to {self.newest:%Y-%m-%d %H:%M} UTC"
        return "Cache of fetched pages", facts, ""

    def __str__(self) -> str:
        size = f"{self.file}: {self.pages:,} pages, {self.bytes / 1024**2:,.1f} MiB"
        if self.oldest is None or self.newest is None:
            return size
        return f"{size}, fetched {self.oldest:%Y-%m-%d %H:%M} to {self.newest:%Y-%m-%d %H:%M} UTC"


def cache_info(cache_dir: str | Path | None = None) -> CacheInfo:
    """Say where the cache is, how big and how old it is.

    Parameters
    ----------
    cache_dir : str or pathlib.Path, optional
        Its folder. Left out: DIRFRAME_CACHE_DIR, then the person's cache folder.

    Returns
    -------
    CacheInfo
        File, size in bytes, number of pages, oldest and newest time.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> dirframe.cache_info(tempfile.mkdtemp()).pages
    0
    """
    file = _folder(cache_dir) / CACHE_FILE
    times: list[datetime] = []
    if file.exists():
        with closing(PageCache(file.parent)) as cache:
            times = cache.times()
    return CacheInfo(
        file=file,
        bytes=sum(part.stat().st_size for part in file.parent.glob(f"{CACHE_FILE}*")),
        pages=len(times),
        oldest=min(times, default=None),
        newest=max(times, default=None),
    )


def clear_cache(cache_dir: str | Path | None = None) -> int:
    """Remove every page from the cache; a damaged file goes as a whole.

    Parameters
    ----------
    cache_dir : str or pathlib.Path, optional
        Its folder. Left out: DIRFRAME_CACHE_DIR, then the person's cache folder.

    Returns
    -------
    int
        How many pages there were.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> dirframe.clear_cache(tempfile.mkdtemp())
    0
    """
    info = cache_info(cache_dir)
    for part in info.file.parent.glob(f"{CACHE_FILE}*"):
        part.unlink()
    return info.pages


def prune_cache(older_than: timedelta, cache_dir: str | Path | None = None) -> int:
    """Remove the pages that are older than an age.

    Parameters
    ----------
    older_than : datetime.timedelta
        The age.
    cache_dir : str or pathlib.Path, optional
        Its folder. Left out: DIRFRAME_CACHE_DIR, then the person's cache folder.

    Returns
    -------
    int
        How many pages went.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> from datetime import timedelta
    >>> dirframe.prune_cache(timedelta(days=30), tempfile.mkdtemp())
    0
    """
    file = _folder(cache_dir) / CACHE_FILE
    if not file.exists():
        return 0
    with closing(PageCache(file.parent)) as cache:
        return cache.remove(older_than=older_than)


def _folder(cache_dir: str | Path | None) -> Path:
    return cache_folder() if cache_dir is None else Path(cache_dir).expanduser()
