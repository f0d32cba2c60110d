"""Programs that know Croissant get the records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


@pytest.mark.filterwarnings("ignore")
def test_croissant_is_valid_and_yields_the_records(
    study: Path, records: dict[str, pd.DataFrame]
) -> None:
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=str(study / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    found = [record["projects/id"].decode() for record in dataset.records("projects")]
    assert found == records["projects"]["id"].tolist()
