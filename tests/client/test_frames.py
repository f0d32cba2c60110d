"""Frames have the same columns and dtypes for any records; lists are lists, and tables on demand."""

import pickle
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dirframe
from dirframe.errors import InvalidInputError, UnreadableValueWarning
from dirframe.provenance import caption, difference, get_provenance, set_provenance
from tests.rig.server import page_xml, record

TAGS = "<tags><tag>a</tag><tag>b</tag></tags>"
LANGUAGES = (
    '<analysis><languages graph_url="u">'
    '<language color="00f" id="7" percentage="98"> C </language>'
    '<language color="0" id="" percentage="&lt;1">Other</language>'
    "</languages></analysis>"
)


@pytest.fixture(scope="module")
def build(read):
    """Make a frame of projects from the XML inside each; their ids are numbers from 1."""

    def build(*inside, **options):
        records = [record(n, inner=xml) for n, xml in enumerate(inside, 1)]
        return read(page_xml(records), resource="project", **options)

    return build


# Columns


@pytest.mark.parametrize("count", [0, 1, 3])
def test_frame_has_every_specified_column_with_its_dtype(read, count):
    dtypes = {
        "account": {
            **dict.fromkeys(["id", "name"], "str"),
            **dict.fromkeys(["created_at", "updated_at"], "datetime64[us, UTC]"),
            **dict.fromkeys(["homepage_url", "avatar_url", "email_sha1"], "str"),
            "posts_count": "Int64",
            **dict.fromkeys(["location", "country_code"], "str"),
            **dict.fromkeys(["latitude", "longitude"], "Float64"),
            **dict.fromkeys(["kudo_score_kudo_rank", "kudo_score_position"], "Int64"),
        },
        "project": {
            **dict.fromkeys(["id", "name"], "str"),
            **dict.fromkeys(["created_at", "updated_at"], "datetime64[us, UTC]"),
            **dict.fromkeys(["description", "homepage_url", "download_url", "irc_url"], "str"),
            "stack_count": "Int64",
            **dict.fromkeys(["analysis_id", "analysis__id", "analysis_project_id"], "str"),
            **dict.fromkeys(
                [f"analysis_{n}" for n in ("updated_at", "logged_at", "min_month", "max_month")],
                "datetime64[us, UTC]",
            ),
            "analysis_twelve_month_contributor_count": "Int64",
            "analysis_total_code_lines": "Int64",
            **dict.fromkeys(["analysis_main_language_id", "analysis_main_language_name"], "str"),
            **dict.fromkeys(["tags", "analysis_languages", "licenses"], "object"),
        },
    }
    for resource, expected in dtypes.items():
        frame = read(page_xml([record(n, resource) for n in range(count)]), resource=resource)
        assert len(frame) == count
        assert frame.index.equals(pd.RangeIndex(count))
        assert frame.dtypes.astype(str).to_dict() == expected
        assert list(frame) == list(expected)


def test_frame_keeps_columns_apart_whose_names_meet(build):
    for last in ("B", "b"):  # letters before and after the underscore
        frame = build(f"<a_{last}>x</a_{last}><a__{last}>y</a__{last}><a><{last}>z</{last}></a>")
        names = (f"a_{last}", f"a__{last}", f"a__{last}_")
        assert [frame[name][0] for name in names] == ["x", "y", "z"]
    frame = build("<a_b>x</a_b><a><b>y</b></a>")
    assert (frame["a_b"][0], frame["a__b"][0]) == ("x", "y")
    frame = build("<analysis_id>5</analysis_id><analysis><id>6</id></analysis>")
    assert (frame["analysis_id"][0], frame["analysis__id"][0]) == ("5", "6")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = build("<files_unreadable>3</files_unreadable>")
    assert frame["files_unreadable"][0] == "3"
    both = "<stack_count_unreadable>3</stack_count_unreadable><stack_count>x</stack_count>"
    with pytest.warns(UnreadableValueWarning, match="1 in stack_count "):
        frame = build(both)
    assert frame["stack_count_unreadable"][0] == "3"
    assert frame["stack_count_unreadable_"][0] == "x"


def test_frame_keeps_impossible_values(build):
    frame = build("<analysis><total_code_lines>-297667</total_code_lines></analysis>")
    assert frame["analysis_total_code_lines"][0] == -297_667


