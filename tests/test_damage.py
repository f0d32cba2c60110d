"""One damaged byte in any file is one clear error, or changes nothing."""

import pytest

from tests.damage import KINDS, outcomes


@pytest.mark.parametrize("kind", KINDS)
def test_file_with_a_damaged_byte_is_refused_named_or_read_as_it_was(kind, tmp_path):
    most = 4 if kind == "store" else 8
    came = outcomes(kind, tmp_path, step=5, most=most)
    assert came.total() == most
