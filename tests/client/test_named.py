"""Projects that are named by ids or short names: one row each, in the given order, failures by name."""

import warnings

import pandas as pd
import pytest

import dirframe
from dirframe.errors import (
    AnalysesNotSentWarning,
    ColumnsNotSentError,
    IncompleteCollectionError,
    IncompleteWarning,
    InvalidInputError,
    OverQuotaWarning,
    QuotaExceededError,
    QuotaWarning,
    ServiceChangedWarning,
)
from dirframe.provenance import get_provenance
from tests.cases import raised
from tests.rig.server import Rig, record
from tests.rig.today import GONE, Today, projects

LINES = "analysis_total_code_lines"


def load(directory, names, **options):
    return dirframe.load_projects(directory, projects=names, **{"progress": False} | options)


@pytest.fixture
def sparse_today():
    rig = Today(300)
    with rig.in_process() as opened:
        yield opened


def own_pages(rig):
    return [request.path for request in rig.requests if request.path.count("/") > 1]


@pytest.mark.parametrize(
    "form",
    [
        list,
        tuple,
        pd.Series,
        lambda names: pd.Series(names).astype(int),
        lambda names: pd.DataFrame({"id": names, "x": 1}),
        lambda names: [*names, *names],
    ],
)
def test_named_projects_by_ids_are_rows_in_the_given_order_25_a_request(
    sparse_today, connect, form
):
    names = [str(n) for n in range(99, 0, -2)]
    with pytest.warns(AnalysesNotSentWarning, match="50"):
        frame = load(connect(sparse_today), form(names))
    assert frame["id"].tolist() == names
    assert len(sparse_today.requests) == 2 + 2
    facts = get_provenance(frame)
    assert (facts["completeness"], facts["query"]) == ("proven", {"projects": 50})
    assert (facts["failures"], facts["requests_made"]) == ({}, 4)
    assert frame[LINES].isna().all()
    with pytest.raises(ColumnsNotSentError):
        dirframe.stats.language_share(frame)
    with pytest.warns(AnalysesNotSentWarning):
        assert load(connect(sparse_today), names).equals(frame)
    assert len(sparse_today.requests) == 4


def test_named_projects_with_details_cost_their_own_pages(sparse_today, connect):
    sparse_today.bare = {"3", "4", "5"}
    names = ["9", "3", "1", "5", "8", "4"]
    frame = load(connect(sparse_today), names, details=True)
    assert frame["id"].tolist() == names
    assert frame["id"][frame[LINES].isna()].tolist() == ["3", "5", "4"]
    assert frame["name"].notna().all()
    facts = get_provenance(frame)
    assert (facts["completeness"], facts["details"], facts["details_missing"]) == ("proven", 3, [])
    # Own pages first, after a redirect; then of three of them the records by ids.
    assert len(sparse_today.requests) == 1 + 6 + 1 + 1
    assert load(connect(sparse_today), names, details=True).equals(frame)
    assert len(sparse_today.requests) == 9


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
def test_named_projects_that_are_not_there_are_failures_by_name(sparse_today, connect):
    sparse_today.delete("7")
    names = ["7", "9", "999", "0", "2147483648", "8", "10"]
    with pytest.raises(IncompleteCollectionError) as caught:
        load(connect(sparse_today), names)
    paid = len(sparse_today.requests)
    with pytest.warns(IncompleteWarning):
        frame = load(connect(sparse_today), names, incomplete="warn")
    assert (paid, len(sparse_today.requests)) == (3, 3)
    assert frame["id"].tolist() == caught.value.frame["id"].tolist() == ["9", "8", "10"]
    failures = get_provenance(frame)["failures"]
    assert {name: why.split(",")[0] for name, why in failures.items()} == {
        "0": "no id", "2147483648": "no id", "7": "not found", "999": "not found"
    }  # fmt: skip


def named(*names):
    """Return projects of today's service with these short names, from id 11."""
    return [
        record(
            str(11 + n),
            name=f"The {name} project",
            vanity_url=name,
            analysis_id=str(11 + n),
            inner="<analysis><id>5</id><total_code_lines>7</total_code_lines></analysis>",
        )
        for n, name in enumerate(names)
    ]


