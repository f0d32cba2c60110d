"""A report of the sample: one page that fetches nothing and runs nothing, with every part."""

import re

import lxml.html
import pytest

import dirframe


@pytest.fixture(scope="module")
def page(sample, tmp_path_factory):
    """Make a report, whose kernel takes longest, once for tests that read it."""
    for package in ("nbclient", "nbconvert", "ipykernel"):
        pytest.importorskip(package, reason=f"{package} is an extra")
    projects = dirframe.load_projects(sample, max_items=75, progress=False)
    accounts = dirframe.load_accounts(sample, max_items=50, progress=False)
    projects.loc[0, "analysis_main_language_name"] = "<script>alert(1)</script>"
    folder = tmp_path_factory.mktemp("report")
    file = dirframe.report([accounts, projects], folder / "report.html")
    assert [entry.name for entry in folder.iterdir()] == ["report.html"]
    return file.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tree(page):
    return lxml.html.fromstring(page)


def test_page_fetches_nothing_and_runs_nothing(page, tree):
    addresses = tree.xpath("//@src | //@srcset | //@data | //@poster | //link/@href")
    assert addresses
    assert all(address.startswith("data:image/") for address in addresses)
    assert not tree.xpath("//script | //iframe | //object | //embed | //link | //@onload")
    assert "@import" not in page
    assert not re.search(r"url\(\s*['\"]?http", page)
    (policy,) = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "&lt;script&gt;alert(1)" in page


def test_page_describes_each_picture(tree):
    pictures = tree.xpath("//img")
    assert len(pictures) == 10
    assert all(picture.get("alt") for picture in pictures)


def test_page_has_every_part_and_what_to_beware_of(page, tree):
    sections = [element.text_content().strip() for element in tree.xpath("//main//h2")]
    for part in (
        *("Findings", "Languages", "Countries", "Method", "Citation", "Summary of the projects"),
        *("Summary of the accounts", "Provenance of the accounts"),
    ):
        assert part in sections
    text = " ".join(tree.text_content().split())
    for fact in ("75 of 1,500", "50 of 2,000", "synthetic", "@misc{"):
        assert fact in text
    assert "is not shown" not in text


def test_page_has_landmarks_and_contents_that_lead_to_its_sections(tree):
    assert [element.tag for element in tree.xpath("//body/*")] == ["header", "nav", "main"]
    assert len(tree.xpath("//header//h1")) == 1
    targets = [link.get("href")[1:] for link in tree.xpath("//nav//a")]
    assert len(targets) == len(tree.xpath("//main//h2")) > 10
    for target in targets:
        (section,) = tree.xpath(f"//main//*[@id='{target}']")
        assert len(section.xpath("./h2")) == 1
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids))


def test_tables_and_figures_are_numbered_without_a_gap(tree):
    tables = [caption.text_content() for caption in tree.xpath("//table/caption")]
    figures = [line.text_content() for line in tree.xpath("//figure/figcaption/p[1]")]
    assert len(tables) == len(tree.xpath("//table")) > 5
    assert len(figures) == len(tree.xpath("//figure")) == 10
    for kind, captions in (("Table", tables), ("Figure", figures)):
        for number, caption in enumerate(captions, 1):
            assert caption.startswith(f"{kind} {number}. ")
