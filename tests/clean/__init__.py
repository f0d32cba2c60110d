"""What the tests of cleaning share."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pandas as pd
import pycountry
import pytest
from hypothesis import strategies as st

from dirframe.clean.resolver import resolve

if TYPE_CHECKING:
    from pathlib import Path


def code(raw: object) -> str | None:
    """Return the answer for a raw value."""
    return resolve(raw).alpha_2


def frame(*values: object) -> pd.DataFrame:
    """Return a frame with these raw values."""
    return pd.DataFrame({"country_code": pd.Series(values, dtype="object")})


def rows_of(shared: Path, name: str) -> list[dict[str, str]]:
    """Return the rows of a table beside the checkout."""
    path = shared / "countries" / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this checkout")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


RAW = st.one_of(
    st.text(max_size=40),
    st.sampled_from([country.name for country in pycountry.countries]),
    st.builds(
        lambda one, between, other: one + between + other,
        st.sampled_from([country.name for country in pycountry.countries]),
        st.sampled_from([", ", " - ", " / ", " (", " and ", ".", "_", "\x00", "Ã©", "\ufffd", "?"]),
        st.text(max_size=12),
    ),
    st.none(),
)
