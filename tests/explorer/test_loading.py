"""Only two buttons send requests; a load can be stopped; a failure is a sentence without the key."""

import asyncio
import signal
import sys
import threading

import pandas as pd
import pytest

import dirframe
from dirframe import provenance
from dirframe.errors import (
    ConfigurationError,
    IncompleteCollectionError,
    InvalidKeyError,
    MissingExtraError,
    NetworkError,
    QuotaExceededError,
)
from tests.rig.faults import FAULTS
from tests.rig.server import KEY, MARK, Rig
from tests.rig.today import Today


def test_requests_are_sent_by_estimate_and_load_alone(tmp_path, press, shown):
    with Rig(25) as rig, rig.directory(tmp_path, daily_quota=1000) as directory:
        explorer = dirframe.Explorer(directory)
        explorer.max_items.value = 20
        assert rig.requests == []
        press(explorer, "Estimate")
        assert rig.pages == [1]
        assert {"20", "2"} <= {*shown(explorer, "message").text_content().replace(":", "").split()}
        assert explorer.frame is None
        press(explorer, "Load")
        assert rig.pages == [1, 2]
        assert len(explorer.frame) == 20
        assert "998 of 1,000" in shown(explorer, "quota").text_content()
        explorer.query.value = "other"
        explorer.search.value, explorer.order_by.value = "project 1", "name"
        explorer.style.value = "bibtex"
        press(explorer, "Show all")
        assert rig.pages == [1, 2]
        assert "other" not in explorer.code  # it tells what was loaded


def test_stopped_load_is_said_and_the_next_pays_the_rest(tmp_path, press, shown):
    def stop(exchange):
        exchange.answer()
        signal.raise_signal(signal.SIGINT)

    with Rig(55) as rig, rig.directory(tmp_path) as directory:
        explorer = dirframe.Explorer(directory)
        rig.on_page[3] = [stop]
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a kernel between its messages
        try:
            press(explorer, "Load")
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            assert "cache" in shown(explorer, "message").text_content()
            assert (explorer.frame, explorer.error) == (None, None)
            rig.on_page[3] = [stop]
            rig.on_page[4] = rig.on_page[5] = rig.on_page[6] = [stop]
            with pytest.raises(KeyboardInterrupt):  # in a cell, the next ones must not run
                explorer.load()
        finally:
            signal.signal(signal.SIGINT, before)
        rig.on_page.clear()
        paid = len(rig.requests)
        press(explorer, "Load")
        assert (len(explorer.frame), explorer.error) == (55, None)
        assert len(rig.requests) - paid < 6


def test_incomplete_load_is_shown_and_the_code_says_so(tmp_path, press, shown):
    with Rig(55) as rig, rig.directory(tmp_path) as directory:
        rig.items_available = lambda count: count + 10
        explorer = dirframe.Explorer(directory)
        press(explorer, "Load")
        assert isinstance(explorer.error, IncompleteCollectionError)
        assert shown(explorer, "message").xpath("//*[@role='alert']")
        assert shown(explorer, "count").text_content() == "55 projects"
        assert "55 of 65" in shown(explorer, "citation").text_content()
        assert provenance.get_provenance(explorer.frame)["complete"] is False
        assert any(line.startswith("#") for line in explorer.code.splitlines())


def test_every_fault_is_a_sentence_without_the_key_and_the_next_load_is_whole(
    tmp_path, press, shown, sent
):
    failures = []
    for number, name in enumerate(
        (
            *("reset before", "cut with its length", "HTML with 200", "a DOCTYPE", "500"),
            *("the key in the text", "the key in names", "429"),
        )
    ):
        with Rig(25) as rig, rig.directory(tmp_path / str(number)) as directory:
            explorer = dirframe.Explorer(directory)
            press(explorer, "Load")
            before = explorer.frame
            assert len(before) == 25
            explorer.query.value, rig.always = name, FAULTS[name]
            press(explorer, "Load")
            text = shown(explorer, "message").text_content()
            is_kept = explorer.frame is before or name == "the key in names"  # which is no failure
            if not text or not is_kept or "Traceback" in text or MARK in sent(explorer):
                failures.append(f"{name}: {text}")
            rig.always = None
            press(explorer, "Load")
            if name == "429":  # the directory is believed
                assert isinstance(explorer.error, QuotaExceededError)
                assert "0 of" in shown(explorer, "quota").text_content()
            elif explorer.error or len(explorer.frame) != 25:
                failures.append(f"{name}: the next load: {explorer.error}")
    assert not failures


