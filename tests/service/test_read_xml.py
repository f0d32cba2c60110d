"""XML of the interface is served as it was read, in any dialect, or refused by name."""

import gzip
import os
from hashlib import md5
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

import dirframe
from dirframe.errors import InvalidInputError, StoreError
from tests.rig.server import page_xml, record


def canonical(document, path="."):
    """Return a document or an element of it without white space between elements."""
    root = etree.fromstring(document, etree.XMLParser(remove_blank_text=True))
    return etree.tostring(root.find(path), method="c14n", with_tail=False)


def test_pages_written_by_hand_come_out_as_they_went_in(root, imported):
    xml = root / "tests" / "xml"
    client = imported([xml / "accounts-page.xml", xml / "projects-page.xml"])
    for target, name in (("/accounts/11.xml", "account"), ("/projects/1.xml", "project")):
        assert canonical(client.get(target).get_data()) == canonical(
            (xml / f"{name}.xml").read_bytes()
        )
    for name in ("accounts", "projects"):
        served = client.get(f"/{name}.xml?sort=id").get_data()
        written = (xml / f"{name}-page.xml").read_bytes()
        assert canonical(served, "result") == canonical(written, "result")
    written = (xml / "projects-page.xml").read_bytes()  # which is a whole collection
    assert canonical(client.get("/projects.xml?sort=id").get_data()) == canonical(written)


def test_order_and_empty_elements_stay_and_what_is_required_follows(written):
    account = """<account><name>x</name><login>y</login><id>1</id><homepage_url/><kudo_score>
        <position>2</position><extra>z</extra><kudo_rank>1</kudo_rank></kudo_score></account>"""
    element = written([account]).root("/accounts/1.xml").find("result/account")
    assert [child.tag for child in element.iter()] == [
        *("account", "name", "login", "id", "homepage_url"),
        *("kudo_score", "position", "extra", "kudo_rank"),
        *("created_at", "updated_at", "avatar_url", "email_sha1", "posts_count"),
    ]


XML_TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\ufffe\uffff", exclude_categories=["Cc"])
    | st.sampled_from("\t\n\r<>&\"'"),
    max_size=30,
).filter(lambda text: text == text.strip())
ELEMENTS = st.lists(
    st.tuples(st.sampled_from(["name", "description", "tag", "extra", "b_1"]), XML_TEXT),
    max_size=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ELEMENTS, min_size=4, max_size=8))
def test_any_texts_and_elements_come_out_as_they_went_in(written, several):
    client = written(
        [
            record(
                n,
                inner="".join(
                    f"<{tag} a={attribute(text)}>{escape(text, {chr(13): '&#13;'})}</{tag}>"
                    for tag, text in elements
                ),
            )
            for n, elements in enumerate(several)
        ]
    )
    for number, elements in enumerate(several):
        element = client.root(f"/projects/{number}.xml").find("result/project")
        served = [(c.tag, c.text or "", c.get("a")) for c in element][1 : len(elements) + 1]
        assert served == [(tag, text, text) for tag, text in elements]


def attribute(text):
    """Write an attribute, whose white space only references keep."""
    white = {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;", '"': "&quot;"}
    return f'"{escape(text, white)}"'


def test_other_dialects_are_completed_and_the_rest_is_kept(written):
    project = """<project><id>5</id><name>x</name><user_count>12</user_count><analysis><id>6</id>
        <oldest_code_set_time>2024-10-14T05:19:10Z</oldest_code_set_time>
        <languages graph_url="g"><language percentage="79">Ruby</language></languages></analysis>
        <similar_projects><project><id>77</id></project></similar_projects></project>"""
    client = written([project])
    assert client.ids("/projects.xml") == ["5"]
    element = client.root("/projects/5.xml").find("result/project")
    assert element.findtext("stack_count") == element.findtext("user_count") == "12"
    assert element.findtext("analysis/logged_at") == "2024-10-14T05:19:10Z"
    assert element.findtext("analysis/oldest_code_set_time") == "2024-10-14T05:19:10Z"
    assert element.findtext("similar_projects/project/id") == "77"
    language = element.find("analysis/languages[@graph_url='g']/language")
    assert (language.text, language.get("percentage")) == ("Ruby", "79")


def test_namespaces_and_blanks_around_an_id_are_left_out(written):
    inner = "<x:extra>c</x:extra>"
    client = written([f"<account xmlns:x='http://x.example/'><id> 7\n</id>{inner}</account>"])
    element = client.root("/accounts/7.xml").find("result/account")
    assert (element.findtext("id"), element.findtext("extra")) == ("7", "c")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.datetimes(), min_size=10))
