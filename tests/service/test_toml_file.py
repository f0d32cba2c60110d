"""Files that users write are named in messages, with the name that was probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dirframe.errors import ConfigurationError
from dirframe.service.toml_file import check_names, read_toml

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_read_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    path.write_text("[a]\nb = 1\n", encoding="utf-8")
    assert read_toml(path, "map") == {"a": {"b": 1}}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be read: No such file"),
        (b"a =", "is not TOML"),
        (b"a = '\xff'", "is not TOML"),
        (b"a = " + b"[" * 10_000, "is nested too deeply"),
    ],
)
def test_a_file_that_is_no_toml_is_named(
    tmp_path: Path, content: bytes | None, reason: str
) -> None:
    path = tmp_path / "file.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=rf"The file of states .*file\.toml {reason}"):
        read_toml(path, "file of states")


def test_an_unknown_name_is_refused_with_its_table_and_the_nearest_names(tmp_path: Path) -> None:
    known = ["fields", "query", "data"]
    check_names({"query": 1}, known, tmp_path, "map")
    with pytest.raises(ConfigurationError, match=r"has accounts\.feilds, .* there is fields\."):
        check_names({"feilds": 1}, known, tmp_path, "map", "accounts")
    with pytest.raises(ConfigurationError, match=r"has zzz, .* there is data, fields, query\."):
        check_names({"zzz": 1}, known, tmp_path, "map")
    with pytest.raises(ConfigurationError, match=r"accounts in .* must be a table"):
        check_names("text", known, tmp_path, "map", "accounts")
