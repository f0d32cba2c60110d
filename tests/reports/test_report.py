"""A report from the sample to a file: self-contained, repeatable, whole or not at all."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import lxml.html
import nbformat
import pandas as pd
import pytest

import dirframe
from dirframe.errors import ConfigurationError, InvalidInputError, ReportError
from tests.reports.templates import notebook, write

if TYPE_CHECKING:
    from pathlib import Path

FRAME = pd.DataFrame({"id": ["1"], "stack_count": [1]})


def _parsed(page: str) -> Any:
    return lxml.html.fromstring(page)


class Addresses(HTMLParser):
    """Collects what a browser would fetch, and what would run."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.tags: list[str] = []
        self.undescribed = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [v or "" for k, v in attrs if k in {"src", "srcset", "data", "poster"}]
        if tag == "link":
            self.fetched += [v or "" for k, v in attrs if k == "href"]
        if tag == "img" and not dict(attrs).get("alt"):
            self.undescribed += 1


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    with dirframe.sample_directory() as directory:
        projects = dirframe.load_projects(max_items=75, directory=directory)
        accounts = dirframe.load_accounts(max_items=50, directory=directory)
    folder = tmp_path_factory.mktemp("report")
    projects.loc[0, "analysis_main_language_name"] = "<script>alert(1)</script>"
    frames = [accounts, projects]
    one = dirframe.report(frames, folder / "one.html")
    two = dirframe.report(frames, folder / "two.html")
    assert one.read_bytes() == two.read_bytes()
    assert sorted(file.name for file in folder.iterdir()) == ["one.html", "two.html"]
    return one.read_text(encoding="utf-8")


def test_a_page_fetches_nothing_and_runs_nothing(page: str) -> None:
    found = Addresses()
    found.feed(page)
    assert found.fetched
    assert all(address.startswith("data:image/") for address in found.fetched)
    assert not {"script", "iframe", "object", "embed", "link"} & set(found.tags)
    assert "@import" not in page
    assert not re.search(r"url\(\s*['\"]?http", page)
    assert found.undescribed == 0
    assert found.tags.count("img") == 10


def test_a_page_has_every_part_of_a_report(page: str) -> None:
    for heading in (
        "Contents",
        "Findings",
        "Summary of the projects",
        "Summary of the accounts",
        "Languages",
        "Countries",
        "Method",
        "Citation",
        "Provenance of the accounts",
    ):
        assert re.search(rf"<h2[^>]*>{heading}</h2>", page)
    assert "The projects are incomplete: 75 of 1,500 were loaded" in page
    assert "The accounts are synthetic" in page
    assert "&lt;script&gt;alert(1)" in page
    assert "@misc{" in page
    assert "is not shown" not in page


def test_a_page_has_landmarks_and_contents_whose_links_lead_to_its_sections(page: str) -> None:
    tree = _parsed(page)
    assert [element.tag for element in tree.xpath("//body/*")] == ["header", "nav", "main"]
    assert len(tree.xpath("//header//h1")) == 1
    targets = [link.get("href")[1:] for link in tree.xpath("//nav//a")]
    assert len(targets) > 10
    for target in targets:
        (section,) = tree.xpath(f"//main//*[@id='{target}']")
        assert len(section.xpath("./h2")) == 1
    assert len(targets) == len(tree.xpath("//main//h2"))
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids))


def test_tables_and_figures_of_a_page_are_numbered_without_a_gap(page: str) -> None:
    tree = _parsed(page)
    tables = [str(caption.text_content()) for caption in tree.xpath("//table/caption")]
    figures = [str(e.text_content()) for e in tree.xpath("//figure/figcaption/p[1]")]
    assert len(tables) == len(tree.xpath("//table")) > 5
    assert len(figures) == len(tree.xpath("//figure")) == 10
    for kind, captions in (("Table", tables), ("Figure", figures)):
        for number, caption in enumerate(captions, 1):
            assert caption.startswith(f"{kind} {number}. ")


