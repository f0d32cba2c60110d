"""What a frame remembers of where it came from."""

import io
import json
import pickle
from datetime import UTC, datetime

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import __version__, child_table, flags, provenance, summary
from dirframe.errors import ColumnsNotSentError, InvalidInputError
from dirframe.provenance import (
    FACTS,
    absent,
    caption,
    copy_provenance,
    difference,
    get_provenance,
    resource_of,
    set_provenance,
)
from dirframe.schema import ACCOUNT, PROJECT
from dirframe.stats import contributors_by_language, language_share


def loaded(rows=3, **facts):
    """Return a frame as a loader gives it."""
    frame = pd.DataFrame({"id": [str(row) for row in range(rows)]})
    known = {
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
    return set_provenance(frame, **known | facts)


# The record


def test_a_frame_from_nowhere_has_every_key_and_knows_nothing():
    record = get_provenance(pd.DataFrame())
    assert record == {**FACTS, "complete": None}
    assert (record["source"], record["complete"], record["items_loaded"]) == ("", None, None)
    assert record["dirframe"] == __version__
    for foreign in (None, "text", 7, ["list"]):
        frame = pd.DataFrame()
        frame.attrs[provenance.ATTRIBUTE] = foreign
        assert get_provenance(frame) == record


def test_facts_are_kept_until_they_are_set_again():
    frame = loaded(requests_made=2)
    set_provenance(frame, complete=False, incomplete_reason="capped by max_items=3")
    record = get_provenance(frame)
    assert record["source"] == "A directory"
    assert record["query"] == {"query": "xml", "sort": None, "max_items": None}
    assert (record["requests_made"], record["requests_cached"]) == (2, 0)
    assert (record["complete"], record["incomplete_reason"]) == (False, "capped by max_items=3")


def test_facts_that_do_not_exist_or_are_not_json_are_refused():
    frame = loaded()
    before = get_provenance(frame)
    with pytest.raises(TypeError, match="sourse"):
        set_provenance(frame, sourse="A directory")
    for value in (datetime(2026, 11, 21, tzinfo=UTC), object(), float("nan")):
        with pytest.raises(InvalidInputError):
            set_provenance(frame, query={"query": value})
    assert get_provenance(frame) == before


def test_facts_that_could_hold_a_key_are_refused_without_repeating_it():
    for facts in (
        {"base_url": "https://directory.example?api_key=s3cret"},
        {"base_url": "https://s3cret@directory.example"},
        {"base_url": "https://me:s3cret@directory.example"},
        {"query": {"api_key": "s3cret"}},
    ):
        frame = pd.DataFrame()
        with pytest.raises(InvalidInputError) as caught:
            set_provenance(frame, **facts)
        assert "s3cret" not in str(caught.value)
        assert "s3cret" not in json.dumps(frame.attrs)


def test_a_record_that_was_read_is_a_copy():
    frame = loaded(counted={"projects": 3})
    record = get_provenance(frame)
    record["query"]["query"] = "changed"
    record["steps"].append("changed")
    record["counted"]["projects"] = 4
    after = get_provenance(frame)
    assert (after["query"]["query"], after["steps"]) == ("xml", [])
    assert after["counted"] == {"projects": 3}


def test_a_record_survives_what_pandas_and_arrow_let_survive():
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
        pa.Table.from_pandas(frame),
    ):
        assert get_provenance(after) == get_provenance(frame)
    assert get_provenance(pa.table({"id": ["1"]}))["source"] == ""


def test_a_derived_frame_gets_the_record_and_the_step():
    source = loaded()
    once = copy_provenance(source, pd.DataFrame({"n": [1]}), "count")
    twice = copy_provenance(once, pd.DataFrame({"n": [1]}), "filter")
    assert get_provenance(twice)["steps"] == ["count", "filter"]
    assert get_provenance(twice)["source"] == "A directory"
    assert get_provenance(source)["steps"] == []


def test_a_record_of_another_version_is_read_and_handed_on_whole():
    frame = pd.DataFrame()
    frame.attrs["dirframe"] = {"source": "Old", "steps": None, "colour": "green"}
    after = set_provenance(copy_provenance(frame, pd.DataFrame()), complete=True)
    record = get_provenance(after)
    assert (record["source"], record["colour"], record["steps"]) == ("Old", "green", [])


# What the records are, and which of them


