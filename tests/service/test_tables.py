"""Tables are served as records, or refused with column, reason, count and examples."""

import gzip
import json
from hashlib import md5, sha1

import pandas as pd
import pyarrow as pa
import pytest
from lxml import etree
from pyarrow import parquet

import dirframe
from dirframe import _tables
from dirframe.errors import ConfigurationError, InvalidInputError, StoreError


def load(data, loader=dirframe.load_projects):
    """Serve data, and load its projects or accounts."""
    with dirframe.serve(data) as service, service.directory() as directory:
        return loader(directory, progress=False)


def refused(data, error=StoreError):
    """Return the lines of the refusal of data."""
    with pytest.raises(error) as caught:
        dirframe.serve(data)
    return str(caught.value).splitlines()


def has_line(lines, *facts):
    """Return whether one of the lines has all facts."""
    return any(all(fact in line for fact in facts) for line in lines)


PEOPLE = """id;name;created_at;location;email;posts_count
1;Ada & "A" <b>;2015-12-10;London;Ada@Example.org ;12
2;=cmd|' /C calc'!A0;2016-02-28T01:30:00+02:00;../../etc/passwd;;1200
"""


def test_csv_is_served_with_every_sign_as_text(imported, tmp_path):
    (tmp_path / "accounts.csv").write_text(PEOPLE, encoding="utf-8")
    client = imported(tmp_path / "accounts.csv")
    first, second = client.root("/accounts.xml?sort=id").iterfind("result/account")
    # What the specification requires is there, also without a value.
    tags = "id name created_at posts_count location email_sha1 updated_at avatar_url"
    assert [child.tag for child in first] == tags.split()
    assert [child.text for child in first] == [
        "1",
        'Ada & "A" <b>',
        "2015-12-10T00:00:00Z",
        "12",
        "London",
        sha1(b"ada@example.org").hexdigest(),
        None,
        None,
    ]
    assert [child.text for child in second][:5] == [
        "2",
        "=cmd|' /C calc'!A0",
        "2016-02-27T23:30:00Z",
        "1200",
        "../../etc/passwd",
    ]
    assert client.ids(f"/accounts/{md5(b'ada@example.org').hexdigest()}.xml") == ["1"]
    assert "xample.org" not in client.get("/accounts.xml").text


def test_table_in_any_order_of_columns_is_what_a_person_wrote_from_the_specification(
    root, imported
):
    xml = root / "tests" / "xml" / "account.xml"
    account = etree.parse(xml).find("result/account")
    row = {field.tag: field.text for field in account if not len(field)}
    row |= {f"kudo_score_{field.tag}": field.text for field in account.find("kudo_score")}
    client = imported({"accounts": pd.DataFrame([dict(reversed(row.items()))])})
    served = client.get("/accounts/11.xml").text
    expected = etree.canonicalize(from_file=xml, strip_text=True)
    assert etree.canonicalize(served, strip_text=True) == expected


FRAME = pd.DataFrame(
    {
        "id": [7, 8],
        "name": ["Reader", "Writer"],
        "created_at": [pd.Timestamp("2020-01-02T03:04:05Z"), pd.NaT],
        "stack_count": [3.0, None],  # a missing number makes the others fractions
        "analysis_id": [1001, None],
        "tags": [["xml", "c"], []],
        "analysis_total_code_lines": [10, -2],
        "analysis_languages": [[{"language": "C", "percentage": 80.5, "id": "1"}], None],
    }
)


def test_tables_of_every_kind_give_the_same_records(tmp_path):
    FRAME.to_parquet(tmp_path / "projects.parquet")
    FRAME.to_json(tmp_path / "projects.jsonl", orient="records", lines=True, date_format="iso")
    texts = FRAME.assign(
        tags=FRAME.tags.map(json.dumps),
        analysis_languages=FRAME.analysis_languages.map(json.dumps, na_action="ignore"),
    )
    texts.to_csv(tmp_path / "projects.csv", index=False)
    expected = load(FRAME).set_index("id")
    first, second = expected.loc["7"], expected.loc["8"]
    assert first["created_at"] == pd.Timestamp("2020-01-02T03:04:05Z")
    assert (first["stack_count"], list(first["tags"])) == (3, ["xml", "c"])
    assert first["analysis_id"] == "1001"
    assert (first["analysis_total_code_lines"], second["analysis_total_code_lines"]) == (10, -2)
    (language,) = first["analysis_languages"]
    assert (language["language"], float(language["percentage"])) == ("C", 80.5)
    assert second[["stack_count", "created_at"]].isna().all()
    files = [tmp_path / f"projects.{suffix}" for suffix in ("parquet", "jsonl", "csv")]
    for data in (*files, str(files[0]), pa.Table.from_pandas(FRAME), {"projects": FRAME}):
        pd.testing.assert_frame_equal(load(data).set_index("id"), expected)


