"""Types of single records, for programs and their type checkers."""

# A type checker cannot read the schema, so the fields of the specification are repeated here with
# their types alone; a test compares them.

from __future__ import annotations

from datetime import datetime  # noqa: TC003  # typing.get_type_hints needs it
from typing import TypedDict


class AccountRecord(TypedDict, total=False):
    """An account: the columns of `load_accounts`, None where a value is missing.

    `fields` has units and meanings. Other columns that the directory sent are keys too, with the
    types of the frame: lists of texts and dicts, text, numbers or times.

    Examples
    --------
    >>> import dirframe
    >>> def named(record: dirframe.AccountRecord) -> bool:
    ...     return record["name"] is not None
    >>> with dirframe.sample_directory() as directory:
    ...     all(map(named, dirframe.iter_accounts(directory, max_items=25)))
    True
    """

    id: str
    name: str | None
    created_at: datetime | None
    updated_at: datetime | None
    homepage_url: str | None
    avatar_url: str | None
    email_sha1: str | None
    posts_count: int | None
    location: str | None
    country_code: str | None
    latitude: float | None
    longitude: float | None
    kudo_score_kudo_rank: int | None
    kudo_score_position: int | None


class ProjectRecord(TypedDict, total=False):
    """A project: the columns of `load_projects`, None where a value is missing.

    `fields` has units and meanings. Other columns that the directory sent are keys too, with the
    types of the frame: lists of texts and dicts, text, numbers or times.

    Examples
    --------
    >>> import dirframe
    >>> def named(record: dirframe.ProjectRecord) -> bool:
    ...     return record["name"] is not None
    >>> with dirframe.sample_directory() as directory:
    ...     all(map(named, dirframe.iter_projects(directory, max_items=25)))
    True
    """

    id: str
    name: str | None
    created_at: datetime | None
    updated_at: datetime | None
    description: str | None
    homepage_url: str | None
    download_url: str | None
    irc_url: str | None
    stack_count: int | None
    analysis_id: str | None
    analysis__id: str | None
    analysis_project_id: str | None
    analysis_updated_at: datetime | None
    analysis_logged_at: datetime | None
    analysis_min_month: datetime | None
    analysis_max_month: datetime | None
    analysis_twelve_month_contributor_count: int | None
    analysis_total_code_lines: int | None
    analysis_main_language_id: str | None
    analysis_main_language_name: str | None
