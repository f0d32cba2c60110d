"""A walk by ids: its worked example, its price, its samples, and months of a directory that changes."""

# The module is pure: what a directory answers is computed here, without HTTP.

from bisect import bisect_left
from collections import Counter
from random import Random

import pytest

from dirframe.client.paging.ids import (
    MAX_ID,
    MAX_LINE,
    PAGE_SIZE,
    WINDOW,
    Doubt,
    Draw,
    IdSet,
    Undecided,
    Window,
    are_numbers_cheaper,
    estimate_by_ids,
    estimate_by_numbers,
    find_doubt,
    is_rate_credible,
    lowest,
    rank_ids,
    window_above,
)
from tests.cases import slow_except
from tests.rig.ids import SHAPES, page_of, read, spread, whole

#: Of the worked example: what exists up to 1,000.
EXAMPLE = [*range(1, 31), *range(500, 521), 950]


# -- the worked example ----------------------------------------------------------------------

DONE = None
#: First and last id asked for; what comes; first and last id of the next request.
NORMAL = [
    ((1, 400), "page", (26, 425)),
    ((26, 425), "page", (426, 1000)),
    ((426, 1000), "page", DONE),
]
TOO_LONG = [
    ((1, 400), "too long", (1, 200)),
    ((1, 200), "page", (26, 225)),
    ((26, 225), "page", (226, 425)),
]
TOO_SLOW = [
    ((1, 400), "too slow", (1, 200)),
    ((1, 200), "page", (26, 425)),
]
CANNOT_BE_SENT = [
    *NORMAL[:2],
    ((426, 1000), "failure", (426, 1000)),
    ((426, 1000), "failure", (426, 712)),
    ((426, 712), "failure", (426, 568)),
    ((426, 568), "failure", (426, 496)),
    ((426, 496), "page", (497, 532)),
    ((497, 532), "failure", (497, 514)),
    ((497, 514), "failure", (497, 505)),
    ((497, 505), "failure", (497, 500)),
    ((497, 500), "failure", (497, 498)),
    ((497, 498), "page", (499, 499)),
    ((499, 499), "page", (500, 500)),
    ((500, 500), "failure", (500, 500)),
    ((500, 500), "failure", (501, 1000)),
    ((501, 1000), "page", DONE),
]


@pytest.mark.parametrize(
    ("rows", "lost"),
    [(NORMAL, []), (TOO_LONG, []), (TOO_SLOW, []), (CANNOT_BE_SENT, [500])],
    ids=["normal", "too long", "too slow", "cannot be sent"],
)
def test_ids_worked_example(rows, lost):
    state = whole(1000)
    seen, is_noted = [], []
    for _, event, _ in rows:
        window = state.window()
        if event == "page":
            state.decide(window, page_of(EXAMPLE, window)[0])
        else:
            note = {"failure": state.fail, "too long": state.shorten, "too slow": state.halve}
            is_noted.append(note[event](window))
        following = state.window()
        after = (following.first, following.last) if following else DONE
        seen.append(((window.first, window.last), event, after))
    assert seen == rows
    assert all(is_noted)
    assert state.lost == lost


def test_ids_that_are_too_many_for_one_are_an_error():
    state = whole(1)
    assert not state.shorten(state.window())
    assert not state.halve(state.window())


def test_ids_of_a_service_that_is_broken_are_given_up():
    state, requests = whole(10_000), 1
    while state.fail(state.window()):
        requests += 1
    assert state.lost == [1, 2, 3]
    assert requests <= 40


@pytest.mark.parametrize(
    "broken", [[1], [26], [500], [1000], [7, 8], [3, 500, 998], [*range(40, 60, 3)]]
)
def test_ids_that_cannot_be_sent_are_named_and_cost_a_few_requests_each(broken):
    state = whole(1000)
    received, requests = read(state, range(1, 1001), broken=broken)
    assert state.lost == broken
    assert received == [number for number in range(1, 1001) if number not in broken]
    assert requests <= 1000 / PAGE_SIZE + 1 + 16 * len(broken)


