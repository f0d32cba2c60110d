"""Dialects of the interface as data: that of the specification and two others.

Sources: the specification; responses recorded from 2008 to 2013; the page templates of the live
service, read in 2026.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dirframe.errors import InvalidInputError
from dirframe.schema import PAGE_SIZE

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "DIALECTS",
    "KEY_REQUIRED",
    "RECORDED",
    "SPECIFICATION",
    "TODAY",
    "Refusal",
    "Rules",
    "Shape",
    "rules_of",
]

#: Error text of the specification for a request without a valid key.
KEY_REQUIRED = "A valid api_key is required to access this URL."


@dataclass(frozen=True)
class Refusal:
    """Status and text of an error; the text may use `limit` and `wait`, in seconds."""

    status: int
    text: str


@dataclass(frozen=True)
class Shape:
    """The child elements of an element.

    `order` lists the children; further ones of a record follow. Those in `sometimes` are sent only
    with a value, the others also empty, and those in `dropped` never. `names` renames elements
    first. Timestamps in `midnight` are truncated to the day.
    """

    order: tuple[str, ...] = ()
    sometimes: frozenset[str] = frozenset()
    names: Mapping[str, str] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    midnight: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Rules:
    """Behaviour of the service in one dialect.

    Attributes
    ----------
    name : str
        Name of the dialect.
    page_size : mapping of str to int
        Records per page, by element of the resource.
    shapes : mapping of str to Shape
        Child elements by tag of the parent; empty: records are sent as stored.
    not_in_collections : mapping of str to frozenset of str
        Elements that only the page of a single record has, by tag of the record.
    missing_key, unknown_key, over_limit : Refusal
        Responses to requests without a key, with an unknown key, and over the quota.
    not_found : Refusal or None
        Response if nothing is found; None: 404 with a specific text.
    not_found_mimetype : str
        Content type of that response.
    bare_errors : bool
        Whether errors are ``<error><message>`` without the envelope.
    empty_result : bool
        Whether a page without records has a result element.
    lenient : bool
        Whether an invalid page is page 1, and an unknown sort the default sort.
    sorted_resources : frozenset of str
        Resources that support the sort parameter.
    project_path : str
        Path of projects; ``/projects`` redirects there if it differs.
    analysis_required : bool
        Whether a project without an analysis has no page.
    md5_prefix : bool
        Whether an unknown MD5 that begins with digits is treated as the account with that id.
    tie_break : bool
        Whether records with equal sort keys have a fixed order; else it differs by page.
    states : bool
        Whether maintenance and deleted or disabled records are supported
        (`dirframe.service.dialects.states`).
    """

    name: str
    page_size: Mapping[str, int]
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    not_in_collections: Mapping[str, frozenset[str]] = field(default_factory=dict)
    missing_key: Refusal = Refusal(403, KEY_REQUIRED)
    unknown_key: Refusal = Refusal(403, KEY_REQUIRED)
    over_limit: Refusal = Refusal(
        429, "The daily limit of this api_key is used up. It is free again in {wait} seconds."
    )
    not_found: Refusal | None = None
    not_found_mimetype: str = "application/xml"
    bare_errors: bool = False
    empty_result: bool = True
    lenient: bool = False
    sorted_resources: frozenset[str] = frozenset({"account", "project"})
    project_path: str = "/projects"
    analysis_required: bool = False
    md5_prefix: bool = False
    tie_break: bool = True
    states: bool = False


_ACCOUNT_ORDER = (
    "id",
    "name",
    "about",
    "login",
    "created_at",
    "updated_at",
    "homepage_url",
    "twitter_account",
    "url",
    "html_url",
    "avatar_url",
    "email_sha1",
    "posts_count",
    "location",
    "country_code",
    "latitude",
    "longitude",
    "kudo_score",
    "languages",
    "badges",
)
_PROJECT_ORDER = (
    "id",
    "name",
    "url",
    "html_url",
    "created_at",
    "updated_at",
    "description",
    "homepage_url",
    "download_url",
    "{short_name}",
    "medium_logo_url",
    "small_logo_url",
    "user_count",
    "average_rating",
    "rating_count",
    "review_count",
    "analysis_id",
    "organization",
    "tags",
    "analysis",
    "similar_projects",
    "licenses",
    "project_activity_index",
    "links",
)
_ANALYSIS_ORDER = (
    "id",
    "url",
    "project_id",
    "updated_at",
    "{fetched}",
    "min_month",
    "max_month",
    "twelve_month_contributor_count",
    "total_contributor_count",
    "twelve_month_commit_count",
    "total_commit_count",
    "total_code_lines",
    "factoids",
    "languages",
    "main_language_id",
    "main_language_name",
)
_ADDRESSES = frozenset({"url", "html_url"})
_LOGOS = frozenset({"medium_logo_url", "small_logo_url"})
_LISTS = frozenset({"kudo_score", "languages", "badges"})
_PARTS = frozenset(
    {"organization", "analysis", "similar_projects", "licenses", "project_activity_index", "links"}
)
_COUNTS = frozenset(
    {"total_contributor_count", "twelve_month_commit_count", "total_commit_count", "factoids"}
)


def _named(order: tuple[str, ...], **names: str) -> tuple[str, ...]:
    return tuple(name.format(**names) for name in order)


_ANALYSIS_SOMETIMES = frozenset({"url", "languages"}) | _COUNTS

#: As specified; where the specification is silent, as this project has decided.
SPECIFICATION = Rules(name="specification", page_size={"account": PAGE_SIZE, "project": PAGE_SIZE})

#: As in responses recorded from 2008 to 2013.
RECORDED = Rules(
    name="recorded",
    page_size={"account": 10, "project": PAGE_SIZE},
    shapes={
        "account": Shape(
            _ACCOUNT_ORDER,
            sometimes=_ADDRESSES | _LISTS | {"about", "login", "twitter_account"},
        ),
        "project": Shape(
            _named(_PROJECT_ORDER, short_name="url_name"),
            sometimes=_ADDRESSES | _LOGOS | _PARTS | {"tags"},
            names={"stack_count": "user_count", "vanity_url": "url_name"},
            dropped=frozenset({"irc_url"}),
        ),
        "analysis": Shape(
            _named(_ANALYSIS_ORDER, fetched="logged_at"),
            sometimes=_ANALYSIS_SOMETIMES,
            names={"oldest_code_set_time": "logged_at"},
        ),
    },
)

#: As the live service responds today.
TODAY = Rules(
    name="today",
    page_size={"account": 10, "project": 10},
    shapes={
        "account": Shape(
            _ACCOUNT_ORDER,
            sometimes=_ADDRESSES | _LISTS,
            midnight=frozenset({"created_at", "updated_at"}),
        ),
        "kudo_score": Shape(dropped=frozenset({"created_at", "max_position", "position_delta"})),
        "project": Shape(
            _named(_PROJECT_ORDER, short_name="vanity_url"),
            sometimes=_ADDRESSES | _LOGOS | _PARTS,
            names={"stack_count": "user_count", "url_name": "vanity_url"},
            dropped=frozenset({"irc_url"}),
        ),
        "analysis": Shape(
            _named(_ANALYSIS_ORDER, fetched="oldest_code_set_time"),
            sometimes=_ANALYSIS_SOMETIMES,
            names={"logged_at": "oldest_code_set_time"},
        ),
        "license": Shape(names={"nice_name": "name", "name": "vanity_url"}),
    },
    not_in_collections={
        "account": frozenset({"about", "languages", "badges"}),
        "project": frozenset({"analysis"}),
    },
    missing_key=Refusal(400, "The request has no API key."),
    unknown_key=Refusal(400, "The request has a invalid API key."),
    over_limit=Refusal(401, "The request has exceeded the limit of {limit} requests per day."),
    not_found=Refusal(404, "Not Found"),
    not_found_mimetype="text/html",
    bare_errors=True,
    empty_result=False,
    lenient=True,
    sorted_resources=frozenset({"project"}),
    project_path="/p",
    analysis_required=True,
    md5_prefix=True,
    tie_break=False,
    states=True,
)

#: Supported dialects by name.
DIALECTS = {rules.name: rules for rules in (SPECIFICATION, RECORDED, TODAY)}


def rules_of(dialect: str) -> Rules:
    """Return the rules of a dialect.

    Raises
    ------
    InvalidInputError
        The dialect is unknown.

    Examples
    --------
    >>> rules_of("today").page_size["project"]
    10
    """
    if dialect not in DIALECTS:
        raise InvalidInputError(
            f"There is no dialect {dialect!r}; there are {', '.join(DIALECTS)}."
        )
    return DIALECTS[dialect]
