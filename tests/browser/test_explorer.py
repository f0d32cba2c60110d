"""The explorer in JupyterLab: run, load, filter, export, reload; by mouse and by keyboard."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from tests.browser.axe import violations
from tests.browser.lab import WRONG, control, end_kernels, expect, save, write_notebook

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).resolve().parent.parent.parent

#: 30,000 records, one with a name that would be a script.
MANY = """
import pandas as pd

import dirframe

with dirframe.sample_directory() as directory:
    projects = dirframe.load_projects(directory=directory, progress=False)
many = pd.concat([projects] * 20, ignore_index=True)
many["stack_count"] = range(len(many))
many.loc[29_999, "name"] = "<img src=x onerror=document.title='run'>"
dirframe.Explorer(many)
"""
#: A directory that answers slowly enough for a person to change their mind.
SLOWLY = """
import dirframe

sample = dirframe.sample_directory()
slow = sample.settings.with_options(max_per_second=6, max_workers=1, cache_dir=None)
dirframe.Explorer(dirframe.Directory.from_settings(slow))
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


def test_the_notebook_is_run_filtered_exported_and_still_shows_itself_without_a_kernel(
    lab: Page, jupyter: tuple[str, Path], opened: Callable[[str], Locator]
) -> None:
    address, folder = jupyter
    shutil.copy(ROOT / "notebooks" / "explorer.ipynb", folder)
    explorer = opened("explorer.ipynb")
    count = control(explorer, "count")
    expect(count).to_have_text("204 of 1,500 projects")
    expect(control(explorer, "table", "tbody tr")).to_have_count(10)
    assert explorer.evaluate(_SCROLLED) == []
    picture = control(explorer, "chart", "img")
    before = picture.get_attribute("src")

    control(explorer, "all").click()
    expect(count).to_have_text("1,500 projects")
    explorer.get_by_label("Main language", exact=True).select_option("C (250)")
    expect(count).to_have_text("250 of 1,500 projects")
    expect(picture).not_to_have_attribute("src", before or "")
    expect(control(explorer, "code", "pre")).to_contain_text('languages=["C"]')

    _order_and_search(explorer)
    explorer.get_by_label("At most").fill("60")
    explorer.get_by_label("At most").press("Enter")
    expect(control(explorer, "exact-price")).to_be_disabled()
    explorer.get_by_label("Own pages").check()
    control(explorer, "exact-price").click()
    expect(control(explorer, "said")).to_contain_text("60 projects on 3 pages")
    expect(control(explorer, "said")).not_to_contain_text("at most")
    explorer.get_by_label("Collection").select_option("Accounts")
    expect(control(explorer, "exact-price")).to_be_disabled()
    control(explorer, "price").click()
    expect(control(explorer, "said")).to_contain_text("60 accounts on 3 pages")
    control(explorer, "load").click()
    expect(control(explorer, "said")).to_contain_text("60 accounts loaded.")
    expect(control(explorer, "progress")).to_contain_text("60 of 60 records")
    explorer.get_by_label("Chart", exact=True).select_option("Map of accounts")
    expect(picture).to_have_attribute(
        "alt", re.compile(r"Accounts by country .*n = \d+ of 60 accounts")
    )

    explorer.get_by_label("File", exact=True).fill("sixty.csv")
    explorer.get_by_label("File", exact=True).press("Enter")
    control(explorer, "export").click()
    expect(control(explorer, "said")).to_contain_text("60 accounts written to sixty.csv")
    assert len(pd.read_csv(folder / "sixty.csv")) == 60
    control(explorer, "export").click()
    expect(control(explorer, "said").locator("[role=alert]")).to_contain_text("already exists")

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


