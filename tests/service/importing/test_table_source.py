"""Rows are served as their map says, or refused with what does not fit."""

from __future__ import annotations

from hashlib import md5, sha1
from typing import TYPE_CHECKING

import pytest
import requests
from click.testing import CliRunner
from lxml import etree

from dirframe.cli import cli
from dirframe.errors import StoreError
from dirframe.service.importing.sources import check_data
from dirframe.service.server import serve

if TYPE_CHECKING:
    from pathlib import Path


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


RATED = """id;name;latitude;posts_count
1;Ada;51,507;1.000
2;Bob;0,051;12
3;Cy;-74,0;1_000
4;Di;1.234,5;1.234.567
5;Ed;-12;9007199254740993.0
"""


def test_a_decimal_comma_is_never_read_as_thousands(tmp_path: Path) -> None:
    table = tmp_path / "accounts.csv"
    table.write_text(RATED, encoding="utf-8")
    (report,) = check_data(table)
    rows = {
        (p.field, p.why[:10]): ([row for row, _ in p.examples], 'decimal = ","' in p.why)
        for p in report.problems.values()
    }
    assert rows == {
        ("latitude", "it has two"): ([1], True),
        ("latitude", "it is not "): ([2, 3, 4], True),
        ("posts_count", "it has two"): ([1], True),
        ("posts_count", "it is not "): ([3, 4], False),
    }


def test_the_map_names_the_sign_before_the_fraction(tmp_path: Path) -> None:
    table, mapping = tmp_path / "accounts.csv", tmp_path / "map.toml"
    table.write_text(RATED, encoding="utf-8")
    fields = 'latitude = { column = "latitude", decimal = "," }\nposts_count = { column = "posts_count", decimal = "%s" }'
    for sign, counts in ((",", ["1000", "12", "1234567"]), (".", ["1", "12", "9007199254740993"])):
        mapping.write_text(f"[accounts.fields]\n{fields % sign}")
        service = serve(table, mapping=mapping, skip_invalid=True)
        with service as url:
            assert service.api_key is not None
            page = f"{url}/accounts.xml?sort=id&api_key={service.api_key.reveal()}"
            records = etree.fromstring(requests.get(page, timeout=30).content)
        assert [r.text for r in records.iterfind("result/account/posts_count")] == counts
        degrees = {r.findtext("id"): r.findtext("latitude") for r in records.iter("account")}
        assert degrees.items() <= {
            *(("1", "51.507"), ("2", "0.051"), ("4", "1234.5"), ("5", "-12"))
        }


def test_texts_of_a_list_are_names_where_an_entry_has_no_text_of_its_own(tmp_path: Path) -> None:
    table = tmp_path / "projects.jsonl"
    table.write_text('{"id": 1, "name": "a", "licenses": ["mit", {"name": "gpl"}], "tags": ["x"]}')
    with (service := serve(table)) as url:
        assert service.api_key is not None
        page = f"{url}/projects/1.xml?api_key={service.api_key.reveal()}"
        record = etree.fromstring(requests.get(page, timeout=30).content)
    assert [e.text for e in record.iterfind(".//licenses/license/name")] == ["mit", "gpl"]
    assert [e.text for e in record.iterfind(".//tags/tag")] == ["x"]