@pytest.mark.parametrize("identifier", ["1", None])
def test_parquet_of_few_bytes_and_very_many_records_is_refused(identifier, tmp_path):
    rows = 200_000
    column = pa.array([identifier] * rows, pa.string())
    parquet.write_table(pa.table({"id": column, "name": column}), tmp_path / "projects.parquet")
    [line] = refused(tmp_path / "projects.parquet")
    assert "projects.parquet" in line
    assert f"{rows:,} records" in line


def test_parquet_whose_texts_are_bytes_is_read_as_the_texts(tmp_path):
    texts = {"id": ["1", "2"], "name": ["Zoë", None]}
    table = pa.table({name: pa.array(values, pa.binary()) for name, values in texts.items()})
    with pytest.raises(StoreError, match="every record needs one: row 2"):
        dirframe.serve({"accounts": table})
    parquet.write_table(table.slice(0, 1), tmp_path / "accounts.parquet")
    assert load(tmp_path / "accounts.parquet", dirframe.load_accounts)["name"].tolist() == ["Zoë"]


@pytest.mark.parametrize(
    ("suffix", "text"),
    [("csv", "id,name\n1,Ada\n2,Zoë\n"), ("json", '[{"id": 1,\n\n"name": "Zoë"}]')],
)
def test_text_that_is_no_utf_8_is_refused_with_its_line(suffix, text, tmp_path):
    path = tmp_path / f"accounts.{suffix}"
    path.write_text(text, encoding="latin-1")
    (line,) = refused(path)
    assert "line 3 is not UTF-8" in line


@pytest.mark.parametrize(
    ("collection", "form"),
    [("projects", "frame"), ("projects", "file"), ("projects", "Arrow"), ("accounts", "frame")],
)
def test_tables_of_a_loader_are_served_and_loaded_as_they_were(
    collection, form, sample_frames, tmp_path
):
    frame = sample_frames[collection]
    data = frame
    if form == "file":
        data = dirframe.export(frame, tmp_path / "projects.parquet")
    elif form == "Arrow":
        data = pa.Table.from_pandas(frame)
    loader = getattr(dirframe, f"load_{collection}")
    back = load(data, loader)
    assert back.attrs["dirframe"]["synthetic"] is True  # generated records stay marked
    back = back.set_index("id").loc[frame["id"]].reset_index()
    columns = [name for name in frame if name in back]  # not the unified countries
    assert len(columns) >= len(frame.columns) - 3
    pd.testing.assert_frame_equal(back[columns], frame[columns])


def test_table_of_other_records_is_not_marked_as_synthetic():
    assert load(FRAME).attrs["dirframe"]["synthetic"] is False


def test_frame_of_polars_is_served(sample_frames):
    polars = pytest.importorskip("polars", reason="an engine of its own")
    projects = sample_frames["projects"]
    frame = polars.from_arrow(pa.Table.from_pandas(projects))
    assert sorted(load(frame)["name"]) == sorted(projects["name"])


def test_recorded_projects_are_served_from_a_frame_as_they_were(shared):
    recorded = dirframe.read_pages(sorted((shared / "real").glob("**/*.xml")), resource="project")
    # Beside the number of users is that of the specification, which has another name.
    recorded = recorded.drop(columns="stack_count")
    # One description has an e-mail address, which is masked.
    masked = recorded["description"].str.replace("jlowry@gmail.com", "…@…")
    assert masked.str.contains("…@…").sum() == 1
    recorded["description"] = masked
    back = load(recorded).set_index("id").loc[recorded["id"]].reset_index()
    columns = [column for column in recorded if column in back]
    pd.testing.assert_frame_equal(back[columns], recorded[columns])


