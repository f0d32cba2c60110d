"""A frame of another resource is refused by every statistic and chart, on each engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dirframe
from dirframe.charts import CHARTS, STATISTICS
from dirframe.clean import country_audit
from dirframe.errors import InvalidInputError, MissingColumnsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REFUSED = (InvalidInputError, MissingColumnsError)
ACCEPTED = {"": {"accounts", "projects"}}
OTHERS = ["accounts", "projects", "contributors", "activity", "languages"]


def _calls() -> Iterator[tuple[str, str, str]]:
    for kind, specs in (("stats", STATISTICS), ("plot", CHARTS)):
        for name, spec in specs.items():
            for other in OTHERS:
                if other not in ACCEPTED.get(spec.collection, {spec.collection}):
                    yield kind, name, other


@pytest.mark.parametrize(("kind", "name", "other"), list(_calls()))
def test_a_frame_of_another_resource_is_refused(
    sample_frames: dict[str, pd.DataFrame], kind: str, name: str, other: str
) -> None:
    function: Callable[[Any], object] = getattr(getattr(dirframe, kind), name)
    with pytest.raises(REFUSED):
        function(sample_frames[other])


@pytest.mark.parametrize("name", ["tags", "licenses"])
def test_a_frame_without_provenance_is_told_by_its_columns(
    sample_frames: dict[str, pd.DataFrame], name: str
) -> None:
    accounts = pd.DataFrame(sample_frames["accounts"].to_dict("list"))
    with pytest.raises(MissingColumnsError, match="load_projects"):
        getattr(dirframe.stats, name)(accounts)


@pytest.mark.parametrize("name", ["tags", "licenses"])
def test_projects_of_which_none_has_a_list_are_counted(
    sample_frames: dict[str, pd.DataFrame], name: str
) -> None:
    without = sample_frames["projects"].drop(columns=["tags", "licenses"])
    assert len(getattr(dirframe.stats, name)(without)) == 0


@pytest.mark.parametrize("name", ["tags", "licenses"])
def test_other_engines_refuse_it_too(sample_frames: dict[str, pd.DataFrame], name: str) -> None:
    statistic = getattr(dirframe.stats, name)
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is an extra")
    dask = pytest.importorskip("dask.dataframe", reason="Dask is an extra")
    accounts = sample_frames["accounts"].drop(columns=["html_url"], errors="ignore")
    with pytest.raises(MissingColumnsError):
        statistic(dask.from_pandas(accounts, npartitions=2))
    table = pd.DataFrame({"id": ["1"], "posts_count": [1], "kudo_rank": [2]})
    with pytest.raises(MissingColumnsError):
        statistic(duckdb.from_df(table))


@pytest.mark.parametrize("engine", ["duckdb", "dask"])
@pytest.mark.parametrize(
    "use",
    [
        dirframe.summary,
        lambda frame: dirframe.compare(frame, frame),
        lambda frame: dirframe.export(frame, "never.csv"),
        country_audit,
    ],
    ids=["summary", "compare", "export", "country_audit"],
)
def test_what_needs_the_records_in_memory_says_so(
    sample_frames: dict[str, pd.DataFrame], engine: str, use: Callable[[Any], object]
) -> None:
    accounts = sample_frames["accounts"][["id", "country_code"]]
    frame: object
    if engine == "duckdb":
        duckdb = pytest.importorskip("duckdb", reason="DuckDB is an extra")
        frame = duckdb.from_arrow(dirframe.convert_frame(accounts, "arrow"))
    else:
        dask = pytest.importorskip("dask.dataframe", reason="Dask is an extra")
        frame = dask.from_pandas(accounts, npartitions=2)
    with pytest.raises(InvalidInputError, match=rf"{engine}\.\w+"):
        use(frame)
