"""Directories that have ids alone, for walks by ids without HTTP: where their gaps are, and a reader."""

from bisect import bisect_left, bisect_right

from dirframe.client.paging.ids import PAGE_SIZE, IdSet, Undecided, find_doubt


def spread(count, bound, random):
    """Gaps anywhere, each of its own."""
    return sorted(random.sample(range(1, bound + 1), count))


def runs(count, bound, random):
    """Gaps in runs of 300 ids, anywhere."""
    gaps = set()
    while len(gaps) < bound - count:
        first = random.randrange(1, bound + 1)
        run = range(first, min(first + 300, bound + 1))
        gaps.update(run[: bound - count - len(gaps)])
    return [number for number in range(1, bound + 1) if number not in gaps]


def hole(count, bound, random):
    """One gap, behind the first third of the projects."""
    first = count // 3
    return [*range(1, first + 1), *range(bound - count + first + 1, bound + 1)]


def dense_at_the_end(count, bound, random):
    """One gap, before all projects."""
    return list(range(bound - count + 1, bound + 1))


SHAPES = (spread, runs, hole, dense_at_the_end)


def page_of(existing, window):
    """Return what the service answers of ascending ids: the first that exist, and their number."""
    begin, end = bisect_left(existing, window.first), bisect_right(existing, window.last)
    asked = set(window.ids)
    inside = [number for number in existing[begin:end] if number in asked]
    return inside[:PAGE_SIZE], len(inside)


def whole(bound):
    """Return the state of a walk over all ids up to a bound."""
    return Undecided(IdSet.from_runs([(1, bound)] if bound else []), in_runs=True)


def read(state, existing, *, broken=()):
    """Ask for everything; return the records received and the number of requests.

    Pages with a broken record fail.
    """
    received, requests = [], 0
    while window := state.window():
        requests += 1
        ids, total = page_of(existing, window)
        if not set(broken).isdisjoint(ids):
            assert state.fail(window)
            continue
        assert find_doubt(window, [str(number) for number in ids], total, 0) is None
        received += ids
        state.decide(window, ids)
    return received, requests
