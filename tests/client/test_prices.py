"""What loads of today's live service cost in requests: the bounds that the design states."""

import math

import pytest

import dirframe
from dirframe.provenance import get_provenance
from tests.cases import slow_except
from tests.rig.server import id_of, numbered, record
from tests.rig.today import Today, accounts, projects

pytestmark = pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")


def paid(rig, **options):
    """Return a frame of projects, and the requests for it with an empty cache."""
    with rig.in_process(), rig.directory() as directory:
        frame = dirframe.load_projects(directory, progress=False, **options)
    assert get_provenance(frame)["requests_made"] == len(rig.requests)
    return frame, len(rig.requests)


def own_pages(rig):
    return [request for request in rig.requests if request.path.count("/") > 1]


@pytest.mark.parametrize("count", slow_except([9, 11, 25, 26, 120, 240], [9, 25, 120]))
@pytest.mark.parametrize("options", [{"query": "project"}, {"sort": "project_name"}])
def test_price_of_a_query_and_of_a_sort_is_25_a_request(options, count):
    frame, requests = paid(Today(count), **options)
    assert len(frame) == count
    assert requests <= count / 25 + 5


#: Every second or eighth id does not exist, or none.
SIZES_AND_GAPS = [(size, gap) for size in (1, 25, 120) for gap in (2, 8, 1_000)]


@pytest.mark.parametrize(
    ("size", "gap"), slow_except(SIZES_AND_GAPS, [(1, 1_000), (25, 8), (120, 2)])
)
def test_price_of_a_sample_is_25_a_request(size, gap):
    frame, requests = paid(Today([str(n) for n in range(1, 1_001) if n % gap]), sample=size)
    assert len(frame) == size
    assert requests <= 1.05 * size / 25 + 8


@pytest.mark.parametrize("size", slow_except([1, 25, 120], [1, 25]))
def test_price_of_a_sample_with_analyses_is_one_request_for_each_that_has_one(size):
    rig = Today([str(n) for n in range(1, 1_001) if n % 8])
    rig.bare = {one for one in rig.ids if int(one) % 5 == 0}
    frame, _ = paid(rig, sample=size, details=True)
    without = frame["id"].isin(rig.bare).sum()
    design = get_provenance(frame)["sample"]["own_pages"]
    assert design == {"received": size - without, "without_analysis": without, "failed": 0}
    # A redirect of the address of own pages is found once.
    assert len(rig.requests) <= 1.05 * size + 8 + math.ceil(size / 25) - without
    assert len(own_pages(rig)) <= size - without + 1


@pytest.mark.parametrize("count", slow_except([1, 3, 25, 120], [1, 25]))
def test_price_of_projects_by_id_is_25_a_request_and_with_analyses_one_each(count):
    rig = Today(300)
    rig.bare = {"7", "30"}
    names = numbered(count)
    frame, requests = paid(rig, projects=names)
    assert frame["id"].tolist() == names
    assert requests <= math.ceil(count / 25) + 5
    rig.forget()
    frame, requests = paid(rig, projects=names, details=True)
    assert frame["id"].tolist() == names
    assert requests <= 1.05 * count + 5


def test_price_of_projects_by_short_name_is_one_more_for_each_without_an_analysis():
    named = [
        record(str(11 + n), name=f"The {n}th project", vanity_url=f"short{n}", analysis_id=11 + n,
               inner="<analysis><total_code_lines>7</total_code_lines></analysis>")
        for n in range(30)
    ]  # fmt: skip
    rig = Today([*projects(numbered(10)), *named])
    rig.bare = {id_of(xml) for xml in named[::10]}
    rig.size = 25  # a search finds the project on its first page
    found = rig.found
    rig.found = lambda request, records: (
        [xml for xml in records if f">{request.query['query']}<" in xml]
        if "query" in request.query
        else found(request, records)
    )
    frame, requests = paid(rig, projects=[f"short{n}" for n in range(30)], details=True)
    assert len(frame) == 30
    assert requests <= 1.05 * 30 + 5 + len(rig.bare)


@pytest.mark.parametrize("count", slow_except([9, 10, 55, 300], [9, 10, 55]))
def test_price_of_accounts_in_the_order_of_their_ranks_is_ten_a_request(count):
    rig = Today(accounts(numbered(count)), kind="account")
    with rig.in_process(), rig.directory() as directory:
        frame = dirframe.load_accounts(directory, progress=False)
    assert (len(frame), get_provenance(frame)["completeness"]) == (count, "proven")
    assert len(rig.requests) <= count / 10 + 3