def test_refused_key_and_closed_port_are_sentences(tmp_path, press, sent):
    with Rig(5) as rig:
        with rig.directory(tmp_path, key="wrong" * 8) as refused:
            explorer = dirframe.Explorer(refused)
            for button in ("Load", "Estimate"):
                press(explorer, button)
                assert isinstance(explorer.error, InvalidKeyError)
                assert "wrong" * 8 not in sent(explorer)
        with rig.directory(tmp_path) as directory:
            explorer = dirframe.Explorer(directory)
            rig.close()
            press(explorer, "Load")
            assert isinstance(explorer.error, NetworkError)
            with pytest.raises(NetworkError):  # in a cell, the next ones must not run
                explorer.load()


def test_unexpected_error_is_a_sentence_without_the_key(press, shown, sent):
    def fail(request):
        raise LookupError(f"not expected, at {request.target}")

    with Rig(5).in_process() as rig, rig.directory() as directory:
        explorer = dirframe.Explorer(directory)
        rig.before = fail
        press(explorer, "Load")
        assert isinstance(explorer.error, LookupError)
        assert "LookupError" in shown(explorer, "message").text_content()
        assert MARK not in sent(explorer)
        rig.before = None
        press(explorer, "Load")
        assert len(explorer.frame) == 5


def test_used_up_quota_is_said_and_the_records_stay(tmp_path, press, shown):
    with Rig(55) as rig, rig.directory(tmp_path, daily_quota=4) as directory:
        explorer = dirframe.Explorer(directory)
        press(explorer, "Load")
        assert isinstance(explorer.error, QuotaExceededError)
        assert f"{explorer.error.resets_at:%H:%M}" in shown(explorer, "message").text_content()
        explorer.max_items.value = 10
        press(explorer, "Load")
        assert len(explorer.frame) == 10
        assert "max_items=10" in explorer.code


def test_own_pages_are_estimated_and_loaded(tmp_path, press, shown):
    with Today(25) as today, today.directory(tmp_path) as directory:
        explorer = dirframe.Explorer(directory)
        explorer.sort.value, explorer.max_items.value = "project_name", 20
        press(explorer, "Load")
        assert "details" in shown(explorer, "message").text_content()  # no analysis was sent
        explorer.details.value = True
        press(explorer, "Estimate")
        before = len(today.requests)
        press(explorer, "Load")
        assert explorer.error is None
        assert len(today.requests) - before >= 20
        assert explorer.frame["analysis_total_code_lines"].notna().all()
        assert "details=True" in explorer.code


def test_sample_is_estimated_drawn_and_told(sample, press, shown):
    explorer = dirframe.Explorer(sample)
    explorer.sample.value, explorer.seed.value = 40, 7
    press(explorer, "Estimate")
    assert "40" in shown(explorer, "message").text_content()
    press(explorer, "Load")
    assert len(explorer.frame) == 40
    assert "load_projects(directory, sample=40, seed=7)" in explorer.code
    assert "sample" in shown(explorer, "picture").xpath("//img")[0].get("alt")
    names = {}
    exec(explorer.code, names)
    pd.testing.assert_frame_equal(names["shown"], explorer.frame)
    explorer.sample.value, explorer.max_items.value = 0, 10
    press(explorer, "Load")
    assert len(explorer.frame) == 10
    assert "seed" not in explorer.code


