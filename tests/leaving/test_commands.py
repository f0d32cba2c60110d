"""Commands, and options of statistics and charts, that one line of Python replaces."""

import io
import json
import re

import pandas as pd

from tests.cli.examples import desk


def columns(*names):
    return lambda out: set(names) <= set(pd.read_csv(io.StringIO(out)))


def rows(number):
    return lambda out: len(pd.read_csv(io.StringIO(out))) == number


def text(pattern):
    return lambda out: re.fullmatch(pattern, out, re.DOTALL)


#: What to type, in this order, and what standard output must be.
CALLS = {
    "project 1 --sample": rows(1),
    "account ada@example.org --sample": rows(1),
    "languages": columns("name", "code", "projects"),
    "contributors 1": columns("contributor_id", "commits"),
    "activity 1": columns("month", "commits", "code_added"),
    "size 1": columns("month", "code"),
    "read pages/": rows(60),
    "read kept.archive": rows(60),
    "plan accounts --format json": lambda out: json.loads(out)["items"] == 60,
    "flags projects.parquet --rule lines_outlier --max-age 26w": columns("id", "rule", "evidence"),
    "compare january.parquet june.parquet --format json": lambda out: (
        set(json.loads(out)) >= {"new", "gone", "changed"}
    ),
    "fields account": columns("name", "type", "unit", "meaning"),
    "stats tags projects.parquet --exclude lines_outlier --older-than 2y": columns("tag"),
    "stats lorenz projects.parquet --by language --min-records 5": columns("language"),
    "completion bash": text(".*_DIRFRAME_COMPLETE.*"),
}

WRONG_CALLS = [
    "compare - -",
    "flags --collection projects --max-age old",
    "flags projects.parquet --rule negative_posts",
    "stats lorenz projects.parquet --by no_such_column",
    "stats tags --exclude no_such_rule",
    "stats lorenz projects.parquet -p top=3",
    "read projects.parquet pages/page.xml",
]


def test_commands_that_python_replaces_work(tmp_path, root, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failures = []
    with desk(tmp_path, root) as rig:
        for line, expected in CALLS.items():
            outcome = run(*line.split())
            if outcome.code or not expected(outcome.out) or rig.key in outcome.out + outcome.err:
                failures.append(f"{line}: {outcome.code} {outcome.out[:300]}\n{outcome.err}")
    for line in WRONG_CALLS:
        outcome = run(*line.split())
        if (outcome.code, outcome.out) != (2, ""):
            failures.append(f"{line}: {outcome.code} {outcome.out[:300]}\n{outcome.err}")
    assert not failures, "\n".join(failures)
