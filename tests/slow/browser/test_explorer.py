"""The explorer in JupyterLab: run, load, stop, filter, export, reload; by mouse and by keyboard."""

import re

import pandas as pd
import pytest

from tests.slow.browser.conftest import (
    end_kernels,
    expect,
    save,
    violations,
    write_notebook,
)

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SAMPLE = """
import dirframe
explorer = dirframe.Explorer(dirframe.sample_directory())
explorer
"""
#: A notebook that was run from top to bottom.
CHOSEN = """
import dirframe
explorer = dirframe.Explorer(dirframe.sample_directory())
explorer.load()
explorer.languages.value = ("Java", "Python")
explorer.activity.value = "active"
explorer.order_by.value, explorer.descending.value = "stack_count", True
explorer
"""
#: A directory that answers slowly enough for a person to change their mind.
SLOWLY = """
import dirframe
service = dirframe.serve()
slow = dirframe.Directory(
    service.url, service.api_key, name="dirframe sample directory", cache=False, rate=4, workers=1
)
explorer = dirframe.Explorer(slow)
explorer
"""

_SCROLLED = """root => [...root.querySelectorAll('*')].filter(part =>
    part.scrollWidth > part.clientWidth + 1
    && ['auto', 'scroll'].includes(getComputedStyle(part).overflowX)
    && !part.matches('select, input, .df-scroll')).map(part => part.className)"""


def output(explorer, name, kind=""):
    return explorer.locator(f".df-at-{name} {kind}")


def button(explorer, name):
    return explorer.get_by_role("button", name=name, exact=True)


def place_of(part):
    """Return where a part is; its content may be replaced at any time."""
    return part.evaluate("part => part.getBoundingClientRect().toJSON()")


def load(explorer):
    button(explorer, "Load").click()
    # It comes last: until then what is shown is replaced.
    expect(output(explorer, "message")).to_contain_text("1,500 projects loaded")
    expect(output(explorer, "picture", "img")).to_be_visible()


def test_notebook_is_run_filtered_exported_and_shows_itself_without_a_kernel(lab, jupyter, opened):
    address, folder = jupyter
    requested = []
    lab.on("request", lambda request: requested.append(request.url))
    write_notebook(CHOSEN, folder / "explorer.ipynb")
    explorer = opened("explorer.ipynb")
    count, picture = output(explorer, "count"), output(explorer, "picture", "img")
    expect(count).to_have_text("204 of 1,500 projects")
    expect(output(explorer, "table", "tbody tr")).to_have_count(20)
    expect(picture).to_be_visible()

    button(explorer, "Clear filters").click()
    expect(count).to_have_text("1,500 projects")
    explorer.get_by_label("Main language", exact=True).select_option("C (250)")
    expect(count).to_have_text("250 of 1,500 projects")
    expect(picture).to_have_attribute("alt", re.compile("250 of (the )?1,500 projects"))
    expect(output(explorer, "code", "pre")).to_contain_text("languages=['C']")
    explorer.get_by_label("Search (Enter)").fill("network")
    explorer.get_by_label("Search (Enter)").press("Enter")
    expect(count).to_have_text(re.compile(r"^\d\d of 1,500 projects$"))
    found = count.inner_text().split()[0]
    expect(picture).to_have_attribute("alt", re.compile(rf"{found} of (the )?1,500 projects"))
    expect(output(explorer, "citation", "pre")).to_contain_text("network")

    explorer.get_by_label("At most").fill("60")
    explorer.get_by_label("At most").press("Enter")
    explorer.get_by_label("Collection").select_option("accounts")
    button(explorer, "Estimate").click()
    expect(output(explorer, "message")).to_contain_text("60 accounts on 3 pages")
    button(explorer, "Load").click()
    expect(count).to_have_text("60 accounts")
    explorer.get_by_label("Chart", exact=True).select_option(label="Growth")
    expect(picture).to_have_attribute("alt", re.compile(r"^Growth of accounts.* 60 accounts"))
    explorer.get_by_label("File", exact=True).fill("sixty.csv")
    button(explorer, "Export").click()
    expect(output(explorer, "written")).to_contain_text(re.compile(r"60 accounts .*sixty\.csv"))
    assert len(pd.read_csv(folder / "sixty.csv")) == 60
    button(explorer, "Export").click()
    expect(output(explorer, "written", "[role=alert]")).to_contain_text("sixty.csv")

    expect(lab.locator(".dirframe-static").first).to_be_hidden()
    save(lab)
    end_kernels(lab)
    lab.goto(f"{address}/lab/tree/explorer.ipynb?reset")
    static = lab.locator(".dirframe-static").first
    expect(static).to_be_visible()
    expect(static).to_contain_text("60 accounts")
    assert static.locator("img").evaluate("image => image.complete && image.naturalWidth > 400")
    expect(lab.get_by_text("Error displaying widget")).to_be_hidden()
    home = ("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:")
    assert [url for url in requested if not url.startswith(home)] == []


def is_within(place, room):
    """Return whether a part is neither above nor below the room, but for one pixel."""
    bottom = place["y"] + place["height"]
    return place["y"] >= room["y"] - 1 and bottom <= room["y"] + room["height"]


