"""Texts become typed values; what cannot be read is kept as text, and what nobody described is inferred."""

import math
import warnings
from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dirframe
from dirframe.errors import UnreadableValueWarning
from tests.rig.server import page_xml, record

#: A column of accounts of each kind, and its dtype.
KINDS = {
    "name": "str",
    "id": "str",
    "homepage_url": "str",
    "posts_count": "Int64",
    "latitude": "Float64",
    "created_at": "datetime64[us, UTC]",
}
INTEGER, NUMBER, TIMESTAMP = "posts_count", "latitude", "created_at"


@pytest.fixture(scope="module")
def convert(read):
    """Read texts as a column of accounts: its values, and the texts that were kept."""

    def convert(column, *texts):
        records = [
            record(n, "account", **({} if text is None else {column: text}))
            for n, text in enumerate(texts)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnreadableValueWarning)
            frame = read(page_xml(records), resource="account")
        assert frame[column].dtype == KINDS[column]
        name = f"{column}_unreadable"
        kept = frame[name].tolist() if name in frame else [None] * len(frame)
        return [
            tuple(None if pd.isna(value) else value for value in pair)
            for pair in zip(frame[column].tolist(), kept, strict=True)
        ]

    return convert


def failures_of(convert, column, expected):
    """Compare texts with what they should be, alone and among all others."""
    texts = list(expected)
    failures = [
        (text, value, "among others")
        for text, value in zip(texts, convert(column, *texts), strict=True)
        if value != expected[text]
    ]
    readable = [text for text in texts if expected[text][1] is None]
    failures += [
        (text, value, "among readable ones")
        for text, value in zip(readable, convert(column, *readable), strict=True)
        if value != expected[text]
    ]
    for text in texts:
        [value] = convert(column, text)
        if value != expected[text]:
            failures.append((text, value, "alone"))
    return failures


def test_dtypes_do_not_depend_on_values(read):
    failures = []
    for values in ([], [None], ["1"], ["x", None, "-"], ["", "2009-01-01T00:00:00Z"] * 100):
        records = [
            record(n, "account", **dict.fromkeys([*KINDS][2:], value or ""))
            for n, value in enumerate(values)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnreadableValueWarning)
            frame = read(page_xml(records), resource="account")
        failures += [
            (values[:3], column, frame[column].dtype)
            for column, dtype in KINDS.items()
            if frame[column].dtype != dtype or len(frame) != len(values)
        ]
    assert not failures


def test_dtypes_of_whole_numbers(convert):
    numbers = {
        "1,935": 1935, "-297,667": -297_667, "-297667": -297_667, "+5": 5, "0": 0, " 7\n": 7,
        "3.0": 3, "1e3": 1000, "-": None, "": None, None: None, "007": 7, "-0": 0,
        "9223372036854775807": 2**63 - 1, "-9223372036854775808": -(2**63),
        "9,223,372,036,854,775,807": 2**63 - 1, "-9,223,372,036,854,775,808": -(2**63),
        "9007199254740993.0": 2**53 + 1, "1e16": 10**16,
    }  # fmt: skip
    kept = [
        "9223372036854775808", "-9223372036854775809", "9" * 400, "1e30", "3.5", "12,34",
        "1,2345", "twelve", "0x10", "0X1f", "1_000", "NaN", "inf", "1 2", "--1", "12.3%", "<1",
        "\u22125", "0,100", "1,935,",
    ]  # fmt: skip
    expected = {text: (number, None) for text, number in numbers.items()}
    expected |= {text: (None, text) for text in kept}
    assert not failures_of(convert, INTEGER, expected)


def test_dtypes_of_numbers(convert):
    numbers = {
        "12.3%": 12.3, "12.3 %": 12.3, "472%": 472.0, "<1": 0.5, "-": None, "1,935.5": 1935.5,
        "-2.3438644409179688": -2.3438644409179688, "0.0": 0.0, ".5": 0.5, "5.": 5.0,
        "1e-3": 0.001, " 4.5 ": 4.5, "1E+2": 100.0, "12,345,678.25": 12_345_678.25, "": None,
    }  # fmt: skip
    # No thousands begin with a zero: 0,051 has a decimal comma.
    kept = [
        "nan",
        "NaN",
        "inf",
        "-inf",
        "Infinity",
        "1e999",
        "four",
        "1,23.5",
        "0,051",
        "%",
        "<2",
        "1/2",
    ]
    expected = {text: (number, None) for text, number in numbers.items()}
    expected |= {text: (None, text) for text in kept}
    assert not failures_of(convert, NUMBER, expected)


