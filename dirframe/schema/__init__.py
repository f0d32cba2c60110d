"""The schema of the interface: resources, fields and envelope.

Sources: the specification of the directory data service for every field whose dialect is
`Dialect.SPECIFIED`; for the others responses recorded from 2008 to 2013 and the page templates of
the live service. Client and service share only this package, which imports neither.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property

__all__ = [
    "ACCOUNT",
    "COLLECTION_COUNTS",
    "PAGE_SIZE",
    "PROJECT",
    "RESOURCES",
    "SYNTHETIC_MARK",
    "TIMESTAMP_FORMAT",
    "Dialect",
    "Field",
    "Items",
    "Kind",
    "Resource",
]

#: Timestamps have the form YYYY-MM-DDThh:mm:ssZ.
TIMESTAMP_FORMAT = "%Y-%m-%dT%H:%M:%SZ"

#: Elements of the envelope that count the records of a collection, in order.
COLLECTION_COUNTS = ("items_returned", "items_available", "first_item_position")

#: Records per page of the embedded service (the specification's sample collection has 25).
PAGE_SIZE = 25

#: Target of the XML processing instruction before the root that marks generated data.
SYNTHETIC_MARK = "dirframe-synthetic"


class Kind(enum.Enum):
    """Data type of a field, which determines the dtype of its column."""

    TEXT = "text"
    IDENTIFIER = "identifier"
    URL = "url"
    INTEGER = "integer"
    NUMBER = "number"
    TIMESTAMP = "timestamp"
    ITEMS = "items"


class Dialect(enum.Enum):
    """Source of a field."""

    SPECIFIED = "specification"
    RECORDED = "recorded 2008-2013"
    TODAY = "today's service"
    EXTENSION = "extension outside the specification"


@dataclass(frozen=True)
class Field:
    """One field of a record.

    `path` leads from the element of the record to the value. `unit` is empty if there is none;
    `items` describes the entries of a repeated element.
    """

    path: tuple[str, ...]
    kind: Kind
    meaning: str
    required: bool = False
    unit: str = ""
    dialect: Dialect = Dialect.SPECIFIED
    items: Items | None = None

    @cached_property
    def column(self) -> str:
        """Name of the column: the path, joined by underscores.

        A project has both `analysis_id` and, inside `analysis`, an `id`. They usually agree but
        need not, so the nested one has two underscores.
        """
        return "analysis__id" if self.path == ("analysis", "id") else "_".join(self.path)


@dataclass(frozen=True)
class Items:
    """A repeated element inside a record: its tag and the fields of an entry.

    The text of an entry is named by the tag of the entry, attributes and children by their own
    names.
    """

    tag: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Resource:
    """A kind of record: its element, collection, fields and sort values.

    `sorts` are the sort values of the specification, which the embedded service always supports.
    `other_sorts` are those of other dialects, and `relevance`, best match first; the embedded
    service supports those whose field its records have. `query_sort` is the default sort of the
    embedded service for a query, `default_sort` that of requests without one.
    `paths` are templates of the paths that return such records, the collection first; empty if
    the path is ``/{collection}.xml``. `key` is the column that identifies a record within its
    collection, empty if there is none.
    """

    name: str
    collection: str
    fields: tuple[Field, ...]
    sorts: tuple[str, ...]
    default_sort: str
    other_sorts: tuple[str, ...] = ()
    query_sort: str = ""
    paths: tuple[str, ...] = ()
    paged: bool = True
    key: str = "id"

    @property
    def words(self) -> tuple[str, str]:
        """Singular and plural noun for the records."""
        plural = self.collection.replace("_", " ")
        stem = plural.removesuffix("s")
        singular = stem if self.name.startswith(stem) else self.name.replace("_", " ")
        return singular, plural

    @cached_property
    def specified(self) -> tuple[Field, ...]:
        """The fields of the specification, in its order; every frame has them."""
        return tuple(f for f in self.fields if f.dialect is Dialect.SPECIFIED)

    @cached_property
    def core(self) -> tuple[Field, ...]:
        """The fields that every frame has: the specified ones, or those of an extension."""
        always = (Dialect.SPECIFIED, Dialect.EXTENSION)
        return tuple(f for f in self.fields if f.dialect in always)

    @cached_property
    def by_column(self) -> dict[str, Field]:
        """All fields by column name."""
        return {f.column: f for f in self.fields}


def _field(
    path: str,
    kind: Kind,
    meaning: str,
    *,
    required: bool = False,
    unit: str = "",
    dialect: Dialect = Dialect.SPECIFIED,
) -> Field:
    return Field(tuple(path.split("/")), kind, meaning, required, unit, dialect)


def _items(path: str, tag: str, meaning: str, dialect: Dialect, *fields: Field) -> Field:
    return Field(
        tuple(path.split("/")), Kind.ITEMS, meaning, dialect=dialect, items=Items(tag, fields)
    )


_SORTS = (
    "created_at",
    "created_at_reverse",
    "id",
    "id_reverse",
    "name",
    "name_reverse",
    "updated_at",
    "updated_at_reverse",
)

_T, _I, _U = Kind.TEXT, Kind.IDENTIFIER, Kind.URL
_N, _F, _D = Kind.INTEGER, Kind.NUMBER, Kind.TIMESTAMP
_OLD, _NEW = Dialect.RECORDED, Dialect.TODAY

ACCOUNT = Resource(
    name="account",
    collection="accounts",
    sorts=_SORTS,
    default_sort="created_at_reverse",
    other_sorts=("relevance",),
    fields=(
        _field("id", _I, "unique ID of the account", required=True),
        _field("name", _T, "public name", required=True),
        _field("created_at", _D, "when the account was created", required=True, unit="UTC"),
        _field(
            "updated_at",
            _D,
            "when the account record was last modified",
            required=True,
            unit="UTC",
        ),
        _field("homepage_url", _U, "member's home page, for example a blog"),
        _field("avatar_url", _U, "profile image, 80 by 80 pixels by default", required=True),
        _field(
            "email_sha1",
            _T,
            "SHA1 hex digest of the e-mail address (the live service: of 'mailto:' and it)",
            required=True,
        ),
        _field("posts_count", _N, "forum posts made by this account", required=True, unit="posts"),
        _field("location", _T, "claimed location, validated by a geocoder; precision varies"),
        _field(
            "country_code",
            _T,
            "country by a geocoder: a two-letter code or a full name, not unified",
        ),
        _field("latitude", _F, "latitude of a valid location", unit="degrees north"),
        _field("longitude", _F, "longitude of a valid location", unit="degrees east"),
        _field("kudo_score/kudo_rank", _N, "standing among members, 1 (new) to 10", unit="rank"),
        _field("kudo_score/position", _N, "place in the list of all ranked members", unit="place"),
        _field("login", _T, "name used in addresses", dialect=_OLD),
        _field("about", _T, "what the member says of themselves", dialect=_OLD),
        _field("twitter_account", _T, "name on another service", dialect=_OLD),
        _field("url", _U, "address of this record as XML", dialect=_OLD),
        _field("html_url", _U, "address of this record as a page", dialect=_OLD),
        _field(
            "kudo_score/created_at", _D, "when the score was computed", unit="UTC", dialect=_OLD
        ),
        _field("kudo_score/max_position", _N, "last place in the list", unit="place", dialect=_OLD),
        _field("kudo_score/position_delta", _N, "change of place", unit="places", dialect=_OLD),
        _items(
            "languages",
            "language",
            "languages that the member has committed in",
            _NEW,
            _field("name", _T, "name of the language"),
            _field("color", _T, "colour of the language, hexadecimal"),
            _field("experience_months", _N, "months with a commit", unit="months"),
            _field("total_commits", _N, "commits in all", unit="commits"),
            _field("total_lines_changed", _N, "lines changed in all", unit="lines"),
            _field("comment_ratio", _F, "share of comment lines", unit="%"),
        ),
        _items(
            "badges",
            "badge",
            "badges of the member",
            _NEW,
            _field("name", _T, "name of the badge"),
            _field("level", _N, "level reached", unit="level"),
            _field("description", _T, "what it stands for"),
            _field("image_url", _U, "picture"),
            _field("pips_url", _U, "picture of the level"),
        ),
    ),
)

PROJECT = Resource(
    name="project",
    collection="projects",
    sorts=(*_SORTS, "stack_count", "stack_count_reverse"),
    default_sort="created_at_reverse",
    other_sorts=(
        "new",
        "users",
        "popularity",
        "rating",
        "activity_level",
        "active_committers",
        "project_name",
        "description",
        "relevance",
    ),
    query_sort="relevance",
    fields=(
        _field("id", _I, "unique ID of the project", required=True),
        _field("name", _T, "title of the project", required=True),
        _field("created_at", _D, "when the project was added", required=True, unit="UTC"),
        _field("updated_at", _D, "when the record was last modified", required=True, unit="UTC"),
        _field("description", _T, "what the project is"),
        _field("homepage_url", _U, "home page"),
        _field("download_url", _U, "where to download it"),
        _field("irc_url", _U, "chat of the project; may be empty"),
        _field("stack_count", _N, "members who say that they use it", unit="members"),
        _field("analysis_id", _I, "ID of the current analysis"),
        _field("analysis/id", _I, "ID of the analysis"),
        _field("analysis/project_id", _I, "ID of the project analysed"),
        _field("analysis/updated_at", _D, "when the analysis was made", unit="UTC"),
        _field("analysis/logged_at", _D, "when the source code was last fetched", unit="UTC"),
        _field("analysis/min_month", _D, "first month with activity (its first day)", unit="UTC"),
        _field("analysis/max_month", _D, "last month with activity (its first day)", unit="UTC"),
        _field(
            "analysis/twelve_month_contributor_count",
            _N,
            "people who committed in the twelve months before the analysis",
            unit="people",
        ),
        _field("analysis/total_code_lines", _N, "lines of code; can be negative", unit="lines"),
        _field("analysis/main_language_id", _I, "ID of the main language"),
        _field("analysis/main_language_name", _T, "name of the main language"),
        _field("url", _U, "address of this record as XML", dialect=_OLD),
        _field("html_url", _U, "address of this record as a page", dialect=_OLD),
        _field("url_name", _T, "short name used in addresses", dialect=_OLD),
        _field("vanity_url", _T, "short name used in addresses", dialect=_NEW),
        _field("medium_logo_url", _U, "logo of medium size", dialect=_OLD),
        _field("small_logo_url", _U, "logo of small size", dialect=_OLD),
        _field("user_count", _N, "members who say that they use it", unit="members", dialect=_OLD),
        _field("average_rating", _F, "mean rating, 0 to 5", unit="stars", dialect=_OLD),
        _field("rating_count", _N, "number of ratings", unit="ratings", dialect=_OLD),
        _field("review_count", _N, "number of reviews", unit="reviews", dialect=_OLD),
        _field("organization/id", _I, "ID of the organization", dialect=_NEW),
        _field("organization/name", _T, "name of the organization", dialect=_NEW),
        _field("organization/vanity_url", _T, "its short name in addresses", dialect=_NEW),
        _field("organization/html_url", _U, "address of its page", dialect=_NEW),
        _items("tags", "tag", "tags of the project", _OLD, _field("tag", _T, "text of the tag")),
        _field("analysis/url", _U, "address of the analysis as XML", dialect=_OLD),
        _field(
            "analysis/oldest_code_set_time",
            _D,
            "when the least recently fetched source code was fetched",
            unit="UTC",
            dialect=_NEW,
        ),
        _field(
            "analysis/total_contributor_count",
            _N,
            "people who ever committed",
            unit="people",
            dialect=_OLD,
        ),
        _field(
            "analysis/twelve_month_commit_count",
            _N,
            "commits in the twelve months before the analysis",
            unit="commits",
            dialect=_OLD,
        ),
        _field("analysis/total_commit_count", _N, "commits in all", unit="commits", dialect=_OLD),
        _items(
            "analysis/factoids",
            "factoid",
            "statements about the source code",
            _OLD,
            _field("factoid", _T, "the statement"),
            _field("type", _T, "kind of statement"),
        ),
        _field("analysis/languages/graph_url", _U, "picture of the languages", dialect=_OLD),
        _items(
            "analysis/languages",
            "language",
            "languages of the source code",
            _OLD,
            _field("language", _T, "name of the language"),
            _field("percentage", _F, "share of the code lines", unit="%"),
            _field("color", _T, "colour of the language, hexadecimal"),
            _field("id", _I, "ID of the language; empty for the rest"),
        ),
        _items(
            "licenses",
            "license",
            "licences of the project",
            _OLD,
            _field("name", _T, "code of the licence (today: its title)"),
            _field("nice_name", _T, "title of the licence"),
            _field("vanity_url", _T, "code of the licence (today)"),
        ),
        _items(
            "similar_projects",
            "project",
            "projects like this one; they are no records of the collection",
            _NEW,
            _field("id", _I, "ID of the similar project"),
            _field("name", _T, "its title"),
            _field("vanity_url", _T, "its short name in addresses"),
        ),
        _field(
            "project_activity_index/value", _N, "activity, 0 to 100", unit="points", dialect=_NEW
        ),
        _field("project_activity_index/description", _T, "activity in words", dialect=_NEW),
        _items(
            "links",
            "link",
            "links of the project",
            _NEW,
            _field("title", _T, "title of the link"),
            _field("url", _U, "address"),
            _field("category", _T, "kind of link"),
        ),
    ),
)

#: Resources of the specification by element name.
RESOURCES = {resource.name: resource for resource in (ACCOUNT, PROJECT)}