BAD = """id;name;created_at;location;homepage_url;posts_count
1;Ada;2015-12-10;London;;12
2;Bob;2016-02-30;;;many
2;Cy;2016-01-01;;www.example.org;
a/b;;2016-01-01;;javascript:x;
6;\x01;2016-01-01;;;1
"""


def test_rows_that_do_not_fit_are_refused_with_column_row_and_value(tmp_path):
    path = tmp_path / "accounts.csv"
    path.write_text(BAD, encoding="utf-8")
    lines = [line.lower() for line in refused(path)]
    expected = [
        ("created_at", "row 2", "'2016-02-30'"),
        ("posts_count", "row 2", "'many'"),
        ("id", "row 3", "'2'"),
        ("id", "row 4", "'a/b'"),
        ("name", "row 4"),
        ("homepage_url", "2", "row 3", "'www.example.org'", "row 4", "'javascript:x'"),
        ("name", "row 5", r"'\x01'"),
    ]
    assert [facts for facts in expected if not has_line(lines, *facts)] == []


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("latitude", value) for value in ("51,507", "0,051", "-74,0", "1.234,5", "1,234.5")),
        *(("posts_count", value) for value in ("1.000", "1_000", "1.234.567", "1,200", "1e3")),
    ],
)
def test_number_with_two_readings_is_refused(column, value, tmp_path):
    path = tmp_path / "accounts.csv"
    path.write_text(f"id;name;{column}\n1;Ada;{value}\n")
    assert has_line(refused(path), column, f"row 1 ('{value}')")


def test_number_in_digits_and_a_point_is_served_as_it_is(tmp_path, imported):
    path = tmp_path / "accounts.csv"
    path.write_text(
        "id,name,location,latitude,posts_count\n1,a,x,-.5,9007199254740993.0\n2,b,x,1e1,-7\n"
    )
    first, second = imported(path).root("/accounts.xml?sort=id").iterfind("result/account")
    assert [first.findtext(n) for n in ("latitude", "posts_count")] == ["-.5", "9007199254740993"]
    assert [second.findtext(n) for n in ("latitude", "posts_count")] == ["1e1", "-7"]


def test_texts_that_look_like_missing_values_or_numbers_stay(tmp_path, imported):
    path = tmp_path / "accounts.csv"
    path.write_text("id,name,country_code,location\n007,NA,NA,null\n1e3,nan,None,-\n")
    accounts = imported(path).root("/accounts.xml?sort=id").iterfind("result/account")
    names = ("id", "name", "country_code", "location")
    texts = [[account.findtext(name) for name in names] for account in accounts]
    assert texts == [["007", "NA", "NA", "null"], ["1e3", "nan", "None", "-"]]


OTHERS = {"id": "", "percentage": "<1", "color": "000000"}


def test_entries_of_lists_and_placeholders_are_sent_as_the_interface_does(tmp_path, imported):
    path = tmp_path / "projects.jsonl"
    lists = {"licenses": ["mit", {"name": "gpl"}], "tags": ["x"], "small_logo_url": "no_logo.png"}
    picture = "https://x.example/languages.png"
    languages = {
        "analysis_languages": [OTHERS | {"language": "2 Other"}],
        "analysis_languages_graph_url": picture,
    }
    path.write_text(json.dumps({"id": 0, "name": "a"} | lists | languages))
    project = imported(path).root("/projects/0.xml").find("result/project")
    assert [element.text for element in project.iterfind("licenses/license/name")] == ["mit", "gpl"]
    assert [element.text for element in project.iterfind("tags/tag")] == ["x"]
    assert project.findtext("small_logo_url") == "no_logo.png"
    assert project.find("analysis/languages").get("graph_url") == picture
    (language,) = project.iter("language")
    assert (language.text, dict(language.attrib)) == ("2 Other", OTHERS)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("analysis_languages", [{"percentage": "<2"}]),
        ("user_count", "<1"),
        ("small_logo_url", "../x.png"),
        ("homepage_url", "no_logo.png"),
        ("homepage_url", "javascript:alert(1)"),
        ("licenses", [{"\ud800": 1}]),
        ("licenses", '[{"name": "mit"'),
        ("licenses", 7),
        ("stack_count", 1.5),
        ("stack_count", True),
        ("created_at", "10.12.2015"),
    ],
)
def test_value_of_another_form_is_refused(column, value, tmp_path):
    path = tmp_path / "projects.jsonl"
    path.write_text(json.dumps({"id": 1, "name": "a", column: value}))
    assert has_line(refused(path), column)


