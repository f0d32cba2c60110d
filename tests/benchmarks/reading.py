"""Pages in memory to one typed frame, beside bare lxml and beside other ways.

Every figure is a ratio to `lxml.etree.fromstring` of the same pages in the same run, of the
medians. Memory is the extra peak of a process of its own; the curve shows the cost a record. The table's chart
goes to benchmark-results/reading.svg.
Ways whose package is missing are left out: pip install xml2arrow xmltodict.
"""

import io
import json
import subprocess
import sys
import tempfile
from functools import partial
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter

import pandas as pd
import pyarrow as pa
from lxml import etree

import dirframe
from dirframe.client.documents import frame_pages, parse_documents
from dirframe.client.xml.parser import PageParser
from dirframe.io._integrity.native_check import check
from dirframe.io.formats import kind_of
from dirframe.schema import PROJECT, Dialect, Kind
from tests.benchmarks._corpus import month_pages, project_pages, side_by_side
from tests.benchmarks._report import Cell, Listing, Measure, Table

RECORDS = 6_000
ROUNDS = 5
CURVE = (1_000, 10_000, 100_000, 1_000_000)
RESULTS = Path("benchmark-results")
SPECIFIED = [field.column for field in PROJECT.specified]
SCALARS = [
    field.column
    for field in PROJECT.fields
    if field.kind is not Kind.ITEMS and len(field.path) < 3 and field.dialect is not Dialect.TODAY
]
GOALS = {
    "dirframe, the specified columns": 1.2,
    "dirframe, the same as they are fetched": 1.3,
    "dirframe, all scalar columns": 1.4,
    "dirframe, with the child tables": 2.7,
    "dirframe, months": 2.3,
}
#: How many times as long others take as the specified columns do.
OTHERS = {
    "findtext loop": 2.4,
    "pandas.read_xml": 6,
    "xmltodict and json_normalize": 8,
}


def bare(pages):
    for page in pages:
        etree.fromstring(page)


def ours(pages, columns=None):
    documents = ((str(number), page) for number, page in enumerate(pages))
    return parse_documents(documents, PROJECT, columns=columns).frame


def as_fetched(pages):
    """Parse each page with a parser of its own, where it is validated, and then read it."""
    parsed = (PageParser().parse(page) for page in pages)
    frame_pages(parsed, PROJECT, columns=SPECIFIED)


def with_children(pages):
    frame = ours(pages)
    for name in ("tags", "languages", "licenses", "factoids"):
        dirframe.child_table(frame, name)


def months(pages):
    return parse_documents((str(n), page) for n, page in enumerate(pages)).frame


def findtext(pages):
    rows = [
        {field.column: record.findtext("/".join(field.path)) for field in PROJECT.specified}
        for page in pages
        for record in etree.fromstring(page).iter("project")
    ]
    return typed(pd.DataFrame(rows))


def typed(frame):
    """Give the specified columns their dtypes, as a person does who has texts."""
    for field in PROJECT.specified:
        if field.column not in frame:  # recorded pages lack one
            continue
        if field.kind is Kind.TIMESTAMP:
            frame[field.column] = pd.to_datetime(frame[field.column])
        elif field.kind is Kind.INTEGER:
            frame[field.column] = pd.to_numeric(frame[field.column])
    return frame


def read_xml(pages):
    # It flattens nothing: the specified columns of the analysis need a second reading.
    places = ("./result/project", "./result/project/analysis")
    projects, analyses = (
        pd.concat([pd.read_xml(io.BytesIO(page), xpath=place) for page in pages])
        for place in places
    )
    return projects.merge(analyses, left_on="id", right_on="project_id", how="left")


def xmltodict_normalised(pages):
    import xmltodict

    rows = []
    for page in pages:
        rows += xmltodict.parse(page)["response"]["result"]["project"]
    return typed(pd.json_normalize(rows, sep="_"))


def rust_to_arrow(pages):
    from xml2arrow import XmlToArrowParser

    rows = "/response/result"
    fields = [
        {
            "name": field.column,
            "xml_path": f"{rows}/project/{'/'.join(field.path)}",
            "data_type": "Utf8",  # a number or a date that it cannot read ends the page
            "nullable": True,
        }
        for field in PROJECT.specified
    ]
    table = {"name": "projects", "xml_path": rows, "levels": [], "fields": fields}
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        json.dump({"parser_options": {"trim_text": True}, "tables": [table]}, file)  # JSON is YAML
        file.flush()
        parser = XmlToArrowParser(file.name)
    read = pa.Table.from_batches([parser.parse(page)["projects"] for page in pages])
    return typed(read.to_pandas())


def ways(pages):
    found = {
        "bare lxml": partial(bare, pages),
        "dirframe, the specified columns": partial(ours, pages, SPECIFIED),
        "dirframe, the same as they are fetched": partial(as_fetched, pages),
        "dirframe, all scalar columns": partial(ours, pages, SCALARS),
        "dirframe, everything": partial(ours, pages),
        "dirframe, with the child tables": partial(with_children, pages),
        "findtext loop": partial(findtext, pages),
        "pandas.read_xml": partial(read_xml, pages),
    }
    others = {
        "xmltodict": ("xmltodict and json_normalize", xmltodict_normalised),
        "xml2arrow": ("xml2arrow, the specified columns", rust_to_arrow),
    }
    for package, (name, way) in others.items():
        if find_spec(package) is None:
            print(f"{package} is not installed and is left out.\n")
        else:
            found[name] = partial(way, pages)
    return found


