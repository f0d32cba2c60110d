"""Collections of many projects as one frame: priced, resumed, and what did not come is named."""

import pandas as pd
import pytest

import dirframe
from dirframe.errors import (
    IncompleteCollectionError,
    IncompleteWarning,
    InvalidInputError,
    QuotaExceededError,
    QuotaWarning,
    ServiceError,
)
from dirframe.provenance import caption, get_provenance
from tests.rig.server import Reply, Rig, failed, page_xml
from tests.rig.today import BROKEN, GONE, SILENT

MONTHS = 3


def fact(kind, month, commits):
    return f"<{kind}><month>2020-0{month}-01T00:00:00Z</month><commits>{commits}</commits></{kind}>"


def person(name):
    return f"<contributor_fact><contributor_id>{name}</contributor_id></contributor_fact>"


@pytest.fixture
def rig():
    """Serve months and contributors of projects; project n has n contributors, ten a page."""

    def answer(asked):
        parts = asked.path.split("/")
        if len(parts) < 4 or asked.query.get("api_key") != rig.key:
            return None
        project, what = parts[2], parts[-1]
        if project in rig.replies:
            return rig.replies[project]
        if what in {"activity_facts.xml", "size_facts.xml"}:
            kind = what.removesuffix("s.xml")
            months = [fact(kind, month, 10 * int(project)) for month in range(1, MONTHS + 1)]
            return page_xml(months, available=MONTHS, first=0)
        people = [person(f"{project}-{n}") for n in range(int(project))]
        first = 10 * (asked.page - 1)
        return page_xml(people[first : first + 10], available=len(people), first=first)

    rig = Rig(answer=answer)
    rig.replies = {}
    with rig.in_process():
        yield rig


def activity(directory, projects, **options):
    return dirframe.load_activity(projects, directory=directory, **options)


@pytest.mark.parametrize("workers", [1, 4])
def test_many_projects_are_one_tidy_frame(rig, connect, workers):
    directory = connect(rig, workers=workers)
    projects = pd.DataFrame({"id": ["3", "1", "3", "2"], "name": list("abcb")})
    forms = (projects, projects["id"], [3, 1, 2], ("3", "1", "2"), pd.Series([3, 1, 2]))
    price = directory.plan("activity", projects=projects)
    assert (price.requests_needed, price.requests_used, price.exact) == (3, 0, True)
    frames = [activity(directory, form) for form in forms]
    assert all(frame.equals(frames[0]) for frame in frames)
    assert len(rig.requests) == 3
    assert directory.plan("activity", projects=projects).requests_needed == 0
    frame = frames[0]
    assert list(frame)[:2] == ["project_id", "month"]
    assert frame["project_id"].tolist() == [*["3"] * 3, *["1"] * 3, *["2"] * 3]
    assert frame["commits"].tolist() == [30] * 3 + [10] * 3 + [20] * 3
    one = activity(directory, 3)
    assert "project_id" not in one
    assert frame.dtypes[list(one)].equals(one.dtypes)
    pd.testing.assert_frame_equal(
        frame[frame["project_id"] == "3"].drop(columns="project_id"), one, check_flags=False
    )
    facts = get_provenance(frame)
    assert (facts["completeness"], facts["failures"]) == ("proven", {})
    assert (facts["resource"], facts["query"]) == ("activity_fact", {"projects": 3})
    assert facts["requests_made"] == 3
    assert caption(frame).startswith("n = 9 ")
    size = dirframe.load_size([1, 2], directory=directory)
    assert size["project_id"].tolist() == ["1"] * 3 + ["2"] * 3


def test_many_collections_of_several_pages(rig, connect):
    directory = connect(rig, workers=4)
    price = directory.plan("contributors", projects=[25, 4])
    assert (price.requests_needed, price.requests_at_least, price.fits) == (None, 2, None)
    assert "at least 2 requests" in str(price)
    frame = dirframe.load_contributors([25, 4, 20], directory=directory, progress=False)
    counts = frame.groupby("project_id", sort=False)["contributor_id"].nunique()
    assert counts.to_dict() == {"25": 25, "4": 4, "20": 20}
    assert len(rig.requests) == 3 + 1 + 3  # a full last page needs one more
    capped = dirframe.load_contributors([25, 4], max_items=5, directory=directory, progress=False)
    assert capped.groupby("project_id", sort=False).size().to_dict() == {"25": 5, "4": 4}


def test_many_with_failures_are_named_and_asked_for_once(rig, connect):
    rig.replies = {"2": GONE, "3": SILENT, "4": Reply(failed("Not any more."), 410)}
    directory = connect(rig)
    with pytest.raises(IncompleteCollectionError, match="2 \\(gone\\)") as caught:
        activity(directory, range(1, 6))
    assert caught.value.frame["project_id"].unique().tolist() == ["1", "5"]
    paid = len(rig.requests)
    with pytest.warns(IncompleteWarning) as warned:
        frame = activity(directory, range(1, 6), incomplete="warn")
    assert warned[0].filename == __file__
    assert len(rig.requests) == paid == 5
    facts = get_provenance(frame)
    assert facts["failures"] == {"2": "gone", "3": "no analysis", "4": "refused"}
    assert facts["completeness"] == "incomplete"
    rig.replies = {"3": SILENT}
    frame = activity(directory, range(1, 6), refresh=True)  # no analysis is no loss, but named
    assert get_provenance(frame)["failures"] == {"3": "no analysis"}
    assert get_provenance(frame)["completeness"] == "proven"


def test_many_with_one_that_is_short_say_so(rig, connect):
    short = page_xml([fact("activity_fact", 1, 1)], available=2, first=0)
    rig.replies = {"2": Reply(short)}
    with pytest.raises(IncompleteCollectionError, match="2 \\(1 different"):
        activity(connect(rig), [1, 2])


def test_many_of_a_directory_out_of_order_keep_what_came(rig, connect):
    rig.replies = {"7": BROKEN}
    directory = connect(rig)
    with pytest.raises(ServiceError):
        activity(directory, range(1, 10))
    rig.replies = {}
    rig.forget()
    assert len(activity(directory, range(1, 10))) == 9 * MONTHS
    assert len(rig.requests) == 3


def test_many_beyond_the_quota_are_resumed_or_not_begun(rig, connect):
    with pytest.raises(QuotaExceededError):
        activity(connect(rig, daily_quota=5), range(1, 51))  # more than seven days
    assert rig.requests == []
    with pytest.warns(QuotaWarning, match="on 3 days"), pytest.raises(QuotaExceededError):
        activity(connect(rig, daily_quota=5), range(1, 13))
    assert len(rig.requests) == 5
    assert len(activity(connect(rig), range(1, 13))) == 12 * MONTHS
    assert len(rig.requests) == 12


def test_many_tell_how_far_they_are_and_refuse_what_is_none(rig, connect):
    told, directory = [], connect(rig)
    activity(directory, [1, 2], progress=lambda *numbers: told.append(numbers))
    assert told == [(1, 2), (2, 2)]
    before = len(rig.requests)
    for wrong in ([], [1, None], [""], pd.DataFrame({"name": ["a"]}), {1.5}):
        with pytest.raises(InvalidInputError):
            activity(directory, wrong)
    for collection, projects in (("projects", [1]), ("activity", [])):
        with pytest.raises(InvalidInputError):
            directory.plan(collection, projects=projects)
    assert len(rig.requests) == before
