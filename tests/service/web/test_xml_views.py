"""Which addresses answer as XML: those of the specification and those of today's services."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.service import Directory


def test_both_paths_of_a_project_answer_the_same(directory: Directory) -> None:
    assert directory.get("/p/5.xml").get_data() == directory.get("/projects/5.xml").get_data()


@pytest.mark.parametrize(
    "target",
    ["/p/5.xml", "/p/.xml", "/languages.xml", "/projects/5/contributors.xml", "/p/5/x.xml"],
)
def test_every_address_as_xml_needs_a_key_and_counts(directory: Directory, target: str) -> None:
    assert directory.client.get(target).status_code == 403
    assert directory.used() == 0
    directory.get(target)
    assert directory.used() == 1
