"""Columns have the dtypes of the schema for any records; lists are lists, and tables on demand."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dirframe
from dirframe.errors import InvalidInputError, MissingColumnsError, UnreadableValueWarning
from dirframe.provenance import caption, get_provenance, set_provenance
from tests.cases import raised
from tests.rig.server import page_xml, record

#: A column of accounts of each kind, and its dtype.
KINDS = {
    "name": "str",
    "id": "str",
    "homepage_url": "str",
    "posts_count": "Int64",
    "latitude": "Float64",
    "created_at": "datetime64[us, UTC]",
}
INTEGER, NUMBER, TIMESTAMP = "posts_count", "latitude", "created_at"


@pytest.fixture(scope="module")
def convert(read):
    """Read texts as a column of accounts: its values, and the texts that were kept."""

    def convert(column, *texts):
        given = [{} if text is None else {column: text} for text in texts]
        records = [record(n, "account", **fields) for n, fields in enumerate(given)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnreadableValueWarning)
            frame = read(page_xml(records), resource="account")
        assert frame[column].dtype == KINDS[column]
        both = frame.reindex(columns=[column, f"{column}_unreadable"]).astype("object")
        return [*both.where(both.notna(), None).itertuples(index=False, name=None)]

    return convert


def check(convert, column, values, kept):
    """Compare texts with the values that they should be, beside texts that are kept and without."""
    expected = [(value, None) for value in values.values()]
    assert convert(column, *values) == expected
    assert convert(column, *values, *kept) == [*expected, *((None, text) for text in kept)]


def test_dtypes_of_whole_numbers(convert):
    numbers = {
        "1,935": 1935, "-297,667": -297_667, "-297667": -297_667, "+5": 5, "0": 0, " 7\n": 7,
        "3.0": 3, "1e3": 1000, "-": None, "": None, None: None, "007": 7, "-0": 0,
        "9223372036854775807": 2**63 - 1, "-9223372036854775808": -(2**63),
        "9,223,372,036,854,775,807": 2**63 - 1, "-9,223,372,036,854,775,808": -(2**63),
        "9007199254740993.0": 2**53 + 1, "1e16": 10**16,
    }  # fmt: skip
    kept = [
        "9223372036854775808", "-9223372036854775809", "9" * 400, "1e30", "3.5", "12,34",
        "1,2345", "twelve", "0x10", "0X1f", "1_000", "NaN", "inf", "1 2", "--1", "12.3%", "<1",
        "\u22125", "0,100", "1,935,",
    ]  # fmt: skip
    check(convert, INTEGER, numbers, kept)


def test_dtypes_of_numbers(convert):
    numbers = {
        "12.3%": 12.3, "12.3 %": 12.3, "472%": 472.0, "<1": 0.5, "-": None, "1,935.5": 1935.5,
        "-2.3438644409179688": -2.3438644409179688, "0.0": 0.0, ".5": 0.5, "5.": 5.0,
        "1e-3": 0.001, " 4.5 ": 4.5, "1E+2": 100.0, "12,345,678.25": 12_345_678.25, "": None,
    }  # fmt: skip
    # No thousands begin with a zero: 0,051 has a decimal comma.
    kept = ["nan", "-inf", "Infinity", "1e999", "four", "1,23.5", "0,051", "%", "<2", "1/2"]
    check(convert, NUMBER, numbers, kept)


def test_dtypes_of_timestamps(convert):
    moments = {
        "2007-01-08T09:10:11Z": "2007-01-08T09:10:11Z",
        "2007-01-08T09:10:11": "2007-01-08T09:10:11Z",
        "2007-01-08T11:10:11+02:00": "2007-01-08T09:10:11Z",
        "2007-01-08T09:10:11.250Z": "2007-01-08T09:10:11.25Z",
        "2007-01-08 09:10:11": "2007-01-08T09:10:11Z",
        "2007-01-08": "2007-01-08T00:00:00Z",
        "2001-02-03T04:05Z": "2001-02-03T04:05:00Z",
        "1600-02-29T00:00:00Z": "1600-02-29T00:00:00Z",
        "9999-12-31T23:59:59Z": "9999-12-31T23:59:59Z",
        " 2007-01-08T09:10:12Z\n": "2007-01-08T09:10:12Z",
    }
    kept = [
        "now", "today", "tomorrow", "2007-13-01T00:00:00Z", "2007-02-30", "yesterday", "NaT",
        "08/01/2007", "T", "2007-01-08T25:00:00Z", "12", "0", "1167609600",
    ]  # fmt: skip
    values = {text: pd.Timestamp(moment) for text, moment in moments.items()}
    check(convert, TIMESTAMP, values | {"": None, "-": None}, kept)


@pytest.mark.parametrize("column", ["name", "homepage_url"])
def test_dtypes_of_text_keep_it_to_the_letter(column, convert):
    texts = ("NA", "null", "None", "007", "1,935", "nan", "a\n b", "Zoë", "<b>", "-", "<1", "0x10")
    assert convert(column, *texts) == [(text, None) for text in texts]
    assert convert(column, *(f"\n  {t} " for t in texts)) == [(text, None) for text in texts]
    assert convert(column, "", None, "  ") == [(None, None)] * 3


def test_dtypes_warning_names_columns_and_examples(read):
    pages = [record(n, average_rating=f"odd {n}") for n in range(5)]
    with pytest.warns(UnreadableValueWarning) as caught:
        frame = read(record(8, stack_count=7), record(9, stack_count="many"), *pages)
    [message] = [str(one.message) for one in caught]
    assert "1 in stack_count ('many'); 5 in average_rating ('odd 0', 'odd 1', 'odd 2')" in message
    assert frame["stack_count"].tolist() == [7, *[pd.NA] * 6]
    assert frame["stack_count_unreadable"].dropna().to_dict() == {1: "many"}


_NUMERIC = st.text("0123456789+-.,eExXinfaNTZ: %<_", max_size=9)
_ANY = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=12)
_MOMENTS = st.one_of(
    st.text("0123456789-T:Z.+ ", min_size=10, max_size=26),
    st.datetimes().map(lambda moment: moment.isoformat()),
    st.datetimes().map(lambda moment: f"{moment:%Y-%m-%dT%H:%M}"),
    st.datetimes().map(lambda moment: f"{moment:%Y-%m-%d %H}"),
)


@given(
    column=st.sampled_from([INTEGER, NUMBER, TIMESTAMP, "name"]),
    texts=st.lists(_NUMERIC | _MOMENTS | _ANY, min_size=1, max_size=8),
)
def test_dtypes_each_text_is_a_value_or_kept_whatever_is_beside_it(convert, column, texts):
    values = convert(column, *texts)
    stripped = [text.strip() for text in texts]
    lost, altered = [], []
    for text, (value, kept) in zip(stripped, values, strict=True):
        if value is None and kept is None and text not in ("", "-"):
            lost.append(text)
        if kept is not None and kept != text:
            altered.append((text, kept))
    assert (lost, altered) == ([], [])
    among = convert(column, "1,935", "2001-02-03", "what?", *texts)[3:]
    assert among == values
    assert convert(column, texts[0]) == values[:1]


def infer(read, texts, name="value"):
    """Return the dtype of a column of records that nobody described."""
    things = [record(n, "thing", **{name: text}) for n, text in enumerate(texts)]
    return str(read(page_xml(things))[name].dtype)


def test_inference_is_what_all_texts_are(read):
    integer, number, moment, text = "Int64", "Float64", "datetime64[us, UTC]", "str"
    cases = [
        (["1", "0", "-7"], integer), (["9223372036854775807"], integer),
        (["9223372036854775808"], text),  # no Int64, and no float has all its digits
        (["007", "12"], text), (["12.3%"], text), (["0x10"], text), (["1", "none"], text),
        (["1,935"], text),  # or one and a bit, where commas are points
        (["1.5", "2"], number), (["0.1234567890123456"], number), (["1e5"], number),
        (["9007199254740993", "0.5"], text), ([f"0.{400 * '0'}1"], text), (["1e999"], text),
        (["1.10", "1.9"], text),  # versions
        (["1.10", "1.90"], number), (["3.0", "4.25"], number), (["nan"], text),
        (["2013-05-01T00:00:00Z"], moment), (["2013-05-01", "2013-05"], moment),
        (["2013-05-01T10:00:00+02:00"], moment), (["2013-13-01"], text),
        (["2013-05-01T00:00:00.1234567Z"], text),
    ]  # fmt: skip
    assert [infer(read, texts) for texts, _ in cases] == [kind for _, kind in cases]
    names = ("account_id", "name", "nice_name", "html_url", "email_sha1", "version", "key", "type")
    assert not [name for name in names if infer(read, ["1", "2"], name) != text]
    assert infer(read, ["1", "2"], "identity") == integer
    assert read(record("1", "project", lines="7"))["lines"].dtype == text  # of the specification


_TEXTS = st.one_of(
    st.integers(-(2**70), 2**70).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str),
    st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
    st.from_regex(r"[0-9.,eE+-]{1,24}", fullmatch=True),
    st.sampled_from(["007", "1.10", "-", "<1", "2013-05", "0", "-0.0"]),
)


@given(texts=st.lists(_TEXTS, min_size=1, max_size=8), cut=st.integers(0, 8))
def test_inference_loses_nothing_and_does_not_depend_on_order_or_pages(read, texts, cut):
    def frame(*pages):
        things = [page_xml([record("", "thing", value=text) for text in page]) for page in pages]
        return read(*things)["value"]

    whole = frame(texts)
    pd.testing.assert_series_equal(frame(texts[:cut] or texts[:1], texts[cut or 1 :]), whole)
    assert frame(texts[::-1]).dtype == whole.dtype
    values = whole.tolist()
    if whole.dtype in ("Int64", "str"):
        assert [str(value) for value in values] == texts
    elif whole.dtype == "Float64":
        assert [float(text) for text in texts] == values
        assert len({Decimal(text) for text in texts}) == len(set(values))
    else:
        assert not whole.isna().any()


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


@pytest.mark.parametrize(
    ("resource", "lists"),
    [("account", ()), ("project", ("tags", "analysis_languages", "licenses"))],
    ids=["account", "project"],
)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_frame_has_every_specified_column_with_its_dtype(read, count, resource, lists):
    frame = read(page_xml([record(n, resource) for n in range(count)]), resource=resource)
    assert frame.index.equals(pd.RangeIndex(count))
    types = dirframe.fields(resource).query("dialects == 'specification'").set_index("name")
    expected = types["type"].to_dict() | dict.fromkeys(lists, "object")
    assert list(frame.dtypes.astype(str).items()) == list(expected.items())


def test_frame_keeps_columns_apart_whose_names_meet(build):
    frame = build("<a_B>x</a_B><a__B>y</a__B><a><B>z</B></a>")
    assert [frame[name][0] for name in ("a_B", "a__B", "a_B_")] == ["x", "y", "z"]
    frame = build("<analysis_id>5</analysis_id><analysis><id>6</id></analysis>")
    assert (frame["analysis_id"][0], frame["analysis__id"][0]) == ("5", "6")
    both = "<stack_count_unreadable>3</stack_count_unreadable><stack_count>x</stack_count>"
    with pytest.warns(UnreadableValueWarning, match="1 in stack_count "):
        frame = build(both)
    assert frame["stack_count_unreadable"][0] == "3"
    assert frame["stack_count_unreadable_"][0] == "x"


def test_frame_names_nested_columns_apart_from_others(build):
    nested, direct = "<account><id>2</id><name>Ada</name></account>", "<account_id>1</account_id>"
    names = ["account_id", "account__id", "account_name"]
    rows = [build(inner)[names].iloc[0].tolist() for inner in (nested + direct, direct + nested)]
    assert rows == [["1", "2", "Ada"]] * 2
    entry = f"<stack>{nested}{direct}</stack>"
    frame = build(f"<stacks>{entry}{entry}</stacks>")
    assert (
        frame["stacks"][0] == [{"account__id": "2", "account_name": "Ada", "account_id": "1"}] * 2
    )


EMPTY = (
    "<average_rating/><url_name/><download_url> </download_url><organization><id/></organization>"
)


@pytest.mark.parametrize("count", [1, 3])
def test_frame_keeps_columns_of_the_schema_that_are_always_empty(build, count):
    frame = build(*[EMPTY] * count)
    dtypes = {"average_rating": "Float64", "url_name": "str", "organization_id": "str"}
    assert frame[list(dtypes)].dtypes.astype(str).to_dict() == dtypes
    assert frame[list(dtypes)].isna().to_numpy().all()
    rated = build("<average_rating>4.5</average_rating>", EMPTY)
    assert set(frame) == set(rated)
    assert "odd" not in build("<odd/>", "<odd> </odd>")


def test_frame_keeps_the_empty_ones_of_repeated_elements(build):
    cases = {
        "<x>a</x><x/><x>c</x>": ["a", None, "c"],
        "<x>a</x><x>b</x><x/>": ["a", "b", None],
        "<x/><x> </x><x>c</x>": [None, None, "c"],
        "<x/><x><y>c</y></x>": [None, {"y": "c"}],
        "<x/><x/>": None,
        '<x y="1"/><x y=""/>': None,
    }
    frame = build(*cases, "<x>d</x>")
    lists = frame["x"].tolist()
    assert dict(zip(cases, lists, strict=False)) == cases
    assert lists[-1] == ["d"]
    frame = build("<xs><e><x/><x>b</x><x/></e><e><x/></e></xs>")
    assert frame["xs"][0] == [{"x": [None, "b", None]}, {"x": ""}]


def test_frame_of_a_load_has_no_trace_of_superseded_readings(serve, connect):
    def answer(asked):
        return pages[asked.page - 1] if asked.page <= len(pages) else page_xml([])

    old = record("9", inner="<odd>1</odd><stack_count>many</stack_count>")
    new = record("9", inner="<stack_count>5</stack_count>")
    others = [record(n, inner="<stack_count>1</stack_count>") for n in range(4)]
    pages = [
        page_xml([others[0], old], available=5, first=0),
        page_xml([new, *others[1:2]], available=5, first=2),
        page_xml(others[2:], available=5, first=4),
    ]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = dirframe.load_projects(connect(serve(answer)), progress=False, incomplete="warn")
    assert frame.loc[frame["id"] == "9", "stack_count"].tolist() == [5]
    assert {"odd", "stack_count_unreadable"}.isdisjoint(frame.columns)
    assert not [one for one in caught if issubclass(one.category, UnreadableValueWarning)]


def test_frame_has_lists_in_every_row(build):
    two = "<odd>y</odd><odd>z</odd>"
    frame = build(TAGS, "", "<tags/>", "<tags><tag>c</tag></tags>", "<odd>x</odd>", two)
    assert frame["tags"].tolist() == [["a", "b"], None, None, ["c"], None, None]
    assert frame["odd"].dropna().tolist() == [["x"], ["y", "z"]]
    assert frame["tags"].dtype == "object"
    frame["tags"][0].append("d")  # Python lists, each of one record
    assert frame["tags"].tolist()[:4] == [["a", "b", "d"], None, None, ["c"]]
    assert dirframe.child_table(frame, "odd")["odd"].tolist() == ["x", "y", "z"]


LATE = "<zeta>1</zeta><url_name>u</url_name><html_url>h</html_url><stack_count>1</stack_count>"
EARLY = "<alpha>2</alpha><html_url>i</html_url><average_rating>4.5</average_rating>"


@pytest.mark.parametrize(
    ("pages", "others"),
    [((LATE, EARLY), ["zeta", "alpha"]), ((EARLY, LATE), ["alpha", "zeta"])],
    ids=["late first", "early first"],
)
def test_frame_has_the_columns_of_the_schema_in_its_order_and_then_all_others(pages, others, build):
    core = len(dirframe.fields("project").query("dialects == 'specification'"))
    lists = {"tags", "licenses", "analysis_languages"}  # of every frame of projects
    columns = list(build(*pages))
    expected = [name for name in dirframe.fields("project")["name"] if name in columns]
    assert columns == [*expected, *others]
    rest = [name for name in columns[core:-2] if name not in lists]
    assert rest == ["html_url", "url_name", "average_rating"]
    assert lists <= set(columns)


def test_child_table_has_a_row_for_each_entry(build):
    frame = build(TAGS, "", "<tags/>", "<tags><tag>c</tag></tags>", LANGUAGES)
    table = dirframe.child_table(frame, "tags")
    facts = get_provenance(table)
    assert (facts["source"], facts["steps"]) == ("recorded pages", ["child_table tags"])
    assert facts["records"]["rows"] == 5  # its entries are no records
    assert table.to_dict("list") == {"project_id": ["1", "1", "4"], "tag": ["a", "b", "c"]}


@pytest.mark.parametrize("column", ["languages", "analysis_languages"])
def test_child_table_has_typed_columns(column, build):
    frame = build(TAGS, "", "<tags/>", "<tags><tag>c</tag></tags>", LANGUAGES)
    table = dirframe.child_table(frame, column)
    assert table["language"].tolist() == ["C", "Other"]
    assert table["percentage"].tolist() == [98.0, 0.5]
    assert table["percentage"].dtype == "Float64"
    assert table["id"].isna().tolist() == [False, True]
    assert table["color"].tolist() == ["00f", "0"]


def test_child_table_of_no_record_has_the_same_columns(read):
    projects, accounts = (read(page_xml([]), resource=kind) for kind in ("project", "account"))
    table = dirframe.child_table(projects, "languages")
    assert list(table) == ["project_id", "language", "percentage", "color", "id"]
    assert (len(table), table["project_id"].dtype) == (0, "str")
    badges = list(dirframe.child_table(accounts, "badges"))
    assert badges == ["account_id", "name", "level", "description", "image_url", "pips_url"]


def test_child_table_keeps_what_else_an_entry_has(build):
    frame = build(
        '<analysis><languages><language percentage="lots">C</language></languages></analysis>',
        "<licenses><license>MIT</license></licenses>",
        "<licenses><license><name>gpl</name></license></licenses>",
        "<licenses><license><name>a</name></license><license><new>b</new></license></licenses>",
    )
    with pytest.warns(UnreadableValueWarning, match="1 in percentage"):
        languages = dirframe.child_table(frame, "languages")
    assert languages["percentage"].isna().all()
    assert languages["percentage_unreadable"].tolist() == ["lots"]
    table = dirframe.child_table(frame, "licenses")
    assert table["project_id"].tolist() == ["2", "3", "4", "4"]
    assert table["name"].dropna().to_dict() == {1: "gpl", 2: "a"}
    assert table["license"].dropna().to_dict() == {0: "MIT"}
    assert table["new"].dropna().to_dict() == {3: "b"}
    shares = [{"language": "C", "percentage": 80}, {"language": "M4", "percentage": 0.5}]
    foreign = pd.DataFrame({"id": ["1"], "analysis_languages": [shares], "tags": [["x", 0]]})
    assert dirframe.child_table(foreign, "languages")["percentage"].tolist() == [80.0, 0.5]
    assert dirframe.child_table(foreign, "tags")["tag"].tolist() == ["x", "0"]


def test_child_table_entry_does_not_replace_the_id_of_its_parent(build):
    links = [f"<links><link><project_id>{i}</project_id></link></links>" for i in (9, 2)]
    table = dirframe.child_table(build(*links), "links")
    assert table[["project_id", "project_id_"]].to_numpy().tolist() == [["1", "9"], ["2", "2"]]
    same = dirframe.child_table(build(links[1].replace("2", "1")), "links")
    assert "project_id_" not in same


def with_lists(frame, form):
    return frame.assign(tags=frame["tags"].map(form, na_action="ignore"))


def as_csv(frame, folder):
    file = dirframe.export(frame, folder / "projects.csv")
    return pd.read_csv(file, dtype={"id": "str"})


def as_parquet(frame, folder):
    frame.to_parquet(folder / "projects.parquet")
    return pd.read_parquet(folder / "projects.parquet")


def as_polars(frame, _):
    polars = pytest.importorskip("polars", reason="Polars is optional")
    return polars.from_pandas(frame)


#: What other programs make of the lists of a frame.
FORMS = {
    "JSON in CSV": as_csv,
    "tuples": lambda frame, _: with_lists(frame, tuple),
    "arrays": lambda frame, _: with_lists(frame, np.array),
    "Parquet": as_parquet,
    "Arrow": lambda frame, _: pa.Table.from_pandas(frame),
    "Polars": as_polars,
}


@pytest.mark.parametrize("form", FORMS)
def test_child_table_reads_lists_whatever_they_were_made_to(form, build, tmp_path):
    frame = build(TAGS + LANGUAGES, "", TAGS)
    other = FORMS[form](frame, tmp_path)
    tags, languages = dirframe.child_table(other, "tags"), dirframe.child_table(other, "languages")
    pd.testing.assert_frame_equal(tags, dirframe.child_table(frame, "tags"))
    pd.testing.assert_frame_equal(languages, dirframe.child_table(frame, "languages"))
    assert len(dirframe.select(other, tags="a")) == 2


def test_child_table_refuses_what_is_no_list_or_no_frame(build):
    frame = build(TAGS)
    cases = {
        "sets": (frame.assign(tags=frame["tags"].map(set)), InvalidInputError, "tags"),
        "texts": (frame.assign(tags=frame["tags"].map(str)), InvalidInputError, "tags"),
        "numbers": (frame.assign(tags=frame["tags"].map(len)), InvalidInputError, "tags"),
        "no ids": (frame.drop(columns="id"), MissingColumnsError, "'id'"),
        "a name twice": (pd.concat([frame, frame[["name"]]], axis=1), InvalidInputError, "name"),
        "list": ([1], InvalidInputError, "list"),
        "series": (frame["tags"], InvalidInputError, "pandas.Series"),
    }
    refused = {}
    for case, (records, _, named) in cases.items():
        error = raised(dirframe.child_table, records, "tags")
        refused[case] = (type(error), named in str(error))
    assert refused == {case: (kind, True) for case, (_, kind, _) in cases.items()}
    with pytest.raises(InvalidInputError, match="people"):
        dirframe.child_table(frame, "people")


def test_child_table_of_another_resource(build):
    """Its own key, lists that the schema does not name, and dtypes by what the entries are."""
    entry = {"deep": ["a", ["b"]], "name": "x", "rank": "7"}
    frame = pd.DataFrame({"contributor_id": ["7", "8"], "prizes": [[entry], None]})
    set_provenance(frame, source="D", resource="contributor_fact")
    table = dirframe.child_table(frame, "prizes")
    assert table["rank"].dtype == "Int64"
    assert table.to_dict("records") == [{"contributor_id": "7", **entry, "rank": 7}]
    with pytest.raises(InvalidInputError, match="prizes"):
        dirframe.child_table(frame, "medals")
    # Fields that the specification does not list are text.
    prizes = dirframe.child_table(build("<prizes><prize rank='7'/></prizes>"), "prizes")
    assert prizes["rank"].tolist() == ["7"]


def test_arrow_table_is_taken_as_the_frame_is(sample_projects, tmp_path):
    projects = sample_projects.head(75)
    table = pa.Table.from_pandas(projects)
    assert dirframe.cite(table) == dirframe.cite(projects)
    assert caption(table) == caption(projects)
    for name, source in (("arrow", table), ("pandas", projects)):
        dirframe.export(source, tmp_path / f"{name}.csv")
    assert (tmp_path / "arrow.csv").read_bytes() == (tmp_path / "pandas.csv").read_bytes()
    assert "5 of 1,500 " in dirframe.cite(table.select(["id", "name"]).slice(0, 5))


def test_arrow_types_become_those_of_the_loaders():
    moment = pd.Timestamp("2026-01-02T03:04:05Z")
    midnight, text, number = moment.normalize(), pa.array(["7", None]), Decimal("1.5")
    columns = {
        "id": (text, "str", "7"),
        "view": (text.cast(pa.string_view()), "str", "7"),
        "coded": (text.dictionary_encode(), "str", "7"),
        "codes": (pa.array([1, None], pa.int8()).dictionary_encode(), "Int64", 1),
        "unsigned": (pa.array([1, None], pa.uint64()), "Int64", 1),
        "whole": (pa.array([Decimal(1), None], pa.decimal128(9, 0)), "Int64", 1),
        "float": (pa.array([1.5, None], pa.float32()), "Float64", 1.5),
        "decimal": (pa.array([number, None], pa.decimal128(9, 2)), "Float64", 1.5),
        "date": (pa.array([moment.date(), None], pa.date32()), "datetime64[us, UTC]", midnight),
        "naive": (pa.array([moment, None], pa.timestamp("ms")), "datetime64[us, UTC]", moment),
        "flag": (pa.array([True, None]), "boolean", True),
        "lists": (pa.array([["a"], None], pa.large_list(pa.string())), "object", ["a"]),
        "nested": (pa.array([{"a": 1}, None]), "object", {"a": 1}),
    }
    frame = dirframe.select(pa.table({name: array for name, (array, *_) in columns.items()}))
    read = {}
    for name in columns:
        value, missing = frame[name].tolist()
        read[name] = (str(frame[name].dtype), value, pd.isna(missing))
    assert read == {name: (dtype, value, True) for name, (_, dtype, value) in columns.items()}
    with pytest.raises(InvalidInputError, match="big"):
        dirframe.select(pa.table({"big": pa.array([2**64 - 1], pa.uint64())}))