def test_frame_has_lists_in_every_row(build):
    frame = build(
        TAGS, "", "<tags/>", "<tags><tag>c</tag></tags>", "<odd>x</odd>", "<odd>y</odd><odd>z</odd>"
    )
    assert frame["tags"].tolist() == [["a", "b"], None, None, ["c"], None, None]
    assert frame["odd"].dropna().tolist() == [["x"], ["y", "z"]]
    assert frame["tags"].dtype == "object"
    frame["tags"][0].append("d")  # Python lists, each of one record
    assert frame["tags"].tolist() == [["a", "b", "d"], None, None, ["c"], None, None]


def test_frame_has_the_columns_of_the_schema_in_its_order_and_then_all_others(build):
    late = "<zeta>1</zeta><url_name>u</url_name><html_url>h</html_url><stack_count>1</stack_count>"
    early = "<alpha>2</alpha><html_url>i</html_url><average_rating>4.5</average_rating>"
    core = len(dirframe.fields("project").query("dialects == 'specification'"))
    lists = {"tags", "licenses", "analysis_languages"}  # of every frame of projects
    for pages, others in (((late, early), ["zeta", "alpha"]), ((early, late), ["alpha", "zeta"])):
        columns = list(build(*pages))
        expected = [name for name in dirframe.fields("project")["name"] if name in columns]
        assert columns == [*expected, *others]
        rest = [name for name in columns[core:-2] if name not in lists]
        assert rest == ["html_url", "url_name", "average_rating"]
        assert lists <= set(columns)


# Lists as tables


def test_child_table_has_a_row_for_each_entry(build):
    table = dirframe.child_table(build(TAGS, "", "<tags/>", "<tags><tag>c</tag></tags>"), "tags")
    assert table.to_dict("list") == {"project_id": ["1", "1", "4"], "tag": ["a", "b", "c"]}


@pytest.mark.parametrize("name", ["languages", "analysis_languages"])
def test_child_table_has_typed_columns(build, name):
    table = dirframe.child_table(build(LANGUAGES, ""), name)
    assert table["language"].tolist() == ["C", "Other"]
    assert table["percentage"].tolist() == [98.0, 0.5]
    assert table["percentage"].dtype == "Float64"
    assert table["id"].isna().tolist() == [False, True]
    assert table["color"].tolist() == ["00f", "0"]


def test_child_table_of_no_record_has_the_same_columns(read):
    columns = {
        "project": {
            "tags": ["tag"],
            "languages": ["language", "id", "percentage", "color"],
            "licenses": None, "links": None, "factoids": None, "similar_projects": None,
        },
        "account": {"languages": None, "badges": ["name", "level", "description", "image_url"]},
    }  # fmt: skip
    for resource, tables in columns.items():
        frame = read(page_xml([]), resource=resource)
        for name, expected in tables.items():
            table = dirframe.child_table(frame, name)
            assert table.shape[0] == 0
            assert next(iter(table)) == f"{resource}_id"
            assert len(list(table)) > 1
            assert {*(expected or [])} <= {*table}
            assert table.dtypes.iloc[0] == "str"


def test_child_table_keeps_what_else_an_entry_has(build):
    frame = build(
        "<links><link><title>t</title><new>n</new></link>bad</links>"
        '<analysis><languages><language percentage="lots">C</language></languages></analysis>'
    )
    assert dirframe.child_table(frame, "links")["new"].tolist() == ["n"]
    languages = dirframe.child_table(frame, "languages")
    assert languages["percentage"].isna().all()
    assert languages["percentage_unreadable"].tolist() == ["lots"]


def test_child_table_of_entries_of_different_form(build):
    frame = build(
        "<licenses><license>MIT</license></licenses>",
        "<licenses><license><name>gpl</name></license></licenses>",
        "<licenses><license><name>a</name></license><license><url>b</url></license></licenses>",
    )
    table = dirframe.child_table(frame, "licenses")
    assert table["project_id"].tolist() == ["1", "2", "3", "3"]
    assert table["name"].dropna().to_dict() == {1: "gpl", 2: "a"}
    assert table["license"].dropna().to_dict() == {0: "MIT"}
    assert table["url"].dropna().to_dict() == {3: "b"}


