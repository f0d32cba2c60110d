"""Tables of pandas, R, Excel and databases are read as what they mean, or refused with the way out."""

import datetime as dt
import json

import pandas as pd
import pytest

import dirframe
from dirframe import ExportWarning, InvalidInputError, read_table
from dirframe.errors import StoreError

PEOPLE = {"id": ["1", "2"], "name": ["Ada", "Bob"]}


def written(folder, content, name="accounts.csv"):
    """Write a file as another program does, and return its path."""
    file = folder / name
    file.write_text(content, encoding="utf-8", newline="")
    return file


def values(frame):
    """Return the columns of a frame as lists, with None for a missing value."""
    return {
        name: [
            None if missing else value for value, missing in zip(column, column.isna(), strict=True)
        ]
        for name, column in frame.items()
    }


# Names of columns


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("id|name\n1|Ada\n2|Bob\n", PEOPLE),
        ("sep=;\nid;name\n1;Ada\n2;Bob\n", PEOPLE),
        ('"sep=,"\r\nid,name\r\n1,Ada\r\n2,Bob\r\n', PEOPLE),
        ("\ufeffSEP=\t\nid\tname\n1\tAda\n2\tBob\n", PEOPLE),
        ("sep=^\nid^name\n1^Ada\n2^Bob\n", PEOPLE),
        ("id, name\n1, Ada\n2, Bob\n", PEOPLE),
        (" id ;name \n1;Ada\n2;Bob\n", PEOPLE),
        ("| id | name |\n| 1 | Ada |\n| 2 | Bob |\n", PEOPLE),
        ("id,name,\n1,Ada,\n2,Bob,\n", PEOPLE),
        ("id,name,,\n1,Ada,,\n2,Bob,,\n", PEOPLE),
        (",id,name\nx,1,Ada\ny,2,Bob\n", {"column_1": ["x", "y"]} | PEOPLE),
        (",id,name\n4,1,Ada\n7,2,Bob\n", {"column_1": [4, 7]} | PEOPLE),
    ],
)
def test_names_of_columns_as_other_programs_write_them(tmp_path, content, expected):
    assert values(read_table(written(tmp_path, content))) == expected


#: Values of records, as different programs write them.
VALUES = [
    *("1.5e3", ".5", "1,000", "1'000", "-1", "5%", "TRUE", "NA", "10:30", "2020-01"),
    *("02.01.2020", "1/2/2020", "2020/01/02", "20200102", "2020-01-02T10:00:00Z"),
    *("https://a.example", "550e8400-e29b-41d4-a716-446655440000"),
]


@pytest.mark.parametrize(
    ("content", "warns"),
    [
        (pd.DataFrame(PEOPLE).to_csv(header=False, index=False), True),
        (pd.DataFrame(PEOPLE).to_csv(header=False), True),
        ("2020-01-02;3\n2020-01-03;4\n", True),
        ("7\n8\n", True),
        *((f"{value};x\n{value};y\n", True) for value in VALUES),
        ("Ada,ada@example.org\nBob,bob@example.org\n", True),
        ("1st,2nd half,3d\na,b,c\n", False),
        ("id,https\n1,yes\n", False),
        (pd.DataFrame(PEOPLE).rename(columns={"id": 0, "name": 1}).to_csv(index=False), False),
        ("language,2019,2020\nC,1,2\n", False),
    ],
)
def test_line_of_names_that_looks_like_a_record_is_warned_of(tmp_path, content, warns, recwarn):
    read_table(written(tmp_path, content, name="table.csv"))
    found = [str(warning.message) for warning in recwarn]
    assert len(found) == warns
    assert [words for words in found if "first line" not in words] == []


@pytest.mark.parametrize(
    "content",
    [
        pd.DataFrame(PEOPLE).to_csv(),
        pd.DataFrame(PEOPLE).to_csv(sep=";"),
        '"","id","name"\n"1",1,"Ada"\n"2",2,"Bob"\n',
        '[{"": 0, "id": 1, "name": "Ada"}, {"": 1, "id": 2, "name": "Bob"}]',
    ],
    ids=["pandas", "semicolons", "R", "JSON"],
)
def test_column_that_counts_the_rows_is_left_out_and_the_table_can_be_written(
    tmp_path, run, content
):
    written(tmp_path, content)
    with pytest.warns(ExportWarning, match="counts the rows"):
        frame = read_table(tmp_path / "accounts.csv")
    assert values(frame) == PEOPLE
    result = run("export", tmp_path / "accounts.csv", tmp_path / "again.parquet")
    assert (result.code, "counts the rows" in result.err) == (0, True)
    assert values(read_table(tmp_path / "again.parquet")) == PEOPLE


READ_OR_SERVE = pytest.mark.parametrize(
    ("read", "error"),
    [(read_table, InvalidInputError), (dirframe.serve, StoreError)],
    ids=["read_table", "serve"],
)


