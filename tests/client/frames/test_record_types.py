"""The types of single records are those of the schema."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, get_args, get_type_hints

import pytest

from dirframe import AccountRecord, ProjectRecord
from dirframe.schema import ACCOUNT, PROJECT, Kind

if TYPE_CHECKING:
    from dirframe.schema import Resource

TYPES = {Kind.INTEGER: int, Kind.NUMBER: float, Kind.TIMESTAMP: datetime}


@pytest.mark.parametrize(
    ("typed", "resource"), [(AccountRecord, ACCOUNT), (ProjectRecord, PROJECT)]
)
def test_the_types_are_those_of_the_schema(typed: type, resource: Resource) -> None:
    hints = get_type_hints(typed)
    assert not typed.__required_keys__  # type: ignore[attr-defined]  # columns may be chosen
    assert list(hints) == [field.column for field in resource.core]
    for field in resource.core:
        expected = TYPES.get(field.kind, str)
        held = (str,) if field.column == "id" else (expected, type(None))
        assert (get_args(hints[field.column]) or (hints[field.column],)) == held
