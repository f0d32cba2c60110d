"""Only two buttons send requests; a load can be cancelled; a failure is a message without the key."""

import threading

import pytest

import dirframe
from dirframe import provenance
from dirframe.errors import (
    ConfigurationError,
    IncompleteCollectionError,
    InvalidInputError,
    InvalidKeyError,
    NetworkError,
    QuotaExceededError,
)
from tests.rig.faults import FAULTS
from tests.rig.server import KEY, MARK, Rig
from tests.rig.today import Today


def outputs(explorer):
    """Return all that an explorer shows, sends to the page, and leaves in a saved notebook."""
    from tests.explorer.screen import every

    widgets = [widget.get_state() for widget in every(explorer._view.widget)]
    shown = explorer._repr_mimebundle_()
    state = explorer.state
    return repr((widgets, shown, explorer, explorer.code, state.citation, state.message))


def test_requests_are_sent_by_price_and_load_alone(tmp_path):
    with Rig(25) as rig, rig.directory(tmp_path, daily_quota=1000) as directory:
        explorer = dirframe.Explorer(directory)
        state = explorer.state
        assert (explorer.frame, state.quota_left, state.quota) == (None, 1000, 1000)
        state.max_items = 20
        assert rig.requests == []
        state.show_price()
        assert rig.pages == [1]
        assert {"20", "2"} <= set(state.message.replace(":", "").split())  # records, pages
        assert state.shown is None
        state.load()
        assert rig.pages == [1, 2]
        assert (state.quota_left, len(explorer.frame)) == (998, 20)
        state.query = "other"
        state.search, state.page, state.style = "project 1", 2, "bibtex"
        state.order("name")
        state.show_all()
        assert rig.pages == [1, 2]


def test_load_tells_how_far_it_is_and_one_thing_happens_at_a_time(directory):
    waiting = []
    from dirframe.explorer.state import State

    state = State(directory, waiting.append)  # as a kernel, which is busy with a cell
    changes = []
    state.observe(lambda change: changes.append((change["name"], change["new"])), ["busy", "total"])
    state.max_items = 60
    state.start_load()
    state.join()
    state.show_price()
    assert (state.busy, state.shown, state.message) == ("load", None, "")
    while waiting:
        waiting.pop(0)()
    assert changes == [("busy", "load"), ("total", 60), ("busy", "")]
    assert (state.loaded, len(state.shown.frame), state.severity) == (60, 60, "success")


def test_cancelled_load_keeps_what_came_and_the_next_pays_the_rest(tmp_path):
    awaited, go_on = threading.Event(), threading.Event()

    def slowly(exchange):
        awaited.set()
        go_on.wait(20)
        exchange.answer()

    with Rig(55) as rig, rig.directory(tmp_path) as directory:
        rig.on_page[3] = [slowly]
        explorer = dirframe.Explorer(directory)
        state = explorer.state
        state.start_load()
        assert awaited.wait(20)
        state.cancel()
        go_on.set()
        state.join()
        came = len(explorer.frame)
        assert 20 <= came < 55
        assert (state.severity, state.busy, state.loaded, state.total) == ("warning", "", came, 55)
        assert isinstance(state.error, IncompleteCollectionError)
        assert provenance.get_provenance(explorer.frame)["complete"] is False
        assert any(line.startswith("#") for line in explorer.code.splitlines())
        paid = len(rig.requests)
        state.load()
        assert (len(explorer.frame), state.severity, state.error) == (55, "success", None)
        assert len(rig.requests) - paid <= 6 - came // 10
        assert not any(line.startswith("#") for line in explorer.code.splitlines())


def test_failed_load_is_a_message_without_the_key_and_keeps_the_records(tmp_path):
    with Rig(25) as rig, rig.directory(tmp_path) as directory:
        explorer = dirframe.Explorer(directory)
        state = explorer.state
        failures = []
        for name in (
            *("reset before", "cut with its length", "HTML with 200", "a DOCTYPE", "500"),
            *("the key in the text", "the key in names", "429"),
        ):
            before = state.shown
            state.query, rig.always = name, FAULTS[name]
            state.load()
            is_kept = state.shown is before or name == "the key in names"  # which is no failure
            if not (state.message and state.severity != "info" and state.busy == "" and is_kept):
                failures.append(name)
            if MARK in outputs(explorer) or "Traceback" in state.message:
                failures.append(f"{name}: the key or a traceback is shown")
            rig.always = None
            if name == "429":  # the directory is believed
                assert isinstance(state.error, QuotaExceededError)
                assert state.quota_left == 0
                continue
            state.load()
            if (state.severity, state.error, len(explorer.frame)) != ("success", None, 25):
                failures.append(f"{name}: {state.message}")
        assert not failures
        rig.close()
        before, state.query = state.shown, "gone"
        state.load()
        assert state.severity == "error"
        state.search = "project 1"  # filters ask nobody
        assert 0 < len(explorer.frame) < 25
        assert state.shown.loaded is before.loaded