def test_timestamps_of_the_specification_stay_as_they_are(written, moments):
    texts = [f"{moment:%Y-%m-%dT%H:%M:%S}Z".rjust(20, "0") for moment in moments]
    client = written([record(n, "account", created_at=text) for n, text in enumerate(texts)])
    for number, text in enumerate(texts):
        assert client.root(f"/accounts/{number}.xml").findtext("result/*/created_at") == text


def test_timestamps_get_the_form_of_the_specification_or_are_refused(written):
    client = written([record("1", "account", created_at="2010-01-01T01:30:00+02:00")])
    served = client.root("/accounts/1.xml").findtext("result/*/created_at")
    assert served == "2009-12-31T23:30:00Z"
    for text in (
        *("2020-13-45T99:99:99Z", "2020-00-01T00:00:00Z", "2020-04-31T00:00:00Z", "yesterday"),
        *("2019-02-29T00:00:00Z", "0000-01-01T00:00:00Z", "2020-01-01T23:59:60Z"),
    ):
        analysis = f"<analysis><id>2</id><updated_at>{text}</updated_at></analysis>"
        for wrong in (record("1", "account", created_at=text), record("1", inner=analysis)):
            with pytest.raises(StoreError, match=text):
                written([wrong])


def test_later_record_replaces_an_earlier_one_everywhere(written):
    old = record("1", name="old", description="first words")
    new = record("1", name="new", description="last words")
    client = written([old, record("2", name="zz")], [new])
    assert client.ids("/projects.xml?sort=name") == ["1", "2"]
    assert client.root("/projects/1.xml").findtext("result/project/name") == "new"
    assert client.ids("/projects.xml?query=first") == []
    assert client.ids("/projects.xml?query=last") == ["1"]


def test_no_address_is_kept_only_its_digest(written, cache):
    client = written([record("1", "account", email="Ada@Example.org ")])
    assert client.ids(f"/accounts/{md5(b'ada@example.org').hexdigest()}.xml") == ["1"]
    assert "xample.org" not in client.get("/accounts/1.xml").text
    for file in cache.rglob("*.sqlite"):
        assert b"example.org" not in file.read_bytes().lower()


BOMB = b"""<?xml version="1.0"?><!DOCTYPE response [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<response><result><account><id>1</id><name>&b;</name></account></result></response>"""


def test_invalid_data_is_refused_by_name_and_leaves_no_store(written, tmp_path, cache):
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden")
    external = f"""<!DOCTYPE response [<!ENTITY x SYSTEM "{secret.as_uri()}">]>
        <response><result><account><id>1</id><name>&x;</name></account></result></response>"""
    good = record("9", "account")
    for document in (
        b"",
        b'{"id": 1}',
        b"<html><body>Maintenance</body></html>",
        page_xml([good])[:-12],
        page_xml(["<account><name>x</name></account>"]),
        page_xml([record("a/b", "account")]),
        page_xml([record("1", "language")]),
        page_xml([record("1", "account", email_md5="12")]),
        b"<response><status>failed</status><error>No.</error></response>",
        BOMB,
        external.encode(),
    ):
        with pytest.raises(StoreError, match=r"1\.xml") as refused:
            written([good], document)
        assert "hidden" not in str(refused.value)
        assert not list((cache / "stores").iterdir()), document
    assert written([good], page_xml([])).ids("/accounts.xml") == ["9"]


def test_compressed_files_and_folders_in_folders_are_read(written, tmp_path):
    inner = tmp_path / "data" / "inner"
    inner.mkdir(parents=True)
    whole = gzip.compress(page_xml([record("1", "account")]), mtime=0)
    (inner / "a.xml.gz").write_bytes(whole)
    (inner / "notes.txt").write_text("not a collection")
    assert written([record("2", "account")]).ids("/accounts.xml?sort=id") == ["1", "2"]
    for content in (whole[:-10], b"not gzip", whole[:15] + b"\xff\xff" + whole[17:]):
        (inner / "a.xml.gz").write_bytes(content)
        with pytest.raises(StoreError, match=r"a\.xml\.gz"):
            dirframe.serve(inner)


def test_missing_and_unreadable_files_are_named(tmp_path):
    with pytest.raises(InvalidInputError, match="nowhere"):
        dirframe.serve(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreError, match="empty"):
        dirframe.serve(tmp_path / "empty")
    if Path("/proc/self/mem").is_file():  # opens, and cannot be read, not even by root
        for name in ("a.xml", "a.xml.gz", "a.csv", "a.jsonl", "a.parquet", "a"):
            path = tmp_path / name
            path.symlink_to("/proc/self/mem")
            with pytest.raises(StoreError, match=str(path)):
                dirframe.serve(path)


