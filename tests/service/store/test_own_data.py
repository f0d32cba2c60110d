"""Tables of any kind are served as mapped, or refused with what does not fit."""

from __future__ import annotations

import json
from hashlib import md5, sha1
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import requests
import sqlalchemy
from click.testing import CliRunner
from lxml import etree

from dirframe.cli import cli
from dirframe.errors import ConfigurationError, DirframeError, InvalidInputError, StoreError
from dirframe.service.server import serve
from dirframe.service.store.sources import check_data

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = """no;full name;joined;town;mail;points
1;Ada & "A" <b>;10.12.2015;London;Ada@Example.org ;12
2;=cmd|' /C calc'!A0;28.02.2016;../../etc/passwd;;1,200
"""
MAP = """
[accounts.fields]
id = "no"
name = "full name"
created_at = { column = "joined", format = "%d.%m.%Y" }
location = "town"
email = "mail"
posts_count = "points"
avatar_url = { value = "https://images.example/none.png" }
"""


def answer(data: object, path: str = "/accounts.json?sort=id", **options: Any) -> dict[str, Any]:
    service = serve(data, **options)
    with service as url:
        glue = "&" if "?" in path else "?"
        key = service.api_key.reveal() if service.api_key else ""
        response = requests.get(f"{url}{path}{glue}api_key={key}", timeout=30)
    assert response.status_code == 200, response.text
    content: dict[str, Any] = response.json()
    return content


@pytest.fixture
def mapping(tmp_path: Path) -> Path:
    path = tmp_path / "map.toml"
    path.write_text(MAP, encoding="utf-8")
    return path


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def test_a_table_is_served_as_its_map_says_with_every_sign_as_text(
    people: Path, mapping: Path
) -> None:
    service = serve(people, mapping=mapping, name="Us & <them>")
    with service as url:
        assert service.api_key is not None
        key = service.api_key.reveal()
        xml = requests.get(f"{url}/accounts.xml?sort=id&api_key={key}", timeout=30).content
        digest = md5(b"ada@example.org").hexdigest()
        found = requests.get(f"{url}/accounts/{digest}.json?api_key={key}", timeout=30).json()
        page = requests.get(f"{url}/accounts/1", timeout=30).text
        home = requests.get(url, timeout=30).text
    first, second = etree.fromstring(xml).iterfind("result/account")
    # The order is that of the specification, and what it requires is there, also without a value.
    assert [child.tag for child in first] == [
        *("id", "name", "created_at", "updated_at", "avatar_url", "email_sha1", "posts_count"),
        "location",
    ]
    assert first.findtext("name") == 'Ada & "A" <b>'
    assert first.findtext("created_at") == "2015-12-10T00:00:00Z"
    assert first.findtext("email_sha1") == sha1(b"ada@example.org").hexdigest()
    assert second.findtext("name") == "=cmd|' /C calc'!A0"
    assert (second.findtext("location"), second.findtext("posts_count")) == (
        "../../etc/passwd",
        "1200",
    )
    assert b"xample.org" not in xml
    assert found["result"]["id"] == "1"
    assert "<b>" not in page
    assert "Us &amp; &lt;them&gt;" in home


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


BAD = """no;full name;joined;town;mail;points
1;Ada;10.12.2015;London;;12
2;Bob;2016-02-30;;;many
2;Cy;01.01.2016;;;
a/b;;01.01.2016;;;
5;Eve
6;\x01;01.01.2016;;;1
"""


