"""Data is replaced while it is served: all of it or nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from hashlib import md5
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
import requests

from dirframe.errors import StoreError
from dirframe.service.server import serve

if TYPE_CHECKING:
    from pathlib import Path

    from dirframe.service.server import Service


def people(generation: int, size: int = 60) -> pd.DataFrame:
    return pd.DataFrame(
        {"id": range(1, size + 1), "name": f"generation {generation}", "posts_count": generation}
    )


def ask(url: str, key: str, target: str) -> dict[str, Any]:
    response = requests.get(f"{url}{target}", params={"api_key": key}, timeout=60)
    assert response.status_code == 200, response.text
    content: dict[str, Any] = response.json()
    return content


def test_no_answer_mixes_the_old_records_with_the_new_ones() -> None:
    service = serve({"accounts": people(0)})
    assert service.api_key is not None
    key = service.api_key.reveal()
    with service as url, ThreadPoolExecutor(2) as pool:
        generations = 6
        stopped = False

        def read() -> set[int]:
            seen: set[int] = set()
            while not stopped:
                page = ask(url, key, "/accounts.json?query=generation")
                (number,) = {record["posts_count"] for record in page["result"]}
                assert page["items_available"] == 60 + number
                seen.add(number)
            return seen

        readers = [pool.submit(read) for _ in range(2)]
        try:
            for number in range(1, generations):
                data = {"accounts": people(number, 60 + number)}
                changes = service.reload(data)
                assert changes is not None
                assert (changes.added, changes.changed, changes.removed) == (1, 59 + number, 0)
                assert ask(url, key, "/accounts/1.json")["result"]["posts_count"] == number
        finally:
            stopped = True
        assert all(reader.result() <= set(range(generations)) for reader in readers)


def test_data_that_does_not_fit_leaves_the_old_records_served(tmp_path: Path) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text("id,name\n1,first\n")
    service = serve(path)
    assert service.api_key is not None
    with service as url:
        assert service.reload() is None  # the same files
        path.write_text("id,name\n1,first\n/,second\n")
        with pytest.raises(StoreError, match="1 of 2 rows"):
            service.reload()
        page = ask(url, service.api_key.reveal(), "/accounts.json")
        assert page["items_available"] == 1
        path.write_text("id,name\n2,second\n")
        changes = service.reload()
        assert changes is not None
        assert (changes.added, changes.changed, changes.removed) == (1, 0, 1)


def test_of_accounts_with_one_address_the_lowest_id_is_found_whatever_was_served_before(
    tmp_path: Path,
) -> None:
    path = tmp_path / "accounts.csv"
    digest = md5(b"a@x").hexdigest()

    def look_up(url: str, service: Service) -> object:
        assert service.api_key is not None
        return ask(url, service.api_key.reveal(), f"/accounts/{digest}.json")["result"]["id"]

    path.write_text("id,name,email\n10,ten,z@x\n9,nine,a@x\n")
    with (service := serve(path)) as url:
        assert look_up(url, service) == "9"
        for text in ("10,ten,a@x\n9,nine,a@x\n", "9,nine,a@x\n10,ten,a@x\n"):
            path.write_text(f"id,name,email\n{text}")
            service.reload()
            assert look_up(url, service) == "9"
    path.write_text("id,name,email\n10,ten,a@x\n9,nine,a@x\n\n")
    with (service := serve(path)) as url:
        assert look_up(url, service) == "9"