def test_ids_failures_that_pass_leave_the_following_requests_as_they_are():
    def windows(failing):
        state, asked = whole(3000), []
        while window := state.window():
            asked.append(window)
            if len(asked) in failing:
                state.halve(window)
            else:
                state.decide(window, page_of(range(1, 3001), window)[0])
        return asked

    without, failed = windows(()), windows((5, 40))
    assert len(failed) == len(without) + 2
    assert len({*without} - {*failed}) == 0


@pytest.mark.parametrize("seed", range(5))
def test_ids_of_pages_that_were_lost_are_asked_for_again_and_no_others(seed):
    random = Random(seed)
    existing = spread(2000, 3000, random)
    state, pages = whole(3000), []
    while window := state.window():
        received, _ = page_of(existing, window)
        end = received[-1] if len(received) == PAGE_SIZE else window.last
        pages.append((window.first, window.last, received, (window.first, end)))
        state.decide(window, received)
    kept = [page for page in pages if random.random() < 0.8]
    random.shuffle(kept)
    state = whole(3000)
    for first, last, received, _ in kept:
        state.decide(Window((first, last)), received)
    lost = {decided for *_, decided in pages} - {decided for *_, decided in kept}
    undecided = {number for first, last in lost for number in range(first, last + 1)}
    assert set(state.ids) == undecided
    requests = 0
    while window := state.window():
        requests += 1
        assert undecided.issuperset(window.ids)
        assert window.last - window.first + 1 == len(window)
        state.decide(window, page_of(existing, window)[0])
    assert requests == len(lost)


# -- sets and windows ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_id_set_is_a_set(seed):
    random = Random(seed)
    numbers = set(random.sample(range(1, 300), 150))
    ids = IdSet(numbers)
    states, expected = [], []
    for _ in range(30):
        first = random.randrange(1, 300)
        last = first + random.randrange(40)
        states.append((ids.remove(first, last), list(ids), len(ids)))
        removed = {number for number in numbers if first <= number <= last}
        numbers -= removed
        expected.append((len(removed), sorted(numbers), len(numbers)))
    assert states == expected
    assert list(IdSet.from_runs(ids.runs)) == sorted(numbers)


def test_id_set_of_700_000_ids_is_one_run():
    state = whole(700_000)
    window = state.window()
    state.decide(window, window.ids[:PAGE_SIZE])
    assert state.ids.runs == [(26, 700_000)]
    assert len(state.ids) == 699_975


def test_window_has_400_ids_and_at_most_as_many_bytes_as_there_is_room():
    ids = IdSet.from_runs([(1_000_000_000, 1_000_010_000)])
    windows = []
    state = Undecided(ids, room=5_000)
    for _ in range(4):
        window = state.window()
        windows.append(window)
        state.decide(window, [])
    assert [len(window) for window in windows] == [400, 454, 454, 454]
    assert max(len(window.text) for window in windows) <= 5_000
    assert lowest([12345], 400, room=3) == Window((12345,))
    assert lowest([], 400, room=MAX_LINE) is None
    assert Window((1, 2, 30)).text == "1,2,30"


def test_window_above_a_bound_ends_at_the_largest_possible_id():
    assert (window_above(700).first, window_above(700).last) == (701, 700 + WINDOW)
    assert window_above(MAX_ID - 1).ids == (MAX_ID,)
    assert window_above(MAX_ID) is None


ASKED = Window(tuple(range(11, 61)))
FULL = [str(number) for number in range(11, 36)]


