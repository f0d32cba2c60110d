"""The citation of a study is valid in its form."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from dirframe import export

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


@pytest.mark.parametrize("options", [{}, {"license": "CC-BY-4.0"}, {"license": "https://a.org/l"}])
def test_the_citation_file_is_valid(
    options: dict[str, Any], records: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    from check_jsonschema import main

    file = export(
        records["projects"], tmp_path / "s.zip", authors=["Ho: pper, Gr#ace\u2028"], **options
    )
    with zipfile.ZipFile(file) as packed:
        packed.extract("CITATION.cff", tmp_path)
    schema = ["--builtin-schema", "vendor.citation-file-format"]
    done = CliRunner().invoke(main, [*schema, str(tmp_path / "CITATION.cff")])
    assert done.exit_code == 0, done.output
    assert options.get("license", "CC0-1.0") in (tmp_path / "CITATION.cff").read_text("utf-8")
