"""Whatever goes wrong, the explorer says it in a sentence, shows no key and can be used again."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from dirframe.client.directory import Directory
from dirframe.errors import QuotaExceededError
from dirframe.explorer.explorer import Explorer
from dirframe.explorer.state import State
from tests.explorer.screen import every
from tests.faults import faults
from tests.faults.conftest import settings_of
from tests.faults.everything import MARK, Everything
from tests.faults.service import FaultyService, Shelf, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.faults.conftest import Ask
    from tests.faults.service import Exchange

KEY = f"{MARK}&<'key'>/+=~%"
QUICK = sorted(
    set(faults.FAULTS)
    - set(faults.SLOW)
    - {name for name in faults.FAULTS if name.startswith(("503", "endless", "gzip bomb"))}
)


@contextmanager
def explored(service: FaultyService, folder: Path) -> Iterator[Explorer]:
    directory = Directory.from_settings(settings_of(service, folder, key=KEY, retries=1))
    try:
        yield Explorer(directory)
    finally:
        directory.close()


@pytest.mark.parametrize("name", QUICK)
def test_a_fault_is_a_sentence_without_the_key_and_the_next_load_is_whole(
    name: str, tmp_path: Path
) -> None:
    everything = Everything()
    with (
        FaultyService(Shelf(numbered(25), size=10), key=KEY) as service,
        explored(service, tmp_path) as explorer,
    ):
        state = explorer.state
        service.faults.append(None)
        service.always = faults.FAULTS[name]
        state.load()
        assert service.asked
        assert state.message
        assert "Traceback" not in state.message
        assert state.severity != "info"
        failed = state.error
        state.show_price()
        assert (state.busy, state.message != "") == ("", True)
        everything.add("the widgets", repr([w.get_state() for w in every(explorer._view.widget)]))
        everything.add("the picture", repr(explorer._repr_mimebundle_()))
        everything.add("code and citation", explorer.code + state.citation)
        for error in filter(None, (failed, state.error)):
            everything.add_error(error)
        assert everything.places_of_the_key() == []

        service.always = None
        if isinstance(failed, QuotaExceededError):
            assert state.quota_left == 0  # the directory is believed: nothing can be asked
            return
        state.load()
        assert state.severity == "success", state.message
        assert explorer.frame is not None
        assert len(explorer.frame) == 25
        assert state.error is None


def test_a_directory_that_has_gone_is_said_and_what_was_shown_stays(
    service: FaultyService, ask: Ask
) -> None:
    state = State(ask(service, cache_dir=None, retries=0))
    state.load()
    before = state.shown
    service.close()
    state.load()
    assert state.severity == "error"
    assert "127.0.0.1" in state.message
    assert state.shown is before
    state.activity = "active"  # filters ask nobody
    assert state.shown is not None
    assert state.shown.loaded is before.loaded if before else False


def test_an_quota_that_is_used_up_is_said_with_the_time_to_go_on(
    service: FaultyService, ask: Ask
) -> None:
    state = State(ask(service, daily_quota=4))
    state.load()
    assert state.severity == "error"
    assert "UTC" in state.message
    assert state.quota_left == 0
    state.show_price()
    assert state.message
    assert state.busy == ""
    state.max_items = 30  # three pages, which the cache has
    state.load()
    assert state.severity in {"success", "warning"}
    assert state.shown is not None
    assert len(state.shown.frame) == 30


def test_a_load_is_cancelled_while_an_answer_is_awaited_and_goes_on_from_the_cache(
    service: FaultyService, ask: Ask
) -> None:
    awaited, go_on = threading.Event(), threading.Event()

    def slowly(exchange: Exchange) -> None:
        awaited.set()
        go_on.wait(20)
        exchange.answer()

    service.on_page[3] = [slowly]
    state = State(ask(service))
    state.start_load()
    assert awaited.wait(20)
    state.cancel()
    go_on.set()
    state.join()
    assert state.severity == "warning"
    assert "it was stopped after" in state.message
    assert state.shown is not None
    assert 20 <= len(state.shown.frame) < 55
    paid = len(service.asked)
    state.load()
    assert len(state.shown.frame) == 55
    assert state.severity == "success"
    assert len(service.asked) - paid <= 4
