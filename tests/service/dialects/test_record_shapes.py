"""A record in the elements of a dialect."""

from __future__ import annotations

import pytest
from lxml import etree

from dirframe.schema import PROJECT
from dirframe.service.dialects.dialects import RECORDED, SPECIFICATION, TODAY, Rules
from dirframe.service.dialects.record_shapes import shape_fragment

LICENSES = "<licenses><license>{}</license></licenses>"
OLD = LICENSES.format("<name>mit</name><nice_name>MIT License</nice_name>")
NEW = LICENSES.format("<name>MIT License</name><vanity_url>mit</vanity_url>")


def shaped(rules: Rules, content: str, *, in_collection: bool = False) -> etree._Element:
    fragment = f"<project>{content}</project>"
    return etree.fromstring(shape_fragment(rules, PROJECT, fragment, in_collection=in_collection))


def test_the_specification_changes_no_byte() -> None:
    fragment = "<project>\n<id>1</id><odd a='b'/>\n</project>"
    assert shape_fragment(SPECIFICATION, PROJECT, fragment, in_collection=True) is fragment


@pytest.mark.parametrize("content", [OLD, NEW])
def test_licences_have_their_names_of_today_whatever_they_came_as(content: str) -> None:
    project = shaped(TODAY, content)
    assert project.findtext("licenses/license/name") == "MIT License"
    assert project.findtext("licenses/license/vanity_url") == "mit"
    assert project.find("licenses/license/nice_name") is None


@pytest.mark.parametrize("rules", [RECORDED, TODAY])
def test_of_two_names_of_a_field_the_dialect_sends_its_own(rules: Rules) -> None:
    project = shaped(rules, "<stack_count>3</stack_count><user_count>4</user_count>")
    assert [e.text for e in project.iterfind("user_count")] == ["4"]
    assert project.find("stack_count") is None
    assert shaped(rules, "<stack_count>3</stack_count>").findtext("user_count") == "3"


def test_a_similar_project_is_no_record_and_what_is_unknown_is_kept() -> None:
    similar = "<similar_projects><project><id>7</id></project></similar_projects>"
    project = shaped(TODAY, f"{similar}<odd>x</odd><analysis><id>1</id></analysis>")
    inner = project.find("similar_projects/project")
    assert inner is not None
    assert [child.tag for child in inner] == ["id"]
    assert project.findtext("odd") == "x"
    listed = shaped(TODAY, "<analysis><id>1</id></analysis>", in_collection=True)
    assert listed.find("analysis") is None