def test_another_collection_has_its_own_filters_charts_and_sorts(sample, press):
    explorer = dirframe.Explorer(sample)
    explorer.max_items.value = 50
    press(explorer, "Load")
    explorer.languages.value = ("Java",)
    java = len(explorer.frame)
    explorer.sort.value = "stack_count"
    explorer.collection.value = "accounts"
    assert (explorer.sort.value, len(explorer.frame)) == ("", java)  # nothing was loaded yet
    assert "load_projects" in explorer.code
    press(explorer, "Load")
    assert (explorer.languages.value, explorer.path.value) == ((), "accounts.csv")
    assert explorer.languages.layout.display == "none"
    assert explorer.countries.layout.display is None
    assert explorer.chart.value == "accounts_by_country"
    assert "load_accounts" in explorer.code


def test_clicks_in_another_thread_are_handled_in_that_of_the_cells(sample_projects):
    """A kernel may handle the messages of widgets in a thread of its own."""
    threads = []

    async def kernel():
        explorer = dirframe.Explorer(sample_projects.head(50))
        explorer.order_by.observe(lambda _: None, "value")
        first = explorer.frame

        def click():
            explorer.languages.value = (explorer.languages.options[0][1],)
            threads.append(explorer.frame is first)

        clicked = threading.Thread(target=click)
        clicked.start()
        clicked.join()
        await asyncio.sleep(0)
        threads.append(explorer.frame is first)
        return explorer

    explorer = asyncio.run(kernel())
    assert threads == [True, False]
    assert 0 < len(explorer.frame) < 50


def test_choice_made_in_another_thread_while_its_options_change_is_not_lost(sample_projects):
    async def kernel():
        explorer = dirframe.Explorer(sample_projects)

        def meanwhile(_):
            explorer.languages.unobserve(meanwhile, "options")
            click = threading.Thread(target=explorer.languages.set_trait, args=("value", ("Java",)))
            click.start()
            click.join()

        explorer.languages.observe(meanwhile, "options")
        explorer.first_year.value = 2008
        await asyncio.sleep(0)
        return explorer

    explorer = asyncio.run(kernel())
    assert explorer.languages.value == ("Java",)
    assert set(explorer.frame["analysis_main_language_name"]) == {"Java"}


def test_nothing_is_chosen_among_the_old_records_while_others_are_loaded(tmp_path, press):
    def look(exchange):
        states.append([explorer.chart.disabled, explorer.languages.disabled])
        exchange.answer()

    states = []
    with Rig(15) as rig, rig.directory(tmp_path) as directory:
        explorer = dirframe.Explorer(directory)
        rig.on_page[1] = [look]
        press(explorer, "Load")
    assert states == [[True, True]]
    assert not explorer.chart.disabled
    assert not explorer.languages.disabled


def test_directory_is_that_of_the_environment_unless_given(monkeypatch, press, sent):
    with pytest.raises(ConfigurationError):
        dirframe.Explorer()
    with Rig(15) as rig:
        monkeypatch.setenv("DIRFRAME_BASE_URL", rig.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
        explorer = dirframe.Explorer()
        press(explorer, "Load")
        assert len(explorer.frame) == 15
        assert MARK not in sent(explorer)
        explorer.source.close()


def test_code_opens_a_directory_with_the_key_of_the_environment(tmp_path, monkeypatch, press):
    with Rig(25) as rig, rig.directory(tmp_path, name="Our 'own' \"one\"") as directory:
        explorer = dirframe.Explorer(directory)
        explorer.query.value = 'a "b" \\'
        press(explorer, "Load")
        explorer.chart.value = "growth"
        assert MARK not in explorer.code
        monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
        names = {}
        exec(explorer.code, names)
        pd.testing.assert_frame_equal(names["shown"], explorer.frame)
        assert rig.requests[-1].query["query"] == 'a "b" \\'
        assert provenance.get_provenance(names["shown"])["source"] == "Our 'own' \"one\""


def test_missing_extra_is_named(monkeypatch):
    monkeypatch.delitem(vars(dirframe), "Explorer", raising=False)
    monkeypatch.delitem(sys.modules, "dirframe.explorer.explorer", raising=False)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(MissingExtraError) as caught:
        dirframe.Explorer  # noqa: B018  # the look itself imports it
    assert (caught.value.package, caught.value.extra) == ("ipywidgets", "explorer")