@READ_OR_SERVE
@pytest.mark.parametrize(
    ("content", "facts"),
    [
        ("Members 2026\n\nid,name\n1,Ada\n2,Bob\n", ["Members 2026", "Delete"]),
        ("Members 2026\nid;name\n1;Ada\n2;Bob\n", ["Members 2026", "';'"]),
        ("# members\nid\tname\n1\tAda\n", ["# members"]),
        ("\nid,name\n1,Ada\n", ["first line is empty", "Delete"]),
        ("sep=;\n\r\nid;name\n1;Ada\n", ["first line is empty", "Delete"]),
        ("Members 2026,\nid,name\n1,Ada\n", ["column 2", "no name"]),
        ("Members, 2026\nid,name,place\n1,Ada,x\n", ["id,name,place", "delete titles"]),
        ("id,,\n1,Ada,x\n", ["column 2", "no name"]),
        ("id,name, name\n1,Ada,x\n", ["'name'"]),
        ("1,1,Ada\n2,2,Bob\n", ["'1'", "line of names"]),
        ('id, "name"\n1, "Ada"\n', ["blank", "quotation mark"]),
    ],
)
def test_names_that_are_unclear_are_refused_with_the_way_out(content, facts, read, error, tmp_path):
    file = written(tmp_path, content)
    with pytest.raises(error) as caught:
        read(file)
    assert [fact for fact in facts if fact not in str(caught.value)] == []
    assert "UTF-8" not in str(caught.value)


@pytest.mark.parametrize("content", ["tag\na;b\nc\n", 'tag\n"a;b"\n"c;d"\n', "tag\na;b\n"])
def test_csv_of_one_column_with_separators_stays_one_column(content, tmp_path):
    frame = read_table(written(tmp_path, content, "tags.csv"))
    assert list(frame) == ["tag"]
    assert frame["tag"][0] == "a;b"


# Missing values


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        # R's write.csv: all texts are in quotation marks.
        (
            """"","id","name","country_code","posts_count","seen"
"1",1,"Ada","NA",3,2020-01-02
"2",2,NA,NA,NA,NA
""",
            {"name": ["Ada", None], "country_code": ["NA", None], "posts_count": [3, None]},
        ),
        (
            '"id";"name";"latitude"\n1;"NA";NA\n2;NA;-1.5\n',
            {"name": ["NA", None], "latitude": [None, -1.5]},
        ),
        # Other files say nothing about texts.
        (
            '"id","name","country_code"\n1,Ada,NA\n2,NA,NA\n',
            {"name": ["Ada", "NA"], "country_code": ["NA", "NA"]},
        ),
        ("id,name,country_code\n1,Ada,NA\n", {"country_code": ["NA"]}),
        ('"id","name","country_code"\n"1","NA","NA"\n', {"name": ["NA"], "country_code": ["NA"]}),
    ],
)
def test_missing_values_of_r_and_namibia_are_told_apart(tmp_path, content, expected):
    file = written(tmp_path, content)
    if content.startswith('""'):
        with pytest.warns(ExportWarning, match="counts the rows"):
            frame = read_table(file)
    else:
        frame = read_table(file)
    found = values(frame)
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("marker", ["NA", "NULL", "\\N", "#N/A", "NaN", "None", "N/A"])
def test_missing_numbers_and_times_of_other_programs(tmp_path, marker):
    known = f"id,posts_count,created_at\n1,{marker},{marker}\n2,7,2020-01-02\n"
    frame = read_table(written(tmp_path, known))
    assert values(frame)["posts_count"] == [None, 7]
    assert [str(dtype) for dtype in frame.dtypes[1:]] == ["Int64", "datetime64[us, UTC]"]
    unknown = f"n,share,day,open\n{','.join([marker] * 4)}\n7,0.5,2020-01-02,TRUE\n"
    frame = read_table(written(tmp_path, unknown, "other.csv"))
    assert [str(dtype) for dtype in frame.dtypes] == [
        "Int64", "Float64", "datetime64[us, UTC]", "boolean",
    ]  # fmt: skip
    assert frame.isna().to_numpy().tolist() == [[True] * 4, [False] * 4]


def test_missing_values_among_texts_stay_and_are_counted(tmp_path, caplog):
    file = written(tmp_path, "id,name\n1,NULL\n2,\\N\n3,NA\n4,None\n")
    with pytest.warns(ExportWarning, match="2 texts in name") as caught:
        frame = read_table(file)
    assert len(caught) == 1
    assert frame["name"].tolist() == ["NULL", "\\N", "NA", "None"]
    dirframe.serve(file).stop()
    assert any("name" in line and ": 2;" in line for line in caplog.messages)