@pytest.mark.skipif(os.name == "nt", reason="permissions are others")
def test_folder_is_read_whole_or_refused(tmp_path):
    inner = tmp_path / "data" / "inner"
    inner.mkdir(parents=True)
    for path in (tmp_path / "data" / "a.xml", inner / "b.xml"):
        path.write_bytes(page_xml([record("1", "account")]))
    inner.chmod(0)
    try:
        if os.access(inner, os.R_OK):
            pytest.skip("this user, such as root, may read everything")
        with pytest.raises(StoreError, match="inner"):
            dirframe.serve(tmp_path / "data")
    finally:
        inner.chmod(0o700)


def test_documents_in_a_folder_are_served_at_their_addresses(tmp_path, imported):
    data, analysis = tmp_path / "data", "<analysis><id>7</id></analysis>"
    below = data / "projects" / "fox"
    (below / "analyses" / "latest").mkdir(parents=True)
    projects = [
        record("1", url_name="fox", inner=analysis),
        record("2", inner=analysis),
        record("3"),
    ]
    people = [
        record(n, "contributor_fact", contributor_name=f"P {n}", commits=n % 40)
        for n in range(1, 60)
    ]
    languages = [record(n, "language", name=name) for n, name in enumerate(("c", "go"))]
    for path, records in (
        (data / "projects.xml", projects),
        (data / "languages.xml", languages),
        (below / "contributors.xml", people),
        (
            below / "analyses" / "latest" / "size_facts.xml",
            ["<size_fact><code>5</code></size_fact>"],
        ),
    ):
        path.write_bytes(page_xml(records))
    client = imported(data)
    assert client.root("/languages/go.xml").findtext("result/language/id") == "1"
    assert client.ids("/p/1/contributors.xml?page=3") == [str(n) for n in range(51, 60)]
    assert client.ids("/p/fox/contributors.xml?sort=commits")[:2] == ["39", "38"]
    assert client.ids("/projects/1/contributors.xml?query=p+11") == ["11"]
    assert client.ids("/projects/1/contributors/12.xml") == ["12"]
    for analysis in ("7", "latest"):
        assert client.root(f"/p/fox/analyses/{analysis}/size_facts.xml").findtext(".//code") == "5"
        assert client.ids(f"/p/fox/analyses/{analysis}.xml") == ["7"]
    for target in (
        "/p/2/contributors.xml",
        "/p/1/analyses/8/size_facts.xml",
        "/p/4/analyses/7.xml",
    ):
        client.error(target, 404)
    client.error("/p/fox/contributors.xml?sort=stars", 400)
    none = client.get("/p/3/analyses/latest.xml")  # as today's directories answer
    assert (none.status_code, "<status>error</status>" in none.text) == (200, True)
    (data / "projects" / "fox").rename(data / "projects" / "nobody")
    with pytest.raises(StoreError, match="nobody"):
        imported(data)
    (data / "languages.xml").write_bytes(b"<response><status>failed</status></response>")
    with pytest.raises(StoreError, match=r"languages\.xml"):
        imported(data)


# Recorded documents


def shape(element):
    """Return structure, order and text of an element, white space around texts aside."""
    attributes = sorted(element.attrib.items())
    text = (element.text or "").strip()
    return (element.tag, attributes, text, [shape(child) for child in element])


def test_every_recorded_project_comes_back_in_its_order(shared, imported):
    client, failures, records = imported(shared / "real" / "pages"), [], 0
    singles = [shared / "real" / "projects" / "libxml2.xml"]
    for path in (*sorted((shared / "real" / "pages").glob("*.xml")), *singles):
        for recorded in etree.parse(path).getroot().iterfind("result/project"):
            identifier = recorded.findtext("id")
            served = client.root(f"/projects/{identifier}.xml").find("result/project")
            assert served.findtext("stack_count") == recorded.findtext("user_count")
            for ours, theirs in (
                (served, recorded),
                (served.find("analysis"), recorded.find("analysis")),
            ):
                if ours is not None and theirs is not None:
                    for added in list(ours)[len(theirs) :]:
                        assert theirs.find(added.tag) is None
                        ours.remove(added)
            if shape(served) != shape(recorded):
                failures.append(identifier)
            records += 1
    assert (records, failures) == (314, [])


def test_every_recorded_dialect_is_read(shared, imported):
    for name in (
        *(
            "proj_2007_readme",
            "proj_2008_yanick",
            "proj_2013_johloh",
            "today_project_show",
            "today_projects_index",
        ),
        *("acct_2013_apiexample", "today_account_show", "today_accounts_index"),
    ):
        path = shared / "samples" / f"{name}.xml"
        kind = "account" if "acc" in name else "project"
        recorded = etree.parse(path).xpath(f"/result/{kind} | /response/result/{kind}")
        assert len(imported(path).all_ids(f"/{kind}s.xml")) == len(recorded) > 0
