"""Errors and warnings: one tree, facts as attributes, advice; also on what people try first."""

import inspect
import pickle
import re
import shutil
from datetime import UTC, datetime

import pandas as pd
import pytest

import dirframe
from dirframe import errors, plot
from dirframe.errors import (
    ConfigurationError,
    DirframeError,
    DirframeWarning,
    IncompleteCollectionError,
    InvalidInputError,
    MissingExtraError,
    NetworkError,
    NotFoundError,
    QuotaExceededError,
    UnreadableResponseError,
    UnresolvedCountriesError,
)

URL = "https://directory.example/projects.xml"
CLASSES = [getattr(errors, name) for name in errors.__all__]


def test_errors_cross_a_process_boundary_with_their_facts():
    frame = pd.DataFrame({"id": ["1"]})
    one_of_each_shape = [
        InvalidInputError("It is there.", hint="Pass overwrite=True (--overwrite)."),
        MissingExtraError("xlsxwriter", extra="excel", purpose="Writing .xlsx"),
        UnreadableResponseError("This is HTML.", found="HTML", source="page.xml"),
        NetworkError("No answer came.", url=URL),
        QuotaExceededError(
            "The quota is used up.",
            url=URL,
            status=429,
            help_text="Come back tomorrow.",
            resets_at=datetime(2026, 1, 2, tzinfo=UTC),
        ),
        IncompleteCollectionError("Two are missing.", frame=frame, missing="2 of 3 records"),
    ]
    for error in one_of_each_shape:
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert str(copy) == str(error)
        facts, again = dict(vars(error)), dict(vars(copy))
        if "frame" in facts:
            pd.testing.assert_frame_equal(again.pop("frame"), facts.pop("frame"))
        assert again == facts
    extra = one_of_each_shape[1]
    assert (extra.package, extra.extra) == ("xlsxwriter", "excel")
    assert 'pip install "dirframe[excel]"' in str(extra)


def test_the_drawn_tree_is_the_tree():
    """The drawing gives each class below its first base, indented by one step."""
    drawn, above = {}, []
    for line in inspect.cleandoc(errors.__doc__).splitlines():
        found = re.match(r" {4}(?P<branch>[│├└─ ]*)(?P<name>[A-Z]\w+(?:Error|Warning))\b", line)
        if found:
            depth = len(found["branch"]) // 4
            above[depth:] = [found["name"]]
            root = "UserWarning" if found["name"].endswith("Warning") else "Exception"
            drawn[found["name"]] = above[depth - 1] if depth else root
    bases = {
        cls.__name__: next(b for b in cls.__mro__[1:] if b.__name__[0] != "_").__name__
        for cls in CLASSES
    }
    assert drawn == bases
    assert all(issubclass(cls, DirframeError | DirframeWarning) for cls in CLASSES)


def test_advice_follows_the_message():
    for kind in (InvalidInputError, DirframeWarning):
        error = kind("It is there.", hint="Pass overwrite=True (--overwrite).")
        assert str(error) == "It is there. Pass overwrite=True (--overwrite)."
        assert (error.message, error.hint) == ("It is there.", "Pass overwrite=True (--overwrite).")
        assert str(kind("It is gone.")) == "It is gone."


def test_advice_stands_below_a_list():
    error = UnresolvedCountriesError([("Mars", 2, "no country")])
    assert error.unresolved == [("Mars", 2, "no country")]
    *_, mars, advice = str(error).splitlines()
    assert "'Mars' (2): no country" in mars
    assert "overrides=" in advice
    assert "--overrides" in advice


def test_warnings_reach_code_that_is_in_no_module():
    calls = {"warn": errors.warn, "warning": DirframeWarning("It is old.")}
    with pytest.warns(DirframeWarning):
        exec("warn(warning)", calls)


# What people try first works, or is answered with what was meant


def test_options_of_other_libraries_are_answered_with_ours(sample):
    for call, tried, meant in (
        (dirframe.load_projects, "limit", "max_items"),
        (dirframe.load_accounts, "n", "max_items"),
        (dirframe.load_projects, "refrsh", "refresh"),
    ):
        with pytest.raises(TypeError, match=f"{tried!r}.*Did you mean '{meant}'"):
            call(sample, **{tried: 10})
    with pytest.raises(
        InvalidInputError, match=r'dirframe\.plan\("projects", directory=directory\)'
    ):
        dirframe.plan(sample)


def test_project_is_named_by_its_id_and_the_directory_by_its_name(sample, sample_projects):
    for call in (dirframe.load_project, dirframe.load_size):
        with pytest.raises(TypeError, match=r"write load_\w+\(project, directory=directory\)"):
            call(sample, 711)
        with pytest.raises(InvalidInputError, match="The project is a Directory"):
            call(sample)
    with pytest.raises(TypeError, match=r"write load_projects\(directory, query=query\)"):
        dirframe.load_projects(sample, "firefox")
    for call in (dirframe.load_project, dirframe.load_contributors):
        with pytest.raises(InvalidInputError, match=r"pass row\['id'\]") as caught:
            call(sample_projects.iloc[0], directory=sample)
        assert "Timestamp" not in str(caught.value)


def test_chart_without_a_title_is_asked_for_as_one_without_a_caption(sample_projects):
    ax = plot.language_share(sample_projects.head(20), title=False, caption=False)
    assert ax.get_title() == ""
    with pytest.raises(InvalidInputError, match="title"):
        plot.language_share(sample_projects, title=3)


def test_cache_is_named_by_its_folder(sample):
    for call, given in ((dirframe.clear_cache, sample), (dirframe.prune_cache, 30)):
        with pytest.raises(InvalidInputError, match=r"directory\.cache_folder"):
            call(given)


def test_pages_are_named_by_a_pattern(root, tmp_path):
    for number in (1, 2):
        shutil.copy(root / "data" / "projects.xml.gz", tmp_path / f"page-{number}.xml.gz")
    pages = dirframe.read_pages(tmp_path / "page-*.xml.gz")
    assert len(pages) == len(dirframe.read_pages(tmp_path))
    with pytest.raises(InvalidInputError, match="nothing-"):
        dirframe.read_pages(tmp_path / "nothing-*.xml")


def test_address_of_a_page_is_no_directory():
    with pytest.raises(ConfigurationError, match=r"without accounts\.xml"):
        dirframe.Directory("https://directory.example/accounts.xml", "key" * 10)


def test_title_of_a_project_is_not_its_name_in_addresses(sample, sample_projects):
    with pytest.raises(NotFoundError, match="not its title"):
        dirframe.load_contributors(sample_projects["name"].iloc[1], directory=sample)


def test_countries_of_projects_are_asked_for_in_vain(sample_projects):
    with pytest.raises(InvalidInputError, match="Projects have no country"):
        dirframe.select(sample_projects, countries="Germany")
