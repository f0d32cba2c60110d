"""A reader learns first what to beware of, and at the end how it was made and is cited."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dirframe import provenance
from dirframe.reports.inputs import ReportData, collect_inputs
from dirframe.reports.text import tell_citation, tell_front, tell_method, tell_provenance


def material(rows: int = 1, **facts: Any) -> ReportData:
    frame = pd.DataFrame({"id": ["1"] * rows})
    if facts:
        provenance.set_provenance(frame, resource="project", **facts)
    return collect_inputs({"projects": frame}, "Title")


def test_an_incomplete_frame_is_marked_at_the_top() -> None:
    front = tell_front(
        material(
            source="D",
            complete=False,
            items_loaded=1,
            items_available=9,
            incomplete_reason="it broke off",
        )
    )
    warnings = [text for kind, text in front.lines if kind == "warning"]
    (warning,) = warnings
    assert warning.startswith("The projects are incomplete: 1 of 9 were loaded (it broke off). ")


def test_a_frame_that_is_empty_synthetic_or_of_unknown_source_says_so() -> None:
    assert "There are no projects" in str(tell_front(material(0, source="D", complete=True)))
    assert "generated, not observed" in str(tell_front(material(source="D", synthetic=True)))
    assert "does not say where it is from" in str(tell_front(material()))


def test_the_method_says_what_was_asked_and_done() -> None:
    told = str(
        tell_method(
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
    assert "Asked of D: query xml." in told
    assert "3 pages came from the directory and 4 from the cache; 5 records" in told
    assert "The load is proven complete." in told
    assert "Then, in this order: one, two." in told
    assert f"pandas {pd.__version__}" in told


def test_a_citation_has_its_link_unless_the_directory_is_this_machine() -> None:
    public = tell_citation(material(source="D", base_url="https://directory.example"))
    assert ("link", "https://directory.example") in public.lines
    local = tell_citation(material(source="D", base_url="http://127.0.0.1:80"))
    assert "link" not in dict(local.lines)
    assert "@misc" in dict(local.lines)["code"]


def test_the_provenance_shows_known_facts_alone() -> None:
    frame = provenance.set_provenance(pd.DataFrame(), source="D", complete=False)
    frame.attrs["dirframe"]["secret"] = "hidden"
    shown = str(tell_provenance(frame))
    assert "hidden" not in shown
    assert "complete            no" in shown
