"""What a frame remembers of where it came from, and how it is cited."""

import io
import pickle
import re
from datetime import UTC, datetime, timedelta

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import __version__, cite, provenance
from dirframe.errors import InvalidInputError
from dirframe.provenance import (
    absent,
    caption,
    copy_provenance,
    difference,
    get_provenance,
    resource_of,
    set_provenance,
)
from dirframe.schema import ACCOUNT, PROJECT
from dirframe.stats import by, language_share


def loaded(rows=3, **facts):
    """Return a frame as a loader gives it."""
    known = {
        "source": "A directory",
        "base_url": "https://directory.example",
        "resource": "project",
        "query": {"query": "xml", "sort": "name", "max_items": 3},
        "items_available": 2500,
        "items_loaded": 3,
        "complete": True,
        "retrieved_oldest": "2026-11-19T23:59:59Z",
        "retrieved_newest": "2026-11-20T00:00:01Z",
        "dirframe": "0.1.0",
    } | facts
    ids = [str(row) for row in range(rows)]
    return set_provenance(pd.DataFrame({"id": ids}, dtype="str"), **known)


def test_provenance_of_a_frame_from_nowhere_has_every_key():
    record = get_provenance(pd.DataFrame())
    assert (record["source"], record["complete"], record["items_loaded"]) == ("", None, None)
    assert (record["completeness"], record["dirframe"]) == ("unknown", __version__)


@pytest.mark.parametrize("foreign", [None, "text", 7, ["list"]])
def test_provenance_that_is_none_of_ours_is_ignored(foreign):
    frame = pd.DataFrame()
    frame.attrs[provenance.ATTRIBUTE] = foreign
    assert get_provenance(frame) == get_provenance(pd.DataFrame())


def test_facts_that_do_not_exist_are_refused():
    frame = loaded()
    before = get_provenance(frame)
    with pytest.raises(TypeError, match="sourse"):
        set_provenance(frame, sourse="A directory")
    assert get_provenance(frame) == before


@pytest.mark.parametrize(
    "facts",
    [
        {"query": {"query": datetime(2026, 11, 21, tzinfo=UTC)}},
        {"query": {"query": float("nan")}},
        {"query": "xml"},
        {"complete": "yes"},
        {"complete": []},
        {"completeness": "prooven"},
        {"base_url": 5},
        {"excluded": [1]},
        {"synthetic": "no"},
        {"base_url": "https://s3cret@a.example"},
        {"base_url": "https://me:s3cret@a.example"},
        {"base_url": "https://a.example?api_key=s3cret"},
        {"query": {"api_key": "s3cret"}},
    ],
    ids=repr,
)
def test_facts_that_are_not_json_or_hold_a_secret_are_refused(facts):
    frame = loaded()
    before = get_provenance(frame)
    with pytest.raises(InvalidInputError) as caught:
        set_provenance(frame, **facts)
    assert "s3cret" not in str(caught.value)
    assert get_provenance(frame) == before


def test_facts_are_kept_until_they_are_set_again_and_read_as_a_copy():
    frame = loaded(requests_made=2)
    set_provenance(frame, completeness=None, incomplete_reason="capped by max_items=3")
    assert get_provenance(frame)["completeness"] == "unknown"
    record = get_provenance(set_provenance(frame, complete=False))
    assert (record["source"], record["requests_made"]) == ("A directory", 2)
    assert (record["complete"], record["incomplete_reason"]) == (False, "capped by max_items=3")
    record["query"]["query"] = "changed"
    record["steps"].append("changed")
    after = get_provenance(frame)
    assert (after["query"]["query"], after["steps"]) == ("xml", [])


def test_facts_of_wrong_types_in_a_file_of_others_are_not_known():
    frame = pd.DataFrame({"id": ["1"]})
    wrong = {
        "statistic": "x",
        "query": 7,
        "steps": "none",
        "counted": 1,
        "sample": [],
        "source": {},
    }
    frame.attrs["dirframe"] = wrong | {"list": "tags"}
    assert get_provenance(frame) == get_provenance(pd.DataFrame()) | {"list": "tags"}


