"""What a load notes in its frame."""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd

from dirframe.client.load_provenance import attach_load_provenance
from dirframe.provenance import get_provenance
from dirframe.schema import PROJECT
from dirframe.settings import ApiKey, Settings
from tests.client import fetched, page_xml


def test_times_and_costs_are_those_of_the_documents() -> None:
    settings = Settings(base_url="http://127.0.0.1:1", api_key=ApiKey("secret"), name="Here")
    early, late = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 3, tzinfo=UTC)
    answers = [
        fetched(page_xml([]), "http://127.0.0.1:1/projects.xml", late, attempts=2),
        fetched(page_xml([]), "http://127.0.0.1:1/projects.xml", early, attempts=0),
    ]
    frame = attach_load_provenance(
        pd.DataFrame({"id": ["1"]}), settings, PROJECT, answers, complete=True
    )
    facts = get_provenance(frame)
    assert facts["retrieved_oldest"].startswith("2026-01-01")
    assert facts["retrieved_newest"].startswith("2026-01-03")
    assert (facts["requests_made"], facts["requests_cached"]) == (2, 1)
    assert (facts["source"], facts["resource"], facts["items_loaded"]) == ("Here", "project", 1)
    assert "secret" not in str(frame.attrs)