def test_what_does_not_fit_is_reported_and_refused_or_left_out_with_its_count(
    people: Path, mapping: Path
) -> None:
    people.write_text(BAD, encoding="utf-8")
    (report,) = check_data(people, mapping=mapping)
    counts = {(p.column, p.field): (p.count, p.examples[0]) for p in report.problems.values()}
    assert (report.rows, report.invalid) == (6, 5)
    assert counts == {
        ("joined", "created_at"): (1, (2, "'2016-02-30'")),
        ("points", "posts_count"): (1, (2, "'many'")),
        ("no", "id"): (1, (4, "'a/b'")),
        ("full name", "name"): (1, (6, r"'\x01'")),
        ("", ""): (1, (5, "2 values")),
    } | {key: value for key, value in counts.items() if key[0] in {"no", "full name"}}
    why = [problem.why for problem in report.problems.values()]
    assert any("another row has the same id" in text for text in why)
    assert any("every record needs one" in text for text in why)
    with pytest.raises(StoreError, match="5 of 6 rows do not fit") as caught:
        serve(people, mapping=mapping)
    assert str(report) in str(caught.value)
    service = serve(people, mapping=mapping, skip_invalid=True)
    service.stop()
    assert service.import_report == str(report)


def test_the_command_checks_without_serving(people: Path, mapping: Path) -> None:
    command = ["serve", "--data", str(people), "--map", str(mapping), "--check"]
    good = CliRunner().invoke(cli, command)
    assert (good.exit_code, "2 rows, 2 fit" in good.output) == (0, True), good.output
    people.write_text(BAD, encoding="utf-8")
    bad = CliRunner().invoke(cli, command)
    assert (bad.exit_code, "6 rows, 1 fit" in bad.output) == (1, True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[accounts.fields]\nid = 'number'\nname = 'full name'", "does not have; it has no,"),
        ("[accounts.fields]\nnaame = 'full name'", "there is name"),
        ("[people.fields]\nid = 'no'", "people, which does not exist; there is accounts, projects"),
        ("[accounts.fields]\nid = 'no'", "no column for name"),
        ("[accounts.fields]\nid = {}", "either a column or a value"),
        ("[accounts.fields]\nid = 7", "must be a table"),
        ("accounts = 7", "must be a table"),
        ("[accounts", "is no TOML"),
        ("", "is empty"),
    ],
)
def test_a_map_that_cannot_be_meant_is_refused_by_its_entry(
    people: Path, mapping: Path, text: str, told: str
) -> None:
    mapping.write_text(text)
    with pytest.raises(ConfigurationError, match=told):
        serve(people, mapping=mapping)


def test_a_password_of_a_database_is_never_told(tmp_path: Path) -> None:
    mapping = tmp_path / "map.toml"
    mapping.write_text("[accounts]\nquery = 'SELECT 1 AS id, 2 AS name FROM nothing'")
    for address in (
        "postgresql+nodriver://user:s3cret@127.0.0.1:1/db?sslpassword=s3cret",
        "sqlite://user:s3cret@127.0.0.1/a.db",
    ):
        with pytest.raises(DirframeError) as caught:
            serve(address, mapping=mapping)
        chain = [caught.value, caught.value.__cause__]
        assert "s3cret" not in "".join(map(str, chain)), address
        assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", b"id,name\n\xff,x\n", "cannot be read as csv"),
        ("a.csv", b"", "first line must name"),
        ("a.csv", b"id,id,name\n", "several columns of one name: id"),
        ("a.csv", b'id,name\n1,"x', "cannot be read as csv"),
        ("a.jsonl", b'{"id": 1}\n[]\n', "line 2 is no object"),
        ("a.parquet", b"PAR1", "cannot be read as parquet"),
        ("a.csv.gz", b"plain", "cannot be read as csv"),
    ],
)
def test_a_damaged_table_is_named_with_what_is_wrong(
    tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(StoreError, match=told):
        serve({"accounts": tmp_path / name})


def test_what_is_neither_accounts_nor_projects_is_asked_for(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [1], "name": ["x"]})
    with pytest.raises(ConfigurationError, match="accounts or projects"):
        serve(frame)
    assert answer({"accounts": frame})["items_available"] == 1
    with pytest.raises(InvalidInputError, match="A dict cannot be served"):
        serve([{"id": 1}])
    with pytest.raises(ConfigurationError, match="needs a query"):
        serve("sqlite:///x.db")
