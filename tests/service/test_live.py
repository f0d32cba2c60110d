"""Data is replaced while it is served: all of it or nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
import requests

from dirframe.errors import StoreError
from dirframe.service.server import serve

if TYPE_CHECKING:
    from pathlib import Path


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