def test_filters_chart_and_head_of_the_table_are_on_one_screen(lab, jupyter, opened):
    lab.set_viewport_size({"width": 1280, "height": 800})
    write_notebook(SAMPLE, jupyter[1] / "screen.ipynb")
    explorer = opened("screen.ipynb")
    load(explorer)
    explorer.evaluate("part => part.scrollIntoView()")
    room = place_of(lab.locator(".jp-WindowedPanel-outer").first)
    labels = ("Search (Enter)", "Main language", "Licence", "Tag", "Activity")
    parts = {label: explorer.get_by_label(label, exact=True) for label in labels}
    parts["Load"] = button(explorer, "Load")
    parts["picture"] = output(explorer, "picture", "img")
    parts["head of the table"] = output(explorer, "table", "thead")
    parts["second row"] = output(explorer, "table", "tbody tr").nth(1)
    places = {name: place_of(part) for name, part in parts.items()}
    outside = {name: place for name, place in places.items() if not is_within(place, room)}
    assert outside == {}
    assert explorer.evaluate(_SCROLLED) == []
    assert violations(lab, ".dirframe-explorer") == []


def test_explorer_is_readable_in_the_dark_and_in_a_narrow_window(lab, jupyter, opened):
    write_notebook(SAMPLE, jupyter[1] / "narrow.ipynb")
    explorer = opened("narrow.ipynb")
    lab.keyboard.press("Control+b")  # the file browser gives its room to the notebook
    load(explorer)
    lab.set_viewport_size({"width": 390, "height": 900})
    assert explorer.evaluate(_SCROLLED) == []
    outer = place_of(explorer)
    assert place_of(button(explorer, "Load"))["right"] <= outer["right"] + 1
    assert place_of(output(explorer, "picture", ".df-scroll"))["right"] <= outer["right"] + 1
    table = output(explorer, "table", ".df-scroll")
    assert table.evaluate("part => part.scrollWidth > part.clientWidth")
    assert violations(lab, ".dirframe-explorer") == []
    lab.set_viewport_size({"width": 1280, "height": 800})
    found = {}
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        lab.click("#jp-MainMenu >> text=Settings")
        lab.hover(".lm-Menu-itemLabel >> text='Theme'")
        lab.click(f".lm-Menu-itemLabel >> text='{theme}'")
        lab.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=theme)
        found[theme] = violations(lab, ".dirframe-explorer")
    assert found == {"JupyterLab Dark": [], "JupyterLab Light": []}


_FIELDS = """root => [...root.querySelectorAll('.df-ask > *, .df-write > *, .df-order > *')]
    .filter(part => part.offsetParent).map(part => part.getBoundingClientRect().width)"""


def test_fields_have_room_at_every_width_and_charts_follow_the_theme(lab, jupyter, opened):
    write_notebook(SAMPLE, jupyter[1] / "widths.ipynb")
    explorer = opened("widths.ipynb")
    load(explorer)
    narrowest = {}
    for width in range(700, 1601, 50):
        lab.set_viewport_size({"width": width, "height": 900})
        narrowest[width] = min(explorer.evaluate(_FIELDS))
    assert {width: room for width, room in narrowest.items() if room < 120} == {}
    picture = output(explorer, "picture", "img")
    before = picture.get_attribute("src")
    lab.evaluate("jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
    expect(explorer).to_have_class(re.compile("df-dark"))
    expect(picture).not_to_have_attribute("src", before)
    lab.evaluate(
        "jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Light'})"
    )


def test_load_is_stopped_by_the_kernels_button(lab, jupyter, opened):
    write_notebook(SLOWLY, jupyter[1] / "slow.ipynb")
    explorer = opened("slow.ipynb")
    button(explorer, "Load").click()
    expect(output(explorer, "message")).to_contain_text(re.compile(r"\d+ of 1,500 records"))
    expect(button(explorer, "Load")).to_be_disabled()
    lab.evaluate("jupyterapp.commands.execute('notebook:interrupt-kernel')")
    expect(output(explorer, "message")).to_contain_text("Stopped")
    expect(button(explorer, "Load")).to_be_enabled()


def test_keys_of_a_control_stay_in_it_and_those_of_a_cell_do_what_they_do(lab, jupyter, opened):
    write_notebook(SAMPLE, jupyter[1] / "keys.ipynb")
    explorer = opened("keys.ipynb")
    load(explorer)
    cells = lab.locator(".jp-Notebook .jp-Cell")
    languages = explorer.get_by_label("Main language", exact=True)  # the keys choose some
    for focused in (explorer.locator("pre").first, button(explorer, "Clear filters"), languages):
        focused.focus()
        for keys in ("d", "d", "a", "b", "x", "m", "y", "Control+Shift+ArrowDown"):
            lab.keyboard.press(keys)
        expect(focused).to_be_focused()
        expect(cells).to_have_count(1)
    expect(lab.locator(".jp-Notebook .jp-CodeCell")).to_have_count(1)
    save(lab)
    cells.first.focus()
    lab.keyboard.press("b")
    expect(cells).to_have_count(2)
