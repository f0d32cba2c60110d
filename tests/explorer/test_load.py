"""Whatever happens in a load comes out as a sentence, and never with the key."""

from __future__ import annotations

import dirframe
from dirframe.errors import IncompleteCollectionError, InvalidKeyError, NetworkError
from dirframe.explorer.load import LoadRequest, error_message, fetch, price, with_countries
from dirframe.provenance import get_provenance
from dirframe.settings import ApiKey, Settings

PROJECTS = LoadRequest(collection="projects", max_items=100)


def ignore(came: int, total: int) -> None:
    pass


def never() -> bool:
    return False


def elsewhere(url: str, key: str) -> dirframe.Directory:
    settings = Settings(
        base_url=url, api_key=ApiKey(key), cache_dir=None, quota_dir=None, retries=0
    )
    return dirframe.Directory.from_settings(settings)


def test_a_load_gives_the_frame_and_says_so(directory: dirframe.Directory) -> None:
    told: list[tuple[int, int]] = []
    outcome = fetch(
        PROJECTS, directory, on_progress=lambda *now: told.append(now), is_cancelled=never
    )
    assert outcome.frame is not None
    assert len(outcome.frame) == 100
    assert (outcome.message, outcome.severity) == ("100 projects loaded.", "success")
    assert told[0] == (25, 100)


def test_accounts_come_with_their_countries(directory: dirframe.Directory) -> None:
    asked = LoadRequest(collection="accounts", query="a", sort="name", max_items=30)
    outcome = fetch(asked, directory, on_progress=ignore, is_cancelled=never)
    assert outcome.frame is not None
    assert "country_name" in outcome.frame
    assert with_countries(outcome.frame) is outcome.frame
    assert get_provenance(outcome.frame)["query"] == asked.options()


def test_a_load_that_is_stopped_gives_what_came_and_says_that_it_is_not_all(
    directory: dirframe.Directory,
) -> None:
    everything = LoadRequest(collection="projects")
    outcome = fetch(everything, directory, on_progress=ignore, is_cancelled=lambda: True)
    assert outcome.frame is not None
    assert len(outcome.frame) == 25
    assert get_provenance(outcome.frame)["complete"] is False
    assert outcome.severity == "warning"
    assert "stopped after 25 of 1,500" in outcome.message
    assert isinstance(outcome.error, IncompleteCollectionError)


def test_a_refused_key_and_a_closed_port_are_sentences_without_the_key(
    directory: dirframe.Directory,
) -> None:
    with elsewhere(directory.settings.base_url, "wrong" * 8) as refused:
        directory.session.get("/projects.xml", {})  # the service of the sample runs
        outcome = fetch(PROJECTS, refused, on_progress=ignore, is_cancelled=never)
        assert isinstance(outcome.error, InvalidKeyError)
        assert price(PROJECTS, refused).message == outcome.message
    with elsewhere("http://127.0.0.1:9", "wrong" * 8) as closed:
        nobody = fetch(PROJECTS, closed, on_progress=ignore, is_cancelled=never)
        assert isinstance(nobody.error, NetworkError)
    for one in (outcome, nobody):
        assert one.severity == "error"
        assert one.frame is None
        assert one.message == str(one.error)
        assert "wrong" not in one.message
        assert "Traceback" not in one.message


def test_the_price_comes_first(directory: dirframe.Directory) -> None:
    outcome = price(LoadRequest(collection="accounts", max_items=60), directory)
    assert outcome.message.startswith("60 accounts on 3 pages: ")
    assert outcome.severity == "info"


def test_a_price_that_does_not_fit_is_a_warning() -> None:
    with dirframe.sample_directory(cache=False) as place:
        few = place.settings.with_options(daily_quota=3)
        with dirframe.Directory.from_settings(few) as poor:
            outcome = price(LoadRequest(collection="projects"), poor)
    assert "does NOT fit" in outcome.message
    assert outcome.severity == "warning"


def test_what_cannot_be_meant_is_a_sentence_too(directory: dirframe.Directory) -> None:
    asked = LoadRequest(collection="projects", sort="colour")
    outcome = fetch(asked, directory, on_progress=ignore, is_cancelled=never)
    assert "cannot be sorted by 'colour'" in outcome.message
    assert price(asked, directory).message == outcome.message


def test_an_unexpected_error_says_its_name_and_no_key() -> None:
    said = error_message(KeyError("http://d/?api_key=" + "s3cret" * 5))
    assert "KeyError" in said
    assert "s3cret" not in said
    assert "s3cret" not in error_message(ValueError("it was s3cret"), secret="s3cret")
    assert error_message(RuntimeError()).startswith("This was not expected: no more is known")