@pytest.mark.parametrize(
    ("ids", "total", "position", "doubt"),
    [
        (["11", "13"], 2, 0, None),
        ([], 0, 0, None),
        (FULL, 25, 0, None),
        (FULL, 50, 0, None),
        (FULL, 24, 0, None),  # of a full page it is counted later: one of 25 was deleted
        (["11", None], 2, 0, Doubt.NO_ID),
        (["11", "firefox"], 2, 0, Doubt.NO_ID),
        (["10", "11"], 2, 0, Doubt.NOT_ASKED_FOR),
        (["11", "61"], 2, 0, Doubt.NOT_ASKED_FOR),
        (["13", "11"], 2, 0, Doubt.ORDER),
        (["11", "11"], 2, 0, Doubt.ORDER),
        (["11", "13"], 2, 10, Doubt.POSITION),
        (["11", "13"], 2, None, Doubt.POSITION),
        ([*FULL, "36"], 26, 0, Doubt.LENGTH),
        (["11", "13"], 3, 0, Doubt.TOTAL),
        (FULL[:10], 50, 0, Doubt.TOTAL),  # `per_page` is ignored
        (["11", "13"], None, 0, Doubt.TOTAL),
        (FULL, 51, 0, Doubt.TOTAL),  # `ids` is ignored
        ([], 12, 0, Doubt.TOTAL),
    ],
)
def test_ids_page_is_believed_only_by_what_comes(ids, total, position, doubt):
    assert find_doubt(ASKED, ids, total, position) is doubt


# -- the price -------------------------------------------------------------------------------

NUMBERS = (0, 1, 24, 25, 26, 400, 1_000, 20_000)


@pytest.mark.parametrize("gaps", [0.0, 0.12, 0.6])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", slow_except(NUMBERS, [0, 26, 1_000]))
def test_ids_price_is_that_of_the_records(count, shape, gaps):
    bound = round(count / (1 - gaps))
    existing = shape(count, bound, Random(f"{count} {gaps}"))
    assert len(existing) == count
    bound = max(existing, default=0)
    state = whole(bound)
    received, requests = read(state, existing)
    assert received == existing
    requests += 4  # the first page, the newest ids, and two windows above the bound
    floor = count / PAGE_SIZE
    assert requests <= floor + bound / 400 + 5
    if shape is spread:
        assert requests <= 1.01 * floor + 5


@pytest.mark.parametrize("density", slow_except([0.01, 0.03, 0.05, 0.07, 0.1], [0.01, 0.05, 0.1]))
def test_ids_price_with_few_ids_that_exist_is_near_its_estimate(density):
    bound, count = 200_000, round(200_000 * density)
    existing = spread(count, bound, Random(density))
    _, requests = read(whole(bound), existing)
    estimate = estimate_by_ids(count, bound)
    assert 0.9 * estimate <= requests <= 1.07 * estimate + 5


@pytest.mark.parametrize(
    ("available", "bound", "is_cheaper"),
    [
        (0, 0, False),
        (30, 40, False),
        (12_360, 14_000, False),
        (700_000, 780_000, False),
        (20_000, 50_000, False),
        (1_000, 700_000, True),
        (20_000, 780_000, True),
        (30, 20_000, True),
        (3, 100, False),
    ],
)
def test_page_numbers_are_cheaper_where_ids_are_sparse(available, bound, is_cheaper):
    assert are_numbers_cheaper(available, bound) is is_cheaper
    by_ids, by_numbers = estimate_by_ids(available, bound), estimate_by_numbers(available)
    assert is_cheaper or by_ids <= 1.01 * by_numbers + 5


