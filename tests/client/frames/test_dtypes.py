"""Texts become typed values; what cannot be read is kept."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dirframe.client.frames.dtypes import convert_column, to_pandas
from dirframe.schema import Kind

ALL_KINDS = [Kind.TEXT, Kind.IDENTIFIER, Kind.URL, Kind.INTEGER, Kind.NUMBER, Kind.TIMESTAMP]
DTYPES = {
    Kind.TEXT: "str",
    Kind.IDENTIFIER: "str",
    Kind.URL: "str",
    Kind.INTEGER: "Int64",
    Kind.NUMBER: "Float64",
    Kind.TIMESTAMP: "datetime64[us, UTC]",
}


def one(text: str | None, kind: Kind) -> tuple[object, str | None]:
    array, unreadable = convert_column([text], kind)
    return array[0].as_py(), None if unreadable is None else unreadable[0].as_py()


@pytest.mark.parametrize("kind", ALL_KINDS)
@pytest.mark.parametrize(
    "values", [[], [None], ["1"], ["x", None, "-"], ["", "2009-01-01T00:00:00Z"] * 100]
)
def test_a_kind_has_one_dtype_whatever_its_values(kind: Kind, values: list[str | None]) -> None:
    array, _ = convert_column(values, kind)
    assert to_pandas(array).dtype == DTYPES[kind]
    assert len(array) == len(values)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,935", 1935),
        ("-297,667", -297_667),
        ("-297667", -297_667),
        ("+5", 5),
        ("0", 0),
        (" 7\n", 7),
        ("3.0", 3),
        ("1e3", 1000),
        ("-", None),
        ("", None),
        (None, None),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9,223,372,036,854,775,807", 2**63 - 1),
        ("-9,223,372,036,854,775,808", -(2**63)),
    ],
)
def test_a_whole_number_is_understood(text: str | None, value: int | None) -> None:
    assert one(text, Kind.INTEGER) == (value, None)


@pytest.mark.parametrize(
    "text",
    ["9223372036854775808", "-9223372036854775809", "9" * 400, "1e30", "1e16", "3.5", "12,34", "1,2345",
     "twelve", "0x10", "1_000", "NaN", "inf", "1 2", "--1", "12.3%", "<1", "\u22125"],
)  # fmt: skip
def test_what_is_no_whole_number_is_kept_as_text(text: str) -> None:
    value, kept = one(text, Kind.INTEGER)
    assert (value, kept) == (None, text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12.3%", 12.3),
        ("12.3 %", 12.3),
        ("472%", 472.0),
        ("<1", 0.5),
        ("-", None),
        ("1,935.5", 1935.5),
        ("-2.3438644409179688", -2.3438644409179688),
        ("0.0", 0.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e-3", 0.001),
        (" 4.5 ", 4.5),
    ],
)
def test_a_number_is_understood(text: str, value: float | None) -> None:
    assert one(text, Kind.NUMBER) == (value, None)
    # The same beside a value that goes the slow way.
    array, _ = convert_column([text, "not a number"], Kind.NUMBER)
    assert array[0].as_py() == value


@pytest.mark.parametrize(
    "text",
    # No thousands begin with a zero: 0,051 has a decimal comma.
    ["nan", "NaN", "inf", "-inf", "Infinity", "1e999", "four", "1,23.5", "0,051", "%", "<2", "1/2"],
)
def test_what_is_no_number_is_kept_as_text(text: str) -> None:
    assert one(text, Kind.NUMBER) == (None, text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2007-01-08T09:10:11Z", "2007-01-08T09:10:11Z"),
        ("2007-01-08T09:10:11", "2007-01-08T09:10:11Z"),
        ("2007-01-08T11:10:11+02:00", "2007-01-08T09:10:11Z"),
        ("2007-01-08T09:10:11.250Z", "2007-01-08T09:10:11.25Z"),
        ("2007-01-08 09:10:11", "2007-01-08T09:10:11Z"),
        ("2007-01-08", "2007-01-08T00:00:00Z"),
        ("1600-02-29T00:00:00Z", "1600-02-29T00:00:00Z"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
        (" 2007-01-08T09:10:11Z\n", "2007-01-08T09:10:11Z"),
    ],
)
def test_a_timestamp_is_understood_alone_and_among_others(text: str, value: str) -> None:
    for others in ([], ["2001-02-03T04:05:06Z"], ["2001-02-03"], ["no time", "2001-02-03T04:05Z"]):
        array, _ = convert_column([text, *others], Kind.TIMESTAMP)
        moment = to_pandas(array)[0]
        assert moment == pd.Timestamp(value), others
        assert moment.tz is not None


@pytest.mark.parametrize(
    "text", ["now", "today", "tomorrow", "2007-13-01T00:00:00Z", "2007-02-30", "yesterday", "NaT",
             "08/01/2007", "T", "2007-01-08T25:00:00Z"]
)  # fmt: skip
def test_what_is_no_timestamp_is_kept_as_text(text: str) -> None:
    assert one(text, Kind.TIMESTAMP) == (None, text)


def test_a_bare_number_is_no_timestamp() -> None:
    for text in ("12", "0", "1167609600"):
        assert one(text, Kind.TIMESTAMP) == (None, text)


def test_text_is_kept_to_the_letter_but_for_blanks_around_it() -> None:
    for text in ("NA", "null", "None", "007", "1,935", "nan", "a\n b", "Zoë", "<b>"):
        assert one(f"\n  {text} ", Kind.TEXT) == (text, None)
        assert one(text, Kind.IDENTIFIER) == (text, None)


_INTEGERS = st.integers(-(2**63), 2**63 - 1)


@given(st.lists(st.one_of(st.none(), _INTEGERS), max_size=20), st.booleans())
def test_every_whole_number_comes_back(numbers: list[int | None], grouped: bool) -> None:
    texts = [None if n is None else f"{n:,}" if grouped else str(n) for n in numbers]
    array, unreadable = convert_column(texts, Kind.INTEGER)
    assert array.to_pylist() == numbers
    assert unreadable is None


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20), st.booleans())
def test_every_number_comes_back(numbers: list[float], slow: bool) -> None:
    texts = [repr(number) for number in numbers] + ["-"] * slow
    array, unreadable = convert_column(texts, Kind.NUMBER)
    assert unreadable is None
    assert all(
        math.isclose(a, b, rel_tol=0, abs_tol=0)
        for a, b in zip(array.to_pylist(), numbers, strict=False)
    )


@given(st.lists(st.one_of(st.none(), st.text(max_size=12)), max_size=8))
def test_each_text_is_a_value_or_kept_or_says_nothing(texts: list[str | None]) -> None:
    for kind in ALL_KINDS:
        array, unreadable = convert_column(texts, kind)
        kept = [None] * len(texts) if unreadable is None else unreadable.to_pylist()
        for text, value, left in zip(texts, array.to_pylist(), kept, strict=True):
            if value is None and left is None:
                assert text is None or text.strip() in ("", "-")


@settings(max_examples=200)
@given(
    st.sampled_from([Kind.INTEGER, Kind.NUMBER, Kind.TIMESTAMP]),
    st.one_of(
        st.text("0123456789+-.,eExXinfaNTZ: %<_", max_size=9),
        st.text("0123456789-T:Z.+ ", min_size=10, max_size=26),
        st.datetimes().map(lambda moment: moment.isoformat()),
        st.datetimes().map(lambda moment: f"{moment:%Y-%m-%dT%H:%M}"),
        st.datetimes().map(lambda moment: f"{moment:%Y-%m-%d %H}"),
    ),
)
def test_a_value_does_not_depend_on_its_neighbours(kind: Kind, text: str) -> None:
    alone, _ = convert_column([text], kind)
    among, _ = convert_column([text, "1,935", "2001-02-03", "what?"], kind)
    assert alone[0] == among[0]