def _order_and_search(explorer: Locator) -> None:
    rows = control(explorer, "table", "tbody tr")
    control(explorer, "table", "button[data-column=name]").press("Enter")
    expect(control(explorer, "table", "th[aria-sort]")).to_have_attribute("aria-sort", "ascending")
    expect(control(explorer, "table", "button[data-column=name]")).to_be_focused()
    names = control(explorer, "table", "td.df-frozen").all_inner_texts()
    assert names == sorted(names, key=str.casefold)
    expect(explorer.get_by_label("Order by")).to_have_value("name")
    picture = control(explorer, "chart", "img")
    before = picture.get_attribute("alt")
    explorer.get_by_label("Search (Enter)").fill("network")
    explorer.get_by_label("Search (Enter)").press("Enter")
    count = control(explorer, "count")
    expect(count).to_have_text(re.compile(r"^\d\d of 1,500 projects$"))
    found = count.inner_text().split()[0]
    expect(picture).not_to_have_attribute("alt", before or "")
    expect(picture).to_have_attribute("alt", re.compile(rf"n = {found} of 1,500 projects"))
    expect(control(explorer, "code", "pre")).to_contain_text('search="network"')
    expect(control(explorer, "code", "pre")).to_contain_text('shown.sort_values("name"')
    expect(control(explorer, "citation", "pre")).to_contain_text("only matching network")
    expect(control(explorer, "span")).to_contain_text(f"1 to 10 of {found}")
    expect(rows).to_have_count(10)


def test_of_many_records_every_one_is_reached_by_keyboard_in_the_order_of_all(
    lab: Page, jupyter: tuple[str, Path], opened: Callable[[str], Locator]
) -> None:
    write_notebook(MANY, jupyter[1] / "many.ipynb")
    explorer = opened("many.ipynb")
    expect(control(explorer, "span")).to_contain_text("Records 1 to 10 of 30,000")
    control(explorer, "table", "button[data-column=stack_count]").press("Enter")
    rows = control(explorer, "table", "tbody tr")
    expect(control(explorer, "table", "th[aria-sort=ascending]")).to_contain_text("stack count")
    explorer.get_by_label("Page (of 3,000)").fill("3000")
    lab.keyboard.press("Enter")
    expect(control(explorer, "span")).to_contain_text("Records 29,991 to 30,000 of 30,000")
    expect(rows.last).to_contain_text("29,999")
    expect(rows.last).to_contain_text("<img src=x")
    control(explorer, "table", "button[data-column=stack_count]").press("Enter")
    expect(rows.first).to_contain_text("29,999")
    assert lab.title() != "run"
    assert explorer.evaluate(_SCROLLED) == []


def test_all_columns_are_read_at_every_width_with_the_name_in_sight(
    lab: Page, jupyter: tuple[str, Path], opened: Callable[[str], Locator]
) -> None:
    write_notebook(WRONG, jupyter[1] / "wide.ipynb")
    explorer = opened("wide.ipynb")
    lab.keyboard.press("Control+b")
    explorer.get_by_label("Search the columns").fill("url")
    listed = control(explorer, "columns", "option")
    expect(listed).to_have_count(3)
    explorer.get_by_label("Search the columns").fill("")
    expect(listed).not_to_have_count(3)
    count = listed.count()
    assert count > 25
    control(explorer, "columns", "select").focus()
    lab.keyboard.press("Control+a")  # all columns, not all cells
    headers = control(explorer, "table", "th")
    expect(headers).to_have_count(count)
    assert len(set(headers.all_inner_texts())) == count
    table = control(explorer, "table", ".df-scroll")
    for width in (390, 900, 1600):
        lab.set_viewport_size({"width": width, "height": 1000})
        table.evaluate("part => part.scrollTo(0, 0)")
        assert explorer.evaluate(_SCROLLED) == []
        assert table.evaluate("part => part.scrollWidth > part.clientWidth")
        tallest = "rows => Math.max(...rows.map(row => row.offsetHeight))"
        assert control(explorer, "table", "tbody tr").evaluate_all(tallest) < 40
        table.focus()
        lab.keyboard.press("End")
        table.evaluate("part => part.scrollTo(part.scrollWidth, 0)")
        name, frame = control(explorer, "table", "td.df-frozen").first, table.bounding_box()
        box = name.bounding_box()
        assert box is not None
        assert frame is not None
        assert abs(box["x"] - frame["x"]) < 2
        assert box["width"] < 0.6 * frame["width"]
        last = control(explorer, "table", "tbody tr").first.locator("td").last.bounding_box()
        assert last is not None
        assert last["x"] + last["width"] < frame["x"] + frame["width"] + 2
        link = control(explorer, "table", "td a").first
        expect(link).to_have_attribute("rel", "noopener noreferrer")
        long = control(explorer, "table", "td[title]:not(:has(a))").first
        assert long.get_attribute("title") == long.inner_text()
        long.click()
        expect(long).to_have_class(re.compile("df-whole"))
        long.click()
        expect(long).not_to_have_class(re.compile("df-whole"))


