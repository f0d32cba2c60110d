# The public names for type checkers and editors; `dirframe/__init__.py` loads them.
# ruff: noqa: I001  # one list a module, not one line a name

from dirframe import plot as plot, stats as stats
from dirframe.archive.archive import Archive as Archive, open_archive as open_archive
from dirframe.archive.archive import harvest as harvest
from dirframe.citation import cite as cite
from dirframe.clean import (
    country_audit as country_audit,
    country_note as country_note,
    unify_countries as unify_countries,
)
from dirframe.client.check import check as check
from dirframe.client.child_tables import child_table as child_table
from dirframe.client.directory import Directory as Directory
from dirframe.client.read_pages import read_pages as read_pages
from dirframe.client.loaders import (
    load as load,
    load_account as load_account,
    load_accounts as load_accounts,
    load_activity as load_activity,
    load_contributors as load_contributors,
    load_languages as load_languages,
    load_project as load_project,
    load_projects as load_projects,
    load_size as load_size,
)
from dirframe.client.plan import plan as plan
from dirframe.client.http.cache import (
    cache_info as cache_info,
    clear_cache as clear_cache,
    prune_cache as prune_cache,
)
from dirframe.client.dtypes import fields as fields
from dirframe.errors import (
    AnalysesNotSentWarning as AnalysesNotSentWarning,
    ArchiveError as ArchiveError,
    CacheError as CacheError,
    CacheWarning as CacheWarning,
    ColumnsNotSentError as ColumnsNotSentError,
    ConfigurationError as ConfigurationError,
    DirframeError as DirframeError,
    DirframeWarning as DirframeWarning,
    ExportWarning as ExportWarning,
    IncompleteCollectionError as IncompleteCollectionError,
    IncompleteWarning as IncompleteWarning,
    InvalidInputError as InvalidInputError,
    InvalidKeyError as InvalidKeyError,
    MissingColumnsError as MissingColumnsError,
    MissingExtraError as MissingExtraError,
    NetworkError as NetworkError,
    NotFoundError as NotFoundError,
    QuotaExceededError as QuotaExceededError,
    QuotaWarning as QuotaWarning,
    RequestError as RequestError,
    ServiceError as ServiceError,
    SortIgnoredWarning as SortIgnoredWarning,
    StaleWarning as StaleWarning,
    StoreError as StoreError,
    UnknownValueWarning as UnknownValueWarning,
    UnreadableResponseError as UnreadableResponseError,
    UnreadableValueWarning as UnreadableValueWarning,
    UnresolvedCountriesError as UnresolvedCountriesError,
)
from dirframe.explorer.explorer import Explorer as Explorer
from dirframe.io.read import read_table as read_table
from dirframe.io.export import export as export
from dirframe.selection import select as select
from dirframe.stats.activity import with_age as with_age
from dirframe.stats.licenses import with_license_family as with_license_family
from dirframe.reports.report import report as report
from dirframe.sample import sample_directory as sample_directory
from dirframe.service.server import serve as serve
from dirframe.quality.flags import flags as flags
from dirframe.quality.rules import exclude as exclude
from dirframe.quality.summary import summary as summary
from dirframe.quality.compare import compare as compare

__all__: list[str]  # noqa: PYI035  # the imports are the list
__version__: str
