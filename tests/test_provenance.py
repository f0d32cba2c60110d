"""What a frame remembers of where it came from."""

from __future__ import annotations

import io
import json
import pickle
from datetime import UTC, datetime

import pandas as pd
import pytest

from dirframe import __version__, child_table, flags, provenance, summary
from dirframe.errors import InvalidInputError
from dirframe.explorer import choices
from dirframe.provenance import (
    Provenance,
    caption,
    copy_provenance,
    get_provenance,
    resource_of,
    set_provenance,
)
from dirframe.reports.inputs import collect_inputs
from dirframe.schema import ACCOUNT, PROJECT


def loaded(rows: int = 3, **facts: object) -> pd.DataFrame:
    frame = pd.DataFrame({"id": [str(row) for row in range(rows)]})
    known: dict[str, object] = {
        "source": "A directory",
        "base_url": "https://directory.example",
        "resource": "project",
        "query": {"query": "xml", "sort": None, "max_items": None},
        "items_available": 3,
        "items_loaded": 3,
        "complete": True,
        "retrieved_oldest": "2026-11-20T23:59:59Z",
        "retrieved_newest": "2026-11-20T23:59:59Z",
    }
    return set_provenance(frame, **{**known, **facts})


def test_a_frame_from_nowhere_has_every_key_and_knows_nothing() -> None:
    record = get_provenance(pd.DataFrame())
    assert record == Provenance().to_dict()
    assert (record["source"], record["complete"], record["items_loaded"]) == ("", None, None)
    assert record["dirframe"] == __version__


def test_what_was_noted_is_told_again() -> None:
    record = get_provenance(loaded(requests_made=2))
    assert record["source"] == "A directory"
    assert record["query"] == {"query": "xml", "sort": None, "max_items": None}
    assert (record["requests_made"], record["requests_cached"]) == (2, 0)


def test_noting_more_keeps_what_was_noted_before() -> None:
    frame = loaded()
    set_provenance(frame, complete=False, incomplete_reason="capped by max_items=3")
    assert get_provenance(frame)["source"] == "A directory"
    assert get_provenance(frame)["incomplete_reason"] == "capped by max_items=3"


def test_a_fact_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TypeError, match="sourse"):
        set_provenance(pd.DataFrame(), sourse="A directory")


@pytest.mark.parametrize("value", [datetime(2026, 11, 21, tzinfo=UTC), object(), float("nan")])
def test_a_fact_that_is_not_json_is_refused_and_the_record_stays(value: object) -> None:
    frame = loaded()
    before = get_provenance(frame)
    with pytest.raises(InvalidInputError, match="JSON"):
        set_provenance(frame, query={"query": value})
    assert get_provenance(frame) == before


@pytest.mark.parametrize(
    "facts",
    [
        {"base_url": "https://directory.example?api_key=s3cret"},
        {"base_url": "https://s3cret@directory.example"},
        {"base_url": "https://me:s3cret@directory.example"},
        {"query": {"api_key": "s3cret"}},
    ],
)
def test_what_could_hold_a_key_is_refused_without_repeating_it(facts: dict[str, object]) -> None:
    frame = pd.DataFrame()
    with pytest.raises(InvalidInputError) as caught:
        set_provenance(frame, **facts)
    assert "s3cret" not in str(caught.value)
    assert "s3cret" not in json.dumps(frame.attrs)


def test_changing_the_description_does_not_change_the_frame() -> None:
    frame = loaded()
    record = get_provenance(frame)
    record["query"]["query"] = "changed"
    record["steps"].append("changed")
    assert get_provenance(frame)["query"]["query"] == "xml"
    assert get_provenance(frame)["steps"] == []


def test_the_record_survives_what_pandas_lets_survive() -> None:
    frame = loaded()
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    for after in (
        frame.query("id == '1'"),
        frame.assign(name="x"),
        frame.copy(),
        frame.sort_values("id"),
        pickle.loads(pickle.dumps(frame)),
        pd.read_parquet(buffer),
    ):
        assert get_provenance(after) == get_provenance(frame)