def test_provenance_survives_what_pandas_and_arrow_let_survive():
    frame = loaded()
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    copies = {
        "query": frame.query("id == '1'"),
        "assign": frame.assign(name="x"),
        "copy": frame.copy(),
        "sort": frame.sort_values("id"),
        "pickle": pickle.loads(pickle.dumps(frame)),
        "Parquet": pd.read_parquet(buffer),
        "Arrow": pa.Table.from_pandas(frame),
    }
    expected = get_provenance(frame)
    assert [name for name, copy in copies.items() if get_provenance(copy) != expected] == []
    assert get_provenance(pa.table({"id": ["1"]}))["source"] == ""


def test_provenance_of_a_derived_frame_has_the_step():
    source = loaded()
    source.attrs["dirframe"] |= {"selection": None, "colour": "green"}  # of another version
    once = copy_provenance(source, pd.DataFrame({"n": [1]}), "count")
    twice = get_provenance(copy_provenance(once, pd.DataFrame({"n": [1]}), "filter"))
    assert (twice["steps"], twice["source"]) == (["count", "filter"], "A directory")
    assert (twice["selection"], twice["colour"]) == ([], "green")
    assert get_provenance(source)["steps"] == []


def test_provenance_names_the_records_or_the_columns_do():
    bare = pd.DataFrame({"id": ["1"], "posts_count": [2]})
    assert resource_of(bare) is ACCOUNT
    assert resource_of(set_provenance(bare.copy(), resource="project")) is PROJECT
    assert resource_of(pd.DataFrame({"id": ["1"]})) is None
    other = resource_of(set_provenance(pd.DataFrame({"id": ["1"]}), resource="gadget"))
    assert other.collection == "gadgets"


@given(st.lists(st.sampled_from(["7", "07", "12", "a", " 7"]), max_size=8))
def test_records_are_compared_with_those_loaded_by_their_numbers(ids):
    frame = pd.DataFrame({"id": pd.Series(ids, dtype="str")})
    change = (3, len(ids), len(ids) - len(set(ids)))
    assert difference(frame) is None
    expected = None if change == (3, 3, 0) else change
    assert difference(set_provenance(frame, items_loaded=3)) == expected


def test_records_without_ids_are_counted_too():
    months = set_provenance(pd.DataFrame({"month": ["a", "b", "c"]}), items_loaded=3)
    assert difference(copy_provenance(months, months.head(1))) == (3, 1, 0)
    assert difference(copy_provenance(months, months.head(1), records=False)) is None


def test_columns_that_were_not_sent_are_told_from_empty_ones():
    frame = set_provenance(
        pd.DataFrame({"id": ["1"], "size": [None], "name": [None]}), not_sent=["size"]
    )
    told = absent(frame, ["id", "size", "name"])
    assert told.columns == ("size",)
    assert "details=True (--details)" in told.hint
    assert absent(frame.assign(size=3), ["size"]) is None  # values that came later
    assert absent(frame.iloc[:0], ["size"]) is None


def test_caption_names_size_source_and_days():
    expected = (
        "n = 3 projects · matching “xml” · Source: A directory, retrieved 2026-11-19 to 2026-11-20"
    )
    assert caption(loaded()) == expected
    one_day = caption(loaded(retrieved_newest="2026-11-19T23:59:59Z"))
    assert one_day == expected.removesuffix(" to 2026-11-20")
    assert "Source: https://directory.example," in caption(loaded(source=""))


@pytest.mark.parametrize(
    ("frame", "size"),
    [
        (loaded().head(1), "n = 1 of 3 projects ·"),
        (loaded(1, items_loaded=1, resource="account"), "n = 1 account ·"),
        (loaded(0, items_loaded=12360, counted={"projects": 12360}), "n = 12,360 projects ·"),
        (pd.DataFrame({"id": ["1"]}), "n = 1 record · Source:"),
    ],
    ids=["part", "one", "counted", "unknown"],
)
def test_caption_begins_with_the_size(frame, size):
    assert caption(frame).startswith(size)


def test_caption_of_generated_records_says_so():
    assert caption(loaded(synthetic=True)).endswith("· synthetic sample data")


DRAWN = {"sample": {"size": 4, "population": 2500, "seed": 7}}
DRAWN_WORDS = "random sample of 4 of 2,500 projects, drawn on 2026-11-19 to 2026-11-20, seed 7"