def test_dtypes_of_timestamps(convert):
    moments = {
        "2007-01-08T09:10:11Z": "2007-01-08T09:10:11Z",
        "2007-01-08T09:10:11": "2007-01-08T09:10:11Z",
        "2007-01-08T11:10:11+02:00": "2007-01-08T09:10:11Z",
        "2007-01-08T09:10:11.250Z": "2007-01-08T09:10:11.25Z",
        "2007-01-08 09:10:11": "2007-01-08T09:10:11Z",
        "2007-01-08": "2007-01-08T00:00:00Z",
        "2001-02-03T04:05Z": "2001-02-03T04:05:00Z",
        "1600-02-29T00:00:00Z": "1600-02-29T00:00:00Z",
        "9999-12-31T23:59:59Z": "9999-12-31T23:59:59Z",
        " 2007-01-08T09:10:12Z\n": "2007-01-08T09:10:12Z",
    }
    kept = [
        "now", "today", "tomorrow", "2007-13-01T00:00:00Z", "2007-02-30", "yesterday", "NaT",
        "08/01/2007", "T", "2007-01-08T25:00:00Z", "12", "0", "1167609600",
    ]  # fmt: skip
    expected = {text: (pd.Timestamp(moment), None) for text, moment in moments.items()}
    expected |= {text: (None, text) for text in kept} | {"": (None, None), "-": (None, None)}
    assert not failures_of(convert, TIMESTAMP, expected)


def test_dtypes_of_text_keep_it_to_the_letter(convert):
    texts = ("NA", "null", "None", "007", "1,935", "nan", "a\n b", "Zoë", "<b>", "-", "<1", "0x10")
    for column in ("name", "homepage_url"):
        assert convert(column, *texts) == [(text, None) for text in texts]
        assert convert(column, *(f"\n  {t} " for t in texts)) == [(text, None) for text in texts]
    assert convert("name", "", None, "  ") == [(None, None)] * 3


def test_dtypes_warning_names_columns_and_examples(read):
    pages = [
        record(1, stack_count=7),
        record(2, stack_count="many", created_at="long ago"),
        record(3, stack_count="-"),
        *(record(n, average_rating=f"odd {n}") for n in range(4, 9)),
    ]
    with pytest.warns(UnreadableValueWarning) as caught:
        frame = read(*pages)
    [message] = [str(one.message) for one in caught]
    for part in ("1 in stack_count ('many')", "1 in created_at ('long ago')"):
        assert part in message
    assert "5 in average_rating ('odd 4', 'odd 5', 'odd 6')" in message
    assert frame["stack_count"].tolist() == [7, pd.NA, pd.NA, *[pd.NA] * 5]
    assert frame["stack_count_unreadable"].dropna().to_dict() == {1: "many"}
    assert frame["created_at_unreadable"].dropna().to_dict() == {1: "long ago"}
    assert frame["stack_count"].dtype == "Int64"


_INTEGERS = st.none() | st.integers(-(2**63), 2**63 - 1)


@given(numbers=st.lists(_INTEGERS, max_size=20), grouped=st.booleans())
def test_dtypes_every_whole_number_comes_back(convert, numbers, grouped):
    texts = [None if n is None else f"{n:,}" if grouped else str(n) for n in numbers]
    assert convert(INTEGER, *texts) == [(number, None) for number in numbers]


@given(
    numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20),
    slow=st.booleans(),
)
def test_dtypes_every_number_comes_back(convert, numbers, slow):
    values = convert(NUMBER, *map(repr, numbers), *["-"] * slow)
    assert values == [(number, None) for number in numbers] + [(None, None)] * slow


_NUMERIC = st.text("0123456789+-.,eExXinfaNTZ: %<_", max_size=9)
_ANY = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=12)
_MOMENTS = st.one_of(
    st.text("0123456789-T:Z.+ ", min_size=10, max_size=26),
    st.datetimes().map(lambda moment: moment.isoformat()),
    st.datetimes().map(lambda moment: f"{moment:%Y-%m-%dT%H:%M}"),
    st.datetimes().map(lambda moment: f"{moment:%Y-%m-%d %H}"),
)


@given(
    column=st.sampled_from([INTEGER, NUMBER, TIMESTAMP, "name"]),
    texts=st.lists(_NUMERIC | _MOMENTS | _ANY, min_size=1, max_size=8),
)
def test_dtypes_each_text_is_a_value_or_kept_whatever_is_beside_it(convert, column, texts):
    values = convert(column, *texts)
    for text, (value, kept) in zip(texts, values, strict=True):
        if value is None and kept is None:
            assert text.strip() in ("", "-")
        assert kept is None or kept == text.strip()
    among = convert(column, "1,935", "2001-02-03", "what?", *texts)[3:]
    assert among == values
    assert convert(column, texts[0]) == values[:1]


