"""Frames have `dirframe`, the public functions on themselves; old text dtypes are refused."""

import inspect
import pickle

import pandas as pd
import pytest

import dirframe
from dirframe import plot, stats
from dirframe.errors import ConfigurationError


def test_accessor_calls_the_public_functions_with_its_frame(sample_projects):
    projects = sample_projects.head(40)
    accessor = projects.dirframe
    assert accessor.cite() == dirframe.cite(projects)
    assert str(accessor.summary()) == str(dirframe.summary(projects))
    shares = stats.language_share(projects, top=3)
    pd.testing.assert_frame_equal(accessor.stats.language_share(top=3), shares)
    bars = accessor.plot.language_share(top=3).patches
    assert len(bars) == len(plot.language_share(projects, top=3).patches)


def test_accessor_offers_what_a_frame_can_be_given_to():
    accessor = pd.DataFrame().dirframe
    assert dir(accessor.stats) == sorted(set(stats.__all__) - {"by"})
    assert set(dir(accessor.plot)) <= set(plot.__all__)
    for name in set(dir(accessor)) - {"plot", "stats"}:
        function = getattr(accessor, name)
        assert function.__func__ is getattr(dirframe, name)
        assert inspect.getdoc(function) == inspect.getdoc(getattr(dirframe, name))


def test_accessor_does_not_hinder_copies_and_pickles():
    frame = pd.DataFrame({"id": ["1"]})
    assert dir(frame.dirframe)
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(frame)), frame)
    assert frame.copy().dirframe is not frame.dirframe


@pytest.mark.filterwarnings("ignore:.*infer_string")
def test_an_option_that_counts_missing_text_as_a_value_is_refused(root):
    frame = pd.DataFrame(
        {
            "id": ["1", "2", "3"],
            "country_code": ["US", None, "China"],
            "analysis_main_language_name": ["C", None, "C"],
            "analysis_twelve_month_contributor_count": [1, 2, 3],
            "analysis_total_code_lines": [1, 2, 3],
        }
    )
    uses = [
        stats.language_share,
        stats.contributors_by_language,
        plot.language_share,
        dirframe.summary,
        dirframe.flags,
        dirframe.unify_countries,
        lambda frame: dirframe.compare(frame, frame),
        lambda frame: dirframe.select(frame, languages="C"),
        lambda _: dirframe.read_pages(root / "data" / "projects.xml.gz"),
    ]
    for use in uses:
        with (
            pd.option_context("future.infer_string", False),
            pytest.raises(ConfigurationError, match=r"future\.infer_string"),
        ):
            use(frame)
