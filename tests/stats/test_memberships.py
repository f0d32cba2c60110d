"""Licences, tags and languages of all code, recomputed by plain Python."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import provenance, read_pages, stats
from dirframe.errors import InvalidInputError
from dirframe.stats._core import backends

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

GPL = {"name": "gpl3", "nice_name": "GNU GPL 3.0"}
GPL_TODAY = {"name": "GNU GPL 3.0", "vanity_url": "gpl3"}
MIT = {"name": "mit", "nice_name": "MIT License"}
COLUMNS = {stats.licenses: "licenses", stats.tags: "tags"}


def frame(column: str, lists: Sequence[Sequence[object] | None]) -> pd.DataFrame:
    numbers = pd.Series([1000] * len(lists), dtype="Int64")
    return pd.DataFrame(
        {
            "id": pd.Series(map(str, range(len(lists))), dtype="str"),
            "analysis_total_code_lines": numbers,
            column: pd.Series([*lists], dtype="object"),
        }
    )


words = st.sampled_from(["xml", "web", "gui", "$x$", "<script>", "日本語"])
tag_lists = st.lists(st.none() | st.lists(words, max_size=5), max_size=15)


@given(tag_lists, st.none() | st.integers(1, 4))
def test_tags_are_what_plain_python_counts(lists: list[list[str] | None], top: int | None) -> None:
    table = stats.tags(frame("tags", lists), top=top)
    sets = [set(tags) for tags in lists if tags]
    ranked = sorted(
        Counter(tag for tags in sets for tag in tags).items(), key=lambda item: (-item[1], item[0])
    )
    if top is not None and len(ranked) > top + 1:
        rest = {name for name, _ in ranked[top:]}
        others = sum(bool(tags & rest) for tags in sets)
        ranked = [*ranked[:top], (f"other ({len(rest)} tags)", others)]
    assert list(zip(table["tag"], table["projects"], strict=True)) == ranked
    assert table["share"].tolist() == pytest.approx([n / len(sets) for _, n in ranked])
    counted = provenance.get_provenance(table)["counted"]
    assert (counted["with_tag"], counted["without_tag"]) == (len(sets), len(lists) - len(sets))
    assert counted["tags"] == len(set().union(*sets))


@pytest.mark.parametrize("top", [None, 1])
@pytest.mark.parametrize("statistic", COLUMNS)
def test_records_are_counted_alike_in_one_batch_and_in_several(
    statistic: Callable[..., pd.DataFrame], top: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries: list[object] = (
        [" xml", "xml", "web ", " ", "gui"]
        if statistic is stats.tags
        else [GPL, GPL_TODAY, MIT, {"name": " "}, {"name": "bsd", "nice_name": "BSD"}]
    )
    lists = [entries[begin : begin + 3] for begin in range(5)]
    projects = frame(COLUMNS[statistic], [*lists, None, [], entries])
    expected = statistic(projects, top=top)
    monkeypatch.setattr(backends, "_ROWS", 2)
    table = statistic(projects, top=top)
    pd.testing.assert_frame_equal(table, expected)
    counted = [provenance.get_provenance(one)["counted"] for one in (table, expected)]
    assert counted[0] == counted[1]


def test_a_licence_is_the_same_in_either_dialect() -> None:
    table = stats.licenses(frame("licenses", [[GPL], [GPL_TODAY], [MIT, GPL], None]))
    assert table.drop(columns="share").to_numpy().tolist() == [
        ["gpl3", "GNU GPL 3.0", 3],
        ["mit", "MIT License", 1],
    ]
    assert table["share"].tolist() == pytest.approx([1, 1 / 3])
    assert provenance.get_provenance(table)["counted"] == {
        "projects": 4,
        "with_license": 3,
        "without_license": 1,
        "licenses": 2,
        "licenses_in_other": 0,
    }


def test_projects_that_share_an_id_count_each() -> None:
    projects = frame("tags", [["xml"], ["xml"]]).assign(id="7")
    assert stats.tags(projects)["projects"].tolist() == [2]


def test_the_real_licences_and_tags_are_what_plain_python_counts(shared: Path) -> None:
    found: dict[str, Counter[str]] = {"licenses/license/name": Counter(), "tags/tag": Counter()}
    for page in sorted((shared / "real" / "pages").glob("*.xml")):
        for project in ET.parse(page).getroot().iterfind("result/project"):
            for path, counter in found.items():
                texts = {(element.text or "").strip() for element in project.iterfind(path)}
                counter.update(texts - {""})
    projects = read_pages(shared / "real" / "pages")
    licenses, tags = stats.licenses(projects), stats.tags(projects)
    assert (
        dict(zip(licenses["license"], licenses["projects"], strict=True))
        == (found["licenses/license/name"])
    )
    assert dict(zip(tags["tag"], tags["projects"], strict=True)) == found["tags/tag"]


@pytest.mark.parametrize("lists", [[], [None], [[]]])
def test_columns_and_dtypes_do_not_depend_on_what_comes(lists: list[list[object] | None]) -> None:
    def dtypes(table: pd.DataFrame) -> list[str]:
        return [str(dtype) for dtype in table.dtypes]

    for entry, column in (
        (GPL, "licenses"),
        ("xml", "tags"),
        ({"language": "C", "percentage": "1", "id": "1"}, "languages"),
    ):
        statistic = stats.language_breakdown if column == "languages" else getattr(stats, column)
        name = "analysis_languages" if column == "languages" else column
        full = statistic(frame(name, [[entry]]))
        assert dtypes(statistic(frame(name, lists))) == dtypes(full)
        without = frame(name, lists).drop(columns=name)
        assert dtypes(statistic(without)) == dtypes(full)


@pytest.mark.parametrize("statistic", COLUMNS)
def test_the_provenance_is_carried_on_and_bad_input_refused(
    statistic: Callable[..., pd.DataFrame],
) -> None:
    projects = provenance.set_provenance(frame(COLUMNS[statistic], [None]), source="A directory")
    record = provenance.get_provenance(statistic(projects))
    assert (record["source"], record["steps"]) == ("A directory", [statistic.__name__])
    with pytest.raises(InvalidInputError, match="top is 0"):
        statistic(projects, top=0)
    with pytest.raises(InvalidInputError, match="got a list"):
        statistic([1])


def test_a_field_of_an_entry_that_is_called_project_changes_no_count() -> None:
    entries = [[{"tag": "xml", "project": "7"}], [{"tag": "xml", "project": "7"}]]
    assert stats.tags(frame("tags", entries))["projects"].tolist() == [2]
