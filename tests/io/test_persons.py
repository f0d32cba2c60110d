"""A study publishes nothing of a person unasked, in whatever dtype, table or fact it stands."""

import json
import re
import warnings
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import dirframe
from dirframe import ExportWarning, IncompleteWarning, InvalidInputError, export, stats
from dirframe.provenance import copy_provenance, set_provenance
from dirframe.schema import STATISTIC_COLUMNS
from dirframe.schema.addresses import mask_addresses
from tests.cases import slow_except
from tests.frames import with_provenance
from tests.rig.server import Rig
from tests.stats.test_every_statistic import COLUMNS

NAMES = ["Ada Lovelace", "Dolores Núñez", "kiran_k"]
WORDS = re.compile("Lovelace|Dolores|Núñez|kiran", re.IGNORECASE)


class Person:
    """A person, as an object."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


def columns_of(names):
    """Return names in each dtype that holds some."""
    maps = [[(name, 1)] for name in names]
    content = [name.encode() for name in names]
    arrow = {
        "string": pa.array(names, pa.string()),
        "large_string": pa.array(names, pa.large_string()),
        "string_view": pa.array(names, pa.string_view()),
        "dictionary": pa.array(names).dictionary_encode(),
        "binary": pa.array(content),
        "list": pa.array([[name] for name in names]),
        "struct": pa.array([{"by": name} for name in names]),
        "map": pa.array(maps, pa.map_(pa.string(), pa.int64())),
    }
    extensions = {
        f"Arrow {kind}": pd.Series(pd.arrays.ArrowExtensionArray(array))
        for kind, array in arrow.items()
    }
    return extensions | {
        "str": pd.Series(names, dtype="str"),
        "string[python]": pd.Series(names, dtype="string[python]"),
        "string[pyarrow]": pd.Series(names, dtype="string[pyarrow]"),
        "object": pd.Series(names, dtype="object"),
        "category": pd.Series(names, dtype="category"),
        "ordered category": pd.Series(pd.Categorical(names, ordered=True)),
        "category of str": pd.Series(names, dtype="str").astype("category"),
        "bytes": pd.Series(content),
        "lists": pd.Series([[name] for name in names]),
        "tuples": pd.Series([(name, 1) for name in names]),
        "records": pd.Series([{"by": name} for name in names]),
        "nested": pd.Series([[{"by": [name]}] for name in names]),
        "arrays": pd.Series([np.array([name]) for name in names]),
        "objects": pd.Series([Person(name) for name in names]),
        "numbers and a name": pd.Series([1, 2.5, names[2]], dtype="object"),
        "sparse": pd.Series(names, dtype="object").astype("Sparse[object]"),
    }


def harmless_columns():
    """Return columns that can hold no name."""
    times = pd.to_datetime(["2013-01-01", "2013-01-02", None], utc=True)
    columns = {
        "int64": [1, 2, 3],
        "float32": pd.Series([1, 2, None], dtype="float32"),
        "Int8": pd.Series([1, 2, None], dtype="Int8"),
        "Float64": pd.Series([1, 2, None], dtype="Float64"),
        "bool": [True, False, True],
        "boolean": pd.Series([True, None, False], dtype="boolean"),
        "datetime64": times.tz_localize(None),
        "datetime64[UTC]": times.as_unit("us"),
        "category of numbers": pd.Series([1, 2, 1], dtype="category"),
        "object of numbers": pd.Series([1, 2.5, None], dtype="object"),
    }
    for kind, values in (
        (pa.int64(), [1, 2, None]),
        (pa.bool_(), [True, None, False]),
        (pa.timestamp("us", "UTC"), times),
    ):
        columns[f"Arrow {kind}"] = pd.Series(values).astype(pd.ArrowDtype(kind))
    return {f"own_{number}": values for number, values in enumerate(columns.values())}


@pytest.fixture
def write(tmp_path):
    """Return the files of a study, the texts of its Parquet files among them."""

    def write(frames, **options):
        file = export(frames, tmp_path / "one.zip", overwrite=True, **options)
        return contents(file)

    return write


def contents(file):
    """Return the files of a study by name, and with each table its columns."""
    files = {}
    with zipfile.ZipFile(file) as packed:
        for name in packed.namelist():
            content = packed.read(name)
            files[name] = content.decode(errors="replace")
            if name.endswith(".parquet"):
                table = pa.parquet.read_table(pa.BufferReader(content))
                files[f"{name} columns"] = table.column_names
                files[f"{name} texts"] = f"{table.to_pydict()} {table.schema.metadata}"
    return files


def package_of(files):
    return json.loads(files["datapackage.json"])


def leaks(files):
    return {name: found for name, text in files.items() if (found := WORDS.findall(str(text)))}


def accounts():
    frame = pd.DataFrame(
        {
            "id": ["1", "2", "3"],
            "name": NAMES,
            "posts_count": pd.array([3, 4, 5], dtype="Int64"),
            "country_code": ["DE", "FR", "NA"],
        }
    )
    facts = {"source": "A directory", "resource": "account", "items_loaded": 3}
    return with_provenance(frame, completeness="proven", **facts)


def projects(**columns):
    frame = pd.DataFrame(
        {
            "id": ["1", "2", "3"],
            "name": ["one", "two", "three"],
            "description": ["A parser", "A list", None],
            "tags": [["web"], ["xml", "web"], None],
            "analysis_main_language_name": ["C", "Java", "C"],
            "links": [[{"title": "Home", "url": "https://a.example"}], None, None],
        }
    ).assign(**columns)
    facts = {"source": "A directory", "resource": "project", "items_loaded": 3}
    return with_provenance(frame, completeness="proven", **facts)


def contributors():
    frame = pd.DataFrame(
        {"contributor_id": ["7", "8", "9"], "contributor_name": NAMES, "commits": [3, 2, 1]}
    )
    return with_provenance(frame, source="A directory", resource="contributor_fact")


def unified():
    return dirframe.unify_countries(accounts())


def licensed():
    return projects(licenses=[[{"name": "mit"}], [{"name": "gpl3"}], None])


#: What makes a table with three rows: records, a statistic or entries of lists.
OF_THREE = {
    "accounts": accounts,
    "projects": projects,
    "contributors": contributors,
    "statistic": lambda: stats.accounts_by_country(unified()),
    "divided": lambda: stats.by(stats.posts_distribution, unified(), "country"),
    "audit": lambda: dirframe.country_audit(unified()),
    "entries": lambda: dirframe.child_table(projects(), "tags"),
    "families": lambda: dirframe.with_license_family(licensed()),
    "licences": lambda: stats.by(stats.tags, licensed(), "license"),
    "own table": lambda: copy_provenance(accounts(), pd.DataFrame({"share": [1.0, 2.0, 3.0]})),
}


def table_of_three(kind):
    return OF_THREE[kind]()


TABLES = ["accounts", "projects", "contributors", "statistic", "divided", "audit", "entries"]
TABLES += ["own table"]


# Frames


@pytest.mark.parametrize("kind", slow_except(TABLES, ["accounts", "projects"]))
def test_persons_in_own_columns_of_every_dtype_are_left_out_of_every_table(kind, write):
    table = table_of_three(kind)
    before = leaks({"": table.to_csv()})
    columns = columns_of(NAMES)
    names = {dtype: f"who_{number}" for number, dtype in enumerate(columns)}
    own = {names[dtype]: column for dtype, column in columns.items()}
    with pytest.warns(ExportWarning, match="who_0.* left out"):
        files = write(table.assign(**own))
    (reason,) = re.findall("Left out.*who_0.*", files["README.md"])
    assert leaks(files) == {}
    assert {*own}.isdisjoint(files["data/one.parquet columns"])
    assert {*re.findall(r"who_\d+", reason)} == {*own}
    assert bool(before) == (kind in {"accounts", "contributors"})


class Number(int):
    """A number that is printed as a person."""

    def __str__(self):
        return NAMES[0]


NESTED = {
    "frames": [pd.DataFrame({"by": [name]}) for name in NAMES],
    "series": [pd.Series([1], name=name) for name in NAMES],
    "indexes": [pd.Index([name]) for name in NAMES],
    "Arrow arrays": [pa.array([name]) for name in NAMES],
    "numbers that print a name": [Number(number) for number in range(3)],
}


@pytest.mark.parametrize("column", ["who", "name", "posts_count"])
@pytest.mark.parametrize("kind", NESTED)
def test_persons_in_objects_of_other_libraries_are_left_out(kind, column, write):
    values = pd.Series(NESTED[kind], dtype="object")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)
        files = write(accounts().assign(**{column: values}))
    assert leaks(files) == {}
    assert column not in files["data/one.parquet columns"]


@pytest.mark.parametrize("keep", [(), ["who"]], ids=["known", "named in keep"])
def test_persons_in_the_dictionary_of_a_column_that_no_row_has_are_left_out(keep, write):
    numbers = pa.array([0, 1, None], pa.int8())
    array = pa.DictionaryArray.from_arrays(numbers, pa.array(["C", "Java", *NAMES]))
    column = pd.Series(pd.arrays.ArrowExtensionArray(array))
    name = "who" if keep else "analysis_main_language_name"
    files = write(projects(**{name: column}), keep=keep)
    assert leaks(files) == {}
    assert f"{name}': ['C', 'Java', None]" in files["data/one.parquet texts"]


@pytest.mark.parametrize(
    "column",
    [
        *("adaLovelace", "ada_lovelace", "kirank", "KIRAN_K", "nTests"),
        *("lovelace_ada", "commits_of_ada_lovelace", "lovelace_2020_ada"),
        "_".join(f"w{number}" for number in range(2_000)),  # more words than are looked through
    ],
)
def test_persons_after_whom_a_column_of_a_pivot_is_called_however_it_is_written(column, write):
    pivot = copy_provenance(projects(), pd.DataFrame({"commits": [1], column: [2]}))
    with pytest.warns(ExportWarning):
        files = write({"pivot": pivot, "accounts": accounts()})
    assert files["data/pivot.parquet columns"] == ["commits"]
    assert "1 whose name may be that of a person" in files["README.md"]


@pytest.mark.parametrize("kind", slow_except(TABLES, ["accounts", "projects"]))
def test_persons_are_not_suspected_in_numbers_truths_and_times(kind, write):
    columns = harmless_columns()
    files = write(table_of_three(kind).assign(**columns))
    assert {*columns} <= {*files["data/one.parquet columns"]}


@pytest.mark.parametrize(
    "kind", ["statistic", "divided", "audit", "entries", "families", "licences"]
)
def test_persons_are_not_suspected_in_what_a_function_made(kind, write):
    table = table_of_three(kind)
    assert write(table)["data/one.parquet columns"] == list(table)


@pytest.mark.parametrize(
    ("column", "dtype"),
    [
        ("accounts", "category"),
        ("share", "str"),
        ("share", "Arrow dictionary"),
        ("share", "records"),
    ],
)
def test_persons_in_the_numbers_of_a_statistic_are_left_out(column, dtype, write):
    table = table_of_three("statistic")
    names = columns_of(NAMES)[dtype]
    with pytest.warns(ExportWarning, match=column):
        files = write(table.assign(**{column: names}))
    assert leaks(files) == {}
    assert column not in files["data/one.parquet columns"]


@pytest.mark.parametrize("resource", ["account", "", "somebody"])
def test_persons_whose_records_are_flagged_are_left_out(resource, write):
    frame = with_provenance(accounts().assign(posts_count=-1), resource=resource)
    files = write(dirframe.flags(frame))
    assert leaks(files) == {}
    assert files["data/one.parquet columns"] == ["id", "rule", "evidence"]


def test_projects_that_are_flagged_keep_their_names(write):
    flagged = dirframe.flags(projects(analysis_total_code_lines=-1))
    assert "name" in write(flagged)["data/one.parquet columns"]


@pytest.mark.parametrize("known", ["posts_count", "country_code", "id", "created_at"])
def test_persons_under_the_name_of_another_column_are_left_out(known, write):
    # What is no number is not what the schema says; a code of a country is any text.
    frame = accounts().assign(**{known: columns_of(NAMES)["records"]})
    with pytest.warns(ExportWarning, match=known):
        assert leaks(write(frame)) == {}
    if known != "country_code":
        with pytest.warns(ExportWarning, match=known):
            assert leaks(write(accounts().assign(**{known: NAMES}))) == {}


def test_persons_in_a_known_column_are_left_out_as_category_too(write):
    frame = accounts().astype({"name": "category"})
    frame["country_code"] = pd.Categorical(["DE", "FR", "DE"], categories=["DE", "FR", *NAMES])
    assert leaks(write(frame)) == {}


def test_persons_in_the_parts_of_an_entry_are_left_out(write):
    title = {"title": {"by": NAMES[0]}, "url": "https://a.example"}
    entries = pd.Series([[title], [{"owner": NAMES[1]}], NAMES[2]], dtype="object")
    frame = projects(links=entries, similar_projects=entries.head(2))
    with pytest.warns(ExportWarning, match="links, title in similar_projects|owner in"):
        files = write(frame)
    assert leaks(files) == {}


def pivot_of_names():
    """Return a table whose columns are called as accounts are."""
    frame = accounts()
    pivot = frame.pivot_table(values="posts_count", columns="name", aggfunc="sum")
    return copy_provenance(frame, pivot.reset_index(drop=True).astype("int64")).assign(n=1)


def statistic_of_names():
    return table_of_three("statistic").assign(**NUMBERS_OF_PERSONS)


#: What makes the frames of a study that hold names in the index, or as names of columns.
PLACES = {
    "names of columns": lambda: {"wide": pivot_of_names(), "people": accounts()},
    "numbers": lambda: {"numbers": accounts().assign(**NUMBERS_OF_PERSONS)},
    "statistic": lambda: {"table": statistic_of_names(), "a": accounts()},
    "index": lambda: {"indexed": accounts().set_index(pd.Index(NAMES, name="who"))},
    "index without a name": lambda: {"unnamed": accounts().set_index(pd.Index(NAMES))},
}


NUMBERS_OF_PERSONS = {"Ada Lovelace": 1, "kiran_k": 2, "share": 0.5}


@pytest.mark.parametrize("place", slow_except(PLACES, ["names of columns", "index"]))
def test_persons_in_index_and_names_of_columns_are_left_out(place, write):
    with pytest.warns(ExportWarning):
        assert leaks(write(PLACES[place]())) == {}


def test_persons_by_whom_a_statistic_is_divided_are_left_out(write):
    assert leaks(write(stats.by(stats.posts_distribution, accounts(), "name"))) == {}


def test_persons_as_the_name_of_all_columns_are_left_out(write):
    frame = accounts().drop(columns="name").rename_axis(columns=NAMES[0])
    assert leaks(write(frame)) == {}


def test_persons_after_whom_columns_are_called_are_counted(write):
    with pytest.warns(ExportWarning):
        readme = write(PLACES["numbers"]())["README.md"]
    assert "name, 2 whose name may be that of a person" in readme


@pytest.mark.parametrize("library", ["polars", "arrow"])
def test_persons_in_frames_of_other_libraries_are_left_out(library, write):
    table = pa.Table.from_pandas(accounts())
    who = pa.array(NAMES)
    added = {
        "text": who,
        "large": who.cast(pa.large_string()),
        "coded": who.dictionary_encode(),
        "list": pa.array([[name] for name in NAMES]),
        "record": pa.array([{"by": name} for name in NAMES]),
        "binary": who.cast(pa.binary()),
    }
    for name, array in added.items():
        table = table.append_column(name, array)
    frame = table
    if library == "polars":
        pl = pytest.importorskip("polars", reason="the slow tests have it")
        columns = pl.from_arrow(table)
        pl_only = {"kind": pl.Categorical, "chosen": pl.Enum(NAMES)}
        columns = columns.with_columns(
            pl.Series(name, NAMES).cast(kind) for name, kind in pl_only.items()
        )
        frame = copy_provenance(accounts(), dirframe._arrow.as_pandas(columns))
        added |= pl_only
    with pytest.warns(ExportWarning):
        files = write(frame)
    assert leaks(files) == {}
    assert {*added}.isdisjoint(files["data/one.parquet columns"])
    assert "posts_count" in files["data/one.parquet columns"]


def test_persons_stay_out_when_a_file_becomes_a_study_in_the_shell(tmp_path, run):
    frame = accounts()
    frame["who"] = frame["name"].astype("category")
    frame["years"] = [3, 4, 5]
    export(frame, tmp_path / "a.parquet")
    outcome = run("export", tmp_path / "a.parquet", tmp_path / "a.zip")
    assert outcome.code == 0, outcome.err
    files = contents(tmp_path / "a.zip")
    assert leaks(files) == {}
    assert files["data/a.parquet columns"] == ["id", "posts_count", "country_code", "years"]


# What is kept


def test_columns_are_kept_that_are_named(write):
    tests = copy_provenance(projects(), pd.DataFrame({"test": ["age", "size"], "value": [1, 2]}))
    frames = {"tests": tests, "accounts": accounts().assign(who=NAMES)}
    with pytest.warns(ExportWarning, match="who left out"):
        files = write(frames, keep={"tests": ["test"]})
    assert files["data/tests.parquet columns"] == ["test", "value"]
    assert leaks(files) == {}
    single = write(tests.assign(mail="ada@example.org"), keep=["test", "mail"])
    assert single["data/one.csv"] == "test,value,mail\nage,1,…@…\nsize,2,…@…\n"
    assert "name" in write(accounts(), keep={"one": "name"})["data/one.parquet columns"]


@pytest.mark.parametrize(
    ("keep", "named"),
    [
        (["test"], "tests, accounts"),
        ("test", "keep"),
        ({"test": ["test"]}, "Did you mean 'tests'"),
        ({"tests": ["tset"]}, "Did you mean 'test'"),
    ],
)
def test_columns_to_keep_that_are_not_there_are_refused(keep, named, tmp_path):
    tests = copy_provenance(projects(), pd.DataFrame({"test": ["age"], "value": [1]}))
    with pytest.raises(InvalidInputError, match=named):
        export({"tests": tests, "accounts": accounts()}, tmp_path / "s.zip", keep=keep)
    assert not [*tmp_path.iterdir()]


def test_columns_to_keep_are_those_of_a_study_alone(tmp_path):
    with pytest.raises(InvalidInputError, match="keep"):
        export(projects(), tmp_path / "p.csv", keep={"p": ["name"]})


def test_columns_are_kept_that_the_shell_names(tmp_path, run):
    for name in ("tests", "a.b"):
        table = pd.DataFrame({"test": ["age"], "of": ["C"], "value": [1]})
        export(copy_provenance(projects(), table), tmp_path / f"{name}.parquet")
    files = [tmp_path / "tests.parquet", tmp_path / "a.b.parquet"]
    words = ("--keep", "tests.test", "--keep", "a.b.test", "--keep", "a.b.of")
    outcome = run("export", *files, tmp_path / "s.zip", *words)
    assert outcome.code == 0, outcome.err
    study = contents(tmp_path / "s.zip")
    assert study["data/tests.parquet columns"] == ["test", "value"]
    assert study["data/a.b.parquet columns"] == ["test", "of", "value"]
    assert run("export", files[0], tmp_path / "t.zip", "--keep", "tests.test").code == 0
    wrong = run("export", *files, tmp_path / "u.zip", "--keep", "other.test")
    assert (wrong.code, (tmp_path / "u.zip").exists()) == (2, False)
    assert "other.test" in wrong.err


# Addresses of e-mail

ADDRESSES = {
    "naihe2010@gmail.com, apvlv@googlegroups.com": "…@…, …@…",
    "mailto:Ada.L+x@ex-ample.co.uk?subject=x": "mailto:…@…?subject=x",
    "Write to ada (at) example (dot) org.": "Write to …@….",
    "ada[AT]example[DOT]org": "…@…",
    "ada at example dot org": "…@…",
    "ada AT example.org": "…@…",
    "ada @ example.org": "…@…",
    "ada\N{ZERO WIDTH SPACE}@example.org": "…@…",
    "ada\N{FULLWIDTH COMMERCIAL AT}example.org": "…@…",
    "ada%40example.org": "…@…",
    "ada&#64;example&#46;org": "…@…",
    '"Ada L."@example.org': "…@…",
    "Dolores.Núñez@exämple.org": "…@…",
    "root@localhost": "…@…",
    "ada (  at ) example.org": "…@…",
    "o'neil!x=y&z@example.org": "…@…",
    "git@vger.kernel.org is a list": "…@… is a list",
    "svn://anonymous:x@example.org/x": "svn://…@example.org/x",
    "https://ada:secret@example.org/x": "https://…@example.org/x",
}
NO_ADDRESSES = [
    "hosted at sourceforge.net",
    "Downloads @ www.example.org!",
    "git@github.com:owner/repository.git",
    ":pserver:anonymous@cvs.example.net:/cvsroot",
    "https://medium.com/@ada",
    "svn://anonymous@svn.example.org",
    "npm install @scope/package@1.2.3",
    "@decorator foo@bar",
]


@pytest.mark.parametrize("text", ADDRESSES)
def test_address_is_masked_however_it_is_spelt(text):
    masked, count = mask_addresses(text)
    assert masked == ADDRESSES[text]
    assert count == ADDRESSES[text].count("@")
    assert mask_addresses(masked) == (masked, 0)


@pytest.mark.parametrize("text", NO_ADDRESSES)
def test_address_is_not_seen_where_there_is_none(text):
    assert mask_addresses(text) == (text, 0)


def test_addresses_in_every_text_of_a_study_are_masked_and_counted(write):
    link = {"title": "Write kiran@example.org", "url": "mailto:kiran@example.org"}
    frame = projects(
        description=["By lovelace@example.org and kiran@x.example.", "None", None],
        homepage_url=["https://kiran:x@example.org", None, None],
        tags=[["kiran@example.org"], ["web"], None],
        links=[[link], None, None],
        analysis_main_language_name=pd.Categorical(["C", "kiran@example.org", "C"]),
    )
    set_provenance(frame, query={"query": "lovelace@example.org"}, steps=["by kiran@x.example"])
    tables = {
        "projects": frame,
        "tags": stats.tags(frame),
        "links": dirframe.child_table(frame, "links"),
        "languages": stats.language_share(frame),
    }
    files = write(tables)
    assert leaks(files) == {}
    assert "By …@… and …@…." in files["data/projects.csv"]
    counted = re.findall(r"Masked as …@…: (.*)\.", files["README.md"])
    of_projects = "2 in description, 1 in tags, 1 in analysis_main_language_name, 2 in links"
    assert counted[0] == (
        f"9 e-mail addresses ({of_projects}, 1 in homepage_url, 2 in the provenance)"
    )
    assert len(counted) == 4
    assert leaks(write(tables, personal=True))


# Facts


def test_words_by_which_accounts_were_searched_are_left_out(write, tmp_path, run):
    found = with_provenance(accounts(), query={"query": "lovelace"})
    selected = dirframe.select(accounts(), search="lovelace")
    at_place = dirframe.select(
        accounts().assign(latitude=[1.5, 2, 3]), ranges={"latitude": (1.25, None)}
    )
    of_contributors = with_provenance(contributors(), query={"query": "kiran", "sort": "commits"})
    failed = with_provenance(accounts(), failures={"kiran": "gone", "7": "gone"})
    kudos = with_provenance(
        pd.DataFrame({"account_id": ["7"], "created_at": pd.Timestamp("2020-01-01", tz="UTC")}),
        resource="kudo",
        source="A directory",
        completeness="incomplete",
        incomplete_reason="kiran (gone) could not be loaded",
        failures={"kiran": "gone"},
    )
    member = with_provenance(
        projects(), resource="person", query={"path": "/people/9/friends/kiran.xml"}
    )
    other = accounts()
    other.attrs["dirframe"] |= {"asked_by": NAMES[0]}
    export(accounts(), tmp_path / "a.parquet")
    words = ("--where", f"name={NAMES[0]}", "--where", "search=lovelace")
    outcome = run("export", tmp_path / "a.parquet", tmp_path / "a.zip", *words)
    assert outcome.code == 0, outcome.err
    studies = {
        "query": write(found),
        "search": write(selected),
        "ranges": write(at_place),
        "contributors": write(of_contributors),
        "failures": write(failed),
        "reason": write(kudos),
        "path of another interface": write(member, keep=[*member]),
        "unknown facts": write(other),
        "statistic": write(stats.posts_distribution(selected)),
        "shell": contents(tmp_path / "a.zip"),
    }
    leaking = [name for name, files in studies.items() if leaks(files)]
    assert leaking == []
    assert "1.25" not in studies["ranges"]["README.md"]
    assert "1 of those asked for could not be loaded" in studies["reason"]["README.md"]
    path = studies["path of another interface"]["README.md"]
    assert "/people/9/friends/(left out).xml" in path
    assert "matching “(left out)”" in studies["query"]["README.md"]
    assert "words of the selection" in studies["shell"]["README.md"]
    # Of projects, they are no words about persons.
    asked = with_provenance(projects(), query={"query": "parser"})
    assert "matching “parser”" in write(asked)["README.md"]


def test_names_of_accounts_whose_projects_were_loaded_are_left_out(write):
    rig = Rig()
    rig.add("project", 2, path="/accounts/kiran/projects.xml")
    with rig.in_process(), pytest.warns(IncompleteWarning, match="lovelace"):
        frame = dirframe.load(
            "managed_projects",
            of=["kiran", "lovelace"],
            directory=rig.directory(),
            incomplete="warn",
        )
    with pytest.warns(ExportWarning, match="account_id left out"):
        files = write(frame)
    assert (leaks({"": frame.attrs}), leaks(files)) == ({"": ["lovelace"] * 2}, {})
    assert "1 of those asked for could not be loaded" in files["README.md"]


@pytest.mark.parametrize("name", ["KIRAN_K", "kiran k", "commits_of_kiran_k"])
def test_tables_and_files_that_are_called_as_a_person_are_refused(name, write, tmp_path):
    table = projects()[["id"]]
    with pytest.raises(InvalidInputError, match=re.escape(name)):
        write({"a": accounts(), name: table})
    figure = tmp_path / f"{name}.svg"
    figure.write_text("<svg/>")
    with pytest.raises(InvalidInputError, match=re.escape(figure.name)):
        write({"a": accounts()}, files=[figure])
    written = write({"a": accounts(), name: table}, files=[figure], personal=True)
    assert f"files/{figure.name}" in written


def test_table_is_called_as_its_collection_where_a_person_is_called_so_too(write):
    frame = accounts()
    frame.loc[0, "name"] = "Projects"
    assert "data/projects.csv" in write({"a": frame, "projects": projects()[["id"]]})


def test_ids_that_lead_back_to_a_person_are_named(write):
    stack = pd.DataFrame({"id": ["5"], "account_id": ["7"], "account__id": ["7"]})
    with_provenance(stack, source="A directory", resource="stack")
    tables = {"a": accounts(), "c": contributors(), "p": projects(), "s": stack}
    readme = write(tables)["README.md"]
    named = re.findall(r"Pseudonyms: with (.+) the directory tells who a person is", readme)
    assert named == ["id", "contributor_id", "id, account_id, account__id"]
    with pytest.warns(ExportWarning, match="account__id"):
        assert leaks(write(stack.assign(account__id="kiran"))) == {}


def test_addresses_as_names_of_records_that_failed_are_masked(write):
    failures = {"ada@example.org": "not found", "bob@example.org": "not found"}
    frame = with_provenance(projects(), failures=failures)
    record = package_of(write(frame))["resources"][0]["provenance"]
    assert record["failures"] == {"…@…": "not found", "…@… (2)": "not found"}


def test_columns_of_statistics_are_those_that_are_published():
    published = {name: [*columns] for name, columns in STATISTIC_COLUMNS.items()}
    made = {
        name: [column.partition(":")[0] for column in text.split()]
        for name, text in COLUMNS.items()
    }
    made["flags"] = [*dirframe.flags(pd.DataFrame({"posts_count": [-1]}))]
    made["country_audit"] = [*dirframe.country_audit(pd.Series(["DE"]))]
    assert published == made