# What nobody described


def infer(read, texts, name="value"):
    """Return the dtype of a column of records that nobody described."""
    things = [record(n, "thing", **{name: text}) for n, text in enumerate(texts)]
    return str(read(page_xml(things))[name].dtype)


def test_inference_is_what_all_texts_are(read):
    integer, number, moment, text = "Int64", "Float64", "datetime64[us, UTC]", "str"
    cases = [
        (["1", "0", "-7"], integer), (["9223372036854775807"], integer),
        (["9223372036854775808"], text),  # no Int64, and no float has all its digits
        (["007", "12"], text), (["-0"], number), (["+1"], text),
        (["1,935"], text),  # or one and a bit, where commas are points
        (["12.3%"], text), (["0x10"], text), (["1.5", "2"], number),
        (["0.238928822531949"], number), (["0.1234567890123456"], number),
        (["9007199254740993", "0.5"], text), (["0.12345678901234567891"], text),
        (["1.10", "1.9"], text),  # versions
        (["1.10", "1.90"], number), (["3.0", "4.25"], number), (["1e5"], number), (["1e999"], text),
        ([f"0.{400 * '0'}1"], text),  # no float is so small
        ([f"0.{20 * '0'}"], number), (["nan"], text), (["inf"], text),
        (["2013-05-01T00:00:00Z"], moment), (["2013-05-01", "2013-05"], moment),
        (["2013-05-01T10:00:00+02:00"], moment), (["2013-13-01"], text),
        (["2013-05-01T00:00:00.1234567Z"], text), (["1", "none"], text), (["true"], text),
    ]  # fmt: skip
    failures = [(texts, infer(read, texts)) for texts, kind in cases if infer(read, texts) != kind]
    assert not failures
    names = ("account_id", "name", "nice_name", "html_url", "email_sha1", "version", "key", "type")
    assert not [name for name in names if infer(read, ["1", "2"], name) != text]
    assert infer(read, ["1", "2"], "identity") == integer


_TEXTS = st.one_of(
    st.integers(-(2**70), 2**70).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str),
    st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
    st.from_regex(r"[0-9.,eE+-]{1,24}", fullmatch=True),
    st.sampled_from(["007", "1.10", "-", "<1", "2013-05", "0", "-0.0"]),
)


@given(texts=st.lists(_TEXTS, min_size=1, max_size=8), cut=st.integers(0, 8))
def test_inference_loses_nothing_and_does_not_depend_on_order_or_pages(read, texts, cut):
    def frame(*pages):
        things = [page_xml([record("", "thing", value=text) for text in page]) for page in pages]
        return read(*things)["value"]

    whole = frame(texts)
    pd.testing.assert_series_equal(frame(texts[:cut] or texts[:1], texts[cut or 1 :]), whole)
    assert frame(texts[::-1]).dtype == whole.dtype
    values = whole.tolist()
    if whole.dtype == "Int64":
        assert [str(value) for value in values] == texts
    elif whole.dtype == "Float64":
        assert [float(text) for text in texts] == values
        assert not any(map(math.isnan, values))
        assert len({Decimal(text) for text in texts}) == len(set(values))
    elif whole.dtype == "str":
        assert values == texts
    else:
        assert not whole.isna().any()


def test_inference_is_of_resources_outside_the_specification_alone(read):
    tool, project = (read(record("1", kind, lines="7")) for kind in ("tool", "project"))
    assert tool["lines"].dtype == "Int64"
    assert project["lines"].dtype == "str"


# The dictionary says the same


def test_fields_says_the_dtypes_of_the_loaders(sample):
    for resource, load in (
        ("account", dirframe.load_accounts),
        ("project", dirframe.load_projects),
    ):
        fields = dirframe.fields(resource).set_index("name")
        dtypes = load(sample, max_items=50, progress=False).dtypes.astype(str).to_dict()
        types = fields["type"].to_dict()
        assert dtypes == {name: types[name] for name in dtypes}
        assert list(dtypes)[:10] == list(types)[:10]
        numbers = fields[fields["type"].isin(["Int64", "Float64"])]
        assert numbers["unit"].notna().all()
        assert fields["meaning"].str.len().gt(0).all()
    with pytest.raises(dirframe.InvalidInputError, match="people"):
        dirframe.fields("people")