def test_a_chart_is_divided_and_says_which_records_were_left_out(
    lab: Page, jupyter: tuple[str, Path], opened: Callable[[str], Locator]
) -> None:
    write_notebook(WRONG, jupyter[1] / "wrong.ipynb")
    explorer = opened("wrong.ipynb")
    picture = control(explorer, "chart", "img")
    expect(picture).to_have_attribute("alt", re.compile(r"n = [\d,]+ of [\d,]+ projects"))
    explorer.get_by_label("Leave out of the chart").select_option("negative lines")
    expect(picture).to_have_attribute(
        "alt", re.compile(r"Excluded: 3 projects \(negative_lines 3\)\.")
    )
    code = control(explorer, "code", "pre")
    expect(code).to_contain_text('language_share(shown, exclude=["negative_lines"])')
    explorer.get_by_label("A panel for each").select_option("team size")
    expect(picture).to_have_attribute(
        "alt", re.compile(r"by team size .*Excluded: 3 projects \(negative_lines 3\)\.")
    )
    expect(code).to_contain_text('exclude=["negative_lines"], by="team_size")')
    inside, drawn = explorer.bounding_box(), picture.bounding_box()
    assert inside is not None
    assert drawn is not None
    assert drawn["x"] + drawn["width"] <= inside["x"] + inside["width"]
    assert explorer.evaluate(_SCROLLED) == []
    explorer.get_by_label("Chart", exact=True).select_option("Life spans")
    expect(code).to_contain_text('life_span(shown, exclude=["negative_lines"], by="team_size")')
    explorer.get_by_label("A panel for each").select_option(index=0)
    expect(code).to_contain_text('life_span(shown, exclude=["negative_lines"])')


def test_a_load_is_cancelled_by_keyboard_in_a_narrow_window(
    lab: Page, jupyter: tuple[str, Path], opened: Callable[[str], Locator]
) -> None:
    _, folder = jupyter
    write_notebook(SLOWLY, folder / "slow.ipynb")
    lab.set_viewport_size({"width": 900, "height": 1000})
    explorer = opened("slow.ipynb")
    lab.keyboard.press("Control+b")  # the file browser gives its room to the notebook

    explorer.get_by_label("Collection").focus()
    for label in ("Query (empty: all)", "Sort", "At most (0: all)", "Own pages", "Price", "Load"):
        lab.keyboard.press("Tab")
        assert lab.evaluate(_FOCUSED).startswith(label)
    lab.keyboard.press("Enter")
    expect(control(explorer, "progress")).to_contain_text(re.compile(r"of 1,500 records"))
    expect(control(explorer, "load")).to_be_disabled()
    control(explorer, "cancel").focus()
    lab.keyboard.press("Enter")
    expect(control(explorer, "said")).to_contain_text("it was stopped after")
    expect(control(explorer, "load")).to_be_enabled()
    expect(control(explorer, "citation", "pre")).to_contain_text("Incomplete:")
    expect(control(explorer, "count")).to_contain_text(re.compile(r"^\d"))
    said = control(explorer, "count").inner_text()
    assert 25 <= int(said.split()[0].replace(",", "")) < 1500
    expect(explorer.locator(".df-facets .point").first).to_be_attached()
    assert explorer.evaluate(_SCROLLED) == []

    explorer.get_by_label("Collection").focus()
    reached = []
    while name := lab.evaluate(_FOCUSED):
        reached.append(name)
        lab.keyboard.press("Tab")
    there = explorer.locator(_FOCUSABLE).filter(visible=True)
    assert len(reached) == there.count() > 20
    assert {"Main language", "Created from", "Next ▸", "Chart", "Code", "Export"} <= set(reached)

    inside = explorer.bounding_box()
    picture = control(explorer, "chart", "img").bounding_box()
    assert inside is not None
    assert picture is not None
    assert picture["x"] + picture["width"] <= inside["x"] + inside["width"]