def test_named_projects_by_short_names_are_those_that_were_named(connect):
    rig = Today([*projects([str(n) for n in range(1, 11)]), *named("firefox", "apache", "bare")])
    rig.bare = {"13"}
    rig.moves = False
    with rig.in_process():
        with pytest.raises(IncompleteCollectionError) as caught:
            load(connect(rig), ["apache", "7zip", "firefox", "bare", "nothing", "8"])
        frame = caught.value.frame
        assert frame["id"].tolist() == ["12", "11", "13", "8"]
        facts = get_provenance(frame)
        assert facts["failures"] == {"7zip": "returned 7", "nothing": "not found"}
        assert facts["not_sent"] == []  # each that has an analysis came with it
        assert frame.set_index("id")[LINES].isna().to_dict() == {
            "12": False, "11": False, "13": True, "8": False
        }  # fmt: skip


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
def test_named_projects_of_which_few_came_with_their_analysis_have_none(connect):
    rig = Today([*projects([str(n) for n in range(1, 11)]), *named("firefox", "apache")])
    with rig.in_process():
        frame = load(connect(rig), ["firefox", "1", "2", "3"])
    assert frame["id"].tolist() == ["11", "1", "2", "3"]
    assert frame[LINES].isna().all()
    assert LINES in get_provenance(frame)["not_sent"]


def test_named_project_whose_own_page_is_lost_keeps_its_record(sparse_today, connect):
    sparse_today.own_pages = {"5": GONE, "6": GONE}
    sparse_today.delete("6")
    with pytest.raises(IncompleteCollectionError) as caught:
        load(connect(sparse_today), ["4", "5", "6"], details=True)
    frame = caught.value.frame
    facts = get_provenance(frame)
    assert frame["id"].tolist() == ["4", "5"]
    assert (facts["details_missing"], facts["failures"]) == (["5"], {"6": "not found"})
    assert caught.value.details_missing == ("5",)
    assert "5 (status 404)" in caught.value.missing
    sparse_today.forget()
    sparse_today.own_pages = {}
    with pytest.raises(IncompleteCollectionError) as caught:  # 6 is known to be gone
        load(connect(sparse_today), ["4", "5", "6"], details=True)
    assert caught.value.details_missing == ()
    assert own_pages(sparse_today) == ["/p/5.xml"]


def test_named_project_whose_own_page_is_a_bare_404_is_searched_by_its_short_name(connect):
    rig = Today([*projects([str(n) for n in range(1, 11)]), *named("firefox")])
    rig.moves, rig.own_pages = False, {"firefox": GONE}
    with rig.in_process():
        errors = [raised(load, connect(rig), ["firefox", "8"], details=True) for _ in range(2)]
        rig.own_pages = {}
        frame = load(connect(rig), ["firefox", "8"])
    assert [type(error) for error in errors] == [IncompleteCollectionError] * 2
    assert [error.frame["id"].tolist() for error in errors] == [["11", "8"]] * 2
    assert ["11 (status 404)" in error.missing for error in errors] == [True, True]
    assert (frame["id"].tolist(), frame[LINES].notna().all()) == (["11", "8"], True)


def test_named_projects_of_which_many_in_a_row_do_not_exist_are_all_looked_at(
    sparse_today, connect
):
    names = ["3", *map(str, range(1001, 1041)), "4"]
    price = dirframe.plan("projects", projects=names, details=True, directory=connect(sparse_today))
    with pytest.raises(IncompleteCollectionError) as caught:
        load(connect(sparse_today), names, details=True)
    assert caught.value.frame["id"].tolist() == ["3", "4"]
    assert set(get_provenance(caught.value.frame)["failures"].values()) == {"not found"}
    assert len(sparse_today.requests) <= price.requests_at_most + 1


def test_named_projects_that_today_ignores_ids_of_are_read_one_by_one(sparse_today, connect):
    sparse_today.ignored = {"ids"}
    frame = load(connect(sparse_today), ["3", "1", "2"])
    assert frame["id"].tolist() == ["3", "1", "2"]
    assert frame[LINES].notna().all()
    assert len(sparse_today.requests) == 2 + 1 + 3


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
def test_named_projects_that_today_stops_to_answer_by_ids_are_read_one_by_one(
    sparse_today, connect
):
    sparse_today.stops = {"ids": 1}
    names = [str(n) for n in range(1, 61)]
    with pytest.warns(ServiceChangedWarning):
        frame = load(connect(sparse_today), names)
    assert frame["id"].tolist() == names
    walk = get_provenance(frame)["walk"]
    assert (walk["by"], "stopped answering by ids" in walk["reason"]) == ("own pages", True)
    assert len(own_pages(sparse_today)) == 60 - 25


@pytest.mark.parametrize("change", [{"ignored": {"ids"}}, {"stops": {"ids": 1}}, {}])
def test_named_projects_beyond_the_quota_warn_before_they_are_read_one_by_one(
    sparse_today, connect, change
):
    for name, value in change.items():
        setattr(sparse_today, name, value)
    rig = sparse_today if change else Rig(300)
    names = [str(n) for n in range(1, 200)]
    with rig.in_process(), warnings.catch_warnings():
        warnings.simplefilter("error", OverQuotaWarning)
        with pytest.raises(OverQuotaWarning):
            load(connect(rig, daily_quota=100), names)
    assert len(rig.requests) <= 5


