"""Tests of the service, and how they ask it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from dirframe.service.web.app import create_app

if TYPE_CHECKING:
    from lxml.etree import _Element
    from werkzeug.test import TestResponse

    from dirframe.service.api_keys import KeyStore
    from dirframe.service.store.store import Store


class Directory:
    """The application of a store, asked with a key."""

    def __init__(self, store: Store, keys: KeyStore) -> None:
        self.keys = keys
        self.key = keys.add("a tester", "tests")
        self.client = create_app(store, keys).test_client()

    def get(self, target: str, *, method: str = "GET", **headers: str) -> TestResponse:
        glue = "&" if "?" in target else "?"
        return self.client.open(
            f"{target}{glue}api_key={self.key}",
            method=method,
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )

    def root(self, target: str, *, status: int = 200) -> _Element:
        response = self.get(target)
        assert response.status_code == status, response.get_data(as_text=True)
        assert response.content_type == "application/xml; charset=utf-8"
        root = etree.fromstring(response.get_data())
        assert root.findtext("status") == ("success" if status == 200 else "failed")
        return root

    def ids(self, target: str) -> list[str]:
        return [element.text or "" for element in self.root(target).iterfind("result/*/id")]

    def used(self) -> int:
        return self.keys.list()[0].used
