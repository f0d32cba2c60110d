"""The record is JSON values, and leads back to itself."""

from __future__ import annotations

import json

import pytest

from dirframe.errors import InvalidInputError
from dirframe.provenance.record import Provenance


def test_a_record_as_a_dict_is_json_and_leads_back_to_itself() -> None:
    record = Provenance(source="A", steps=("one", "two"), query={"query": "x"})
    assert Provenance.from_dict(json.loads(json.dumps(record.to_dict()))) == record


def test_every_part_of_a_record_leads_back_to_itself() -> None:
    record = Provenance(
        columns=("id",),
        not_sent=("size",),
        details_missing=("7",),
        counted={"projects": 3},
        records={"rows": 3, "repeated": 0, "others": 0},
        base={"records": 2, "which": "with a tag"},
    )
    assert Provenance.from_dict(json.loads(json.dumps(record.to_dict()))) == record


def test_changing_what_a_record_gives_does_not_change_the_record() -> None:
    record = Provenance(counted={"projects": 3}, base={"records": 2})
    record.to_dict()["counted"]["projects"] = 4
    record.to_dict()["base"]["records"] = 4
    assert (record.counted, record.base) == ({"projects": 3}, {"records": 2})


@pytest.mark.parametrize("foreign", [None, "text", 7, ["list"]])
def test_what_is_no_record_is_an_empty_one(foreign: object) -> None:
    assert Provenance.from_dict(foreign) == Provenance()


def test_a_record_refuses_an_address_that_could_hold_a_key() -> None:
    with pytest.raises(InvalidInputError, match="api_key"):
        Provenance(base_url="https://directory.example/?api_key=x")
