"""Every fifth byte of each kind of file, damaged."""

import pytest

from tests.damage import KINDS, outcomes


@pytest.mark.parametrize("kind", KINDS)
def test_file_with_any_damaged_byte_is_refused_named_or_read_as_it_was(kind, tmp_path):
    came = outcomes(kind, tmp_path, step=5, most=100 if kind == "store" else 1_000)
    print(f"{kind}: {came.total():,} places, {dict(came)}")
