"""The bundled sample is what its README says, and what the generator makes."""

from __future__ import annotations

import gzip
import re
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree

from dirframe.schema import SYNTHETIC_MARK
from dirframe.service.records import record_from_element
from dirframe.service.synthetic.edge_cases import ACCOUNTS, PROJECTS
from dirframe.service.synthetic.generate import generate
from dirframe.service.synthetic.people import HOPELESS

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).resolve().parent.parent / "data"
Record = dict[str, Any]


def content(name: str) -> bytes:
    return gzip.decompress((DATA / name).read_bytes())


@cache
def records(kind: str) -> list[Record]:
    root = etree.fromstring(content(f"{kind}s.xml.gz"))
    return [record_from_element(each) for each in root.findall(f"result/{kind}")]


def in_analysis(condition: Callable[[Record], object]) -> Callable[[Record], bool]:
    return lambda project: "analysis" in project and bool(condition(project["analysis"]))


#: The lines of the tables in the README, and what they count.
PROJECT_COUNTS: dict[str, Callable[[Record], object]] = {
    "without an analysis": lambda p: "analysis" not in p,
    "with an analysis, without a main language": in_analysis(lambda a: not a["main_language_name"]),
    "with a negative `total_code_lines`": in_analysis(lambda a: int(a["total_code_lines"]) < 0),
    "with an analysis, `min_month` and `max_month` empty": in_analysis(
        lambda a: not a["min_month"]
    ),
    "with an analysis, `logged_at` empty": in_analysis(lambda a: not a["logged_at"]),
    "with `total_contributor_count`, `twelve_month_commit_count` and `total_commit_count`, "
    "written with thousands separators": in_analysis(
        lambda a: "," in a.get("total_commit_count", "")
    ),
    "with a language of less than one percent, written `<1`": in_analysis(
        lambda a: any(row["@percentage"] == "<1" for row in a.get("languages", ()))
    ),
    "without tags": lambda p: "tags" not in p,
    "without a licence": lambda p: not p["licenses"],
    "without a rating": lambda p: not p["average_rating"],
    "without a description": lambda p: not p["description"],
    "without a home page": lambda p: not p["homepage_url"],
    "without a download address": lambda p: not p["download_url"],
    "with carriage returns in the description": lambda p: "\r" in (p["description"] or ""),
}
ACCOUNT_COUNTS: dict[str, Callable[[Record], object]] = {
    "without a `country_code`": lambda a: "country_code" not in a,
    "`country_code` of two capital letters": lambda a: re.fullmatch(
        "[A-Z]{2}", a.get("country_code", "")
    ),
    "of these, Namibia (`NA`)": lambda a: a.get("country_code") == "NA",
    "`country_code` of two letters, not both capitals": lambda a: re.fullmatch(
        "[a-z]{2}", a.get("country_code", "")
    ),
    "`country_code` that no one can resolve (`Earth`, `Korea`, `Internet`, …)": lambda a: (
        a.get("country_code") in HOPELESS
    ),
    "`country_code` that is a country's name in some spelling": lambda a: (
        len(a.get("country_code", "").strip(" ,\u00a0")) > 2 and a["country_code"] not in HOPELESS
    ),
    "without a location": lambda a: "location" not in a,
    "with a location, without coordinates": lambda a: "location" in a and "latitude" not in a,
    "without a kudo score": lambda a: "kudo_score" not in a,
    "without a post": lambda a: a["posts_count"] == "0",
}


def lines(counts: dict[str, Callable[[Record], object]], kind: str) -> list[str]:
    return [
        f"| {what} | {sum(bool(holds(each)) for each in records(kind)):,} |"
        for what, holds in counts.items()
    ]


@pytest.mark.parametrize(
    ("kind", "counts"), [("project", PROJECT_COUNTS), ("account", ACCOUNT_COUNTS)]
)
def test_the_readme_counts_what_is_peculiar(
    kind: str, counts: dict[str, Callable[[Record], object]]
) -> None:
    readme = (DATA / "README.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines(counts, kind) if line not in readme] == []
    assert not any(line.endswith("| 0 |") for line in readme)


def test_the_readme_names_every_peculiar_text() -> None:
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    assert [each.what for each in (*ACCOUNTS, *PROJECTS) if each.what not in readme] == []


def test_the_generator_makes_the_sample_again(tmp_path: Path) -> None:
    for made in generate(tmp_path):
        again = sha256(gzip.decompress(made.read_bytes())).hexdigest()
        assert again == sha256(content(made.name)).hexdigest(), (
            "data/ is not what the generator makes now: run dirframe generate data --overwrite"
        )


@pytest.mark.parametrize(("kind", "count"), [("account", 2_000), ("project", 1_500)])
def test_the_sample_is_whole_and_marked_as_synthetic(kind: str, count: int) -> None:
    root = etree.fromstring(content(f"{kind}s.xml.gz"))
    assert len(records(kind)) == count
    assert root.findtext("items_available") == root.findtext("items_returned") == str(count)
    mark = root.getprevious()
    assert isinstance(mark, etree._ProcessingInstruction)
    assert mark.target == SYNTHETIC_MARK
    assert len({each["id"] for each in records(kind)}) == count


@pytest.mark.parametrize("kind", ["account", "project"])
def test_the_sample_holds_no_address_and_leads_nowhere(kind: str) -> None:
    text = content(f"{kind}s.xml.gz").decode("utf-8")
    assert "@" not in text
    hosts = {host.rstrip(".") for host in re.findall(r"\w+://([^/<?\s&]+)", text)}
    assert all(host.endswith(("example.org", "example.net", ".invalid")) for host in hosts)


def test_the_sample_is_small_enough_to_travel_with_the_package() -> None:
    assert sum(file.stat().st_size for file in DATA.iterdir()) < 1_000_000
