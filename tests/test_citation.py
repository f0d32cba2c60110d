"""How a frame is cited: in a sentence and in BibTeX."""

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dirframe
from dirframe import cite, provenance, stats
from dirframe.errors import InvalidInputError

STYLES = ("text", "bibtex")


def loaded(**facts):
    """Return a frame as a loader gives it."""
    known = {
        "source": "A directory",
        "base_url": "https://directory.example",
        "resource": "project",
        "query": {"query": "xml", "sort": "name", "max_items": 100},
        "items_available": 2500,
        "items_loaded": 100,
        "complete": True,
        "retrieved_oldest": "2026-11-19T23:59:59Z",
        "retrieved_newest": "2026-11-20T00:00:01Z",
        "dirframe": "0.1.0",
    } | facts
    ids = [str(number) for number in range(known["items_loaded"])]
    return provenance.set_provenance(pd.DataFrame({"id": ids}, dtype="str"), **known)


def fields(entry):
    """Read an entry of BibTeX as BibTeX does, by counting braces; the key is under `key`."""
    head, rest = re.fullmatch(r"@misc\{([a-z0-9-]+),(.*)\}\s*", entry, re.DOTALL).groups()
    found = {"key": head}
    while name := re.match(r"\s*(\w+)\s*=\s*\{", rest):
        depth, end = 1, name.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(rest[end], 0)
            end += 1
        found[name[1]] = rest[name.end() : end - 1]
        rest = rest[end:].lstrip().removeprefix(",")
    assert not rest.strip()
    return found


def key(frame):
    return fields(cite(frame, style="bibtex"))["key"]


def test_text_names_service_query_size_link_days_and_version():
    assert cite(loaded()) == (
        "A directory. Projects matching “xml”, sorted by name, at most 100 (100 records). "
        "https://directory.example. Retrieved 2026-11-19 to 2026-11-20 with dirframe 0.1.0."
    )


def test_bibtex_has_the_same_facts():
    found = fields(cite(loaded(), style="bibtex"))
    assert re.fullmatch("a-directory-projects-2026-[0-9a-f]{8}", found.pop("key"))
    assert found == {
        "author": "{A directory}",
        "title": "{A directory: Projects matching “xml”, sorted by name, at most 100}",
        "year": "2026",
        "url": "https://directory.example",
        "urldate": "2026-11-20",
        "version": "dirframe 0.1.0",
        "note": "100 records, retrieved 2026-11-19 to 2026-11-20.",
    }


def test_every_style_says_synthetic_incomplete_and_what_was_done():
    short = loaded(complete=False, incomplete_reason="capped by max_items=100")
    cleaned = provenance.copy_provenance(loaded(), loaded(), "unify_countries")
    for style in STYLES:
        assert "ynthetic" in cite(loaded(synthetic=True), style=style)
        assert "ynthetic" not in cite(loaded(), style=style)
        text = cite(short, style=style).replace("\\", "")
        assert "100 of 2,500" in text
        assert "(capped by max_items=100)" in text
        assert "unify_countries" in cite(cleaned, style=style).replace("\\", "")


def test_the_title_of_bibtex_says_it_too_for_most_layouts_print_no_note():
    frame = loaded(synthetic=True, complete=False).head(7)
    title = fields(cite(frame, style="bibtex"))["title"]
    assert "[synthetic" in title
    assert "[incomplete: 100 of 2,500" in title
    assert "[7 of 100" in title


def test_every_style_claims_nothing_that_is_not_known():
    no_days = loaded(retrieved_oldest=None, retrieved_newest=None)
    for style in STYLES:
        assert "2026" not in cite(no_days, style=style)
        assert "https://directory.example" in cite(loaded(source=""), style=style)
        for host in ("127.0.0.1", "localhost", "[::1]", "directory.localhost"):
            text = cite(loaded(base_url=f"http://{host}:8000"), style=style)
            assert f"{host}:8000" not in text, host  # on one's own machine


def test_a_frame_from_nowhere_and_an_unknown_style_are_refused():
    for style in STYLES:
        with pytest.raises(InvalidInputError):
            cite(pd.DataFrame({"id": ["1"]}), style=style)
    with pytest.raises(InvalidInputError, match=r"'apa'.*text, bibtex"):
        cite(loaded(), style="apa")


def test_the_sample_is_cited_as_synthetic_and_without_a_port(sample_frames):
    text = cite(sample_frames["accounts"])
    assert text.startswith("dirframe sample directory. Accounts")
    assert "Synthetic" in text
    assert "127.0.0.1" not in text


def test_two_loads_have_two_keys_and_each_keeps_its_own():
    assert key(loaded()) == key(loaded().iloc[::-1])
    others = [
        loaded(query={"query": "html"}),
        loaded(resource="account"),
        loaded(retrieved_oldest="2026-11-18T00:00:00Z"),
        loaded(base_url="https://other.example"),
        loaded(items_loaded=99),
        loaded().head(7),
    ]
    assert len({key(frame) for frame in [loaded(), *others]}) == 7


def test_what_is_cited_is_what_the_frame_holds():
    frame = loaded()
    assert "(7 of 100 records loaded)" in cite(frame.head(7))
    assert "(200 records, 100 with a repeated id)" in cite(pd.concat([frame, frame]))
    others = pd.DataFrame({"id": [str(number) for number in range(50, 150)]})
    joined = provenance.copy_provenance(frame, pd.concat([frame, others]).drop_duplicates("id"))
    assert "(150 records, not the 100" in cite(joined)
    assert "(100 records, not the 100" in cite(provenance.copy_provenance(frame, others))


def test_a_statistic_is_cited_like_what_it_was_made_of(sample_frames):
    projects = sample_frames["projects"].head(25)
    projects = provenance.set_provenance(projects, items_loaded=25)
    assert "language_share" in cite(stats.language_share(projects))
    assert provenance.difference(stats.language_share(projects)) is None
    table = stats.language_share(pd.concat([projects, projects]).head(40))
    assert "(40 records, 15 with a repeated id)" in cite(table)
    assert ", 15 with a repeated id" in provenance.caption(table)


SPECIAL = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textbraceleft{}": "{",
    r"\textbraceright{}": "}",
    **{"\\" + sign: sign for sign in "$&#%_"},
}


def typeset(text):
    """Read escaped text as TeX would set it; no special sign may be left bare."""
    found = "|".join(map(re.escape, SPECIAL))
    assert not set(re.sub(found, "", text)) & set("\\{}$&#%_~^")
    return re.sub(found, lambda match: SPECIAL[match[0]], text)


WORDS = st.text(st.sampled_from("aZ9 äж{}\\$&#%_~^\"'@,\n\t<>"), max_size=12)


@given(WORDS, WORDS)
def test_whatever_the_name_and_the_query_bibtex_can_be_read(name, query):
    entry = fields(cite(loaded(source=f"x{name}", query={"query": query}), style="bibtex"))
    service = " ".join(f"x{name}".split())
    assert typeset(entry["author"][1:-1]) == service
    title = typeset(entry["title"][1:-1])
    assert title.startswith(f"{service}: Projects")
    assert " ".join(query.split()) in title


def test_special_signs_of_tex_are_shown_as_themselves():
    name = r"100% C&A \ {$x$ #1 a_b ~ ^"
    entry = fields(cite(loaded(source=name), style="bibtex"))
    assert typeset(entry["author"][1:-1]) == name
    assert dirframe.cite(loaded(source=name)).startswith(name)