def peak(records, columns):
    """Return the megabytes of the pages and the extra peak of reading them, of a new process."""
    command = [sys.executable, "-m", __spec__.name, "peak", str(records), columns]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    size, extra = done.stdout.split()
    return float(size), float(extra)


def report_peak(records, columns):
    pages, _ = project_pages(records)
    ours(pages[:64])  # libraries are loaded and have their buffers
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew (Linux)
    before = highest()
    ours(pages, SPECIFIED if columns == "specified" else None)
    print(sum(map(len, pages)) / 1e6, highest() - before)


def highest():
    """Return the highest resident memory of this process so far, in MiB."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def saved(pages, rounds):
    """Return the cost of loading a saved frame, as a part of reading its pages."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "frame.parquet"
        ours(pages, SPECIFIED).to_parquet(file)
        taken = side_by_side(
            {"load": partial(pd.read_parquet, file), "read": partial(ours, pages, SPECIFIED)},
            rounds,
        )
    return taken["load"] / taken["read"]


def checked(rounds):
    """Return the cost of comparing a large Parquet file with its digest, as a part of reading it."""
    pages, _ = project_pages(24_000)
    with tempfile.TemporaryDirectory() as folder:
        file = dirframe.export(ours(pages, SPECIFIED), Path(folder) / "frame.parquet")
        kind = kind_of(file)
        taken = side_by_side(
            {"check": partial(check, file, kind), "read": partial(dirframe.read_export, file)},
            rounds,
        )
    return taken["check"] / taken["read"]


def main():
    if sys.argv[1:2] == ["peak"]:
        report_peak(int(sys.argv[2]), sys.argv[3])
        return
    pages, kind = project_pages(RECORDS)
    size = sum(map(len, pages)) / 1e6
    first = side_by_side(ways(pages), ROUNDS)
    floor = first["bare lxml"]
    print(f"{len(pages):,} pages of 25 {kind}, {size:.1f} MB; bare lxml {size / floor:.0f} MB/s.")
    ours_took = first["dirframe, the specified columns"]
    others = Measure("times dirframe", better="higher", form=".1f")
    table = Table("way", Measure("times bare lxml", better="lower"), others)
    for name, seconds in first.items():
        times = Cell(seconds / floor, GOALS.get(name), directed=name.startswith("dirframe"))
        other = Cell(seconds / ours_took, OTHERS[name]) if name in OTHERS else None
        table.row(name, times, other)
    facts = month_pages(60)
    taken = side_by_side({"bare": partial(bare, facts), "ours": partial(months, facts)}, ROUNDS)
    name, of_months = "dirframe, months", taken["ours"] / taken["bare"]
    table.row(f"{name} (many short leaves)", Cell(of_months, GOALS[name]), None)
    parts = Listing()
    loading = "loading a saved frame, to reading its pages"
    parts.row(loading, saved(pages, ROUNDS), better="lower", goal=0.15)
    digest = "comparing its digest, to what read_export takes"
    parts.row(digest, checked(ROUNDS), better="lower", goal=0.05)
    peaks = Table(
        ("pages of", "columns"),
        Measure("size", "MB", None, ".0f"),
        Measure("extra peak", "MiB", "lower", ".0f"),
    )
    for records, goal in ((12_000, 45), (120_000, 150)):
        for columns in ("specified", "all"):
            megabytes, extra = peak(records, columns)
            peaks.row((f"{records:,} records", columns), megabytes, Cell(extra, goal))
    costs = dict(cost_a_record())
    ratios = {name: seconds / floor for name, seconds in first.items() if name != "bare lxml"}
    draw({**ratios, "dirframe, months": of_months}, costs, RESULTS / "reading.svg")


def cost_a_record():
    """Yield the microseconds a record, its pages handed over anew as from a folder."""
    originals, _ = project_pages(1_000)
    ours(originals, SPECIFIED)
    table = Table("records", Measure("a record", "µs", "lower", ".1f"))
    for records in CURVE:
        pages = repeat_pages(originals, records)
        begin = perf_counter()
        found = len(ours(pages, SPECIFIED))
        cost = (perf_counter() - begin) / found * 1e6
        table.row((found,), cost)
        yield found, cost


def repeat_pages(pages, records):
    """Hand the pages over again and again: a million records would not fit into memory."""
    return islice(cycle(pages), records // 25)


def draw(ratios, costs, file):
    """Draw the ratios and the cost a record."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[3, 2])
    colours = ["#1f6f8b" if name.startswith("dirframe") else "#b0b0b0" for name in ratios]
    bars = left.barh(list(ratios), list(ratios.values()), color=colours)
    left.bar_label(bars, fmt="%.1f", padding=3)
    left.axvline(1, color="black", linewidth=1)
    left.margins(x=0.1)
    left.invert_yaxis()
    left.set(xlabel="times bare lxml (line: 1)", title="Pages in memory to one typed frame")
    right.semilogx(list(costs), list(costs.values()), marker="o", color="#1f6f8b")
    right.set(ylim=(0, None), xlabel="records", ylabel="microseconds a record")
    right.set_title("The specified columns")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    file.parent.mkdir(exist_ok=True)
    figure.savefig(file)
    print(f"\nThe chart is in {file}.")


if __name__ == "__main__":
    main()