@pytest.mark.parametrize(
    ("cell", "tags"),
    [
        ("library;ils", ["library", "ils"]),
        (" library ; c++ ;; ils;", ["library", "c++", "ils"]),
        ("open source, free", ["open source, free"]),
        ("2012", ["2012"]),
        ('["a;b", "c"]', ["a;b", "c"]),
        (";", []),
    ],
)
def test_list_in_a_cell_of_csv(cell, tags, tmp_path, imported):
    path = tmp_path / "projects.csv"
    pd.DataFrame({"id": [1], "name": ["a"], "tags": [cell], "licenses": [cell]}).to_csv(path)
    project = imported(path).root("/projects/1.xml").find("result/project")
    assert [element.text for element in project.iterfind("tags/tag")] == tags
    assert [element.text for element in project.iterfind("licenses/license/name")] == tags


def test_lists_in_every_row_of_csv_are_no_columns(tmp_path, imported):
    path = tmp_path / "projects.csv"
    path.write_text("id,name,tags\n1,a,library;ils\n2,b,web;ils\n3,c,x;y\n")
    root = imported(path).root("/projects.xml?sort=id")
    assert [element.text for element in root.iter("tag")] == [
        "library",
        "ils",
        "web",
        "ils",
        "x",
        "y",
    ]


@pytest.mark.parametrize(
    "cell",
    [
        '["a"',
        '{"name": "a"}',
        '"a"',
        '[{"title": "a"}]',
        pytest.param("[" * 50_000 + "]" * 50_000, id="nested beyond what Python reads"),
    ],
)
def test_list_in_a_cell_of_csv_that_is_damaged_json_is_refused(cell, tmp_path):
    path = tmp_path / "projects.csv"
    pd.DataFrame({"id": [1], "name": ["a"], "licenses": [cell]}).to_csv(path, index=False)
    assert has_line(refused(path), "licenses", "row 1")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"id,name\n1,x\n2\n"),
        ("a.csv", b"id,name\n1,x,y\n"),
        ("a.csv", b"id,name\n\xff,x\n"),
        ("a.csv", b""),
        ("a.csv", b'id,name\n1,"x'),
        ("a.csv.gz", gzip.compress("id,name\n1,x\n".encode("utf-16"), mtime=0)),
        ("a.csv.gz", b"plain"),
        ("a.parquet", b"PAR1"),
        ("a.jsonl", b'{"id": 1}\n{bad\n'),
    ],
)
def test_damaged_table_is_named(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    lines = refused({"accounts": tmp_path / name})
    assert has_line(lines, name, "line 2" if name == "a.jsonl" else "")


def test_packed_table_of_few_bytes_that_would_fill_the_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_tables, "_MOST_REPEATED_BYTES", 1_000)
    path = tmp_path / "accounts.csv.gz"
    path.write_bytes(gzip.compress(b"id,name\n1," + b"x" * 100_000, mtime=0))
    [line] = refused(path)
    assert has_line([line], "accounts.csv.gz", "bytes")
    path.write_bytes(gzip.compress(b"id,name\n1,Ada\n", mtime=0))
    assert load(path, dirframe.load_accounts)["name"].tolist() == ["Ada"]


def test_message_names_some_of_very_many_columns(tmp_path, caplog):
    names = ",".join(f"c{number}" for number in range(9_000))
    path = tmp_path / "accounts.csv"
    path.write_text(f"{names}\n")
    assert max(map(len, refused(path, ConfigurationError))) < 1_000
    path.write_text(f"id,name,{names}\n1,a{',' * 9_000}\n")
    dirframe.serve(path).stop()
    assert has_line(caplog.messages, "accounts.csv", "c0, c1", "8,950 more")
    assert max(map(len, caplog.messages)) < 1_000