def test_child_table_entry_does_not_replace_the_id_of_its_parent(build):
    frame = build(
        "<links><link><project_id>9</project_id></link></links>",
        "<links><link><title>t</title></link></links>",
    )
    table = dirframe.child_table(frame, "links")
    assert table["project_id"].tolist() == ["1", "2"]
    assert table["project_id_"].tolist()[0] == "9"
    assert list(table)[-1] == "project_id_"
    same = build("<links><link><project_id>1</project_id></link></links>")
    assert dirframe.child_table(same, "links")["project_id"].tolist() == ["1"]
    assert "project_id_" not in dirframe.child_table(same, "links")


def test_child_table_reads_lists_whatever_they_were_made_to(build, tmp_path):
    frame = build(TAGS + LANGUAGES, "", TAGS)
    file = dirframe.export(frame, tmp_path / "projects.csv")
    frame.to_parquet(tmp_path / "projects.parquet")
    forms = {
        "JSON": pd.read_csv(file, dtype={"id": "str"}),
        "tuples": frame.assign(tags=frame["tags"].map(tuple, na_action="ignore")),
        "arrays": frame.assign(tags=frame["tags"].map(np.array, na_action="ignore")),
        "Parquet": pd.read_parquet(tmp_path / "projects.parquet"),
        "Python": frame.astype({"tags": object, "analysis_languages": object}),
        "Arrow": pa.Table.from_pandas(frame),
    }
    for form, other in forms.items():
        for name in ("tags", "languages"):
            expected, found = (dirframe.child_table(one, name) for one in (frame, other))
            pd.testing.assert_frame_equal(found, expected, obj=f"{name} of {form}")
        assert dirframe.stats.tags(other)["projects"].tolist() == [2, 2], form
        assert len(dirframe.select(other, tags="a")) == 2, form


def test_child_table_refuses_what_is_no_list(build):
    frame = build(TAGS, "")
    for convert in (set, frozenset, str, len):
        other = frame.assign(tags=frame["tags"].map(convert, na_action="ignore"))
        for use in (
            lambda f: dirframe.child_table(f, "tags"),
            dirframe.stats.tags,
            lambda f: dirframe.select(f, tags="a"),
        ):
            with pytest.raises(InvalidInputError, match="tags"):
                use(other)


def test_child_table_refuses_wrong_frames_and_names(build):
    frame = build(TAGS)
    with pytest.raises(InvalidInputError, match="people"):
        dirframe.child_table(frame, "people")
    with pytest.raises(InvalidInputError, match="'id'"):
        dirframe.child_table(frame.drop(columns="id"), "tags")
    with pytest.raises(InvalidInputError, match="name"):
        dirframe.child_table(pd.concat([frame, frame[["name"]]], axis=1), "tags")
    for other in ([1], None, frame["tags"]):
        with pytest.raises(InvalidInputError):
            dirframe.child_table(other, "tags")


def test_child_table_provenance(build):
    frame = build(LANGUAGES, "")
    set_provenance(frame, source="A directory", resource="project", complete=True)
    table = dirframe.child_table(frame, "languages")
    facts = get_provenance(table)
    assert facts["source"] == "A directory"
    assert facts["steps"] == ["child_table languages"]
    # Its entries are no records, though they have an id.
    assert "id" in table
    assert facts["records"]["rows"] == 2


def test_child_table_of_another_resource():
    """Its own key, lists that the schema does not name, and dtypes by what the entries are."""
    lists = pd.Series(
        [[{"deep": ["a", ["b"]], "name": "x", "rank": "7", "contributor_id": "7"}], None],
        dtype="object",
    )
    frame = pd.DataFrame({"contributor_id": ["7", "8"], "prizes": lists})
    set_provenance(frame, source="D", resource="contributor_fact")
    table = dirframe.child_table(frame, "prizes")
    assert list(table) == ["contributor_id", "deep", "name", "rank"]  # the key once
    assert table["contributor_id"].tolist() == ["7"]
    assert table["deep"].tolist() == [["a", ["b"]]]  # as it came
    assert table["name"].tolist() == ["x"]
    assert table["rank"].dtype == "Int64"
    with pytest.raises(InvalidInputError, match="prizes"):
        dirframe.child_table(frame, "medals")
    # Fields that the specification does not list are text.
    links = pd.Series([[{"title": "x", "rank": "7"}, {"title": "y", "rank": None}]], dtype="object")
    ranks = dirframe.child_table(pd.DataFrame({"id": ["1"], "links": links}), "links")["rank"]
    assert ranks.dtype == "str"
    assert ranks.tolist()[0] == "7"


