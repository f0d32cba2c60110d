"""The explorer in JupyterLab: run, load, filter, export, reload; by mouse and by keyboard."""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from tests.slow.browser.axe import violations
from tests.slow.browser.lab import (
    control,
    end_kernels,
    expect,
    save,
    write_notebook,
)

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ROOT = Path(__file__).resolve().parents[3]

SAMPLE = """
import dirframe

with dirframe.sample_directory() as directory:
    projects = dirframe.load_projects(directory=directory, progress=False)
dirframe.Explorer(projects)
"""
#: A directory that answers slowly enough for a person to change their mind.
SLOWLY = """
import dirframe

sample = dirframe.sample_directory()
slow = dirframe.Directory(
    sample.base_url, sample.api_key, name=sample.name, cache=False, rate=6, workers=1
)
dirframe.Explorer(slow)
"""

_SCROLLED = """root => [...root.querySelectorAll('*')].filter(part =>
    part.scrollWidth > part.clientWidth + 1
    && ['auto', 'scroll'].includes(getComputedStyle(part).overflowX)
    && !part.matches('select, input, .df-scroll')).map(part => part.className)"""
_FOCUSABLE = "a[href], summary, button:enabled, input:enabled, select:enabled, [tabindex='0']"
_FOCUSED = """() => {
    const at = document.activeElement;
    return at.closest('.dirframe-explorer')
        && (at.labels?.[0]?.innerText || at.getAttribute('aria-label') || at.innerText);
}"""
_BRIGHTNESS = """image => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d');
    canvas.drawImage(image, 0, 0);
    return canvas.getImageData(0, 0, 1, 1).data[0];
}"""


def is_inside(explorer, part):
    """Return whether a part does not reach beyond the explorer's right edge."""
    outer, inner = explorer.bounding_box(), part.bounding_box()
    return inner["x"] + inner["width"] <= outer["x"] + outer["width"]


def test_notebook_is_run_filtered_exported_and_shows_itself_without_a_kernel(lab, jupyter, opened):
    address, folder = jupyter
    requested = []
    lab.on("request", lambda request: requested.append(request.url))
    shutil.copy(ROOT / "notebooks" / "explorer.ipynb", folder)
    explorer = opened("explorer.ipynb")
    count = control(explorer, "count")
    expect(count).to_have_text("204 of 1,500 projects")
    expect(control(explorer, "table", "tbody tr")).to_have_count(10)
    assert explorer.evaluate(_SCROLLED) == []
    picture = control(explorer, "chart", "img")
    expect(picture).to_be_visible()
    assert violations(lab, ".dirframe-explorer") == []
    before = picture.get_attribute("src")

    control(explorer, "all").click()
    expect(count).to_have_text("1,500 projects")
    explorer.get_by_label("Main language", exact=True).select_option("C (250)")
    expect(count).to_have_text("250 of 1,500 projects")
    expect(picture).not_to_have_attribute("src", before or "")
    code = control(explorer, "code", "pre")
    expect(code).to_contain_text('languages=["C"]')

    order_and_search(explorer)
    explorer.get_by_label("At most").fill("60")
    explorer.get_by_label("At most").press("Enter")
    explorer.get_by_label("Collection").select_option("Accounts")
    control(explorer, "price").click()
    expect(control(explorer, "said")).to_contain_text("60 accounts on 3 pages")
    control(explorer, "load").click()
    expect(control(explorer, "progress")).to_contain_text("60 of 60 records")
    explorer.get_by_label("Chart", exact=True).select_option("Map of accounts")
    expect(picture).to_have_attribute("alt", re.compile(r"n = \d+ of 60 accounts"))

    explorer.get_by_label("File", exact=True).fill("sixty.csv")
    explorer.get_by_label("File", exact=True).press("Enter")
    control(explorer, "export").click()
    expect(control(explorer, "said")).to_contain_text(re.compile(r"60 accounts .*sixty\.csv"))
    assert len(pd.read_csv(folder / "sixty.csv")) == 60
    control(explorer, "export").click()
    expect(control(explorer, "said").locator("[role=alert]")).to_contain_text("sixty.csv")

    expect(lab.locator(".dirframe-static").first).to_be_hidden()
    save(lab)
    end_kernels(lab)
    lab.goto(f"{address}/lab/tree/explorer.ipynb?reset")
    static = lab.locator(".dirframe-static").first
    expect(static).to_be_visible()
    expect(static).to_contain_text("60 accounts")
    expect(static.locator("tbody tr")).to_have_count(10)
    assert static.locator("img").evaluate("image => image.complete && image.naturalWidth > 400")
    expect(lab.get_by_text("Error displaying widget")).to_be_hidden()
    home = ("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:")
    assert [url for url in requested if not url.startswith(home)] == []


def order_and_search(explorer):
    """Order by the header of the names, and search: table, chart, code and citation follow."""
    count, code = control(explorer, "count"), control(explorer, "code", "pre")
    picture, before = control(explorer, "chart", "img"), control(explorer, "count").inner_text()
    control(explorer, "table", "button[data-column=name]").press("Enter")
    expect(control(explorer, "table", "th[aria-sort]")).to_have_attribute("aria-sort", "ascending")
    names = control(explorer, "table", "td.df-frozen").all_inner_texts()
    assert names == sorted(names, key=str.casefold)
    explorer.get_by_label("Search (Enter)").fill("network")
    explorer.get_by_label("Search (Enter)").press("Enter")
    expect(count).to_have_text(re.compile(r"^\d+ of 1,500 projects$"))
    expect(count).not_to_have_text(before)
    found = count.inner_text().split()[0]
    expect(picture).to_have_attribute("alt", re.compile(rf"n = {found} of 1,500 projects"))
    expect(code).to_contain_text('search="network"')
    expect(code).to_contain_text('shown.sort_values("name"')
    expect(control(explorer, "citation", "pre")).to_contain_text("network")


