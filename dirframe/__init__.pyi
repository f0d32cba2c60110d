# The public names and their homes. `dirframe/__init__.py` reads this list and imports each name on
# first use; type checkers and editors read it too.
# ruff: noqa: I001, TID252  # one list a module; lazy_loader reads relative imports alone

from . import errors as errors, plot as plot, provenance as provenance, stats as stats
from .archive.archive import Archive as Archive, open_archive as open_archive
from .archive.harvest import harvest as harvest
from .citation import cite as cite
from .clean import (
    country_audit as country_audit,
    country_note as country_note,
    unify_countries as unify_countries,
)
from .client.check import check as check
from .client.child_tables import child_table as child_table
from .client.directory import Directory as Directory
from .client.read_pages import read_pages as read_pages
from .client.loaders import (
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
from .client.organizations import (
    load_organizations as load_organizations,
    load_portfolio as load_portfolio,
    load_repositories as load_repositories,
)
from .client.plan import plan as plan
from .client.http.cache import (
    cache_info as cache_info,
    clear_cache as clear_cache,
    prune_cache as prune_cache,
)
from .client.fields import fields as fields
from .errors import (
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
    OverQuotaWarning as OverQuotaWarning,
    QuotaExceededError as QuotaExceededError,
    QuotaWarning as QuotaWarning,
    RequestError as RequestError,
    ServiceError as ServiceError,
    ServiceChangedWarning as ServiceChangedWarning,
    ShortKeyWarning as ShortKeyWarning,
    SortIgnoredWarning as SortIgnoredWarning,
    StaleWarning as StaleWarning,
    StoreError as StoreError,
    UnknownValueWarning as UnknownValueWarning,
    UnreadableResponseError as UnreadableResponseError,
    UnreadableValueWarning as UnreadableValueWarning,
    UnresolvedCountriesError as UnresolvedCountriesError,
)
from .explorer.explorer import Explorer as Explorer
from .io.read import read_table as read_table
from .io.export import export as export
from .selection import select as select
from .stats.activity import with_age as with_age
from .stats.licenses import with_license_family as with_license_family
from .reports.report import report as report
from .local_service import serve as serve
from .sample import sample_directory as sample_directory
from .quality.flags import flags as flags
from .quality.rules import exclude as exclude
from .quality.summary import summary as summary
from .quality.compare import compare as compare

__all__: list[str]  # noqa: PYI035  # the imports are the list
__version__: str
