"""Whatever kind of table it is, its records are the same; what is no data is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import requests
import sqlalchemy

from dirframe.errors import ConfigurationError, InvalidInputError, StoreError
from dirframe.service.importing.sources import find_sources
from dirframe.service.server import serve
from dirframe.service.store.build import build_store

if TYPE_CHECKING:
    from pathlib import Path


def answer(data: object, path: str = "/accounts.json?sort=id", **options: Any) -> dict[str, Any]:
    service = serve(data, **options)
    with service as url:
        glue = "&" if "?" in path else "?"
        key = service.api_key.reveal() if service.api_key else ""
        response = requests.get(f"{url}{path}{glue}api_key={key}", timeout=30)
    assert response.status_code == 200, response.text
    content: dict[str, Any] = response.json()
    return content


def test_every_kind_of_table_gives_the_same_records(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "id": [7, 8],
            "name": ["Reader", "Writer"],
            "created_at": [pd.Timestamp("2020-01-02T03:04:05Z"), pd.NaT],
            "stack_count": [3.0, None],  # a missing number makes the others fractions
            "tags": [["xml", "c"], []],
            "analysis_total_code_lines": [10, -2],
            "analysis_languages": [[{"language": "C", "percentage": 80.5, "id": "1"}], None],
        }
    )
    frame.to_parquet(tmp_path / "projects.parquet")
    frame.to_json(tmp_path / "projects.jsonl", orient="records", lines=True, date_format="iso")
    frame.assign(
        tags=frame.tags.map(json.dumps),
        analysis_languages=frame.analysis_languages.map(json.dumps, na_action="ignore"),
    ).to_csv(tmp_path / "projects.csv", index=False)
    engine = sqlalchemy.create_engine(f"sqlite:///{tmp_path / 'a.db'}")
    texts = frame.assign(
        tags=frame.tags.map(json.dumps),
        analysis_languages=frame.analysis_languages.map(json.dumps, na_action="ignore"),
    )
    texts.to_sql("records", engine)
    engine.dispose()
    (tmp_path / "sql.toml").write_text('[projects]\nquery = "SELECT * FROM records"\n')
    (tmp_path / "named.toml").write_text('[projects]\ndata = "projects.csv"\n')

    path = "/projects.json?sort=id"
    expected = answer(frame, path)["result"]
    assert expected[0]["created_at"] == "2020-01-02T03:04:05Z"
    assert (expected[0]["stack_count"], expected[0]["tags"]) == (3, ["xml", "c"])
    analysis = expected[0]["analysis"]
    assert analysis["total_code_lines"] == 10
    assert analysis["languages"] == [{"language": "C", "percentage": 80.5, "id": "1"}]
    assert expected[1]["stack_count"] is None
    for data in (
        *(tmp_path / f"projects.{suffix}" for suffix in ("parquet", "jsonl", "csv")),
        *(pl.from_pandas(frame), pa.Table.from_pandas(frame), {"projects": frame}),
    ):
        assert answer(data, path)["result"] == expected, data
    address = f"sqlite:///{tmp_path / 'a.db'}"
    assert answer(address, path, mapping=tmp_path / "sql.toml")["result"] == expected
    assert answer((), path, mapping=tmp_path / "named.toml")["result"] == expected


def test_what_is_neither_accounts_nor_projects_is_asked_for(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [1], "name": ["x"]})
    with pytest.raises(ConfigurationError, match="accounts or projects"):
        serve(frame)
    assert answer({"accounts": frame})["items_available"] == 1
    with pytest.raises(InvalidInputError, match="A dict cannot be served"):
        serve([{"id": 1}])
    with pytest.raises(ConfigurationError, match="needs a query"):
        serve("sqlite:///x.db")


def test_the_path_of_a_store_may_be_a_text(tmp_path: Path) -> None:
    path = build_store(
        tmp_path / "store", find_sources({"accounts": pd.DataFrame({"id": [1], "name": "x"})})
    )
    assert answer(str(path))["items_available"] == 1


def test_two_tables_of_a_collection_do_not_take_the_ids_of_one_another(tmp_path: Path) -> None:
    first, second, projects = (tmp_path / n for n in ("accounts-1.csv", "accounts-2.csv", "p.csv"))
    first.write_text("id,name,country_code\n1,Ada,DE\n2,Bob,FR\n")
    second.write_text("id,name,country_code\n1,Cy,US\n3,Di,GB\n")
    projects.write_text("id,name,stack_count\n1,Parser,5\n")
    with pytest.raises(StoreError, match=r"1 of 2 rows do not fit[^$]*a row of .*accounts-1\.csv"):
        serve([first, second])
    sources = find_sources([first, second, projects], skip_invalid=True)
    for _ in range(2):  # a source may be read again
        records = [record for source in sources for record in source.records()]
        names = [record.element.findtext("name") for record in records]
        assert names == ["Ada", "Bob", "Di", "Parser"]
