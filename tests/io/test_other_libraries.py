"""Polars, DuckDB, Parquet of pandas and SQL take the frames of the loaders."""

import sqlite3
from contextlib import closing

import pandas as pd
import pytest


def test_polars_has_the_same_records(sample_projects):
    pl = pytest.importorskip("polars", reason="Polars is an extra")
    table = pl.from_pandas(sample_projects)
    assert table.columns == list(sample_projects)
    assert table["stack_count"].sum() == sample_projects["stack_count"].sum()
    assert table["tags"].to_list() == sample_projects["tags"].tolist()


def test_duckdb_queries_the_frame_by_its_name(sample_projects):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is an extra")
    with duckdb.connect() as base:
        base.register("projects", sample_projects)
        found = base.execute(
            "SELECT analysis_main_language_name, count(*) FROM projects GROUP BY ALL"
        ).fetchall()
    expected = sample_projects["analysis_main_language_name"].value_counts(dropna=False)
    assert dict(found) == {None if pd.isna(name) else name: n for name, n in expected.items()}


def test_parquet_of_pandas_and_sql_hold_the_values(sample_projects, tmp_path):
    sample_projects.to_parquet(tmp_path / "p.parquet")
    again = pd.read_parquet(tmp_path / "p.parquet")
    plain = sample_projects.loc[:, sample_projects.dtypes != "object"]
    pd.testing.assert_frame_equal(again[list(plain)], plain)
    assert again.attrs == sample_projects.attrs
    with closing(sqlite3.connect(tmp_path / "p.sqlite")) as base:
        plain.to_sql("projects", base, index=False)
        total = base.execute("SELECT sum(stack_count), count(created_at) FROM projects").fetchone()
    assert total == (plain["stack_count"].sum(), plain["created_at"].notna().sum())
