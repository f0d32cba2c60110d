"""What loads cost in requests, on stand-ins of today's live service and of the specification.

Counted over HTTP within this process; then computed, for walks by ids over directories with gaps of every
kind. ARGS: the number of projects (12,360), and of the
largest walk (700,000).
"""

import resource
import sys
import tempfile
import warnings
from pathlib import Path
from random import Random
from time import perf_counter

import dirframe
from dirframe.client.paging.ids import Draw
from tests.rig.ids import SHAPES, read, whole
from tests.rig.server import Rig, id_of
from tests.rig.today import Today, accounts, projects

PROJECTS = 12_360
LARGEST = 700_000
QUERY = "parser"  # in 21 of 100 names
#: Records on a page by ids, at most.
FLOOR = 25


def existing_ids(count):
    """Return ids of which 12 of 100 do not exist."""
    return sorted(Random(1).sample(range(1, round(count / 0.88) + 1), count))


def records(count):
    """Return projects of which some have a name that is asked for."""
    written = projects(map(str, existing_ids(count)))
    return [
        xml.replace("<name>project", f"<name>{QUERY}") if place % 100 < 21 else xml
        for place, xml in enumerate(written)
    ]


def today(count):
    rig = Today(records(count))
    rig.add("account", accounts([str(n) for n in range(1, 1001)], unranked={"7", "8"}))
    return rig


def as_specified(count):
    rig = Rig(records(count), size=25)
    rig.sorts = {"id": lambda xml: int(id_of(xml))}  # it does not search: a query is of all
    rig.add("account", 1000)
    return rig


def loads(count):
    """Return the loads by name, each with its floor on today's live service."""
    named = [str(number) for number in existing_ids(count)[:: max(count // 300, 1)][:300]]
    some = {"progress": False, "incomplete": "warn"}
    return {
        "all projects": (
            lambda directory: dirframe.load_projects(directory, **some),
            count / FLOOR,
        ),
        "a query": (
            lambda directory: dirframe.load_projects(directory, query=QUERY, **some),
            sum(QUERY in xml for xml in records(count)) / FLOOR,
        ),
        "a random sample of 500": (
            lambda directory: dirframe.load_projects(directory, sample=500, **some),
            500 / FLOOR,
        ),
        "a random sample of 100 with analyses": (
            lambda directory: dirframe.load_projects(directory, sample=100, details=True, **some),
            100 + 100 / FLOOR,
        ),
        "300 projects by their ids": (
            lambda directory: dirframe.load_projects(directory, projects=named, **some),
            len(named) / FLOOR,
        ),
        "1,000 accounts": (
            lambda directory: dirframe.load_accounts(directory, **some),
            1000 / 10,
        ),
    }


def count_requests(make_rig, load, count):
    """Return the requests of a load with an empty cache, and its seconds."""
    with tempfile.TemporaryDirectory() as folder, make_rig(count).in_process() as rig:
        directory = rig.directory(Path(folder))
        began = perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dirframe.DirframeWarning)
            load(directory)
        return len(rig.requests), perf_counter() - began


def print_loads(count):
    print(f"Requests, with {count:,} projects and 1,000 accounts")
    print(f"{'load':<40} {'today':>8} {'floor':>8} {'specified':>10} {'seconds':>8}")
    for name, (load, floor) in loads(count).items():
        requests, seconds = count_requests(today, load, count)
        specified, _ = count_requests(as_specified, load, count)
        print(f"{name:<40} {requests:>8,} {floor:>8,.0f} {specified:>10,} {seconds:>8.1f}")


def print_walks(largest):
    print("\nBy ids, computed: requests behind the first four")
    print(f"{'projects':>9} {'gaps':>5} {'where':<17} {'requests':>9} {'floor':>7} {'at most':>8}")
    for count in (100, 20_000):
        for gaps in (0.0, 0.12, 0.6):
            for shape in SHAPES if gaps else SHAPES[:1]:
                existing = shape(count, round(count / (1 - gaps)), Random(1))
                print_walk(existing, gaps, shape)
    existing = SHAPES[0](largest, round(largest / 0.88), Random(1))
    began = perf_counter()
    print_walk(existing, 0.12, SHAPES[0])
    print(f"of {largest:,}: {perf_counter() - began:.1f} s")
    began = perf_counter()
    sample = Draw(size=500, seed=1, bound=existing[-1], available=largest)
    _, requests = read(sample, existing)
    seconds = perf_counter() - began
    print(f"a random sample of 500 of {largest:,}: {requests} requests, {seconds:.1f} s")
    highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"highest memory {highest:,.0f} MiB")


def print_walk(existing, gaps, shape):
    count, bound = len(existing), existing[-1]
    _, requests = read(whole(bound), existing)
    most = count / FLOOR + bound / 400 + 1
    where = shape.__name__.replace("_", " ")
    print(
        f"{count:>9,} {gaps:>5.0%} {where:<17} {requests:>9,} {count / FLOOR:>7,.0f} {most:>8,.0f}"
    )


def main():
    numbers = [int(text) for text in sys.argv[1:]]
    print_loads(numbers[0] if numbers else PROJECTS)
    print_walks(numbers[1] if len(numbers) > 1 else LARGEST)


if __name__ == "__main__":
    main()
