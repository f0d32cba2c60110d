"""A random sample: the records that were drawn and no others, at the price of their pages."""

import re
from collections import Counter
from functools import partial
from random import Random

import pytest
import time_machine

import dirframe
from dirframe.client.paging.ids import Draw, rank_ids
from dirframe.errors import (
    IncompleteCollectionError,
    IncompleteWarning,
    InvalidInputError,
    NotFoundError,
    QuotaExceededError,
    SortIgnoredWarning,
)
from dirframe.provenance import caption, get_provenance
from tests.cases import raised, slow_except
from tests.rig.ids import page_of
from tests.rig.server import Reply, Request, Rig, failed, id_of, page_xml
from tests.rig.today import GONE, Today


def kept(count, **options):
    """A directory that keeps the order of ids."""
    rig = Rig(count, **options)
    rig.sorts = {"id": lambda xml: int(id_of(xml))}
    return rig


def draw(directory, sample, seed=7, **options):
    return dirframe.load_projects(
        directory, sample=sample, seed=seed, **{"progress": False} | options
    )


def positions(frame):
    return [int(identifier) - 1 for identifier in frame["id"]]


def test_sample_is_drawn_from_the_pages_that_hold_it(connect):
    rig = kept(1000)
    with rig.in_process():
        frame = draw(connect(rig), 20)
    assert len(frame) == frame["id"].nunique() == 20
    assert frame["id"].astype(int).is_monotonic_increasing
    drawn = {place // 10 + 1 for place in positions(frame)}
    assert Counter(rig.pages) == Counter({1, *drawn})
    facts = get_provenance(frame)
    assert (facts["completeness"], facts["complete"]) == ("sample", None)
    design = facts["sample"]
    assert (design["size"], design["population"], design["seed"]) == (20, 1000, 7)
    assert (design["order"], facts["query"]["sort"]) == ("id", "id")
    assert "without replacement" in design["design"]
    texts = {
        "caption": caption(frame),
        "citation": dirframe.cite(frame),
        "summary": str(dirframe.summary(frame)),
    }
    assert [name for name, text in texts.items() if "sample of 20 of 1,000" not in text] == []
    assert [name for name, text in texts.items() if "7" not in text] == []


def test_sample_of_the_same_seed_is_the_same_and_costs_nothing(connect):
    rig = kept(500)
    with rig.in_process():
        directory = connect(rig)
        price = dirframe.plan("projects", sample=30, seed=7, directory=directory)
        before = len(rig.requests)
        assert (price.items, before) == (30, 1)
        frame = draw(directory, 30)
        assert price.requests_at_most == len(rig.requests) - before == price.pages - 1
        again = draw(directory, 30)
        assert again.equals(frame)
        assert len(rig.requests) - before == price.requests_at_most
        assert (
            dirframe.plan("projects", sample=30, seed=7, directory=directory).requests_at_most == 0
        )
        assert not draw(directory, 30, seed=8)["id"].equals(frame["id"])
    with kept(500).in_process() as other:  # from no cache, with several workers
        assert draw(other.directory(workers=4), 30)["id"].equals(frame["id"])


def test_sample_of_as_many_as_there_are_or_more_is_all(connect):
    with kept(33).in_process() as rig:
        frames = [draw(connect(rig), size) for size in (33, 99)]
    assert [positions(frame) for frame in frames] == [[*range(33)]] * 2
    assert [get_provenance(frame)["sample"]["size"] for frame in frames] == [33, 33]
    with kept(0).in_process() as rig:
        assert len(draw(connect(rig, cache=False), 5)) == 0


def own_ids(rig):
    """Return whose own pages were asked for."""
    paths = [request.path.split("/") for request in rig.requests]
    return [path[2].removesuffix(".xml") for path in paths if path[1] == "p" and len(path) > 2]


def test_sample_of_todays_projects_is_of_ids_with_their_own_pages(connect):
    rig = Today([str(n) for n in range(1, 301) if n % 3])
    rig.bare = {"4", "5"}
    with rig.in_process():
        frame = draw(connect(rig), 60, details=True)
        facts, design = get_provenance(frame), get_provenance(frame)["sample"]
        asked = [request for request in rig.requests if "ids" in request.query]
        assert len(asked) == 1 + 3  # above the bound; then 60 records
        assert len(rig.requests) == 4 + 3 + 1 + len(own_ids(rig))
        drawn = [number for number in rank_ids(7, 299) if number % 3][:60]
        assert frame["id"].tolist() == [*map(str, drawn)]
        assert sorted(own_ids(rig)) == sorted(frame["id"][frame["analysis_id"].notna()])
        assert frame["analysis_total_code_lines"].notna().sum() == facts["details"]
        again = draw(connect(rig), 60, details=True)
        assert again.equals(frame)
        assert get_provenance(again)["requests_made"] == 0
    names = ("size", "population", "seed", "bound", "items_available")
    assert [design[name] for name in names] == [60, 200, 7, 299, [200, 200]]
    assert (design["ids_existing"] >= 60, design["ids_drawn"] >= design["ids_existing"]) == (
        True,
    ) * 2
    without = len({"4", "5"} & {*frame["id"]})
    assert design["own_pages"] == {
        "received": 60 - without, "without_analysis": without, "failed": 0
    }  # fmt: skip
    assert (facts["completeness"], "SHA-256" in design["design"]) == ("sample", True)
    day = facts["retrieved_newest"][:10]
    words = f"random sample of 60 of 200 projects (ids up to 299), drawn on {day}, seed 7"
    texts = {
        "caption": caption(frame),
        "citation": dirframe.cite(frame),
        "summary": str(dirframe.summary(frame)),
    }
    assert [
        name for name, text in texts.items() if words not in text.replace("Random", "random")
    ] == []


def test_sample_by_ids_whose_own_page_is_lost_is_incomplete(connect):
    rig = Today(200)
    with rig.in_process():
        frame = draw(connect(rig), 12, details=True)
        rig.own_pages = {frame["id"][3]: GONE}
        with pytest.raises(IncompleteCollectionError) as caught:
            draw(connect(rig), 12, details=True, refresh=True)
    assert caught.value.frame["id"].tolist() == frame["id"].tolist()
    facts = get_provenance(caught.value.frame)
    assert (facts["completeness"], facts["sample"]["size"]) == ("incomplete", 12)
    assert facts["sample"]["own_pages"]["failed"] == 1


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
def test_sample_by_ids_contains_the_smaller_one_and_pays_for_the_difference(connect, tmp_path):
    rig = Today(600)
    with rig.in_process():
        directory = connect(rig)
        small = draw(directory, 50)
        before = len(rig.requests)
        large = draw(directory, 200)
        assert large["id"][:50].tolist() == small["id"].tolist()
        assert len(rig.requests) - before <= 1.05 * 200 / 25 + 1
        new = draw(rig.directory(tmp_path / "later"), 50, refresh=True)
    assert new["id"].tolist() == small["id"].tolist()


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
def test_sample_by_ids_on_another_day_has_what_still_exists_and_newer_projects(connect, tmp_path):
    rig = Today(1_000)
    with rig.in_process():
        first = draw(connect(rig), 200)
        rig.create(50)
        removed = first["id"][:5].tolist()
        rig.delete(*removed)
        second = draw(rig.directory(tmp_path / "later"), 200)
    newer = [one for one in second["id"] if int(one) > 1_000]
    older = [one for one in second["id"] if int(one) <= 1_000]
    kept_ids = [one for one in first["id"] if one not in removed]
    common = min(len(kept_ids), len(older))
    assert 1 <= len(newer) <= 30
    assert older[:common] == kept_ids[:common]


def test_sample_by_ids_that_takes_two_days_is_one_draw(tmp_path):
    rig = Today(500)
    options = {"details": True}
    with rig.in_process():
        with (
            time_machine.travel("2026-11-02", tick=True),
            rig.directory(tmp_path, daily_quota=20) as directory,
            pytest.warns(dirframe.QuotaWarning),
            pytest.raises(QuotaExceededError),
        ):
            draw(directory, 30, **options)
        rig.create(50)
        rig.delete("1", "2", "3")
        with time_machine.travel("2026-11-04", tick=True), rig.directory(tmp_path) as directory:
            frame = draw(directory, 30, **options)
    design = get_provenance(frame)["sample"]
    assert (design["bound"], design["population"]) == (500, 500)
    assert design["items_available"] in ([500, 547], [500, 500])
    assert design["days"][0] == "2026-11-02"
    assert frame["id"].tolist() == [*map(str, rank_ids(7, 500)[:30])]


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
def test_sample_by_ids_of_which_too_few_exist_is_no_random_sample(connect):
    rig = Today(1_000)
    rig.items_available = lambda count: min(500, count)  # half of them, by its count
    with rig.in_process(), pytest.raises(IncompleteCollectionError) as caught:
        draw(connect(rig), 100)
    assert "no random sample" in caught.value.missing
    assert get_provenance(caught.value.frame)["completeness"] == "incomplete"


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
@pytest.mark.parametrize("change", ["ids", "per_page", "answers_unasked"])
def test_sample_of_a_directory_that_does_not_answer_by_ids_is_of_positions(connect, change):
    rig = Today(200)
    if change == "answers_unasked":
        rig.answers_unasked = True
    else:
        rig.ignored = {change}
    with rig.in_process():
        frame = draw(connect(rig), 12)
    facts = get_provenance(frame)
    in_order = sorted(rig.records, key=lambda xml: xml.partition("<name>")[2].lower())
    places = [[id_of(xml) for xml in in_order].index(one) for one in frame["id"]]
    assert places == sorted(places)
    assert (facts["completeness"], facts["sample"]["order"]) == ("sample", "project_name")
    assert facts["walk"]["by"] == "page numbers"


def test_sample_of_a_query_of_todays_projects_is_of_positions_25_a_page(connect):
    rig = Today(200)
    with rig.in_process():
        frame = draw(connect(rig), 12, query="project", details=True)
        asked = [request.page for request in rig.requests if request.path == "/p.xml"]
    in_order = sorted(rig.records, key=lambda xml: xml.partition("<name>")[2].lower())
    places = [[id_of(xml) for xml in in_order].index(one) for one in frame["id"]]
    assert places == sorted(places)
    assert asked == [1, 1, *sorted({place // 25 + 1 for place in places} - {1})]
    assert get_provenance(frame)["sample"]["order"] == "project_name"


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
def test_sample_of_an_order_that_does_not_hold_says_so_and_which_may(connect):
    rig = Today(200)
    rig.sorted = lambda _, records: Random(len(rig.requests)).sample(records, len(records))
    with (
        rig.in_process(),
        pytest.warns(SortIgnoredWarning, match="own order"),
        pytest.raises(IncompleteCollectionError) as caught,
    ):
        draw(connect(rig), 150, query="project")
    assert caught.value.order_fails
    assert caught.value.better_sort == "project_name"
    assert get_provenance(caught.value.frame)["sample"]["size"] == 150


def test_sample_of_accounts_in_an_order_of_their_own(connect):
    rig = Rig([f"n{n}" for n in range(90, 10, -1)], kind="account")
    with rig.in_process():
        frame = dirframe.load_accounts(connect(rig), sample=8, seed=1, progress=False)
        again = dirframe.load_accounts(connect(rig), sample=8, seed=1, progress=False)
    assert len(frame) == 8
    assert again.equals(frame)
    facts = get_provenance(frame)
    assert facts["sample"]["order"] == "the directory's own"
    assert "sort" not in facts["query"]
    assert len(rig.pages) <= 2 + 8


def test_sample_says_that_the_collection_changed_meanwhile(connect):
    rig = kept(400)
    rig.edits = {30: lambda ids: [*ids, "401"]}  # at the end: no position moves
    with rig.in_process():
        frame = draw(connect(rig), 100)
    facts = get_provenance(frame)
    assert (len(frame), facts["completeness"]) == (100, "sample")
    assert facts["sample"]["population"] == 400
    assert facts["sample"]["population_later"] == [401]


def moved_page(rig):
    reply = rig.page
    rig.page = lambda asked: reply(Request(asked.target.replace("page=4", "page=6")))


def first_page_past_the_end(rig):
    rig.past_end_is_first, rig.edits = True, {4: lambda ids: ids[:25]}


def shifted_pages(rig):
    rig.edits = {4: lambda ids: [*map(str, range(-9, 1)), *ids[:-10]]}


def other_count(stated):
    return lambda rig: setattr(rig, "items_available", lambda _: stated)


@pytest.mark.parametrize(
    ("change", "states_positions", "sample", "seed", "came"),
    [
        (moved_page, True, 8, 1, 8),
        (first_page_past_the_end, True, 3, 3, 3),
        (first_page_past_the_end, False, 3, 3, 3),
        (shifted_pages, False, 3, 10, 3),
        (other_count(0), True, 3, 0, 0),
        (other_count(5), True, 3, 0, 3),
    ],
)
def test_sample_of_pages_that_contradict_it_is_incomplete(
    connect, change, states_positions, sample, seed, came
):
    rig = kept(60)
    change(rig)
    if not states_positions:
        reply, position = rig.page, re.compile(rb"<first_item_position>\d*</first_item_position>")
        rig.page = lambda request: Reply(position.sub(b"", reply(request).body))
    with rig.in_process(), pytest.raises(IncompleteCollectionError) as caught:
        draw(connect(rig), sample, seed)
    assert len(caught.value.frame) == came
    assert "overlap" in caught.value.missing
    assert "count of  records" not in caught.value.missing
    assert get_provenance(caught.value.frame)["completeness"] == "incomplete"


def test_sample_of_a_directory_that_refuses_an_order_pays_for_it_once(connect, tmp_path):
    def answer(asked):
        return Reply(failed("No such sort."), 400) if asked.query.get("sort") == "id" else None

    with Rig(25, answer=answer).in_process() as rig:
        rig.sorts = {"project_name": lambda xml: xml}
        directory = connect(rig)
        facts = get_provenance(draw(directory, 5))
        assert facts["requests_made"] == len(rig.requests) > 2
        rig.requests.clear()
        assert get_provenance(draw(directory, 5))["requests_made"] == 0
        assert len(draw(directory, 5, offline=True)) == 5
        assert rig.requests == []


def test_sample_of_one_page_costs_what_the_plan_says(connect):
    with Rig(8).in_process() as rig:
        rig.edit(lambda ids: ids[::-1])  # the directory ignores sort=id
        directory = connect(rig)
        price = dirframe.plan("projects", sample=5, directory=directory)
        assert (price.requests_at_most, price.cached, len(rig.requests)) == (0, 1, 1)
        assert get_provenance(draw(directory, 5))["requests_made"] == 0
        assert (
            dirframe.plan("projects", sample=5, refresh=True, directory=directory).requests_at_most
            == 1
        )


def test_sample_that_cannot_be_drawn(serve, connect):
    rig = serve(lambda _: page_xml(["<project><id>1</id></project>"]))
    with pytest.raises(InvalidInputError, match="items_available"):
        draw(connect(rig), 5)


@pytest.mark.parametrize(
    ("sample", "options"),
    [(0, {}), (2.5, {}), (True, {}), (5, {"seed": -1}), (5, {"max_items": 5})],
)
def test_sample_that_cannot_be_meant_is_refused_before_a_request(sample, options, serve, connect):
    rig = serve(lambda _: page_xml([]))
    with pytest.raises(InvalidInputError):
        draw(connect(rig), sample, **options)
    assert rig.requests == []


def test_sample_in_an_archive_over_days(tmp_path):
    rig, path = Today(300), tmp_path / "drawn.archive"
    drawn = partial(dirframe.harvest, "projects", path, sample=20, details=True)
    with rig.in_process(), rig.directory(tmp_path, cache=False, daily_quota=14) as directory:
        with pytest.raises(QuotaExceededError):
            drawn(seed=7, directory=directory)
        status = dirframe.open_archive(path).status()
        assert not status.finished
        assert (status.records, 0 < status.details < 20) == (20, True)
    with rig.in_process(), rig.directory(tmp_path / "b", cache=False) as directory:
        archive = drawn(seed=7, directory=directory)
        paid = len(rig.requests)
        drawn(seed=7, directory=directory)
        with pytest.raises(dirframe.ArchiveError):
            drawn(directory=directory, seed=8)
        with pytest.raises(dirframe.ArchiveError):
            drawn(directory=directory, sample=None)
        assert len(rig.requests) == paid
        loaded, frame = draw(directory, 20, details=True), archive.frame()
    assert frame.equals(loaded)
    assert Counter(request.path for request in rig.requests)["/p.xml"] < 60
    status, facts = archive.status(), get_provenance(frame)
    assert (status.completeness, status.finished, status.records) == ("sample", True, 20)
    assert facts["sample"] == get_provenance(loaded)["sample"]
    assert (facts["completeness"], facts["details"]) == ("sample", 20)
    assert "random sample" in str(archive)


def seed_of_batches(rig, size, batches):
    """Return a seed whose draw from a rig takes that many batches of ids."""
    existing, bound = sorted(map(int, rig.ids)), max(map(int, rig.ids))
    for seed in range(1000):
        sample = Draw(size=size, seed=seed, bound=bound, available=len(existing))
        drawn = {sample.drawn}
        while window := sample.window():
            ids, _ = page_of(existing, window)
            sample.decide(window, ids)
            drawn.add(sample.drawn)
        if len(drawn) == batches:
            return seed
    raise AssertionError("no such seed")


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
@pytest.mark.parametrize("batches", [1, 2])
def test_sample_in_an_archive_that_cannot_be_sent_whole_is_so_later(tmp_path, batches):
    rig = Today([str(n) for n in range(1, 601) if n % 3])
    rig.moves = False
    seed = seed_of_batches(rig, 40, batches)
    drawn = partial(dirframe.harvest, "projects", tmp_path / "drawn", sample=40, seed=seed)
    with rig.in_process(), rig.directory(tmp_path, cache=False) as directory:
        whole = draw(directory, 40, seed=seed)
        rig.unsendable = {min(whole["id"], key=int)}
        hidden = rig.chosen
        rig.chosen = lambda request: [
            xml
            for xml in hidden(request)
            if "ids" in request.query or id_of(xml) not in rig.unsendable
        ]
        attempts = []
        for _ in range(2):
            error = raised(drawn, directory=directory)
            status = dirframe.open_archive(tmp_path / "drawn").status()
            attempts.append((type(error), status.completeness, status.finished))
        assert attempts == [(NotFoundError, "incomplete", False)] * 2
        with pytest.warns(IncompleteWarning):
            part = dirframe.open_archive(tmp_path / "drawn").frame()
        assert set(whole["id"]) - set(part["id"]) == rig.unsendable
        rig.unsendable = set()
        before = len(rig.requests)
        archive = drawn(directory=directory)
        assert len(rig.requests) - before <= 4
    assert archive.status().finished
    assert archive.frame()["id"].tolist() == whole["id"].tolist()
    assert get_provenance(archive.frame())["completeness"] == "sample"


def chi_square(samples, rig):
    """Return how uneven the ids of samples of one size are, without replacement."""
    size = len(samples[0])
    counts = Counter(one for sample in samples for one in sample)
    expected = len(samples) * size / len(rig.ids)
    variance = expected * (1 - size / len(rig.ids))
    return sum((counts[one] - expected) ** 2 / variance for one in rig.ids)


#: The 99.9 % quantile of 39 degrees of freedom.
MOST_UNEVEN = 72.1


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
@pytest.mark.parametrize(
    "sort", slow_except(["project_name", None], [None])
)  # of positions, of ids
def test_samples_are_uniform_and_those_whose_pages_are_cut_off_are_not(sort):
    rig = Today([str(n) for n in range(1, 61) if n % 3])
    rig.moves = False
    with rig.in_process(), rig.directory() as directory:
        samples = [draw(directory, 14, seed=seed, sort=sort)["id"].tolist() for seed in range(20)]
    assert chi_square(samples, rig) < MOST_UNEVEN
    # As one must not draw: the first ten on the pages that are read for more.
    cut = [sorted(sample, key=int if sort is None else sample.index)[:10] for sample in samples]
    assert chi_square(cut, rig) > MOST_UNEVEN