@pytest.mark.parametrize(
    ("completeness", "facts", "words"),
    [
        ("incomplete", {}, "incomplete: 3 of 2,500 loaded"),
        ("incomplete", {"items_available": None}, "incomplete"),
        ("counted", {}, "counted, not proven complete"),
        ("sample", DRAWN, DRAWN_WORDS),
        ("incomplete", DRAWN, f"incomplete {DRAWN_WORDS}: 3 loaded"),
    ],
)
def test_caption_says_how_complete_the_records_are(completeness, facts, words):
    assert caption(loaded(completeness=completeness, **facts)).endswith(f"· {words}")


STYLES = ("text", "bibtex")


def fields(entry):
    """Read an entry of BibTeX, which has a field a line; the key is under `key`."""
    [head, *lines, end] = entry.splitlines()
    assert end == "}"
    found = dict(re.fullmatch(r"  (\w+) = \{(.*)\},", line).groups() for line in lines)
    return {"key": head.removeprefix("@misc{").removesuffix(",")} | found


def test_citation_styles_have_service_query_size_link_days_and_version():
    assert cite(loaded()) == (
        "A directory. Projects matching “xml”, sorted by name, at most 3 (3 records). "
        "https://directory.example. Retrieved 2026-11-19 to 2026-11-20 with dirframe 0.1.0."
    )
    found = fields(cite(loaded(), style="bibtex"))
    assert re.fullmatch("a-directory-projects-2026-[0-9a-f]{8}", found.pop("key"))
    assert found == {
        "author": "{A directory}",
        "title": "{A directory: Projects matching “xml”, sorted by name, at most 3}",
        "year": "2026",
        "url": "https://directory.example",
        "urldate": "2026-11-20",
        "version": "dirframe 0.1.0",
        "note": "3 records, retrieved 2026-11-19 to 2026-11-20.",
    }


@pytest.fixture
def cleaned_part():
    """Return two of three generated records, of more that there are, with unified countries."""
    short = loaded(complete=False, incomplete_reason="capped by max_items=3", synthetic=True)
    return copy_provenance(short, short.head(2), "unify_countries")


@pytest.mark.parametrize("style", STYLES)
def test_citation_in_every_style_says_synthetic_incomplete_and_what_was_done(style, cleaned_part):
    text = cite(cleaned_part, style=style).replace("\\", "")
    facts = ("ynthetic", "3 of 2,500", "(capped by max_items=3)", "unify_countries")
    assert [fact for fact in facts if fact not in text] == []
    assert "ynthetic" not in cite(loaded(), style=style)


def test_citation_has_what_is_missing_in_its_title_since_most_layouts_print_no_note(cleaned_part):
    title = fields(cite(cleaned_part, style="bibtex"))["title"]
    assert title.endswith(
        " [synthetic sample data] [incomplete: 3 of 2,500 loaded] [2 of 3 records loaded]}"
    )


@pytest.mark.parametrize("style", STYLES)
def test_citation_in_every_style_claims_nothing_that_is_not_known(style):
    no_days = loaded(retrieved_oldest=None, retrieved_newest=None)
    assert "2026" not in cite(no_days, style=style)
    assert "https://directory.example" in cite(loaded(source=""), style=style)
    with pytest.raises(InvalidInputError):
        cite(pd.DataFrame({"id": ["1"]}), style=style)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "directory.localhost"])
def test_citation_has_no_address_of_this_machine(style, host):
    assert f"{host}:8000" not in cite(loaded(base_url=f"http://{host}:8000"), style=style)


def test_citation_in_another_style_is_refused():
    with pytest.raises(InvalidInputError, match=r"'ris'.*text, bibtex, apa"):
        cite(loaded(), style="ris")


def test_citation_in_the_style_of_apa_names_author_year_title_kind_day_and_address():
    frame = loaded(query={"query": "xml"}, items_available=3, completeness="proven")
    assert cite(frame, style="apa") == (
        "A directory. (2026). Projects matching “xml” [Data set]. Retrieved November 20, 2026, with "
        f"dirframe {__version__}, from https://directory.example."
    )
    part = cite(frame.head(2), style="apa")
    assert "[Data set; 2 of 3 records loaded]" in part
    set_provenance(frame, retrieved_oldest=None, retrieved_newest=None)
    assert cite(frame, style="apa").startswith("A directory. (n.d.). Projects matching “xml” [Data")


