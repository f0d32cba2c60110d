"""An open source directory as pandas DataFrames: complete, cached, cleaned, charted, cited.

>>> with dirframe.sample_directory() as directory:  # or dirframe.Directory(address, key)
...     projects = dirframe.load_projects(directory)
>>> ax = projects.dirframe.plot.language_share()
"""

from __future__ import annotations

__version__ = "0.1.0"

#: Public names by their modules, which are imported on first use; `__init__.pyi` types them.
_NAMES = {
    "dirframe.archive.archive": "Archive harvest open_archive",
    "dirframe.citation": "cite",
    "dirframe.clean": "country_audit country_note unify_countries",
    "dirframe.client.check": "check",
    "dirframe.client.child_tables": "child_table",
    "dirframe.client.dtypes": "fields",
    "dirframe.client.directory": "Directory",
    "dirframe.client.read_pages": "read_pages",
    "dirframe.client.loaders": (
        "load load_account load_accounts load_activity load_contributors load_languages "
        "load_project load_projects load_size"
    ),
    "dirframe.client.plan": "plan",
    "dirframe.client.http.cache": "cache_info clear_cache prune_cache",
    "dirframe.errors": (
        "AnalysesNotSentWarning ArchiveError CacheError CacheWarning ColumnsNotSentError "
        "ConfigurationError DirframeError DirframeWarning ExportWarning "
        "IncompleteCollectionError IncompleteWarning InvalidInputError InvalidKeyError "
        "MissingColumnsError MissingExtraError NetworkError NotFoundError "
        "QuotaExceededError QuotaWarning RequestError ServiceError "
        "SortIgnoredWarning StaleWarning StoreError UnknownValueWarning UnreadableResponseError "
        "UnreadableValueWarning UnresolvedCountriesError"
    ),
    "dirframe.explorer.explorer": "Explorer",
    "dirframe.selection": "select",
    "dirframe.stats.activity": "with_age",
    "dirframe.stats.licenses": "with_license_family",
    "dirframe.io.read": "read_table",
    "dirframe.io.export": "export",
    "dirframe.reports.report": "report",
    "dirframe.sample": "sample_directory",
    "dirframe.service.server": "serve",
    "dirframe.quality.flags": "flags",
    "dirframe.quality.rules": "exclude",
    "dirframe.quality.summary": "summary",
    "dirframe.quality.compare": "compare",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
#: Modules accessed as attributes of the package: `dirframe.provenance.copy_provenance`.
_SUBMODULES = {"errors", "plot", "provenance", "stats"}

__all__ = sorted({*_MODULES, "plot", "stats"})  # noqa: PLE0605  # the stub is the static list


def __getattr__(name: str) -> object:
    from importlib import import_module

    module_name = f"dirframe.{name}" if name in _SUBMODULES else _MODULES.get(name)
    if module_name is None:
        raise import_module("dirframe._display").unknown_attribute(
            "module 'dirframe'", name, __all__
        )
    module = import_module(module_name)
    if name in _SUBMODULES:
        return module
    value = globals()[name] = getattr(module, name)  # skips __getattr__ next time
    return value


def __dir__() -> list[str]:
    from importlib.util import find_spec

    # help() takes every name, and the explorer's needs an extra.
    hidden = set() if find_spec("ipywidgets") else {"Explorer"}
    return [*sorted({*__all__} - hidden), "__version__"]