# Arrow


@pytest.fixture(scope="module")
def projects(sample):
    return dirframe.load_projects(sample, max_items=75, progress=False)


def test_arrow_table_is_taken_as_the_frame_is(projects, sample_frames, tmp_path):
    table, accounts = pa.Table.from_pandas(projects), sample_frames["accounts"]
    people = pa.Table.from_pandas(accounts)
    assert dirframe.cite(table) == dirframe.cite(projects)
    assert caption(table) == caption(projects)
    assert difference(table) is None
    pd.testing.assert_frame_equal(dirframe.country_audit(people), dirframe.country_audit(accounts))
    assert dirframe.country_note(people) == dirframe.country_note(accounts)
    for name in ("licenses", "tags", "languages"):
        one, other = (dirframe.child_table(frame, name) for frame in (table, projects))
        pd.testing.assert_frame_equal(one, other)
    found, expected = map(dirframe.stats.language_share, (table, projects))
    pd.testing.assert_frame_equal(found, expected)
    assert found.attrs == expected.attrs
    for name, source in (("arrow", table), ("pandas", projects)):
        dirframe.export(source, tmp_path / f"{name}.csv")
    assert (tmp_path / "arrow.csv").read_bytes() == (tmp_path / "pandas.csv").read_bytes()


def test_arrow_table_keeps_its_provenance_and_tells_parts(projects, tmp_path):
    table = pa.Table.from_pandas(projects)
    pq.write_table(table.select(["id", "name"]).slice(0, 5), tmp_path / "part.parquet")
    assert "5 of 75 " in dirframe.cite(pq.read_table(tmp_path / "part.parquet"))
    assert str(difference(table.slice(0, 10))).startswith("10 of 75 ")
    assert str(difference(pa.concat_tables([table] * 2))).startswith("75 ")


def test_arrow_types_become_those_of_the_loaders():
    moment = pd.Timestamp("2026-01-02T03:04:05Z")
    columns = {
        "id": (pa.array(["7", None], pa.string()), "str"),
        "view": (pa.array(["7", None], pa.string_view()), "str"),
        "coded": (pa.array(["7", None]).dictionary_encode(), "str"),
        "small": (pa.array([1, None], pa.int8()), "Int64"),
        "unsigned": (pa.array([1, None], pa.uint64()), "Int64"),
        "whole": (pa.array([Decimal(1), None], pa.decimal128(9, 0)), "Int64"),
        "float": (pa.array([1.5, None], pa.float32()), "Float64"),
        "decimal": (pa.array([Decimal("1.5"), None], pa.decimal128(9, 2)), "Float64"),
        "date": (pa.array([moment.date(), None], pa.date32()), "datetime64[us, UTC]"),
        "naive": (pa.array([moment, None], pa.timestamp("ms")), "datetime64[us, UTC]"),
        "flag": (pa.array([True, None]), "boolean"),
        "lists": (pa.array([["a"], None], pa.large_list(pa.string())), "object"),
        "nested": (pa.array([{"a": 1}, None]), "object"),
    }
    table = pa.table({name: array for name, (array, _) in columns.items()})
    frame = dirframe.select(table)
    assert frame.dtypes.astype(str).to_dict() == {n: dtype for n, (_, dtype) in columns.items()}
    values = {name: frame[name].tolist()[0] for name in frame}
    midnight = pd.Timestamp("2026-01-02T00:00:00Z")
    assert values == {
        "id": "7", "view": "7", "coded": "7", "small": 1, "unsigned": 1, "whole": 1, "float": 1.5,
        "decimal": 1.5, "date": midnight, "naive": moment, "flag": True, "lists": ["a"],
        "nested": {"a": 1},
    }  # fmt: skip
    assert not [n for n in frame if n != "nested" and frame[n].notna().tolist() != [True, False]]
    too_large = pa.table({"big": pa.array([2**64 - 1], pa.uint64())})
    with pytest.raises(InvalidInputError, match="big"):
        dirframe.select(too_large)


def test_frame_is_pickled_with_its_lists_and_provenance(projects):
    back = pickle.loads(pickle.dumps(projects))
    pd.testing.assert_frame_equal(back, projects)
    assert get_provenance(back) == get_provenance(projects)
    few = pickle.dumps(projects[["id"]])
    assert len(few) < len(pickle.dumps(projects)) / 5