@pytest.mark.parametrize("style", STYLES)
def test_citation_is_never_of_a_day_in_the_future(style):
    ahead = datetime.now(UTC) + timedelta(days=700)
    text = cite(loaded(retrieved_newest=ahead.isoformat()), style=style)
    assert str(ahead.year) not in text
    assert str(datetime.now(UTC).year) in text


def test_citation_key_of_a_load_is_its_own_and_stays():
    frames = [
        loaded(),
        loaded().iloc[::-1],
        loaded(query={"query": "html"}),
        loaded(retrieved_oldest="2026-11-18T00:00:00Z"),
        loaded(base_url="https://other.example"),
        loaded(2, items_loaded=2),
        loaded().head(1),
    ]
    keys = [fields(cite(frame, style="bibtex"))["key"] for frame in frames]
    assert keys[0] == keys[1]
    assert len(set(keys)) == len(keys) - 1


def test_citation_is_of_what_the_frame_holds():
    frame = loaded()
    assert "(2 of 3 records loaded)" in cite(frame.head(2))
    assert "(6 records, 3 with a repeated id)" in cite(pd.concat([frame, frame]))
    others = pd.DataFrame({"id": ["2", "3", "4"]})
    joined = copy_provenance(frame, pd.concat([frame, others]).drop_duplicates("id"))
    assert "(5 records, 3 were loaded)" in cite(joined)
    # An id that is not the key of the records repeats without a word.
    panel = loaded(resource="activity_fact")
    merged = copy_provenance(panel, pd.DataFrame({"month": [1, 2, 3], "id": ["1", "1", "1"]}))
    assert "repeated" not in caption(merged) + cite(merged)


def test_citation_describes_the_query_in_words():
    query = {"query": "xml", "sort": "name", "max_items": None, "details": True}
    frame = set_provenance(pd.DataFrame(), source="D", resource="project", query=query)
    assert cite(frame).startswith("D. Projects matching “xml”, sorted by name.")
    set_provenance(frame, resource="activity_fact", query={"projects": 10})
    assert cite(frame).startswith("D. Activity facts of 10 projects.")
    set_provenance(frame, resource="gadget", query={"path": "/gadgets.xml"})  # of no schema
    assert cite(frame).startswith("D. Gadgets, path /gadgets.xml.")


def test_citation_of_a_statistic_is_that_of_its_records(sample_frames, tmp_path):
    projects = sample_frames["projects"].head(25)
    projects = set_provenance(projects, items_loaded=25)
    assert "language_share" in cite(language_share(projects))
    assert difference(language_share(projects)) is None
    table = language_share(pd.concat([projects, projects]).head(40))
    assert "(40 records, 15 with a repeated id)" in cite(table)
    assert ", 15 with a repeated id" in caption(table)
    projects.to_parquet(tmp_path / "projects.parquet")  # read by the statistic alone
    assert "(25 records)" in cite(language_share(tmp_path / "projects.parquet"))


def test_citation_names_columns_that_no_statistic_made(sample_frames):
    table = language_share(sample_frames["projects"])
    own = table.head(2).assign(low=0.1, high=0.2)
    strata = by(language_share, sample_frames["projects"], "year").assign(rank=1)
    added = {
        name: re.findall(r"Columns added by hand: (.*?)\.", cite(frame))
        for name, frame in {"none": table, "own": own, "strata": strata}.items()
    }
    assert added == {"none": [], "own": ["low, high"], "strata": ["rank"]}
    assert "low, high" in cite(own, style="bibtex")


def test_bibtex_escapes_what_tex_would_read():
    name = "100% C&A \\ {$x$}\n #1 a_b ~ ^"
    entry = fields(cite(loaded(source=name, query={"query": name}), style="bibtex"))
    escaped = (
        r"100\% C\&A \textbackslash{} \textbraceleft{}\$x\$\textbraceright{} \#1 a\_b "
        r"\textasciitilde{} \textasciicircum{}"
    )
    assert entry["author"] == f"{{{escaped}}}"
    assert entry["title"] == f"{{{escaped}: Projects matching “{escaped}”}}"
