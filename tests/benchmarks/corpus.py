"""The pages that the benchmarks read: recorded ones repeated with new ids, or generated ones."""

import re
from pathlib import Path
from statistics import median
from time import perf_counter

RECORDED = Path(__file__).resolve().parents[3] / "shared" / "real" / "pages"
ID = re.compile(rb"<(id|project_id|analysis_id)>(\d+)</\1>")


def project_pages(records):
    """Return pages of 25 projects with different ids, and what they are."""
    if RECORDED.is_dir():
        originals = [file.read_bytes() for file in sorted(RECORDED.glob("*.xml"))]
        kind = "recorded projects, repeated with new ids"
    else:
        originals = _generated()
        kind = "generated projects, repeated with new ids"
    rounds = records // (25 * len(originals)) + 1
    pages = [_renumbered(page, number) for number in range(1, rounds + 1) for page in originals]
    return pages[: max(records // 25, 1)], kind


def _renumbered(page, number):
    return ID.sub(rb"<\g<1>>%d\g<2></\g<1>>" % number, page)


def _generated():
    from tools.synthetic.generate import generate_projects, record_xml

    records = [record_xml("project", record) for record in generate_projects(325)]
    return [
        (
            "<response><status>success</status><items_returned>25</items_returned>"
            "<items_available>325</items_available>"
            f"<first_item_position>{first}</first_item_position>"
            f"<result>{''.join(records[first : first + 25])}</result></response>"
        ).encode()
        for first in range(0, 325, 25)
    ]


def month_pages(pages):
    """Return pages of many short leaves: 250 months each."""
    row = (
        "<size_fact><month>20%02d-%02d-01T00:00:00Z</month><code>%d</code><comments>%d</comments>"
        "<blanks>%d</blanks><comment_ratio>0.2%d</comment_ratio><commits>%d</commits>"
        "<man_months>%d</man_months></size_fact>"
    )
    return [
        (
            "<response><status>success</status><result>"
            + "".join(
                row % (n % 26, n % 12 + 1, n * 977 + page, n * 97, n * 131, n, n * 3, n)
                for n in range(250)
            )
            + "</result></response>"
        ).encode()
        for page in range(pages)
    ]


def side_by_side(ways, rounds):
    """Time each way once a round, in turn, and return the medians in seconds."""
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            begin = perf_counter()
            way()
            times[name].append(perf_counter() - begin)
    return {name: median(taken) for name, taken in times.items()}
