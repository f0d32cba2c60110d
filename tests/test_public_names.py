"""The front door: which names dirframe offers, also on frames, that each leads somewhere and is documented."""

import doctest
import inspect
import pickle
import pydoc
import re
import sys
import traceback
from importlib import import_module

import pandas as pd
import pytest

import dirframe
from dirframe import errors, plot, stats
from dirframe.errors import ConfigurationError
from tests import processes
from tests.conftest import ROOT

#: A name is added or taken away here on purpose, and in CHANGELOG.md.
PUBLIC = [
    "AnalysesNotSentWarning", "Archive", "ArchiveError", "CacheError", "CacheWarning",
    "ColumnsNotSentError", "ConfigurationError", "Directory", "DirframeError",
    "DirframeWarning", "Explorer", "ExportWarning", "IncompleteCollectionError",
    "IncompleteWarning", "InvalidInputError", "InvalidKeyError", "MissingColumnsError",
    "MissingExtraError", "NetworkError", "NotFoundError", "OverQuotaWarning", "QuotaExceededError", "QuotaWarning",
    "RequestError", "ServiceChangedWarning", "ServiceError", "ShortKeyWarning", "SortIgnoredWarning", "StaleWarning", "StoreError",
    "UnknownValueWarning", "UnreadableResponseError",
    "UnreadableValueWarning", "UnresolvedCountriesError", "cache_info", "check", "child_table",
    "cite", "clear_cache", "compare", "country_audit", "country_note", "errors", "exclude", "export",
    "fields", "flags", "harvest", "load", "load_account", "load_accounts", "load_activity",
    "load_contributors", "load_languages", "load_organizations", "load_portfolio", "load_project",
    "load_projects", "load_repositories", "load_size",
    "open_archive", "plan", "plot", "provenance", "prune_cache", "read_pages", "read_table", "report",
    "sample_directory", "select", "serve", "stats", "summary", "unify_countries",
    "with_age", "with_license_family",
]  # fmt: skip


def public_objects():
    """Return functions, classes and public methods by the name under which they are public."""
    found = {name: getattr(dirframe, name) for name in PUBLIC}
    modules = [found.pop(name) for name in ("errors", "plot", "provenance", "stats")]
    for module in modules[1:]:
        home = module.__name__.removeprefix("dirframe.")
        found |= {f"{home}.{name}": getattr(module, name) for name in module.__all__}
    for name, value in list(found.items()):
        if inspect.isclass(value) and not issubclass(value, BaseException):
            members = [(n, getattr(value, n)) for n in vars(value) if not n.startswith("_")]
            own = [(n, member) for n, member in members if inspect.isroutine(member)]
            found |= {f"{name}.{method}": member for method, member in own}
    return {name: value for name, value in found.items() if callable(value)}


def test_public_names_are_exactly_these():
    assert dirframe.__all__ == PUBLIC
    assert set(errors.__all__) <= set(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_leads_to_the_thing_of_that_name(name):
    value = getattr(dirframe, name)
    if inspect.ismodule(value):
        assert value.__name__ == f"dirframe.{name}"
    else:
        assert value.__name__ == name
        assert getattr(import_module(value.__module__), name) is value


def test_public_name_that_is_like_no_other_is_answered_without_one():
    with pytest.raises(AttributeError, match=r"'xyzzy'$"):
        getattr(dirframe, "xyzzy")  # noqa: B009  # the type checker must not see it


def test_completion_offers_the_public_names_alone():
    offered = {module.__name__: set(dir(module)) for module in (dirframe, plot, stats)}
    assert offered == {
        "dirframe": {*PUBLIC, "__version__"},
        "dirframe.plot": {*plot.__all__},
        "dirframe.stats": {*stats.__all__},
    }
    assert "load_projects" in pydoc.render_doc(dirframe)


@pytest.mark.parametrize(
    ("module", "function"),
    [
        ("dirframe.plot.languages", "dirframe.plot.language_share"),
        ("dirframe.plot.accounts", "dirframe.plot.accounts_by_country"),
        ("dirframe.stats.languages", "dirframe.stats.language_share"),
        ("dirframe.stats.contributors", "dirframe.stats.contributor_distribution"),
        ("dirframe.stats", "dirframe.stats.tags"),
        ("dirframe.archive", "dirframe.open_archive"),
        ("dirframe.clean", "dirframe.unify_countries"),
        ("dirframe.explorer", "dirframe.Explorer"),
        ("dirframe.explorer.explorer", "dirframe.Explorer"),
        ("dirframe.provenance", "dirframe.provenance.get_provenance"),
        ("dirframe.quality", "dirframe.summary"),
        ("dirframe.reports", "dirframe.report"),
        ("dirframe.selection", "dirframe.select"),
    ],
)
def test_module_called_as_a_function_names_its_functions(module, function):
    called = import_module(module)
    with pytest.raises(TypeError, match=f"{module} is a module, not a function") as caught:
        called("projects", top=3)
    assert function in re.findall(r"[\w.]+\w", str(caught.value))


class FailingImport:
    """Raises in place of the import of one module, as that of a script's own copy.py may."""

    @staticmethod
    def find_spec(name, *_):
        if name == "dirframe.citation":
            raise AttributeError("a module that it imports fails")


def test_attribute_error_of_an_import_is_not_one_of_a_missing_name(monkeypatch):
    monkeypatch.delitem(vars(dirframe), "cite", raising=False)
    monkeypatch.delitem(sys.modules, "dirframe.citation", raising=False)
    monkeypatch.setattr(sys, "meta_path", [FailingImport, *sys.meta_path])
    with pytest.raises(AttributeError, match="a module that it imports fails"):
        _ = dirframe.cite


#: Raises in place of the import of Matplotlib, as that does where no folder can be written to.
NO_FOLDER = """
import sys
from importlib import import_module

class NoFolder:
    @staticmethod
    def find_spec(name, *_):
        if name == "matplotlib":
            raise OSError("Matplotlib requires access to a writable cache directory")

sys.meta_path.insert(0, NoFolder)
for module in sys.argv[1:]:
    try:
        import_module(f"dirframe.{module}")
    except Exception as error:
        print(module, type(error).__name__, "TMPDIR or MPLCONFIGDIR" in str(error))
"""


def test_matplotlib_without_a_folder_is_an_error_that_says_what_to_set():
    modules = ["plot.tags", "reports.report", "explorer.explorer", "demo"]
    done = processes.run(*modules, program=NO_FOLDER)
    assert done.out.splitlines() == [f"{module} DirframeError True" for module in modules], done.err


def test_module_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(plot)) is plot