def test_refused_key_closed_port_and_wrong_sort_are_messages(tmp_path):
    with Rig(5) as rig:
        with rig.directory(tmp_path, key="wrong" * 8) as refused:
            explorer = dirframe.Explorer(refused)
            for action in (explorer.state.load, explorer.state.show_price):
                action()
                assert isinstance(explorer.state.error, InvalidKeyError)
                assert "wrong" * 8 not in outputs(explorer)
        with rig.directory(tmp_path) as directory:
            state = dirframe.Explorer(directory).state
            state.sort = "colour"
            state.load()
            assert isinstance(state.error, InvalidInputError)
            assert "colour" in state.message
            state.sort = ""
            rig.close()
            state.load()
            assert (type(state.error), state.severity) == (NetworkError, "error")


def test_unexpected_error_is_a_message_without_the_key():
    def fail(request):
        raise LookupError(f"not expected, at {request.target}")

    with Rig(5).in_process() as rig, rig.directory() as directory:
        rig.before = fail
        explorer = dirframe.Explorer(directory)
        explorer.state.load()
        assert isinstance(explorer.state.error, LookupError)
        assert (explorer.state.severity, explorer.state.busy) == ("error", "")
        assert "LookupError" in explorer.state.message
        assert MARK not in outputs(explorer)
        rig.before = None
        explorer.state.load()
        assert len(explorer.frame) == 5


def test_used_up_quota_is_said_and_stored_pages_are_still_shown(tmp_path):
    with Rig(55) as rig, rig.directory(tmp_path, daily_quota=4) as directory:
        state = dirframe.Explorer(directory).state
        state.load()
        assert (state.severity, state.quota_left) == ("error", 0)
        assert isinstance(state.error, QuotaExceededError)
        assert f"{state.error.resets_at:%H:%M}" in state.message
        state.show_price()
        assert (state.busy, bool(state.message)) == ("", True)
        state.max_items = 30
        state.load()
        assert len(state.shown.frame) == 30
        assert len(rig.requests) == 4


def test_price_that_does_not_fit_is_a_warning(tmp_path):
    with Rig(55) as rig, rig.directory(tmp_path, daily_quota=3) as directory:
        state = dirframe.Explorer(directory).state
        state.show_price()
        assert (state.severity, state.error) == ("warning", None)
        state.max_items = 20
        state.show_price()
        assert state.severity == "info"


def test_own_pages_are_priced_exactly_and_loaded(tmp_path):
    with Today(25) as today, today.directory(tmp_path) as directory:
        state = dirframe.Explorer(directory).state
        state.sort, state.max_items = "project_name", 20
        state.load()
        assert state.severity == "warning"  # no analysis was sent
        state.details = True
        assert "details" not in state.code
        state.show_price(exact=True)
        before = len(today.requests)
        plan = dirframe.plan(
            "projects", directory=directory, sort="project_name", max_items=20, details=True
        )
        assert f"{plan.requests_needed:,}" in state.message
        state.load()
        assert state.severity == "success", state.message
        assert len(today.requests) - before == plan.requests_needed
        assert state.shown.loaded["analysis_total_code_lines"].notna().all()
        assert "details=True" in state.code


def test_directory_is_that_of_the_environment_unless_given(tmp_path, monkeypatch):
    with pytest.raises(ConfigurationError):
        dirframe.Explorer()
    with Rig(15) as rig:
        monkeypatch.setenv("DIRFRAME_BASE_URL", rig.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
        explorer = dirframe.Explorer()
        assert explorer.source.base_url == rig.url
        explorer.state.load()
        assert len(explorer.frame) == 15
        assert MARK not in outputs(explorer)
        explorer.source.close()
