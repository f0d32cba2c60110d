"""An open source directory as pandas DataFrames: complete, cached, cleaned, charted, cited.

Each public name is loaded when it is first used, so that ``import dirframe`` costs next to
nothing. What stays out: everything else; this module only says where the names live.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; importing `typing` would cost 5 ms

if TYPE_CHECKING:
    from dirframe import plot, stats
    from dirframe.archive.bundle import bundle
    from dirframe.archive.harvest import harvest
    from dirframe.archive.reading import Archive, open_archive, read_pages
    from dirframe.archive.refresh import refresh
    from dirframe.archive.unbundle import open_bundle
    from dirframe.citation import cite
    from dirframe.clean import country_audit, country_note, unify_countries
    from dirframe.client.children import child_table
    from dirframe.client.collections import (
        load_activity,
        load_contributors,
        load_languages,
        load_size,
    )
    from dirframe.client.directory import Directory
    from dirframe.client.http.cache import cache_info, clear_cache, prune_cache
    from dirframe.client.load import load
    from dirframe.client.loaders import load_accounts, load_projects
    from dirframe.client.plan import plan
    from dirframe.client.records import load_account, load_project
    from dirframe.dictionary import fields
    from dirframe.errors import (
        AnalysesNotSentWarning,
        ArchiveError,
        CacheError,
        CacheWarning,
        ColumnsNotSentError,
        ConfigurationError,
        DirframeError,
        DirframeWarning,
        ExportWarning,
        Hint,
        IncompleteCollectionError,
        IncompleteWarning,
        InvalidInputError,
        InvalidKeyError,
        MissingColumnsError,
        MissingExtraError,
        NetworkError,
        NotFoundError,
        QuotaExceededError,
        QuotaWarning,
        ReportError,
        RequestError,
        ServiceError,
        StaleWarning,
        StoreError,
        UnreadableResponseError,
        UnreadableValueWarning,
        UnresolvedCountriesError,
        WeakKeyWarning,
    )
    from dirframe.explorer.explorer import Explorer
    from dirframe.files.reading import read_export
    from dirframe.files.writing import export
    from dirframe.reporting.making import report
    from dirframe.sample import sample_directory
    from dirframe.service.server import serve
    from dirframe.stats.flags import flags
    from dirframe.stats.overview import summary
    from dirframe.stats.sensitivity import sensitivity
    from dirframe.stats.snapshots import compare

__version__ = "0.1.0"

__all__ = [
    "AnalysesNotSentWarning",
    "Archive",
    "ArchiveError",
    "CacheError",
    "CacheWarning",
    "ColumnsNotSentError",
    "ConfigurationError",
    "Directory",
    "DirframeError",
    "DirframeWarning",
    "Explorer",
    "ExportWarning",
    "Hint",
    "IncompleteCollectionError",
    "IncompleteWarning",
    "InvalidInputError",
    "InvalidKeyError",
    "MissingColumnsError",
    "MissingExtraError",
    "NetworkError",
    "NotFoundError",
    "QuotaExceededError",
    "QuotaWarning",
    "ReportError",
    "RequestError",
    "ServiceError",
    "StaleWarning",
    "StoreError",
    "UnreadableResponseError",
    "UnreadableValueWarning",
    "UnresolvedCountriesError",
    "WeakKeyWarning",
    "bundle",
    "cache_info",
    "child_table",
    "cite",
    "clear_cache",
    "compare",
    "country_audit",
    "country_note",
    "export",
    "fields",
    "flags",
    "harvest",
    "load",
    "load_account",
    "load_accounts",
    "load_activity",
    "load_contributors",
    "load_languages",
    "load_project",
    "load_projects",
    "load_size",
    "open_archive",
    "open_bundle",
    "plan",
    "plot",
    "prune_cache",
    "read_export",
    "read_pages",
    "refresh",
    "report",
    "sample_directory",
    "sensitivity",
    "serve",
    "stats",
    "summary",
    "unify_countries",
]

_HOMES = {
    "Archive": "dirframe.archive.reading",
    "Directory": "dirframe.client.directory",
    "Explorer": "dirframe.explorer.explorer",
    "bundle": "dirframe.archive.bundle",
    "cache_info": "dirframe.client.http.cache",
    "child_table": "dirframe.client.children",
    "cite": "dirframe.citation",
    "clear_cache": "dirframe.client.http.cache",
    "compare": "dirframe.stats.snapshots",
    "country_audit": "dirframe.clean",
    "country_note": "dirframe.clean",
    "export": "dirframe.files.writing",
    "fields": "dirframe.dictionary",
    "flags": "dirframe.stats.flags",
    "harvest": "dirframe.archive.harvest",
    "load": "dirframe.client.load",
    "load_account": "dirframe.client.records",
    "load_accounts": "dirframe.client.loaders",
    "load_activity": "dirframe.client.collections",
    "load_contributors": "dirframe.client.collections",
    "load_languages": "dirframe.client.collections",
    "load_project": "dirframe.client.records",
    "load_projects": "dirframe.client.loaders",
    "load_size": "dirframe.client.collections",
    "open_archive": "dirframe.archive.reading",
    "open_bundle": "dirframe.archive.unbundle",
    "plan": "dirframe.client.plan",
    "prune_cache": "dirframe.client.http.cache",
    "read_export": "dirframe.files.reading",
    "read_pages": "dirframe.archive.reading",
    "refresh": "dirframe.archive.refresh",
    "report": "dirframe.reporting.making",
    "sample_directory": "dirframe.sample",
    "sensitivity": "dirframe.stats.sensitivity",
    "serve": "dirframe.service.server",
    "summary": "dirframe.stats.overview",
    "unify_countries": "dirframe.clean",
}
#: Modules that are used by their own name: `dirframe.provenance.carry`.
_SUBMODULES = {"errors", "plot", "provenance", "stats"}

if not TYPE_CHECKING:  # for a type checker, a wrong name stays an error

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name not in __all__ and name not in _SUBMODULES:
            raise AttributeError(f"module 'dirframe' has no attribute {name!r}")
        home = f"dirframe.{name}" if name in _SUBMODULES else _HOMES.get(name, "dirframe.errors")
        if home != "dirframe.errors":
            import_module("dirframe.requirements").check_pandas()
        module = import_module(home)
        if name in _SUBMODULES:
            return module
        value = getattr(module, name)
        globals()[name] = value  # the next access is an ordinary one
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