@pytest.mark.parametrize("attributes", [{"dirframe": 7}, {"dirframe": ["synthetic"]}, 7])
def test_parquet_with_other_attributes_is_served(attributes, tmp_path):
    metadata = {"attributes": attributes, "index_columns": [], "columns": []}
    table = pa.table({"id": ["1"], "name": ["a"]})
    table = table.replace_schema_metadata({"pandas": json.dumps(metadata)})
    parquet.write_table(table, tmp_path / "projects.parquet")
    assert load(tmp_path / "projects.parquet")["id"].tolist() == ["1"]


#: A time that Python cannot hold.
LATE = pa.array([2**40], pa.timestamp("s"))


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame([["1", "Ada", "Bob"]], columns=["id", "name", "name"]),  # of a join
        pa.table({"id": ["1"], "name": ["a"], "created_at": LATE}),
    ],
)
def test_frame_that_is_no_table_of_records_is_refused(data):
    assert has_line(refused({"accounts": data}), "the frame cannot be read")


def test_column_that_is_not_served_is_told(tmp_path, caplog):
    path = tmp_path / "accounts.csv"
    path.write_text('id;name;"town, county"\n1;a;"x, y"\n')
    dirframe.serve(path).stop()
    assert has_line(caplog.messages, "accounts.csv", "town, county")


def test_log_escapes_names_of_columns_and_files(tmp_path, caplog):
    path = tmp_path / "accounts\x1b[2J.csv"
    path.write_text('id,name,"\x1b[31m\nforged"\n1,a,x\n')
    dirframe.serve(path).stop()
    [line] = [line for line in caplog.messages if "not served" in line]
    assert r"accounts\x1b[2J.csv" in line
    assert r"\x1b[31m\nforged" in line
    assert all(line.isprintable() for line in caplog.messages)


def test_duplicate_id_in_two_tables_is_refused(tmp_path, imported):
    first, second, projects = (tmp_path / n for n in ("accounts-1.csv", "accounts-2.csv", "p.csv"))
    first.write_text("id,name,country_code\n1,Ada,DE\n2,Bob,FR\n")
    second.write_text("id,name,country_code\n1,Cy,US\n3,Di,GB\n")
    projects.write_text("id,name,stack_count\n1,Parser,5\n")
    assert has_line(refused([first, second]), "id", "row 1 ('1')")
    second.write_text("id,name,country_code\n3,Di,GB\n")
    client = imported([first, second, projects])
    assert client.ids("/accounts.xml?sort=id") == ["1", "2", "3"]
    assert client.ids("/projects.xml") == ["1"]


@pytest.mark.parametrize("sequence", [list, tuple])
def test_tables_of_a_collection_may_be_several(sequence, tmp_path, imported):
    first, second = tmp_path / "first.csv", pd.DataFrame({"id": [2], "name": ["Bob"]})
    first.write_text("id,name\n1,Ada\n")
    client = imported({"accounts": sequence([first, second]), "projects": second})
    assert client.ids("/accounts.xml?sort=id") == ["1", "2"]
    assert client.ids("/projects.xml") == ["2"]


@pytest.mark.parametrize("data", [[], (), {}, {"accounts": []}])
def test_tables_without_data_are_refused(data):
    with pytest.raises(InvalidInputError, match="no data"):
        dirframe.serve(data)


def test_tables_of_other_records_are_refused(tmp_path):
    frame = pd.DataFrame({"id": [1], "name": ["x"]})  # of which it might be
    refused(frame, ConfigurationError)
    refused({"people": frame}, ConfigurationError)
    refused([{"id": 1}])
    refused({"accounts": pd.DataFrame({"name": ["x"]})}, ConfigurationError)
    (tmp_path / "people.csv").touch()
    refused(tmp_path)  # of a folder only XML is read


@pytest.mark.parametrize("name", ["people.json", "people.xlsx", "people.db"])
def test_files_of_other_formats_are_refused(name, tmp_path):
    (tmp_path / name).write_text("[1]")
    assert has_line(refused(tmp_path / name), name)