ACCESSOR = pd.DataFrame({"id": ["1"]}).dirframe


@pytest.mark.parametrize(
    ("owner", "wrong", "right"),
    [
        (dirframe, "load_acounts", "load_accounts"),
        (dirframe, "projects", "load_projects"),
        (dirframe, "load_users", "load_accounts"),
        (ACCESSOR, "cites", "cite"),
        (ACCESSOR.plot, "Tags", "tags"),
        (plot, "langage_share", "language_share"),
        (stats, "Tags", "tags"),
    ],
)
def test_public_name_that_does_not_exist_is_answered_with_the_one_meant(owner, wrong, right):
    with pytest.raises(AttributeError, match=repr(wrong)) as caught:
        getattr(owner, wrong)
    assert repr(right) in str(caught.value)
    # Python adds no second suggestion of its own.
    assert "".join(traceback.format_exception(caught.value)).count("Did you mean") == 1


def test_accessor_offers_the_functions_of_dirframe_that_take_a_frame():
    functions = set(dir(ACCESSOR)) - {"caption", "plot", "provenance", "stats"}
    offered = {name: getattr(ACCESSOR, name).__func__ for name in functions}
    assert offered == {name: getattr(dirframe, name) for name in functions}
    texts = {name: inspect.getdoc(getattr(ACCESSOR, name)) for name in functions}
    assert texts == {name: inspect.getdoc(getattr(dirframe, name)) for name in functions}


def test_public_names_have_a_first_line_and_an_example_and_describe_their_parameters():
    failures = []
    for name, value in public_objects().items():
        text = inspect.getdoc(value) or ""
        if not text.partition("\n")[0].endswith("."):
            failures.append(f"{name}: no first line")
        is_class = inspect.isclass(value)
        if is_class and issubclass(value, BaseException):
            continue  # who catches it reads facts, and passes none
        is_method = name[0].isupper() and "." in name
        if not is_method and not doctest.DocTestFinder(recurse=False).find(value, name)[0].examples:
            failures.append(f"{name}: no example")
        if is_class and "__init__" not in vars(value):
            continue  # made by a function
        section = text.partition("\nParameters\n")[2].partition("\nReturns\n-")[0]
        names = " ".join(re.findall(r"^(\*{0,2}\w.*?)(?: :.*)?$", section, re.MULTILINE))
        described = set(re.findall(r"\w+", names))
        # A chart has the options of its statistic, and those of all charts.
        options = r"Options as `dirframe\.stats\.(\w+)` and `dirframe\.plot`"
        for statistic in re.findall(options, " ".join(text.split())):
            described |= {*inspect.signature(getattr(stats, statistic)).parameters, "look", "ax"}
            described |= set(re.findall(r"`(\w+)`", text))
        if "Parameters as in `dirframe.stats`" in text:
            described |= {"projects", "accounts", "top"}
        parameters = set(inspect.signature(value).parameters) - {"self"}
        failures += [f"{name}: {one} is not described" for one in sorted(parameters - described)]
    assert failures == []


def test_help_opens_with_three_lines_of_use_that_run():
    example = [line.strip() for line in dirframe.__doc__.split("\n\n")[1].splitlines()[:3]]
    assert [line[:3] for line in example] == [">>>", "...", ">>>"]
    namespace = {"dirframe": dirframe}
    exec("\n".join(line[4:] for line in example), namespace)
    assert namespace["ax"].patches


def test_accessor_offers_what_a_frame_can_be_given_to(sample_projects):
    projects = sample_projects.head(40)
    accessor = projects.dirframe
    assert dir(accessor.stats) == sorted(set(stats.__all__) - {"by"})
    assert set(dir(accessor.plot)) <= set(plot.__all__)
    assert accessor.cite() == dirframe.cite(projects)
    assert accessor.provenance == dirframe.provenance.get_provenance(projects)
    assert accessor.caption == dirframe.provenance.caption(projects)
    shares = stats.language_share(projects, top=3)
    pd.testing.assert_frame_equal(accessor.stats.language_share(top=3), shares)
    bars = accessor.plot.language_share(top=3).patches
    assert len(bars) == len(plot.language_share(projects, top=3).patches)


@pytest.mark.filterwarnings("ignore:.*infer_string")
@pytest.mark.parametrize(
    "use",
    [
        stats.language_share,
        dirframe.summary,
        lambda frame: dirframe.select(frame, languages="C"),
        lambda _: dirframe.read_pages(ROOT / "tests" / "xml" / "projects-page.xml"),
    ],
    ids=["statistic", "summary", "select", "read_pages"],
)
def test_option_that_counts_missing_text_as_a_value_is_refused(use, sample_projects):
    with (
        pd.option_context("future.infer_string", False),
        pytest.raises(ConfigurationError, match=r"future\.infer_string"),
    ):
        use(sample_projects)
