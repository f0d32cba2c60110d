"""Frames that are hard to write: what the tests of all formats share."""

from __future__ import annotations

from typing import Any

import pandas as pd
from hypothesis import strategies as st

from dirframe import provenance
from tests.client.frames.test_builder import build, project

#: Suffixes that can be read back, and those for people.
READABLE = [
    ".csv", ".tsv", ".json", ".jsonl", ".parquet", ".feather", ".xlsx", ".sqlite", ".db", ".duckdb",
]  # fmt: skip
SHOWN = [".html", ".md"]

RICH = (
    '<name>Größe, "quoted"\nand broken</name><description>NA</description>'
    "<created_at>2007-01-08T09:10:11Z</created_at><stack_count>7</stack_count>"
    "<homepage_url>=1+1</homepage_url>"
    "<tags><tag>c++</tag><tag>a,b</tag></tags>"
    '<analysis><languages><language percentage="98">C</language>'
    "<language>other</language></languages></analysis>"
)

NASTY = st.one_of(
    st.none(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(
        [
            "",
            "NA",
            "null",
            "nan",
            "007",
            "=1+1",
            "+1",
            "-1",
            "@x",
            "\t=1",
            "\r",
            "'=1",
            "'",
            "''@",
            "a|b",
            "\\",
            '"',
            '""',
            "\n",
            " x ",
            "<script>alert(1)</script>",
            "_x000D_",
            "\x00",
            "\x01",
            "\ufeff",
            "\ufffe",
            "\uffff",
            "\u2028",
            "a\r\nb",
            "1e5",
            "2020-01-01",
            "é́🙂",
        ]
    ),
)
MOMENT = st.datetimes(
    min_value=pd.Timestamp(1700, 1, 1).to_pydatetime(),
    max_value=pd.Timestamp(2200, 1, 1).to_pydatetime(),
)
ENTRY = st.one_of(NASTY, st.dictionaries(st.sampled_from("abc"), NASTY, max_size=3))


def rich() -> pd.DataFrame:
    """Return three projects of which the first has everything."""
    made = build([project(1, RICH), project(2), project(3, "<name>NA</name>")])
    return provenance.set_provenance(
        made, source="A <b>directory</b>", base_url="https://directory.example",
        resource="project", complete=True, items_loaded=3,
    )  # fmt: skip


@st.composite
def frames(draw: Any) -> pd.DataFrame:
    """Draw a frame with every dtype that frames have, and whatever text there is."""
    rows = draw(st.integers(0, 4))

    def of(values: Any) -> list[Any]:
        drawn: list[Any] = draw(st.lists(values, min_size=rows, max_size=rows))
        return drawn

    whole = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))
    number = st.one_of(st.none(), st.floats(allow_nan=False))
    entries = st.one_of(st.none(), st.lists(ENTRY, max_size=3))
    frame = pd.DataFrame(
        {
            "id": pd.Series(of(NASTY), dtype="str"),
            "count": pd.Series(of(whole), dtype="Int64"),
            "share": pd.Series(of(number), dtype="Float64"),
            "plain": pd.Series(of(st.integers(-9, 9)), dtype="int64"),
            "float": pd.Series(of(number), dtype="float64"),
            "sure": pd.Series(of(st.booleans()), dtype="bool"),
            "perhaps": pd.Series(of(st.one_of(st.none(), st.booleans())), dtype="boolean"),
            "when": pd.Series(of(st.one_of(st.none(), MOMENT)), dtype="datetime64[us]"),
            "lists": pd.Series(of(entries), dtype="object"),
            "kind": pd.Series(of(st.sampled_from(["a", "=b", None])), dtype="str").astype(
                pd.CategoricalDtype(pd.Index(["a", "=b"], dtype="str"))
            ),
            "=name, \"'": pd.Series(of(NASTY), dtype="str"),
        }
    )
    frame["zoned"] = frame["when"].dt.tz_localize("UTC").dt.tz_convert("Asia/Kathmandu")
    frame["utc"] = frame["when"].dt.tz_localize("UTC")
    return provenance.set_provenance(frame, source="A directory", resource="project", complete=True)
