"""The settings of the connection to a directory: address, key, folders and limits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from dirframe.settings import ApiKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """What a session needs to know of a directory."""

    base_url: str  # without a slash at its end
    key: ApiKey
    identity: str  # what archives and the cache know the directory by
    cache_folder: Path | None  # None: pages are not stored
    quota_folder: Path | None  # None: requests are counted in memory
    expire_after: timedelta
    workers: int
    rate: float  # requests per second
    daily_quota: int
    timeout: float  # seconds
