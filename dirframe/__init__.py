"""An open source directory as pandas DataFrames: complete, cached, cleaned, charted, cited.

Each public name is loaded when it is first used, so that ``import dirframe`` costs next to
nothing. ``__init__.pyi`` says the same to type checkers and editors.
"""

from __future__ import annotations

__version__ = "0.1.0"

# lazy_loader, which reads the stub itself, would cost ten times as much at each start, and has no
# place for the check of pandas' version.
_NAMES = {
    "dirframe.archive.archive": (
        "Archive",
        "open_archive",
        "read_pages",
    ),
    "dirframe.archive.bundle": (
        "bundle",
        "open_bundle",
    ),
    "dirframe.archive.harvest": ("harvest",),
    "dirframe.archive.update": ("update",),
    "dirframe.citation": ("cite",),
    "dirframe.clean": (
        "country_audit",
        "country_note",
        "unify_countries",
    ),
    "dirframe.client.frames.child_tables": ("child_table",),
    "dirframe.client.collections": (
        "load_activity",
        "load_contributors",
        "load_languages",
        "load_size",
    ),
    "dirframe.client.directory": ("Directory",),
    "dirframe.client.load": ("load",),
    "dirframe.client.loaders": (
        "load_accounts",
        "load_projects",
    ),
    "dirframe.client.plan": ("plan",),
    "dirframe.client.records": (
        "load_account",
        "load_project",
    ),
    "dirframe.client.http.cache": (
        "cache_info",
        "clear_cache",
        "prune_cache",
    ),
    "dirframe.data_dictionary": ("fields",),
    "dirframe.errors": (
        "AnalysesNotSentWarning",
        "ArchiveError",
        "CacheError",
        "CacheWarning",
        "ColumnsNotSentError",
        "ConfigurationError",
        "DirframeError",
        "DirframeWarning",
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
    ),
    "dirframe.explorer.explorer": ("Explorer",),
    "dirframe.io.read": ("read_export",),
    "dirframe.io.export": ("export",),
    "dirframe.reports.report": ("report",),
    "dirframe.sample": ("sample_directory",),
    "dirframe.service.server": ("serve",),
    "dirframe.stats.quality.flags": ("flags",),
    "dirframe.stats.quality.summary": ("summary",),
    "dirframe.stats.quality.sensitivity": ("sensitivity",),
    "dirframe.stats.quality.compare": ("compare",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}
#: Modules that are used by their own name: `dirframe.provenance.copy_provenance`.
_SUBMODULES = {"errors", "plot", "provenance", "stats"}

__all__ = sorted({*_HOMES, "plot", "stats"})  # noqa: PLE0605  # sorted for whoever asks; the stub is static


def __getattr__(name: str) -> object:
    from importlib import import_module

    home = f"dirframe.{name}" if name in _SUBMODULES else _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'dirframe' has no attribute {name!r}")
    if home != "dirframe.errors":
        import_module("dirframe._requirements").check_pandas()
    module = import_module(home)
    if name in _SUBMODULES:
        return module
    value = globals()[name] = getattr(module, name)  # the next access is an ordinary one
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