@pytest.mark.parametrize("count", [1, 12, 300])
def test_named_ids_cost_a_request_for_25(count):
    named = Random(count).sample(range(1, 700_000), count)
    received, requests = read(Undecided(IdSet(named)), sorted(named))
    assert received == sorted(named)
    assert requests == -(-count // PAGE_SIZE)


# -- months ----------------------------------------------------------------------------------

HOUR, DAY = 3600, 86_400


class Months:
    """A directory that changes at random times, seen at one time or another."""

    def __init__(self, count, days, seed):
        random = Random(seed)
        self.initial = spread(count, round(count / 0.88), random)
        self.bound = self.initial[-1]
        self._present, self._time = bytearray(2 * self.bound), 0.0
        for number in self.initial:
            self._present[number] = 1
        self.history = {number: [(-DAY, 1)] for number in self.initial}  # by id: times and states
        existing, removed, newest = list(self.initial), [], self.bound
        daily = {"add": 50, "remove": 5, "merge": 3, "undelete": 2, "rename": 20}
        times = [
            (day * DAY + random.uniform(0, DAY), kind)
            for day in range(-1, days)
            for kind, count in daily.items()
            for _ in range(count)
        ]
        self.events = []
        for time, kind in sorted(times):
            if kind == "add":
                newest += 1
                existing.append(newest)
                self._note(time, newest, 1)
            elif kind in {"remove", "merge"}:  # of two that are merged one is removed
                number = existing.pop(random.randrange(len(existing)))
                removed.append(number)
                self._note(time, number, 0)
            elif kind == "undelete" and removed:
                number = removed.pop(random.randrange(len(removed)))
                existing.append(number)
                self._note(time, number, 1)

    def _note(self, time, number, state):
        self.events.append((time, number, state))
        self.history.setdefault(number, [(-2 * DAY, 0)]).append((time, state))

    def exists(self, number, time):
        changes = self.history.get(number, [])
        place = bisect_left(changes, (time, 2))
        return bool(place and changes[place - 1][1])

    def answer(self, window, time):
        return [number for number in window.ids if self.exists(number, time)][:PAGE_SIZE]

    def was_throughout(self, number, begin, end):
        changes = self.history[number]
        return self.exists(number, begin) and all(
            state for time, state in changes if begin <= time <= end
        )

    def ever_was(self, number, begin, end):
        changes = self.history.get(number, [])
        return self.exists(number, begin) or any(
            state for time, state in changes if begin <= time <= end
        )


LARGE = [(100_000, 1_000, 1), (100_000, 1_000, 2)]
#: Four days too, with a quarter of the requests.
SMALL = (25_000, 250, 1)


@pytest.mark.parametrize(("count", "quota", "seed"), slow_except([*LARGE, SMALL], [SMALL]))
def test_ids_of_months_lose_nothing_and_cost_what_their_records_cost(count, quota, seed):
    """A replica an hour behind, two kills a day."""
    kills_a_day = 2
    months, random = Months(count, days=12, seed=seed), Random(seed)
    begin = HOUR  # the replica shows the hour before
    bound = max(number for number in months.history if months.exists(number, begin))
    state, stored, requests, kills = whole(bound), [], 3, 0
    killed = {
        random.randrange(quota) + day * quota for day in range(30) for _ in range(kills_a_day)
    }

    def now():
        return begin + requests * DAY / quota

    while window := state.window():
        time = now() - HOUR * (requests % 2)  # every other request is answered by the replica
        received = months.answer(window, time)
        requests += 1
        if requests in killed:  # before the page was stored: the state is made again from the file
            kills += 1
            state = whole(bound)
            for first, last, ids in stored:
                state.decide(Window(tuple(range(first, last + 1))), ids)
            continue
        stored.append((window.first, window.last, received))
        state.decide(window, received)
    requests += 1  # the window above
    added_later = months.answer(window_above(bound), now())
    end, frame = now(), {number for *_, ids in stored for number in ids}
    lacking = [n for n in months.history if n <= bound and n not in frame]
    assert kills >= 6
    assert not [n for n in lacking if months.was_throughout(n, begin - HOUR, end)]
    assert not [n for n in frame if not months.ever_was(n, begin - HOUR, end)]
    assert len(frame) == sum(len(ids) for *_, ids in stored)
    assert added_later[0] == bound + 1
    assert requests <= 1.01 * count / PAGE_SIZE + 5 + kills


# -- random samples --------------------------------------------------------------------------

BOUND = 500
EXISTING = sorted([*range(1, 61), *range(200, 320), *Random(5).sample(range(321, 501), 120)])


def draw(size, seed, *, bound=BOUND, existing=EXISTING, available=None):
    """Draw a sample; return it with the number of requests."""
    sample = Draw(size=size, seed=seed, bound=bound, available=available or len(existing))
    _, requests = read(sample, existing)
    return sample, requests


def cut_off(size, seed):
    """Draw as one must not: the first records on the pages, up to as many as are needed."""
    sample = Draw(size=size, seed=seed, bound=BOUND, available=len(EXISTING))
    received, _ = read(sample, EXISTING)
    return sorted(received[:size])


def departure(samples, size):
    """Return chi-square over ten parts of the projects, over all of them, and over ids drawn first."""
    counts = Counter(number for sample in samples for number in sample)
    parts = [
        sum(counts[number] for number in EXISTING[begin : begin + len(EXISTING) // 10])
        for begin in range(0, len(EXISTING), len(EXISTING) // 10)
    ]
    expected = len(samples) * size / len(EXISTING)
    rest = 1 - size / len(EXISTING)  # of drawing without replacement
    of_parts = sum((part - 30 * expected) ** 2 / (30 * expected * rest) for part in parts)
    of_each = sum((counts[n] - expected) ** 2 / (expected * rest) for n in EXISTING)
    return of_parts, of_each


#: Of chi-square, one of a thousand is larger: with 9 and with 299 degrees of freedom.
MOST_OF_PARTS, MOST_OF_EACH = 27.9, 379


def test_sample_of_ids_takes_each_project_equally_often():
    size = 30
    samples = [draw(size, seed)[0].kept() for seed in range(400)]
    assert all(len(sample) == len(set(sample)) == size for sample in samples)
    of_parts, of_each = departure(samples, size)
    assert of_parts < MOST_OF_PARTS
    assert of_each < MOST_OF_EACH
    # The first record of the samples is drawn as evenly as all of them.
    assert departure([sample[:1] for sample in samples], 1)[0] < MOST_OF_PARTS


def test_sample_of_ids_whose_pages_are_cut_off_would_be_seen():
    of_parts, of_each = departure([cut_off(30, seed) for seed in range(400)], 30)
    assert of_parts > 3 * MOST_OF_PARTS
    assert of_each > MOST_OF_EACH


def test_sample_of_ids_draws_all_ids_equally_often():
    """Whether a project exists has no influence: the first hundred ranks hold each id equally often."""
    counts = Counter(number for seed in range(200) for number in rank_ids(seed, BOUND)[:100])
    assert sorted(rank_ids(3, BOUND)) == list(range(1, BOUND + 1))
    chi_square = sum((counts[n] - 40) ** 2 / (40 * 0.8) for n in range(1, BOUND + 1))
    assert chi_square < 603  # one of a thousand, with 499 degrees of freedom


@pytest.mark.parametrize("seed", range(5))
def test_sample_of_ids_is_the_beginning_of_a_larger_one(seed):
    largest = draw(299, seed)[0].kept()
    sizes = (1, 7, 25, 100)
    drawn = {size: draw(size, seed)[0].kept() for size in sizes}
    assert drawn == {size: largest[:size] for size in sizes}
    assert sorted(draw(1000, seed)[0].kept()) == EXISTING


@pytest.mark.parametrize("seed", range(5))
def test_sample_of_ids_is_the_same_on_a_second_day(seed):
    """50 new ids take places of it; with the bound of the first day, none does."""
    new = range(BOUND + 1, BOUND + 51)
    first = draw(60, seed)[0].kept()
    second = draw(60, seed, bound=BOUND + 50, existing=[*EXISTING, *new])[0].kept()
    assert draw(60, seed, existing=[*EXISTING, *new], available=300)[0].kept() == first
    newer = [number for number in second if number > BOUND]
    assert 1 <= len(newer) <= 20
    assert [number for number in second if number <= BOUND] == first[: 60 - len(newer)]


@pytest.mark.parametrize("gaps", [0.0, 0.12, 0.6])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", slow_except([1, 20, 500, 2_000], [1, 500]))
def test_sample_of_ids_price_is_that_of_its_records(size, shape, gaps):
    count = 2_500
    bound = round(count / (1 - gaps))
    existing = shape(count, bound, Random(f"{gaps}"))
    sample, requests = draw(size, 11, bound=bound, existing=existing)
    assert len(sample.kept()) == size
    assert sample.is_random
    requests += 3  # the first page, the newest ids, and the window above the bound
    assert requests <= 1.05 * size / PAGE_SIZE + 8


def test_sample_of_ids_names_a_record_of_it_that_cannot_be_sent():
    whole_sample = draw(40, 3)[0].kept()
    broken = [whole_sample[4], next(n for n in EXISTING if n not in whole_sample)]
    sample = Draw(size=40, seed=3, bound=BOUND, available=len(EXISTING))
    read(sample, EXISTING, broken=broken)
    assert sample.kept() == whole_sample
    assert sample.lost == broken[:1]


def test_sample_of_ids_drops_what_was_lost_and_does_not_exist_when_it_is_asked_for_again():
    facts = {
        "size": 40,
        "seed": 3,
        "bound": BOUND,
        "available": BOUND,
    }  # stated: so several batches
    sample, stored = Draw(**facts), []
    lost = draw(40, 3)[0].kept()[0]  # of the first batch
    while window := sample.window():
        if lost in window.ids:
            sample.fail(window)
            continue
        received = [number for number in window.ids if number in EXISTING][:PAGE_SIZE]
        stored.append((sample.drawn, window, received))
        sample.decide(window, received)
    assert sample.lost == [lost]
    resumed = Draw(**facts)
    for drawn, window, received in stored:
        resumed.catch_up(drawn)
        resumed.decide(window, received)
    assert (resumed.lost, resumed.window().ids) == ([lost], (lost,))
    while window := resumed.window():
        resumed.decide(window, [])
    assert resumed.lost == []
    assert lost not in resumed.kept()


def test_sample_of_ids_goes_on_with_fewer_ids_after_a_request_that_was_too_long():
    sample = Draw(size=20, seed=3, bound=BOUND, available=290)
    window = sample.window()
    assert sample.shorten(window)
    assert len(sample.window()) == len(window) // 2
    sample, widths = Draw(size=100, seed=3, bound=BOUND, available=290), []
    sample.shorten(Window(tuple(range(1, 21))))
    while window := sample.window():
        widths.append(len(window))
        sample.decide(window, [])  # none of them exists: the rest is drawn
    assert max(widths) == 10


@pytest.mark.parametrize(
    ("existing", "stated", "is_random"),
    [
        (EXISTING, 300, True),
        (EXISTING, 290, True),
        (EXISTING[:150], 300, False),  # of half of them nothing is known by its id
        (range(1, 501), 300, False),  # all ids are answered
    ],
)
def test_sample_of_ids_is_random_only_if_as_many_exist_as_are_stated(existing, stated, is_random):
    sample = draw(100, 2, existing=list(existing), available=stated)[0]
    assert sample.is_random is is_random


@pytest.mark.parametrize(
    ("drawn", "existing", "available", "bound", "is_credible"),
    [
        (0, 0, 5, 10, True),
        (25, 25, 1000, 1000, True),
        (25, 24, 1000, 1000, True),  # one was deleted since
        (25, 20, 1000, 1000, False),
        (500, 440, 612_000, 700_000, True),
        (500, 400, 612_000, 700_000, False),
        (500, 475, 612_000, 700_000, False),
        (1000, 900, 900, 1000, True),  # all ids
        (1000, 890, 900, 1000, False),
    ],
)
def test_sample_of_ids_hit_rate(drawn, existing, available, bound, is_credible):
    assert is_rate_credible(drawn, existing, available, bound) is is_credible


def test_sample_of_ids_is_hardly_ever_called_not_random_by_chance():
    refused = sum(not draw(size, seed)[0].is_random for size in (1, 5, 40) for seed in range(300))
    assert refused == 0
