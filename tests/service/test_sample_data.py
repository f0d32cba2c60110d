"""The bundled sample, found where it is and built once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lxml import etree

from dirframe.errors import StoreError
from dirframe.schema import ACCOUNT, PROJECT
from dirframe.service import sample_data
from dirframe.service.sample_data import open_data, sample_files

if TYPE_CHECKING:
    from pathlib import Path


def test_the_sample_is_served_as_synthetic_and_whole() -> None:
    with open_data() as store:
        assert store.synthetic
        assert (store.count(ACCOUNT), store.count(PROJECT)) == (2_000, 1_500)
        for resource in (ACCOUNT, PROJECT):
            for fragment in store.page(resource).fragments:
                element = etree.fromstring(fragment)
                assert element.find("email_md5") is None
                required = [field.path[0] for field in resource.fields if field.required]
                assert all(element.findtext(name) for name in required)


def test_the_sample_is_built_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path))
    with open_data() as store:
        path, made = store.path, store.path.stat().st_mtime_ns
    with open_data() as store:
        assert (store.path, store.path.stat().st_mtime_ns) == (path, made)
    with open_data(path) as store:  # a store is opened as it is
        assert store.path == path


def test_the_sample_lies_beside_the_package_or_in_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "dirframe"
    monkeypatch.setattr(sample_data, "_PACKAGE", package)
    with pytest.raises(StoreError, match="broken installation"):
        sample_files()
    for folder in (tmp_path / "data", package / "data"):
        folder.mkdir(parents=True)
        for name in ("accounts.xml.gz", "projects.xml.gz"):
            (folder / name).touch()
        assert sample_files()[0] == folder / "accounts.xml.gz"


def test_data_that_is_nowhere_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        open_data(tmp_path / "nowhere")
