"""A reader learns first what to beware of, and at the end how it was made and is cited."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dirframe import provenance
from dirframe.reports.inputs import ReportData, collect_inputs
from dirframe.reports.passages import Block
from dirframe.reports.text import (
    build_citation,
    build_front,
    build_method,
    build_provenance,
)


def material(rows: int = 1, **facts: Any) -> ReportData:
    frame = pd.DataFrame({"id": ["1"] * rows})
    if facts:
        provenance.set_provenance(frame, resource="project", **facts)
    return collect_inputs({"projects": frame}, "Title")


def test_an_incomplete_frame_is_marked_at_the_top() -> None:
    front = build_front(
        material(
            source="D",
            complete=False,
            items_loaded=1,
            items_available=9,
            incomplete_reason="it broke off",
        )
    )
    warnings = [text for kind, text in front.blocks if kind is Block.WARNING]
    (warning,) = warnings
    assert warning.startswith("The projects are incomplete: 1 of 9 was loaded (it broke off). ")


def test_a_frame_that_is_empty_synthetic_or_of_unknown_source_says_so() -> None:
    assert "There are no projects" in str(build_front(material(0, source="D", complete=True)))
    assert "generated, not observed" in str(build_front(material(source="D", synthetic=True)))
    assert "does not say where it is from" in str(build_front(material()))


def warnings(data: ReportData) -> list[str]:
    return [text for kind, text in build_front(data).blocks if kind is Block.WARNING]


def test_a_frame_has_the_warnings_that_apply_to_it() -> None:
    assert warnings(material(source="D", complete=True)) == []
    assert warnings(material(0, source="D", complete=False, synthetic=True)) == [
        "The projects are incomplete. What was loaded is no fair sample.",
        "The projects are synthetic: generated, not observed.",
        "There are no projects in the frame.",
    ]
    (unknown,) = warnings(material())
    assert unknown.startswith("The frame of projects does not say where it is from")


def test_one_request_is_singular() -> None:
    told = str(build_method(material(source="D", requests_made=1, requests_cached=1)))
    assert "1 request to the directory, 1 page from the cache; 0 duplicate records" in told


def test_the_method_says_what_was_asked_and_done() -> None:
    told = str(
        build_method(
            material(
                source="D",
                query={"query": "xml", "sort": None},
                requests_made=3,
                requests_cached=4,
                duplicates_removed=5,
                steps=["one", "two"],
                complete=True,
            )
        )
    )
    assert "Requested from D: query xml." in told
    assert (
        "3 requests to the directory, 4 pages from the cache; 5 duplicate records removed." in told
    )
    assert "The load is proven complete." in told
    assert "Steps since, in this order: one, two." in told
    assert f"pandas {pd.__version__}" in told


def test_a_citation_has_its_link_unless_the_directory_is_this_machine() -> None:
    public = build_citation(material(source="D", base_url="https://directory.example"))
    assert (Block.LINK, "https://directory.example") in public.blocks
    local = build_citation(material(source="D", base_url="http://127.0.0.1:80"))
    assert Block.LINK not in dict(local.blocks)
    assert "@misc" in dict(local.blocks)[Block.CODE]


def test_the_provenance_shows_known_facts_alone() -> None:
    frame = provenance.set_provenance(pd.DataFrame(), source="D", complete=False)
    frame.attrs["dirframe"]["secret"] = "hidden"
    shown = str(build_provenance(frame))
    assert "hidden" not in shown
    assert "complete            no" in shown