def test_named_projects_elsewhere_are_read_one_by_one(connect):
    with Rig(55).in_process() as rig:
        frame = load(connect(rig), [7, 3, "project 5", 1])
        assert frame["id"].tolist() == ["7", "3", "5", "1"]
        assert len(own_pages(rig)) == 4
        assert get_provenance(frame)["completeness"] == "proven"


def test_named_projects_of_the_sample_are_by_id_and_name():
    with dirframe.sample_directory() as directory:
        frame = load(directory, ["633", "1", "714"])
    assert frame["id"].tolist() == ["633", "1", "714"]
    assert "3 projects by name" in dirframe.cite(frame)


@pytest.mark.parametrize(
    "options", [{"query": "x"}, {"sort": "id"}, {"max_items": 3}, {"sample": 3}]
)
def test_named_projects_beside_another_choice_are_refused(sparse_today, connect, options):
    directory, [option] = connect(sparse_today), options
    with pytest.raises(InvalidInputError, match=option):
        load(directory, ["1"], **options)
    with pytest.raises(InvalidInputError, match=option):
        dirframe.plan("projects", projects=["1"], directory=directory, **options)
    assert sparse_today.requests == []


@pytest.mark.parametrize("names", [[], [None], [1.5], pd.DataFrame({"x": [1]})])
def test_named_projects_need_names(sparse_today, connect, names):
    with pytest.raises(InvalidInputError):
        load(connect(sparse_today), names)
    assert sparse_today.requests == []


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
@pytest.mark.parametrize("details", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3, 30])
def test_named_projects_cost_what_the_plan_says(sparse_today, connect, count, details):
    sparse_today.bare = {"4", "9"}
    names = [str(n) for n in range(1, count + 1)]
    price = dirframe.plan(
        "projects", projects=names, details=details, directory=connect(sparse_today)
    )
    before = len(sparse_today.requests)
    load(connect(sparse_today), names, details=details)
    paid = len(sparse_today.requests) - before
    moved = not before  # a redirect costs one more
    assert price.requests_at_least <= paid <= price.requests_at_most + moved
    again = dirframe.plan(
        "projects", projects=names, details=details, directory=connect(sparse_today)
    )
    assert (again.items, again.requests_at_most) == (count, 0)


def test_named_projects_over_two_days_pay_for_the_rest(sparse_today, connect):
    names = [str(n) for n in range(1, 21)]
    with pytest.raises(QuotaExceededError) as caught, pytest.warns(QuotaWarning):
        load(connect(sparse_today, daily_quota=12), names, details=True)
    assert len(caught.value.frame) == 11
    assert get_provenance(caught.value.frame)["failures"]["20"] == "not asked for"
    frame = load(connect(sparse_today), names, details=True)
    assert (frame["id"].tolist(), len(sparse_today.requests)) == (names, 21)


def test_named_projects_offline_are_those_in_the_cache(sparse_today, connect):
    load(connect(sparse_today), ["1", "2"])
    before = len(sparse_today.requests)
    frame = load(connect(sparse_today), ["2", "1"], offline=True)
    assert (frame["id"].tolist(), len(sparse_today.requests)) == (["2", "1"], before)


# In a shell


def test_shell_loads_named_projects(run, tmp_path):
    table = tmp_path / "ours.csv"
    pd.DataFrame({"id": [714, 633], "x": [1, 2]}).to_csv(table, index=False)
    text = tmp_path / "ours.txt"
    text.write_text("714\n\n633\n")
    arguments = {
        "ids": ["714", "633"],
        "table": ["--ids-from", table],
        "text": ["--ids-from", text],
        "both": ["714", "--ids-from", text],
    }
    outcomes = {}
    for name, words in arguments.items():
        outcome = run("projects", *map(str, words), "--demo", "--columns", "id")
        outcomes[name] = (outcome.code, outcome.out.split())
    assert outcomes == dict.fromkeys(arguments, (0, ["id", "714", "633"]))
    assert "2 projects" in run("projects", "714", "633", "--demo", "--plan").out


def test_shell_refuses_named_projects_beside_another_choice(run, tmp_path):
    text = tmp_path / "ours.txt"
    text.write_text("714\n\n633\n")
    refused = run("projects", str(text), "--demo")
    assert (refused.code, f"--ids-from {text}" in refused.err) == (2, True)
    choices = (("--query", "x"), ("-n", "3"), ("--sample", "3"))
    codes = {choice: run("projects", "633", *choice, "--demo").code for choice in choices}
    assert codes == dict.fromkeys(choices, 2)
    assert run("projects", "633", "no-such-project", "--demo").code == 7