def test_columns_are_read_at_every_width_and_the_chart_follows_the_theme(lab, jupyter, opened):
    write_notebook(SAMPLE, jupyter[1] / "wide.ipynb")
    explorer = opened("wide.ipynb")
    lab.keyboard.press("Control+b")  # the file browser gives its room to the notebook
    count = control(explorer, "columns", "option").count()
    assert count > 25
    control(explorer, "columns", "select").focus()
    lab.keyboard.press("Control+a")  # all columns, not all cells
    expect(control(explorer, "table", "th")).to_have_count(count)
    table = control(explorer, "table", ".df-scroll")
    for width in (390, 1600):
        lab.set_viewport_size({"width": width, "height": 1000})
        table.evaluate("part => part.scrollTo(0, 0)")
        assert explorer.evaluate(_SCROLLED) == []
        assert table.evaluate("part => part.scrollWidth > part.clientWidth")
        table.focus()
        lab.keyboard.press("End")
        table.evaluate("part => part.scrollTo(part.scrollWidth, 0)")
        frame = table.bounding_box()
        name = control(explorer, "table", "td.df-frozen").first.bounding_box()
        assert abs(name["x"] - frame["x"]) < 2  # in sight, and not all that is
        assert name["width"] < 0.6 * frame["width"]
        last = control(explorer, "table", "tbody tr").first.locator("td").last.bounding_box()
        assert last["x"] + last["width"] < frame["x"] + frame["width"] + 2
        assert is_inside(explorer, control(explorer, "chart", "img"))

    picture = control(explorer, "chart", "img")
    for theme, is_light in (("JupyterLab Dark", False), ("JupyterLab Light", True)):
        before = picture.get_attribute("src")
        lab.click("#jp-MainMenu >> text=Settings")
        lab.hover(".lm-Menu-itemLabel >> text='Theme'")
        lab.click(f".lm-Menu-itemLabel >> text='{theme}'")
        expect(picture).not_to_have_attribute("src", before or "")
        picture.evaluate("image => image.decode()")
        assert (picture.evaluate(_BRIGHTNESS) > 128) == is_light
        if not is_light:
            assert violations(lab, ".dirframe-explorer") == []


def test_load_is_cancelled_by_keyboard_in_a_narrow_window(lab, jupyter, opened):
    write_notebook(SLOWLY, jupyter[1] / "slow.ipynb")
    lab.set_viewport_size({"width": 900, "height": 1000})
    explorer = opened("slow.ipynb")
    lab.keyboard.press("Control+b")

    explorer.get_by_label("Collection").focus()
    for label in ("Query (empty: all)", "Sort", "At most (0: all)", "Own pages", "Price", "Load"):
        lab.keyboard.press("Tab")
        assert lab.evaluate(_FOCUSED).startswith(label)
    lab.keyboard.press("Enter")
    expect(control(explorer, "progress")).to_contain_text(re.compile(r"of 1,500 records"))
    expect(control(explorer, "load")).to_be_disabled()
    control(explorer, "cancel").focus()
    lab.keyboard.press("Enter")
    expect(control(explorer, "load")).to_be_enabled()
    expect(control(explorer, "citation", "pre")).to_contain_text("Incomplete:")
    expect(control(explorer, "count")).to_contain_text(re.compile(r"^\d"))
    came = control(explorer, "count").inner_text()
    assert 25 <= int(came.split()[0].replace(",", "")) < 1500
    expect(control(explorer, "chart", "img")).to_be_visible()
    assert explorer.evaluate(_SCROLLED) == []

    explorer.get_by_label("Collection").focus()
    reached = []
    while name := lab.evaluate(_FOCUSED):
        reached.append(name)
        lab.keyboard.press("Tab")
    there = explorer.locator(_FOCUSABLE).filter(visible=True)
    assert len(reached) == there.count() > 20
    assert {"Main language", "Created from", "Next ▸", "Chart", "Code", "Export"} <= set(reached)
    assert is_inside(explorer, control(explorer, "chart", "img"))

    # Keys pressed in the explorer stay inside it; outside they do what they do in every notebook.
    cells = lab.locator(".jp-Notebook .jp-Cell")
    languages = explorer.get_by_label("Main language", exact=True)
    for focused in (languages, control(explorer, "all")):
        focused.focus()
        for keys in ("d", "d", "a", "b", "x", "m", "y", "Control+a", "Control+Shift+ArrowDown"):
            lab.keyboard.press(keys)
        expect(focused).to_be_focused()
        expect(cells).to_have_count(1)
    expect(lab.locator(".jp-Notebook .jp-CodeCell")).to_have_count(1)
    lab.wait_for_selector(".jp-mod-dirty")
    save(lab)
    cells.first.focus()
    lab.keyboard.press("b")
    expect(cells).to_have_count(2)