def test_no_part_of_the_explorer_breaks_a_rule_of_accessibility(
    lab: Page, jupyter: tuple[str, Path], opened: Callable[[str], Locator]
) -> None:
    shutil.copy(ROOT / "notebooks" / "explorer.ipynb", jupyter[1] / "axe.ipynb")
    explorer = opened("axe.ipynb")
    expect(control(explorer, "count")).to_have_text("204 of 1,500 projects")
    expect(control(explorer, "chart", "img")).to_be_visible()
    assert violations(lab, ".dirframe-explorer") == []


def test_keys_pressed_in_the_explorer_stay_inside_it_but_save_saves(
    lab: Page, jupyter: tuple[str, Path], opened: Callable[[str], Locator]
) -> None:
    write_notebook(WRONG, jupyter[1] / "keys.ipynb")
    explorer = opened("keys.ipynb")
    cells = lab.locator(".jp-Notebook .jp-Cell")
    languages = explorer.get_by_label("Main language", exact=True)
    languages.select_option("C++ (172)")
    expect(control(explorer, "count")).to_contain_text("172 of")
    everything = control(explorer, "all")
    for focused in (languages, everything):
        focused.focus()
        for keys in ("d", "d", "a", "b", "x", "m", "y", "Control+a", "Control+Shift+ArrowDown"):
            lab.keyboard.press(keys)
        expect(focused).to_be_focused()
        expect(cells).to_have_count(1)
    expect(lab.locator(".jp-Notebook .jp-CodeCell")).to_have_count(1)
    expect(lab.locator(".jp-Notebook .jp-mod-selected")).to_have_count(1)
    chosen = explorer.get_by_label("Chart", exact=True)
    chosen.focus()
    lab.keyboard.press("ArrowDown")
    expect(chosen).to_be_focused()
    expect(chosen).not_to_have_value("Projects by main language")

    lab.wait_for_selector(".jp-mod-dirty")
    save(lab)
    # Outside the explorer a key does what it does in every notebook.
    cells.first.focus()
    lab.keyboard.press("b")
    expect(cells).to_have_count(2)


def test_the_chart_follows_the_theme(
    lab: Page, jupyter: tuple[str, Path], opened: Callable[[str], Locator]
) -> None:
    write_notebook(WRONG, jupyter[1] / "dark.ipynb")
    explorer = opened("dark.ipynb")
    picture = control(explorer, "chart", "img")
    brightness = """image => {
        const canvas = new OffscreenCanvas(1, 1).getContext('2d');
        canvas.drawImage(image, 0, 0);
        return canvas.getImageData(0, 0, 1, 1).data[0];
    }"""
    for theme, is_light in (("JupyterLab Dark", False), ("JupyterLab Light", True)):
        before = picture.get_attribute("src")
        lab.click("#jp-MainMenu >> text=Settings")
        lab.hover(".lm-Menu-itemLabel >> text='Theme'")
        lab.click(f".lm-Menu-itemLabel >> text='{theme}'")
        expect(picture).not_to_have_attribute("src", before or "")
        picture.evaluate("image => image.decode()")
        assert (picture.evaluate(brightness) > 128) == is_light
