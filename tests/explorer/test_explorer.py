"""The explorer: one truth for all that is shown; two buttons send requests; no failure loses it."""

import asyncio
import re
import signal
import threading

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from ipywidgets.widgets.widget import _instances
from lxml import html
from matplotlib.figure import Figure
from pandas.testing import assert_frame_equal

import dirframe
from dirframe import provenance, stats
from dirframe.client.directory import connection_of
from dirframe.errors import (
    AnalysesNotSentWarning,
    ConfigurationError,
    IncompleteCollectionError,
    InvalidInputError,
    InvalidKeyError,
    QuotaExceededError,
)
from tests.cases import slow_except
from tests.charts import CHARTS
from tests.frames import FETCHED, FIRST, LANGUAGE, LAST
from tests.rig.faults import FAULTS, interrupts
from tests.rig.server import KEY, MARK, Rig
from tests.rig.today import Today

EVIL = '<script>alert("1")</script> & <b>bold</b>'
_FIGURES = []  # figures of pyplot


def every(widget):
    """Walk through a widget and all in it."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from every(child)


def press(explorer, label):
    """Press a button by its words."""
    buttons = [w for w in every(explorer) if getattr(w, "description", "") == label]
    (button,) = [button for button in buttons if hasattr(button, "click")]
    assert not button.disabled
    button.click()


def shown(explorer, name):
    """Parse an output by its class."""
    (widget,) = [w for w in every(explorer) if f"df-at-{name}" in getattr(w, "_dom_classes", ())]
    return html.fromstring(f"<div>{widget.value}</div>")


def sent(explorer):
    """Return all that an explorer sends to the page and leaves in a saved notebook."""
    state = [widget.get_state() for widget in every(explorer)]
    return repr((state, explorer, explorer.code, explorer._repr_mimebundle_()))


# Choices


@pytest.fixture(scope="module")
def some_projects(sample):
    """Load 200 projects of the sample, with what filters and charts read; no test changes the frame."""
    projects = dirframe.load_projects(sample, sort="id", max_items=200, progress=False)
    facts = ["id", "name", "description", "created_at", "stack_count", "tags", "licenses"]
    return projects[[*facts, "analysis_id", LANGUAGE, FIRST, LAST, FETCHED]]


@pytest.fixture
def pictures():
    """Let charts be drawn as they are."""


@pytest.fixture
def captions(monkeypatch):
    """Let charts be made for their words, with an empty picture."""
    monkeypatch.setattr(Figure, "savefig", lambda _figure, stream, **_options: stream.write(b""))


@pytest.fixture(autouse=True)
def _no_charts(request, monkeypatch):
    """Show no chart where a test asks neither for pictures nor for captions: it is half of the work."""
    if not {"pictures", "captions"} & {*request.fixturenames}:
        monkeypatch.setattr("dirframe.explorer.view.chart", lambda *_, **__: "")


def run(explorer, **names):
    """Run the code of an explorer as in a new notebook; return its variables."""
    names |= {"explorer": explorer} if isinstance(explorer.source, pd.DataFrame) else {}
    exec(explorer.code, names)
    return names


def assert_one_truth(explorer, capsys):
    """Check that count, table, chart, code and citation tell of the same records."""
    capsys.readouterr()
    names = run(explorer)
    assert_frame_equal(names["shown"], explorer.frame)
    ours = provenance.get_provenance(explorer.frame)
    assert provenance.get_provenance(names["shown"])["steps"] == ours["steps"]
    assert capsys.readouterr().out.strip() == shown(explorer, "citation").text_content().strip()
    assert shown(explorer, "code").text_content() == explorer.code
    assert shown(explorer, "count").text_content().startswith(f"{len(explorer.frame):,} ")
    rows = shown(explorer, "table").xpath("//tbody/tr")
    assert len(rows) == min(20, len(explorer.frame))
    names_shown = [row.xpath("./td")[0].text_content() for row in rows]
    assert names_shown == [" ".join(name.split()) for name in explorer.frame["name"].head(20)]
    (picture,) = shown(explorer, "picture").xpath("//img")
    assert picture.get("alt").startswith(names["ax"].figure.get_suptitle())
    return picture.get("alt")


CHOICES = {
    "nothing": {},
    "every filter": {
        "languages": ("C", "Java", "Python"),
        "licenses": ("gpl", None),
        "tags": ("linux", "c", None),
        "first_year": 2006,
        "last_year": 2009,
        "activity": "active",
        "search": "  a ",
        "style": "bibtex",
        "chart": "activity",
    },
    "an order": {"search": "network", "order_by": "name", "descending": True, "chart": "growth"},
    "one year": {"first_year": 2012, "order_by": "stack_count"},
    "years turned": {"first_year": 2010, "last_year": 2008},
    "no record": {"search": "nothing has this in it"},
}


@pytest.mark.parametrize("name", slow_except(CHOICES, ["every filter", "no record"]))
def test_code_of_a_frame_gives_what_is_shown(name, some_projects, captions, capsys):
    explorer = dirframe.Explorer(some_projects)
    for control, value in CHOICES[name].items():
        getattr(explorer, control).value = value
    assert (len(explorer.frame) == 0) == (name == "no record")
    alt = assert_one_truth(explorer, capsys)
    assert "dirframe sample directory" in alt


def test_code_of_a_load_gives_what_is_shown_without_a_key(sample, sample_frames, captions, capsys):
    explorer = dirframe.Explorer(sample)
    assert (explorer.frame, explorer.code) == (None, "")
    explorer.collection.value = "accounts"
    explorer.query.value, explorer.sort.value, explorer.max_items.value = "a", "name", 60
    press(explorer, "Load")
    most = explorer.countries.options[0][1]
    explorer.countries.value, explorer.chart.value = (most, None), "accounts_map"
    assert 0 < len(explorer.frame) < 60
    alt = assert_one_truth(explorer, capsys)
    assert re.search(r"\d+ of .*60", alt)
    assert connection_of(sample).key.reveal() not in sent(explorer)
    assert "explorer" not in explorer.code
    assert "unify_countries" in explorer.code
    assert "unify_countries" not in dirframe.Explorer(sample_frames["accounts"]).code


def test_code_of_a_load_opens_the_same_sample(captions, capsys):
    with dirframe.sample_directory(analyses=False) as directory:
        explorer = dirframe.Explorer(directory)
        explorer.sample.value = 30
        press(explorer, "Load")
        explorer.chart.value = "tags"
        with pytest.warns(AnalysesNotSentWarning):
            assert_one_truth(explorer, capsys)


#: What filters the records when a control has a value.
FILTERS = {
    "languages": lambda value: {"languages": [value]},
    "licenses": lambda value: {"licenses": [value]},
    "tags": lambda value: {"tags": [value]},
    "activity": lambda value: {"activity": value},
    "last_year": lambda value: {"years": (value, value)},
}


def some_labels(control):
    """Return the labels of the first and the last options by value, but that of no filter."""
    options = control.options
    assert len(options) > 2
    some = [*options[:4], options[-1]]
    return {value: label for label, value in some if value not in {"all", 0}}


def test_counts_are_those_that_the_other_filters_let_pass(some_projects):
    explorer = dirframe.Explorer(some_projects)
    explorer.languages.value, explorer.licenses.value = ("C", None), ("gpl",)
    explorer.first_year.value, explorer.activity.value = 2007, "active"
    others = {"languages": ["C", None], "licenses": ["gpl"], "activity": "active"}
    others["years"] = (2007, None)
    counts, expected = {}, {}
    for name, filter_of in FILTERS.items():
        for value, label in some_labels(getattr(explorer, name)).items():
            selected = dirframe.select(some_projects, **others | filter_of(value))
            counts[name, value] = label.rpartition(" (")[2]
            expected[name, value] = f"{len(selected):,})"
    assert counts == expected
    assert explorer.languages.value == ("C", None)


def test_filters_list_the_most_frequent_values_and_the_records_without_one():
    tags = [*([f"tag {number}", "common"] for number in range(400)), None]
    explorer = dirframe.Explorer(
        pd.DataFrame({"id": "1", "name": "a", LANGUAGE: "C", "tags": tags})
    )
    labels = [label for label, _ in explorer.tags.options]
    assert len(labels) < 350
    assert (labels[0], labels[-1]) == ("common (400)", "(none) (1)")
    explorer.tags.value = (None,)
    assert len(explorer.frame) == 1


def test_file_has_what_is_shown_and_is_replaced_only_if_asked(some_projects, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    explorer, file = dirframe.Explorer(some_projects), tmp_path / "python.csv"
    assert explorer.path.value == "projects.csv"
    explorer.languages.value, explorer.order_by.value = ("Python",), "name"
    explorer.path.value = "~/python.csv"
    press(explorer, "Export")
    count = (some_projects[LANGUAGE] == "Python").sum()
    assert f"{count} projects" in shown(explorer, "written").text_content()
    assert list(pd.read_csv(file, dtype={"id": str})["id"]) == list(explorer.frame["id"])
    file.write_text("mine", encoding="utf-8")
    press(explorer, "Export")
    assert shown(explorer, "written").xpath("//*[@role='alert']")
    assert "Tick Overwrite" in shown(explorer, "written").text_content()
    assert file.read_text(encoding="utf-8") == "mine"
    explorer.overwrite.value = True
    press(explorer, "Export")
    assert explorer.error is None
    assert len(pd.read_csv(file)) == count > 5


def test_clear_filters_takes_the_filters_away_and_leaves_order_and_chart(some_projects):
    explorer = dirframe.Explorer(some_projects.assign(paid=1))
    explorer.languages.value, explorer.search.value, explorer.first_year.value = ("C",), "x", 2008
    explorer.order_by.value, explorer.chart.value = "name", "tags"
    press(explorer, "Clear filters")
    assert (explorer.languages.value, explorer.search.value) == ((), "")
    assert list(explorer.frame["name"]) == sorted(some_projects["name"], key=str.casefold)
    assert "plot.tags(shown, top=10)" in explorer.code
    columns = {value for _, value in explorer.order_by.options}
    assert {"name", "stack_count", "created_at", "paid"} <= columns
    assert not columns & {"tags", "licenses", "id", "analysis_id"}


def check_charts(explorer, names):
    """Check that charts are drawn and that pyplot knows none.

    A kernel shows pyplot's figures after each message, drawn or not.
    """
    _FIGURES.clear()
    pictures = {}
    with mpl.rc_context({"figure.hooks": [f"{__name__}:_FIGURES.append"]}):
        plt.close(plt.figure())
        for name in names:
            explorer.chart.value = name
            [pictures[name]] = shown(explorer, "picture").xpath("//img")
    assert [name for name, picture in pictures.items() if not is_complete(picture)] == []
    assert len(_FIGURES) == 1


def is_complete(picture):
    """Return whether an image is a PNG whose description names chart and source."""
    is_png = picture.get("src").startswith("data:image/png;base64,iVBORw0KGgo")
    description = picture.get("alt")
    return is_png and description[0] not in ". " and "Source: " in description


def test_chart_that_fits_is_drawn_and_pyplot_knows_none(some_projects, sample_frames, pictures):
    """The slow tests have every chart."""
    check_charts(dirframe.Explorer(some_projects), ["tags"])
    check_charts(dirframe.Explorer(sample_frames["accounts"]), ["accounts_map"])


def test_chart_that_cannot_be_drawn_is_a_sentence_and_the_code_still_runs(some_projects, captions):
    explorer = dirframe.Explorer(some_projects[["id", "name", "stack_count"]])
    assert not shown(explorer, "picture").xpath("//img")
    assert LANGUAGE in shown(explorer, "picture").text_content()
    assert_frame_equal(run(explorer)["shown"], explorer.frame)
    names = ("languages", "countries", "licenses", "tags", "first_year", "activity")
    displays = {name: getattr(explorer, name).layout.display for name in names}
    assert displays == dict.fromkeys(names, "none")


@pytest.mark.parametrize("has_named_index", [False, True])
def test_frame_without_provenance_is_shown_and_cites_nothing(has_named_index, some_projects):
    frame = pd.DataFrame(some_projects.head(30).to_dict("list"))
    if has_named_index:
        frame = frame.set_index("id", drop=False)
    explorer = dirframe.Explorer(frame)
    explorer.chart.value, explorer.order_by.value = "tags", "name"
    assert_frame_equal(run(explorer)["shown"], explorer.frame)
    assert "cite(" not in explorer.code
    assert shown(explorer, "citation").text_content()


@pytest.mark.parametrize(
    "source",
    ["https://directory.example", 7, ["1"], pd.DataFrame({"x": [1]})],
    ids=["address", "number", "list", "frame"],
)
def test_explorer_of_what_is_no_table_of_records_is_refused(source):
    with pytest.raises(InvalidInputError):
        dirframe.Explorer(source)


@pytest.mark.parametrize(
    "change",
    [
        stats.tags,
        lambda projects: pd.concat([projects, projects[["name"]]], axis=1),
        lambda projects: projects.rename(columns={"name": 7}),
    ],
    ids=["statistic", "column twice", "column without a name"],
)
def test_explorer_of_a_table_made_of_records_is_refused(change, some_projects):
    with pytest.raises(InvalidInputError):
        dirframe.Explorer(change(some_projects))


def test_text_of_records_is_never_markup_and_long_text_is_cut():
    frame = pd.DataFrame(
        {
            "id": ["1", "2"],
            "name": [EVIL, None],
            LANGUAGE: [EVIL, "C"],
            "tags": [[EVIL, "b"], None],
            "licenses": [[{"name": "mit", "nice_name": EVIL}, {"name": "x"}], []],
            EVIL: ['with "quotes"\tand\nlines', "y" * 5000],
            "huge": ["x" * 5_000_000, ""],
        }
    )
    explorer = dirframe.Explorer(frame)
    explorer.languages.value, explorer.path.value = (EVIL, "C"), f"{EVIL}.nope"
    press(explorer, "Export")
    outputs = {name: shown(explorer, name) for name in ("table", "written", "code", "count")}
    assert not [tree for tree in outputs.values() if tree.xpath("//script | //b[.='bold']")]
    assert EVIL in outputs["written"].text_content()
    cells = [cell.text_content() for cell in outputs["table"].xpath("//tbody/tr/td")]
    assert {EVIL, "", "C"} <= {*cells}
    assert max(map(len, cells)) <= 101


# What its words and controls are


def tag(explorer, name, path):
    """Return the first element of an output at a path."""
    return shown(explorer, name).xpath(path)[0]


def test_messages_name_controls_and_no_argument(captions, tmp_path):
    with Today(20) as today, today.directory(tmp_path) as directory:
        explorer = dirframe.Explorer(directory)
        explorer.sort.value = "project_name"
        press(explorer, "Load")
        texts = [shown(explorer, name).text_content() for name in ("message", "picture")]
    assert [("With analyses" in text, "details" in text, "--" in text) for text in texts] == [
        (True, False, False),
        (True, False, False),
    ]


def test_load_that_no_retry_completes_is_not_said_to_go_on(sample, tmp_path):
    explorer = dirframe.Explorer(sample)
    explorer.projects.value = "633, 999999"
    press(explorer, "Load")
    text = shown(explorer, "message").text_content()
    facts = (explorer.error.retry_helps, "999999" in text, "Press Load again" in text)
    assert facts == (False, True, False)
    with Rig(55) as rig, rig.directory(cache=False, data=tmp_path, daily_quota=2) as directory:
        endless = dirframe.Explorer(directory)
        press(endless, "Load")
        assert isinstance(endless.error, QuotaExceededError)
        text = shown(endless, "message").text_content()
    assert ("At most" in text, "Press Load again" in text) == (True, False)


@pytest.mark.parametrize(
    ("control", "value", "there"),
    [("organization", "acme", "harbour, lantern"), ("projects", "no-such-project", "not found")],
)
def test_not_found_says_what_is_there(control, value, there):
    with dirframe.sample_directory(analyses=False) as directory:
        explorer = dirframe.Explorer(directory)
        getattr(explorer, control).value = value
        press(explorer, "Load")
    text = shown(explorer, "message").text_content()
    assert (there in text, "url=" in text, "--" in text) == (True, False, False)


def test_answer_stands_beside_its_button(some_projects, tmp_path):
    explorer = dirframe.Explorer(some_projects)
    explorer.path.value = str(tmp_path / "p.csv")
    boxes = [widget for widget in every(explorer) if hasattr(widget, "children")]
    (results,) = [box for box in boxes if "df-results" in box._dom_classes]
    names = ["".join(child._dom_classes) for child in results.children]
    assert names.index("df-at-written") == names.index("df-write") + 1
    press(explorer, "Export")
    assert "200 projects" in shown(explorer, "written").text_content()
    assert shown(explorer, "message").text_content() == ""
    explorer.search.value = "network"
    assert shown(explorer, "written").text_content() == ""  # it was of other records


@pytest.mark.parametrize(
    ("name", "suffix", "magic"),
    slow_except(
        [
            ("a.png", ".png", b"\x89PNG"),
            ("a.svg", ".svg", b"<?xml"),
            ("a.csv", ".png", b"\x89PNG"),
        ],
        [("a.svg", ".svg", b"<?xml"), ("a.csv", ".png", b"\x89PNG")],
    ),
)
def test_chart_is_saved_to_a_file(name, suffix, magic, some_projects, tmp_path):
    explorer = dirframe.Explorer(some_projects.head(50))
    explorer.path.value = str(tmp_path / name)
    press(explorer, "Save chart")
    file = (tmp_path / name).with_suffix(suffix)
    assert file.read_bytes().startswith(magic)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    press(explorer, "Save chart")
    assert "Tick Overwrite" in shown(explorer, "written").text_content()


def test_explorer_that_is_closed_leaves_no_widget(some_projects):
    before = {*_instances}
    explorer = dirframe.Explorer(some_projects.head(10))
    assert len(_instances) > len(before) + 100
    explorer.close()
    explorer.close()
    assert {*_instances} == before


def test_pages_show_all_records(some_projects):
    frame = some_projects.head(45)
    explorer = dirframe.Explorer(frame)
    names = []
    for _ in range(3):
        rows = shown(explorer, "table").xpath("//tbody/tr/td[1]")
        names += [row.text_content() for row in rows]
        if explorer.page.value < 3:
            press(explorer, "Next")
    assert names == [" ".join(name.split()) for name in frame["name"]]
    assert tag(explorer, "table", "//caption").text_content() == "Records 41 to 45 of 45"
    press(explorer, "Previous")
    assert explorer.page.value == 2
    explorer.order_by.value = "name"
    assert explorer.page.value == 1


def test_heading_names_the_column_of_code_in_a_tooltip(some_projects):
    explorer = dirframe.Explorer(some_projects)
    heads = {th.get("title"): th.text_content() for th in shown(explorer, "table").xpath("//th")}
    assert set(heads) == set(some_projects)
    assert heads[LANGUAGE] == "main language name"


def counts_of(control):
    """Return the numbers of records that the options of a list show, but that without a value."""
    texts = [label.rpartition(" (")[2] for label, value in control.options if value is not None]
    return [int(text.removesuffix(")").replace(",", "")) for text in texts]


def test_licences_are_named_by_title_and_lists_sorted_by_what_is_left(some_projects):
    explorer = dirframe.Explorer(some_projects)
    explorer.languages.value = ("Python",)
    labels = [label for label, _ in explorer.licenses.options]
    titles = set(stats.licenses(some_projects)["title"])
    assert {label.rpartition(" (")[0] for label in labels} == {*titles, "(none)"}
    counts = {
        name: counts_of(getattr(explorer, name)) for name in ("languages", "licenses", "tags")
    }
    assert counts == {name: sorted(numbers, reverse=True) for name, numbers in counts.items()}


def test_chart_has_the_width_and_the_theme_of_the_page(some_projects, pictures):
    explorer = dirframe.Explorer(some_projects.head(60))
    (browser,) = [w for w in every(explorer) if hasattr(w, "is_dark")]
    before = tag(explorer, "picture", "//img")
    browser.width = 800
    wide = tag(explorer, "picture", "//img")
    browser.is_dark = True
    dark = tag(explorer, "picture", "//img")
    assert (before.get("width"), wide.get("width"), dark.get("width")) == ("640", "800", "800")
    assert dark.get("src") != wide.get("src")
    caption = tag(explorer, "picture", "//p[@class='df-caption']").text_content()
    assert "Source: " in caption
    assert dark.get("alt").endswith(caption)


@pytest.mark.parametrize("name", slow_except(["accounts_map", "life_span"], ["life_span"]))
def test_title_of_a_chart_is_whole_in_a_narrow_picture(name, captions, monkeypatch):
    saved = []
    save = Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda *args, **kw: saved.append(args[0]) or save(*args, **kw)
    )
    explorer = dirframe.Explorer(CHARTS[name](60))
    explorer.chart.value = name
    (browser,) = [w for w in every(explorer) if hasattr(w, "is_dark")]
    browser.width = 320
    figure = saved[-1]
    figure.draw_without_rendering()
    (title,) = [text for text in figure.texts if text.get_text() == figure.get_suptitle()]
    box = title.get_window_extent()
    assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
    assert box.y1 <= figure.bbox.y1
    assert not any(ax.get_title("left") for ax in figure.axes)


# Loads


def test_estimate_that_does_not_fit_is_amber(tmp_path):
    with Rig(55) as rig, rig.directory(tmp_path, daily_quota=4) as directory:
        explorer = dirframe.Explorer(directory)
        press(explorer, "Estimate")
        assert "warning" in tag(explorer, "message", "//*[@role]").get("class")
        explorer.max_items.value = 10
        press(explorer, "Estimate")
        assert "success" in tag(explorer, "message", "//*[@role]").get("class")


def test_named_projects_are_loaded(sample):
    explorer = dirframe.Explorer(sample)
    explorer.query.value = "left over"
    explorer.way.value = "named projects"
    assert (explorer.query.value, explorer.query.layout.display) == ("", "none")
    explorer.projects.value = "633, 714 779"
    press(explorer, "Estimate")
    assert explorer.error is None
    press(explorer, "Load")
    assert explorer.frame["id"].tolist() == ["633", "714", "779"]
    assert "projects=['633', '714', '779']" in explorer.code
    assert_frame_equal(run(explorer)["shown"], explorer.frame)


def test_projects_of_an_organization_are_loaded():
    with dirframe.sample_directory(analyses=False) as directory:
        organizations = dirframe.load_organizations(directory, progress=False)
        name = organizations["url_name"][0] if "url_name" in organizations else None
        name = name or organizations["vanity_url"][0]
        explorer = dirframe.Explorer(directory)
        explorer.organization.value = name
        assert explorer.way.value == "organization"
        press(explorer, "Load")
        assert (explorer.error, len(explorer.frame) > 0) == (None, True)
        assert f"organization={name!r}" in explorer.code


def test_way_of_a_sample_shows_its_size_and_empties_it_again(sample):
    explorer = dirframe.Explorer(sample)
    explorer.sample.value = 5
    assert (explorer.way.value, explorer.sample.layout.display) == ("random sample", None)
    explorer.way.value = "all, or a query"
    assert (explorer.sample.value, explorer.sample.layout.display) == (0, "none")


def test_requests_are_sent_by_estimate_and_load_alone(tmp_path):
    with Rig(25) as rig, rig.directory(tmp_path, daily_quota=1000) as directory:
        explorer = dirframe.Explorer(directory)
        explorer.max_items.value = 20
        assert rig.requests == []
        press(explorer, "Estimate")
        assert "20 projects on 2 pages" in shown(explorer, "message").text_content()
        assert (rig.pages, explorer.frame) == ([1], None)
        press(explorer, "Load")
        assert (rig.pages, len(explorer.frame)) == ([1, 2], 20)
        assert "998 of 1,000" in shown(explorer, "quota").text_content()
        explorer.query.value = "other"
        explorer.search.value, explorer.order_by.value = "project 1", "name"
        explorer.style.value = "bibtex"
        press(explorer, "Clear filters")
        assert rig.pages == [1, 2]
        assert "other" not in explorer.code  # it tells what was loaded


def test_stopped_load_is_said_and_the_next_pays_the_rest(tmp_path):
    def stop(exchange):
        disabled.append((explorer.chart.disabled, explorer.languages.disabled))
        interrupts(exchange)

    disabled = []
    with Rig(55) as rig, rig.directory(tmp_path) as directory:
        explorer = dirframe.Explorer(directory)
        rig.on_page[3] = [stop]
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a kernel between its messages
        try:
            press(explorer, "Load")
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            assert "cache" in shown(explorer, "message").text_content()
            assert (explorer.frame, explorer.error) == (None, None)
            # A choice among the old records would be one among the new.
            assert (disabled, explorer.chart.disabled) == ([(True, True)], False)
            rig.on_page |= {number: [stop] for number in range(3, 7)}
            with pytest.raises(KeyboardInterrupt):  # in a cell, the next ones must not run
                explorer.load()
        finally:
            signal.signal(signal.SIGINT, before)
        rig.on_page.clear()
        paid = len(rig.requests)
        press(explorer, "Load")
        assert (len(explorer.frame), explorer.error) == (55, None)
        assert len(rig.requests) - paid < 6


def test_incomplete_load_is_shown_and_the_code_says_so(tmp_path):
    with Rig(55) as rig, rig.directory(tmp_path) as directory:
        rig.items_available = lambda count: count + 10
        explorer = dirframe.Explorer(directory)
        press(explorer, "Load")
        assert isinstance(explorer.error, IncompleteCollectionError)
        assert shown(explorer, "message").xpath("//*[@role='alert']")
        assert shown(explorer, "count").text_content() == "55 projects"
        assert "55 of 65" in shown(explorer, "citation").text_content()
        assert any(line.startswith("#") for line in explorer.code.splitlines())


def test_explorer_says_a_fault_without_the_key_and_loads_again(tmp_path):
    failures = []
    faults = ("reset before", "cut with its length", "HTML with 200", "500", "the key in the text")
    with Rig(25) as rig, rig.directory(tmp_path) as directory:
        explorer = dirframe.Explorer(directory)
        press(explorer, "Load")
        before = explorer.frame
        for name in faults:
            explorer.query.value, rig.always = name, FAULTS[name]
            press(explorer, "Load")
            text = shown(explorer, "message").text_content()
            if not text or explorer.frame is not before or MARK in sent(explorer):
                failures.append(f"{name}: {text}")
        rig.always = None
        press(explorer, "Load")
    assert not failures
    assert (explorer.error, len(before), len(explorer.frame)) == (None, 25, 25)


def test_unexpected_error_is_a_sentence_without_the_key():
    def fail(request):
        raise LookupError(f"not expected, at {request.target}")

    with Rig(5).in_process() as rig, rig.directory() as directory:
        explorer = dirframe.Explorer(directory)
        rig.before = fail
        press(explorer, "Load")
        assert isinstance(explorer.error, LookupError)
        assert "LookupError" in shown(explorer, "message").text_content()
        assert MARK not in sent(explorer)
        with pytest.raises(LookupError):  # in a cell, the next ones must not run
            explorer.load()


def test_load_beyond_the_quota_begins_when_it_is_asked_for_again(tmp_path):
    with Rig(55) as rig, rig.directory(tmp_path, daily_quota=4) as directory:
        explorer = dirframe.Explorer(directory)
        press(explorer, "Load")
        assert (explorer.error, explorer.frame, len(rig.requests)) == (None, None, 1)
        assert "Press Load again" in shown(explorer, "message").text_content()
        explorer.query.value = "other"
        press(explorer, "Load")  # of another request
        assert (explorer.error, explorer.frame, len(rig.requests)) == (None, None, 2)
        press(explorer, "Load")
        assert isinstance(explorer.error, QuotaExceededError)
        assert len(rig.requests) == 4


def test_used_up_quota_is_said_and_less_can_be_loaded(tmp_path):
    with Rig(55) as rig, rig.directory(tmp_path, daily_quota=4) as directory:
        explorer = dirframe.Explorer(directory)
        press(explorer, "Load")
        press(explorer, "Load")
        assert isinstance(explorer.error, QuotaExceededError)
        assert f"{explorer.error.resets_at:%H:%M}" in shown(explorer, "message").text_content()
        explorer.max_items.value = 10
        press(explorer, "Load")
        assert len(explorer.frame) == 10


def test_own_pages_are_loaded(tmp_path):
    with Today(20) as today, today.directory(tmp_path) as directory:
        explorer = dirframe.Explorer(directory)
        explorer.sort.value = "project_name"
        press(explorer, "Load")
        assert (len(explorer.frame), explorer.error) == (20, None)
        assert "Tick With analyses" in shown(explorer, "message").text_content()
        assert explorer.languages.layout.display == "none"
        explorer.details.value = True
        press(explorer, "Load")
        assert explorer.frame["analysis_total_code_lines"].notna().all()
        assert "details=True" in explorer.code


def test_sample_is_estimated_drawn_and_told(sample, captions):
    explorer = dirframe.Explorer(sample)
    explorer.sample.value, explorer.seed.value = 6, 7
    press(explorer, "Estimate")
    assert re.search(r"\b6 projects", shown(explorer, "message").text_content())
    press(explorer, "Load")
    assert len(explorer.frame) == 6
    assert "load_projects(directory, sample=6, seed=7)" in explorer.code
    assert "random sample of 6 of" in shown(explorer, "picture").xpath("//img")[0].get("alt")
    assert_frame_equal(run(explorer)["shown"], explorer.frame)


def test_collection_of_the_explorer_has_its_own_filters_charts_and_sorts(sample):
    explorer = dirframe.Explorer(sample)
    explorer.max_items.value, explorer.seed.value = 50, 3
    press(explorer, "Load")
    assert "(directory, max_items=50)" in explorer.code
    explorer.languages.value, explorer.sort.value = ("Java",), "stack_count"
    java = len(explorer.frame)
    explorer.collection.value = "accounts"
    assert (explorer.sort.value, len(explorer.frame)) == ("", java)  # nothing was loaded yet
    assert "load_projects" in explorer.code
    press(explorer, "Load")
    assert (explorer.languages.value, explorer.path.value) == ((), "accounts.csv")
    assert explorer.languages.layout.display == "none"
    assert explorer.countries.layout.display is None
    assert explorer.chart.value == "accounts_by_country"
    assert "load_accounts" in explorer.code


def test_activity_can_be_each_state_that_select_knows(some_projects):
    explorer = dirframe.Explorer(some_projects)
    states = ("active", "dormant", "unknown")
    numbers = {state: len(dirframe.select(some_projects, activity=state)) for state in states}
    assert dict(explorer.activity.options[1:]) == {
        f"{state} ({number:,})": state for state, number in numbers.items() if number
    }
    explorer.activity.value = "unknown"
    assert len(explorer.frame) == numbers["unknown"] > 0
    assert "activity='unknown'" in explorer.code.replace('"', "'")


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
def test_activity_of_projects_without_analyses_is_that_of_their_class():
    today = Today(3)
    classes = iter((0, 20, 40))  # the first has none
    today.records[:] = [
        re.sub("<value>40<", f"<value>{next(classes)}<", xml) for xml in today.records
    ]
    with today.in_process(), today.directory() as directory:
        frame = dirframe.load_projects(directory, progress=False)
    explorer = dirframe.Explorer(frame)
    assert dict(explorer.activity.options[1:]) == {
        "active (1)": "active",
        "dormant (1)": "dormant",
        "unknown (1)": "unknown",
    }
    explorer.activity.value = "unknown"
    assert_frame_equal(explorer.frame, dirframe.select(frame, activity="unknown"))
    assert len(explorer.frame) == 1


def test_years_are_whole_also_where_one_date_is_missing():
    days = pd.to_datetime(["2008-01-01", None, "2009-05-01"], utc=True)
    frame = pd.DataFrame({"id": ["1", "2", "3"], "name": ["a", "b", "c"], "created_at": days})
    frame[LANGUAGE] = ["C", "C ", "Java"]
    explorer = dirframe.Explorer(provenance.set_provenance(frame, resource="project"))
    assert [text for text, _ in explorer.first_year.options[1:]] == ["2008 (1)", "2009 (1)"]
    explorer.first_year.value = 2009
    assert explorer.error is None
    assert list(explorer.frame["id"]) == ["3"]
    assert "years=(2009, None)" in explorer.code
    assert "year of creation from 2009" in provenance.caption(explorer.frame)
    explorer.show_all()
    assert list(explorer.languages.options) == [("C (2)", "C"), ("Java (1)", "Java")]


def test_choice_in_another_thread_is_shown_by_that_of_the_cells_and_never_lost(some_projects):
    """A kernel may handle the messages of widgets in a thread of its own."""

    def choose(control, value):
        click = threading.Thread(target=control.set_trait, args=("value", value))
        click.start()
        click.join()

    def meanwhile(change):  # the options are set while it is chosen
        change.owner.unobserve(meanwhile, "options")
        choose(change.owner, ("Java",))

    async def kernel():
        explorer = dirframe.Explorer(some_projects)
        before = explorer.frame
        choose(explorer.search, "network")
        assert explorer.frame is before
        await asyncio.sleep(0)
        assert len(explorer.frame) < len(before)
        explorer.languages.observe(meanwhile, "options")
        explorer.first_year.value = 2008
        await asyncio.sleep(0)
        return explorer

    explorer = asyncio.run(kernel())
    assert explorer.languages.value == ("Java",)
    assert set(explorer.frame["analysis_main_language_name"]) == {"Java"}


def test_text_typed_before_a_press_counts_even_if_it_arrives_later(sample):
    async def kernel():
        explorer = dirframe.Explorer(sample)
        thread = threading.Thread(target=press, args=(explorer, "Load"))
        thread.start()
        thread.join()
        await asyncio.sleep(0.05)
        explorer.max_items.value = 20
        await asyncio.sleep(0.5)
        return explorer

    assert len(asyncio.run(kernel()).frame) == 20


def test_directory_and_code_have_the_key_of_the_environment(tmp_path, monkeypatch):
    with pytest.raises(ConfigurationError):
        dirframe.Explorer()
    with Rig(25) as rig, rig.directory(tmp_path, name="Our 'own' \"one\"") as directory:
        monkeypatch.setenv("DIRFRAME_BASE_URL", rig.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", "wrong" * 8)
        refused = dirframe.Explorer()
        press(refused, "Estimate")
        assert isinstance(refused.error, InvalidKeyError)
        assert "wrong" * 8 not in sent(refused)
        refused.source.close()
        monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
        explorer = dirframe.Explorer(directory)
        explorer.query.value = 'a "b" \\'
        press(explorer, "Load")
        assert MARK not in sent(explorer)
        assert_frame_equal(run(explorer)["shown"], explorer.frame)
        assert rig.requests[-1].query["query"] == 'a "b" \\'
        assert explorer.frame.attrs["dirframe"]["source"] == "Our 'own' \"one\""