def test_missing_numbers_of_other_programs_are_served_without_a_value(tmp_path):
    file = written(tmp_path, "id,name,posts_count,created_at\n1,Ada,NULL,\\N\n2,Bob,#N/A,NA\n")
    with dirframe.serve(file) as service, service.directory() as directory:
        frame = dirframe.load_accounts(directory, progress=False)
    assert frame[["posts_count", "created_at"]].isna().all(axis=None)


def test_text_na_is_quoted_so_that_others_can_tell_it_from_a_missing_value(tmp_path):
    frame = pd.DataFrame({"country_code": ["NA", None, "DE"]})
    file = dirframe.export(frame, tmp_path / "f.csv")
    assert file.read_text().split("\n")[:4] == ["country_code", '"NA"', "", "DE"]


# Identifiers


@pytest.mark.parametrize(
    "text", ["1.3448001175712604e+18", "1e+05", "1.5E18", "7.5", "9007199254740993000.0"]
)
def test_id_whose_digits_are_lost_is_refused_by_column_and_row(tmp_path, run, text):
    file = written(tmp_path, f"id,name,analysis_id\n7.0,Ada,\n2,Bob,{text}\n")
    with pytest.raises(InvalidInputError, match="analysis_id, row 2") as caught:
        read_table(file)
    assert text in str(caught.value)
    assert "Int64" in str(caught.value)
    result = run("summary", file)
    assert (result.code, "analysis_id, row 2" in result.err) == (2, True)
    people = written(tmp_path, f"id,name\n7.0,Ada\n{text},Bob\n")
    with pytest.raises(StoreError, match=r"column id, 1: .*row 2"):
        dirframe.serve(people)


def test_id_that_became_a_float_is_refused_in_frames_parquet_and_json(tmp_path):
    frame = pd.DataFrame({"id": [7.0, 1344800117571260401.0, None], "name": ["a", "b", "c"]})
    frame.to_parquet(tmp_path / "accounts.parquet")
    with pytest.raises(InvalidInputError, match="column id, row 2"):
        read_table(tmp_path / "accounts.parquet")
    (tmp_path / "accounts.json").write_text(json.dumps(frame.head(2).to_dict("records")))
    with pytest.raises(InvalidInputError, match="column id, row 2"):
        read_table(tmp_path / "accounts.json")
    with pytest.raises(StoreError, match="row 2"):
        dirframe.serve({"accounts": frame.head(2)})


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_ids_that_became_whole_floats_are_the_ids_that_they_were(suffix, tmp_path):
    """A join makes floats of them."""
    people = pd.DataFrame({"id": [7.0, 8.0], "name": ["a", "b"], "email_sha1": ["x", "y"]})
    again = read_table(dirframe.export(people, tmp_path / f"people{suffix}"))
    assert again["id"].tolist() == ["7", "8"]


def test_ids_that_are_texts_or_whole_numbers_stay(tmp_path):
    ids = ["007", "1e5", "9007199254740993", "2020-01-01", "v1.2.3", "a.5"]
    file = written(tmp_path, "\n".join(["id,name", *(f"{text},x" for text in ids)]))
    assert read_table(file)["id"].tolist() == ids


# Texts and dates


@READ_OR_SERVE
@pytest.mark.parametrize(
    ("content", "place"),
    [
        ('{"id": "1", "name": "x"}\n{"id": "2", "name": "\\ud83d"}\n', "name of record 2"),
        ('[{"id": "1", "tags": ["x", "\\uDE00"], "name": "y"}]', "tags of record 1"),
        ('[{"id": "1", "n\\ud83d": "x", "name": "y"}]', "record 1"),
    ],
)
def test_lone_surrogate_is_named_by_record_and_field(content, place, read, error, tmp_path):
    file = written(tmp_path, content, "accounts.json")
    with pytest.raises(error, match=place) as caught:
        read(file)
    assert "half a UTF-16 pair" in str(caught.value)
    assert "Save text as UTF-8" not in str(caught.value)


def test_surrogates_that_are_a_pair_are_read_as_their_character(tmp_path):
    whole = written(tmp_path, '[{"id": "1", "name": "\\ud83d\\ude00"}]', "accounts.json")
    assert read_table(whole)["name"].tolist() == ["😀"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".json", ".jsonl"])
def test_plain_dates_are_written_as_text_and_come_back_as_times(suffix, tmp_path):
    days = [dt.date(2026, 1, 2), None]
    frame = pd.DataFrame({"key": ["x", "y"], "day": pd.Series(days, dtype="object")})
    file = dirframe.export(frame, tmp_path / f"days{suffix}")
    assert "2026-01-02" in file.read_text()
    assert "T00" not in file.read_text()
    again = read_table(file)["day"]
    assert again[0] == pd.Timestamp("2026-01-02", tz="UTC")
    assert pd.isna(again[1])