def test_a_share_that_is_nearly_all_is_not_called_all(tmp_path: Path) -> None:
    links = pd.Series(["https://directory.example", *[None] * 2999], dtype="str")
    frame = pd.DataFrame({"id": [str(n) for n in range(3000)], "homepage_url": links})
    text = dirframe.report({"projects": frame}, tmp_path / "r.md").read_text(encoding="utf-8")
    assert r"| homepage\_url | 1 | \>99.9% | 1 different |" in text


def test_the_notebook_has_the_caption_of_each_figure(tmp_path: Path) -> None:
    day = pd.Timestamp("2020-01-01", tz="UTC")
    file = dirframe.report(FRAME.assign(created_at=day), tmp_path / "r.ipynb")
    cells = nbformat.read(file, as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    after = [b for a, b in pairwise(outputs) if "image/svg+xml" in a.get("data", {})]
    assert after[0].data["text/markdown"].startswith("**Figure 1. Growth of projects**")


def test_a_browser_shows_the_page_without_the_network(page: str, tmp_path: Path) -> None:
    if not (program := shutil.which("chromium")):
        pytest.skip("no Chromium on this machine")
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    shot = tmp_path / "page.png"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    own = [f"--user-data-dir={tmp_path / 'profile'}", "--host-resolver-rules=MAP * ~NOTFOUND"]
    address = (tmp_path / "page.html").as_uri()
    done = subprocess.run(
        [program, *options, *own, "--enable-logging=stderr", f"--screenshot={shot}", address],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert shot.stat().st_size > 10_000
    assert "Content Security Policy" not in done.stderr


@pytest.mark.parametrize("kind", ["projects", "accounts"])
def test_an_empty_frame_without_provenance_gives_a_report(kind: str, tmp_path: Path) -> None:
    frames = {kind: pd.DataFrame({"id": pd.Series([], dtype="str")})}
    text = dirframe.report(frames, tmp_path / "my report.md").read_text(encoding="utf-8")
    assert f"There are no {kind} in the frame." in text
    assert "does not say where it is from" in text
    assert "is not shown" in text


def test_a_failing_template_leaves_nothing_behind(tmp_path: Path) -> None:
    template = write(notebook("1/0"), tmp_path / "mine.ipynb")
    (tmp_path / "old.html").write_text("old", encoding="utf-8")
    with pytest.raises(ReportError, match="ZeroDivisionError"):
        dirframe.report(FRAME, tmp_path / "old.html", template=template, overwrite=True)
    assert (tmp_path / "old.html").read_text(encoding="utf-8") == "old"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["mine.ipynb", "old.html"]


def test_a_template_of_one_s_own_makes_a_report_in_each_format(tmp_path: Path) -> None:
    source = """
import pandas as pd
from dirframe import plot
from dirframe.reports import report_data, show
show(plot.growth, report_data().projects.assign(created_at=pd.Timestamp("2020-01-01", tz="UTC")))
"""
    template = write(notebook("# Mine", source), tmp_path / "mine.ipynb")
    for suffix in (".md", ".ipynb", ".HTML"):
        file = dirframe.report(FRAME, tmp_path / f"r{suffix}", template=template, title="T")
        assert "Mine" in file.read_text(encoding="utf-8")
    assert (tmp_path / "r_files" / "chart_1_0.svg").read_bytes().startswith(b"<?xml")
    with pytest.raises(InvalidInputError, match="already exists"):
        dirframe.report(FRAME, tmp_path / "r.md", template=template)


def test_what_cannot_be_written_is_refused_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidInputError, match=r"\.html, \.pdf, \.md, \.ipynb"):
        dirframe.report(FRAME, tmp_path / "report.docx")
    (tmp_path / "r.html").touch()
    with pytest.raises(InvalidInputError, match="already exists"):
        dirframe.report(FRAME, tmp_path / "r.html")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigurationError, match="Chromium"):
        dirframe.report(FRAME, tmp_path / "r.pdf")