def test_a_derived_frame_gets_the_record_and_the_step() -> None:
    source = loaded()
    once = copy_provenance(source, pd.DataFrame({"n": [1]}), "count")
    twice = copy_provenance(once, pd.DataFrame({"n": [1]}), "filter")
    assert get_provenance(twice)["steps"] == ["count", "filter"]
    assert get_provenance(twice)["source"] == "A directory"
    assert get_provenance(source)["steps"] == []


def test_a_record_of_another_version_is_read_and_handed_on_whole() -> None:
    frame = pd.DataFrame()
    frame.attrs["dirframe"] = {"source": "Old", "steps": None, "colour": "green"}
    assert Provenance.from_dict(frame.attrs["dirframe"]).source == "Old"
    after = set_provenance(copy_provenance(frame, pd.DataFrame()), complete=True)
    assert get_provenance(after)["colour"] == "green"
    assert get_provenance(after)["steps"] == []


@pytest.mark.parametrize("foreign", [None, "text", 7, ["list"]])
def test_a_foreign_attribute_of_the_same_name_is_no_record(foreign: object) -> None:
    frame = pd.DataFrame()
    frame.attrs[provenance.ATTRIBUTE] = foreign
    assert get_provenance(frame) == Provenance().to_dict()


class TestCaption:
    def test_it_names_size_source_and_day(self) -> None:
        assert caption(loaded()) == "n = 3 projects · Source: A directory, retrieved 2026-11-20"

    def test_two_days_are_a_span(self) -> None:
        line = caption(loaded(retrieved_newest="2026-11-21T00:00:01Z"))
        assert line.endswith("retrieved 2026-11-20 to 2026-11-21")

    def test_a_part_of_what_was_loaded_says_of_how_many(self) -> None:
        assert caption(loaded().head(1)).startswith("n = 1 of 3 projects ·")

    def test_one_record_is_singular_and_thousands_are_separated(self) -> None:
        assert caption(loaded(1, items_loaded=1, resource="account")).startswith("n = 1 account ·")
        assert caption(loaded(0, items_loaded=12360, counted={"projects": 12360})).startswith(
            "n = 12,360 projects ·"
        )

    def test_synthetic_data_is_called_so(self) -> None:
        assert caption(loaded(synthetic=True)).endswith(" · synthetic sample data")

    def test_an_incomplete_load_says_how_much_there_is(self) -> None:
        line = caption(loaded(complete=False, items_available=12360))
        assert line.endswith(" · incomplete: 3 of 12,360 loaded")
        assert caption(loaded(complete=False, items_available=None)).endswith(" · incomplete")

    def test_a_frame_from_nowhere_says_so(self) -> None:
        assert caption(pd.DataFrame({"id": ["1"]})) == "n = 1 record · Source: not recorded"

    def test_without_a_name_the_address_is_the_source(self) -> None:
        assert "Source: https://directory.example," in caption(loaded(source=""))


def test_what_a_frame_holds_is_what_it_says_and_else_what_its_columns_tell() -> None:
    bare = pd.DataFrame({"id": ["1"], "posts_count": [2]})
    assert resource_of(bare) is ACCOUNT
    assert resource_of(set_provenance(bare.copy(), resource="project")) is PROJECT
    assert resource_of(pd.DataFrame({"id": ["1"]})) is None
    other = resource_of(set_provenance(pd.DataFrame({"id": ["1"]}), resource="gadget"))
    assert other is not None
    assert other.collection == "gadgets"


def test_everything_that_takes_records_agrees_on_what_they_are() -> None:
    lists = pd.Series([None], dtype="object")
    accounts = pd.DataFrame({"id": ["1"], "posts_count": [2], "badges": lists})
    assert summary(accounts).title.startswith("1 account")
    assert flags(accounts).attrs["dirframe"]["resource"] == "account"
    assert choices.resource_of(accounts) is ACCOUNT
    assert list(collect_inputs(accounts, None).frames) == ["accounts"]
    assert next(iter(child_table(accounts, "badges"))) == "account_id"
