"""Ids as whole numbers, for the rounds of archives: one code each, and arrays answer as lists do."""

from collections import Counter

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from dirframe.client.paging.ids import IdCodec, IdIndex, repeats, unique

_TEXTS = ["007", "+7", " 7", "7_0", "\u0667", "\u00b2", "-7", "9" * 18, "9" * 19, "p7", ""]
_IDS = st.none() | st.integers(-3, 12).map(str) | st.sampled_from(_TEXTS) | st.text(max_size=3)


@given(ids=st.lists(_IDS))
@example(ids=["0", "9", "x", "5", "3", "y", "7", "1", None, "x", "9"])
def test_ids_are_told_apart_by_their_codes(ids):
    codec = IdCodec()
    codes = np.array(codec.encode(ids), dtype=np.int64)
    assert list(map(codec.decode, codes)) == ids
    assert codec.encode(ids).tolist() == codes.tolist()
    assert unique(codes).tolist() == list(dict.fromkeys(codes.tolist()))
    further = Counter(codes.tolist()) - Counter(set(codes.tolist()))
    assert repeats([codes[:2], codes[2:]]).tolist() == sorted(further.elements())
    positions = {code: position for position, code in enumerate(codes.tolist())}
    asked = codec.encode([*ids, "none of them", "5", None])
    assert IdIndex(codes).find(asked).tolist() == [positions.get(code, -1) for code in asked]
    assert codec.is_decimal(codes) is all((identifier or "").isdecimal() for identifier in ids)
    if codec.is_decimal(codes):
        assert codec.numbers(codes).tolist() == list(map(int, ids))
