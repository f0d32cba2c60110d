"""A relation of DuckDB is counted as a frame of pandas."""

import pandas as pd
import pytest

from dirframe import stats


def test_engines(sample_projects, sample_accounts, tmp_path):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is optional")
    frames = {"projects": sample_projects.head(400), "accounts": sample_accounts.head(400)}
    for kind, frame in frames.items():
        frame.to_parquet(tmp_path / f"{kind}.parquet", index=False)
    with duckdb.connect() as session:
        # A month begins elsewhere at another time; the session's zone must make no difference.
        session.execute("SET TimeZone = 'America/Los_Angeles'")
        for name, kind, options in (
            *((name, "projects", {"top": 3}) for name in ("language_share", "licenses")),
            *((name, "projects", {}) for name in ("growth", "survival", "team_size_classes")),
            ("posts_distribution", "accounts", {}),
            ("language_share", "projects", {"exclude": ["lines_outlier"], "by": "team_size"}),
            (
                "accounts_by_kudo_rank",
                "accounts",
                {"by": "country", "min_records": 50, "exclude": "duplicate_id"},
            ),
        ):
            relation = session.read_parquet(str(tmp_path / f"{kind}.parquet"))
            expected = getattr(stats, name)(frames[kind], **options)
            found = getattr(stats, name)(relation, **options)
            pd.testing.assert_frame_equal(found, expected, check_exact=False, rtol=1e-12)
            counts = [table.attrs["dirframe"]["counted"] for table in (found, expected)]
            assert counts[0] == counts[1], name