def test_a_frame_holds_what_it_says_and_else_what_its_columns_tell():
    bare = pd.DataFrame({"id": ["1"], "posts_count": [2]})
    assert resource_of(bare) is ACCOUNT
    assert resource_of(set_provenance(bare.copy(), resource="project")) is PROJECT
    assert resource_of(pd.DataFrame({"id": ["1"]})) is None
    other = resource_of(set_provenance(pd.DataFrame({"id": ["1"]}), resource="gadget"))
    assert other.collection == "gadgets"


def test_everything_that_takes_records_agrees_on_what_they_are():
    lists = pd.Series([None], dtype="object")
    accounts = pd.DataFrame({"id": ["1"], "posts_count": [2], "badges": lists})
    assert "account" in summary(accounts).title
    assert flags(accounts).attrs["dirframe"]["resource"] == "account"
    assert next(iter(child_table(accounts, "badges"))) == "account_id"


IDS = st.lists(st.sampled_from(["7", "07", "12", "a", "b c", "-1", " 7"]), max_size=8)


def with_ids(ids, dtype="str"):
    return pd.DataFrame({"id": pd.Series(ids, dtype=dtype)})


@given(IDS.map(lambda ids: list(dict.fromkeys(ids))), IDS)
def test_records_are_compared_with_those_loaded_by_their_ids(ids, others):
    frame = set_provenance(with_ids(ids), items_loaded=len(ids))
    assert difference(frame) is None
    assert difference(copy_provenance(frame, with_ids(ids[::-1]))) is None
    doubled = difference(copy_provenance(frame, with_ids(ids * 2)))
    assert doubled is None if not ids else doubled.repeated == len(ids)
    changed = difference(copy_provenance(frame, with_ids(others)))
    if set(others) == set(ids):
        assert changed is None or changed.repeated == len(others) - len(ids)
    else:
        assert changed.rows == len(others)
        assert changed.repeated == len(others) - len(set(others))
        assert changed.others == (len(set(others)) >= len(ids))


def test_ids_that_are_numbers_are_the_texts_that_are_written_like_them():
    frame = set_provenance(with_ids(["7", "12", "30"]), items_loaded=3)
    for dtype in ("int64", "Int64", "object", "category", "string"):
        again = pd.DataFrame({"id": pd.Series([12, 7, 30]).astype(dtype)})
        assert difference(copy_provenance(frame, again)) is None, dtype


# Columns that hold nothing


def test_columns_that_were_not_sent_are_told_from_empty_ones():
    frame = set_provenance(
        pd.DataFrame({"id": ["1"], "size": [None], "name": [None]}), not_sent=["size"]
    )
    told = absent(frame, ["id", "size", "name"])
    assert told.columns == ("size",)
    assert "details=True" in told.hint
    assert "--details" in told.hint
    assert absent(frame.assign(size=3), ["size"]) is None  # values that came later
    assert absent(frame.iloc[:0], ["size"]) is None


def test_columns_that_were_not_sent_raise_with_their_names():
    column = "analysis_main_language_name"
    frame = pd.DataFrame({"id": ["1"], column: pd.Series([None], dtype="str")})
    frame = set_provenance(frame, resource="project", not_sent=[column])
    for use in (language_share, contributors_by_language):
        with pytest.raises(ColumnsNotSentError) as caught:
            use(frame)
        assert column in caught.value.columns


# Captions


def test_caption_names_size_source_and_days():
    expected = "n = 3 projects · Source: A directory, retrieved 2026-11-20"
    assert caption(loaded()) == expected
    two_days = caption(loaded(retrieved_newest="2026-11-21T00:00:01Z"))
    assert two_days == f"{expected} to 2026-11-21"
    assert caption(loaded().head(1)).startswith("n = 1 of 3 projects ·")
    one = caption(loaded(1, items_loaded=1, resource="account"))
    assert one.startswith("n = 1 account ·")
    many = caption(loaded(0, items_loaded=12360, counted={"projects": 12360}))
    assert many.startswith("n = 12,360 projects ·")
    assert "Source: https://directory.example," in caption(loaded(source=""))
    nowhere = caption(pd.DataFrame({"id": ["1"]}))
    assert nowhere.startswith("n = 1 record · Source:")


def test_caption_says_synthetic_and_incomplete():
    assert "synthetic" in caption(loaded(synthetic=True))
    assert "synthetic" not in caption(loaded())
    short = caption(loaded(complete=False, items_available=12360))
    assert "incomplete: 3 of 12,360" in short
    assert "incomplete" in caption(loaded(complete=False, items_available=None))
    assert "incomplete" not in caption(loaded())
