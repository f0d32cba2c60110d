"""The formats by suffix."""

from __future__ import annotations

from pathlib import Path

import pytest

from dirframe import InvalidInputError, MissingExtraError
from dirframe.io import formats
from tests.io import READABLE, SHOWN


def test_the_formats_are_these() -> None:
    assert set(formats.KINDS) == {*READABLE, *SHOWN, ".zip"}


def test_an_unknown_suffix_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match=r"\.csv, \.tsv"):
        formats.kind_of(Path("f.csv.gz"))


@pytest.mark.parametrize("suffix", [".xlsx", ".duckdb"])
def test_a_missing_package_is_named_with_its_extra(
    suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install \"dirframe\["):
        formats.kind_of(Path(f"f{suffix}")).check()
