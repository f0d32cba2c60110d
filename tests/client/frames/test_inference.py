"""What a column is that nobody described: from all its texts, and never with a loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.client.frames.builder import FrameBuilder
from dirframe.client.frames.dtypes import convert_column, to_pandas
from dirframe.client.frames.inference import inferred_kind
from dirframe.client.xml.columns import ColumnBuffer
from dirframe.schema import Kind, Resource

if TYPE_CHECKING:
    from collections.abc import Sequence

N, F, D, T = Kind.INTEGER, Kind.NUMBER, Kind.TIMESTAMP, Kind.TEXT


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "0", "-7"], N),
        (["9223372036854775807"], N),
        (["9223372036854775808"], T),  # no Int64, and no float has all its digits
        (["007", "12"], T),
        (["-0"], F),
        (["+1"], T),
        (["1,935"], T),  # or one and a bit, where commas are points
        (["12.3%"], T),
        (["0x10"], T),
        (["1.5", "2"], F),
        (["0.238928822531949"], F),
        (["0.1234567890123456"], F),  # what a float has beyond these digits is not of the text
        (["9007199254740993", "0.5"], T),
        (["0.12345678901234567891"], T),
        (["1.10", "1.9"], T),  # versions
        (["1.10", "1.90"], F),
        (["3.0", "4.25"], F),
        (["1e5"], F),
        (["1e999"], T),
        ([f"0.{400 * '0'}1"], T),  # no float is so small
        ([f"0.{20 * '0'}"], F),
        (["nan"], T),
        (["inf"], T),
        (["2013-05-01T00:00:00Z"], D),
        (["2013-05-01", "2013-05"], D),
        (["2013-05-01T10:00:00+02:00"], D),
        (["2013-13-01"], T),
        (["2013-05-01T00:00:00.1234567Z"], T),
        (["1", "none"], T),
        (["true"], T),
        ([], T),
    ],
)
def test_texts_are_what_all_of_them_are(texts: list[str], kind: Kind) -> None:
    assert inferred_kind("value", texts) is kind


@pytest.mark.parametrize(
    "name", ["id", "account_id", "name", "nice_name", "html_url", "email_sha1", "version"]
)
def test_identifiers_names_and_addresses_are_text_whatever_they_look_like(name: str) -> None:
    assert inferred_kind(name, ["1", "2"]) is T


TEXTS = st.one_of(
    st.integers(-(2**70), 2**70).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str),
    st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
    st.from_regex(r"[0-9.,eE+-]{1,24}", fullmatch=True),
    st.sampled_from(["007", "1.10", "-", "<1", "2013-05", "0", "-0.0"]),
)


@given(st.lists(TEXTS, min_size=1, max_size=6, unique=True), st.randoms(use_true_random=False))
def test_the_order_of_the_texts_makes_no_difference(texts: list[str], random: object) -> None:
    shuffled = list(texts)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis does not say its type
    assert inferred_kind("value", shuffled) is inferred_kind("value", texts)


@given(st.lists(TEXTS, min_size=1, max_size=6))
def test_what_becomes_a_number_can_be_told_from_every_other_text(texts: list[str]) -> None:
    kind = inferred_kind("value", set(texts))
    array, unreadable = convert_column(texts, kind)
    assert unreadable is None
    assert array.null_count == 0
    if kind is N:
        assert [str(number) for number in array.to_pylist()] == texts
    if kind is F:
        numbers = array.to_pylist()
        for one, text in zip(numbers, texts, strict=True):
            assert float(text) == one
        # Different numbers never become the same one.
        from decimal import Decimal

        assert len({Decimal(text) for text in texts}) == len(set(numbers))


THING = Resource("thing", "things", (), (), "")


def frame_of(pages: Sequence[Sequence[str | None]]) -> pd.DataFrame:
    builder = FrameBuilder(THING)
    for page in pages:
        columns = ColumnBuffer()
        columns.append(len(page), {("value",): pa.array(page, pa.large_string())})
        builder.add(columns)
    return builder.finish()


def test_a_text_on_a_later_page_decides_for_all_pages() -> None:
    assert frame_of([["1", "2"], ["3"]])["value"].dtype == "Int64"
    frame = frame_of([["1", "2"], ["03", None]])
    assert frame["value"].dtype == "str"
    assert frame["value"].tolist()[:3] == ["1", "2", "03"]


@given(st.lists(TEXTS, min_size=1, max_size=8), st.integers(0, 8))
def test_where_a_page_ends_and_which_comes_first_makes_no_difference(
    texts: list[str], cut: int
) -> None:
    whole = frame_of([texts])
    parted = frame_of([texts[:cut], texts[cut:]])
    pd.testing.assert_frame_equal(parted, whole)
    turned = frame_of([texts[cut:], texts[:cut]])
    assert turned["value"].dtype == whole["value"].dtype
    assert to_pandas(convert_column(texts, Kind.TEXT).array).dtype == "str"
