"""The commands that work on records: clean, stats, plot."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from dirframe import (
    country_audit,
    provenance,
    read_export,
    sample_directory,
    sensitivity,
    stats,
    unify_countries,
)
from dirframe.charts import CHARTS, STATISTICS, ChartSpec
from dirframe.client.loaders import load_accounts, load_projects
from dirframe.io.export import export
from tests.cli import dirframe
from tests.plot.charts import activity_facts, contributors

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE = "Source: dirframe sample directory"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with accounts.parquet and projects.parquet of the sample."""
    folder = tmp_path_factory.mktemp("saved")
    with sample_directory() as directory:
        export(load_accounts(directory=directory), folder / "accounts.parquet")
        export(load_projects(directory=directory), folder / "projects.parquet")
    for name, frame in (("contributors", contributors()), ("activity", activity_facts())):
        of_sample = provenance.set_provenance(frame, source="dirframe sample directory")
        export(of_sample, folder / f"{name}.parquet")
    return folder


def file_for(noun: ChartSpec, saved: Path) -> Path:
    return saved / f"{noun.collection or 'accounts'}.parquet"


@pytest.mark.parametrize("noun", STATISTICS.values(), ids=lambda noun: noun.name)
def test_each_statistic_is_that_of_python(noun: ChartSpec, saved: Path, run: Any) -> None:
    outcome = run("stats", noun.name, file_for(noun, saved), "--format", "csv")
    assert outcome.code == 0, outcome.err
    frame = read_export(file_for(noun, saved))
    if noun.by_country:
        frame = unify_countries(frame)
    expected = getattr(stats, noun.name)(frame)
    assert list(outcome.table.columns) == list(expected.columns)
    assert len(outcome.table) == len(expected) > 0
    assert SAMPLE in outcome.err


@pytest.mark.parametrize("noun", CHARTS.values(), ids=lambda noun: noun.name)
def test_each_chart_is_a_picture(noun: ChartSpec, saved: Path, run: Any, tmp_path: Path) -> None:
    target = tmp_path / "new" / "chart.png"
    outcome = run("plot", noun.name, file_for(noun, saved), "-o", target, "--dpi", 40)
    assert outcome.code == 0, outcome.err
    assert target.read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in target.parent.iterdir()] == ["chart.png"]


@pytest.mark.parametrize(
    ("suffix", "magic"), [(".svg", b"<?xml"), (".PDF", b"%PDF"), (".html", b"<!DOCTYPE html>")]
)
def test_a_chart_goes_to_a_file_by_its_suffix_and_never_over_another(
    suffix: str, magic: bytes, saved: Path, tmp_path: Path
) -> None:
    target = tmp_path / f"tags{suffix}"
    words = ("plot", "tags", str(saved / "projects.parquet"), "-o", str(target), "--top", "5")
    done = dirframe(*words)
    assert done.returncode == 0, done.stderr
    assert target.read_bytes().startswith(magic)
    again = dirframe(*words)
    assert again.returncode == 2
    assert "already exists" in again.stderr


def test_a_chart_has_the_title_caption_width_and_colours_asked_for_and_its_text_stays_text(
    saved: Path, run: Any, tmp_path: Path
) -> None:
    target = tmp_path / "tags.svg"
    options = ("--title", "Our tags", "--caption", "Ours.", "--width", "column")
    outcome = run(
        *("plot", "tags", saved / "projects.parquet", "-o", target),
        *options,
        *("--palette", "#123456,black"),
    )
    assert outcome.code == 0, outcome.err
    picture = target.read_text(encoding="utf-8")
    assert ">Our tags</text>" in picture
    assert ">Ours.</text>" in picture
    assert "#123456" in picture
    assert 'width="237.6pt"' in picture
    target.unlink()
    assert run("plot", "tags", saved / "projects.parquet", "-o", target, "--caption", "").code == 0
    assert "A project can have several" not in target.read_text(encoding="utf-8")


def test_a_chart_of_an_unknown_kind_is_refused_before_anything_is_asked(
    there: Any, run: Any, tmp_path: Path
) -> None:
    assert run("plot", "tags", "-o", tmp_path / "tags.gif").code == 2
    assert there.asked == []


@pytest.mark.parametrize(
    "words",
    [
        ["stats", "tags", "--exclude", "no_such_rule"],
        ["stats", "tags", "--max-age", "90"],
        ["plot", "tags", "--exclude", "no_such_rule"],
        ["sensitivity", "tags", "--rule", "no_such_rule"],
        ["flags", "--collection", "projects", "--rule", "no_such_rule"],
        ["flags", "--collection", "projects", "--max-age", "old"],
        ["report", "--collection", "projects", "--exclude", "no_such_rule"],
        ["report", "--collection", "projects", "-o", "report.docx"],
        ["report", "--collection", "projects", "-o", "report"],
        ["report", "--collection", "projects", "-o", "."],
    ],
    ids=" ".join,
)
def test_a_rule_an_age_or_a_report_that_there_is_none_of_is_refused_before_anything_is_asked(
    words: list[str], there: Any, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run(*words)
    assert outcome.code == 2, outcome.err
    assert there.asked == []
    if "--max-age" in words:
        assert "Use --max-age with a number and its unit" in outcome.err


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        (["stats", "tags", "--top", 3], 4),
        (["stats", "team_size_classes", "--bounds", "0,1,10"], 3),
        (["stats", "contributor_quantiles", "--quantiles", "0.25,0.5"], 2),
    ],
    ids=str,
)
def test_options_reach_the_statistic(words: list[object], rows: int, saved: Path, run: Any) -> None:
    outcome = run(*words, saved / "projects.parquet", "--format", "csv")
    assert outcome.code == 0, outcome.err
    assert len(outcome.table) == rows


def test_what_chooses_records_reaches_the_statistic_through_a_process(saved: Path) -> None:
    file = saved / "projects.parquet"
    options = ("--exclude", "negative_lines", "--exclude", "lines_outlier", "--max-age", "2y")
    strata = ("--by", "team_size", "--min-records", "100")
    done = dirframe("stats", "tags", str(file), "--top", "2", *options, *strata, "--format", "csv")
    assert done.returncode == 0, done.stderr
    expected = stats.tags(
        read_export(file),
        top=2,
        exclude=["negative_lines", "lines_outlier"],
        max_age="2y",
        by="team_size",
        min_records=100,
    )
    found = pd.read_csv(io.StringIO(done.stdout), keep_default_na=False, na_values=[""])
    assert found["team_size"].tolist() == expected["team_size"].tolist()
    assert found["projects"].tolist() == expected["projects"].tolist()


def test_two_columns_make_strata_of_their_pairs(saved: Path, run: Any) -> None:
    words = ("--by", "language", "--by", "year", "--min-records", 40, "--format", "csv")
    outcome = run("stats", "lorenz", saved / "projects.parquet", *words)
    assert outcome.code == 0, outcome.err
    assert list(outcome.table.columns[:2]) == ["language", "year"]


@pytest.mark.parametrize("noun", STATISTICS.values(), ids=lambda noun: noun.name)
def test_each_statistic_has_its_sensitivity(noun: ChartSpec, saved: Path, run: Any) -> None:
    rule = {"accounts": ["--rule", "negative_posts"], "projects": ["--rule", "negative_lines"]}
    words = rule.get(noun.collection, [])
    outcome = run("sensitivity", noun.name, file_for(noun, saved), *words, "--format", "csv")
    assert outcome.code == 0, outcome.err
    assert [*outcome.table.columns[:2]] == ["exclusion", "removed"]
    assert outcome.table["exclusion"].iloc[[0, -1]].tolist() == ["none", "all"]
    assert any(name.endswith("_difference") for name in outcome.table)


def test_the_sensitivity_in_a_process_is_that_of_python(saved: Path) -> None:
    file = saved / "projects.parquet"
    words = ("--rule", "lines_outlier", "--max-age", "2y", "--by", "team_size")
    done = dirframe("sensitivity", "contributor_concentration", str(file), *words)
    assert done.returncode == 0, done.stderr
    expected = sensitivity(
        stats.contributor_concentration,
        read_export(file),
        rules=["lines_outlier"],
        max_age="2y",
        by="team_size",
    )
    found = pd.read_csv(io.StringIO(done.stdout))
    assert found["removed"].tolist() == expected["removed"].tolist()
    assert found["value_difference"].tolist() == pytest.approx(
        expected["value_difference"].to_numpy("float64", na_value=float("nan")), nan_ok=True
    )


@pytest.mark.parametrize(
    "words",
    [
        ["stats", "lorenz", "--exclude", "no_such_rule"],
        ["stats", "lorenz", "--by", "no_such_column"],
        ["stats", "lorenz", "--max-age", "old"],
        ["stats", "lorenz", "--min-records", "0"],
        ["sensitivity", "lorenz", "--rule", "no_such_rule"],
        ["sensitivity", "lorenz", "--exclude", "negative_lines"],
        ["stats", "lorenz", "--top", "3"],
        ["stats", "team_size_classes", "--bounds", "a,b"],
        ["stats", "growth", "--freq", "century"],
        ["stats", "project_age", "--as-of", "soon"],
        ["stats", "growth"],
        ["stats", "no_such"],
        ["plot", "contributor_quantiles"],
    ],
    ids=" ".join,
)
def test_an_option_that_means_nothing_is_a_wrong_call(
    words: list[str], saved: Path, run: Any
) -> None:
    given = [] if words == ["stats", "growth"] else [saved / "projects.parquet"]
    outcome = run(*words, *given)
    assert outcome.code == 2
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_without_a_file_the_directory_is_asked(there: Any, run: Any) -> None:
    outcome = run("stats", "language_share", "--query", "a b")
    assert outcome.code == 0, outcome.err
    assert there.asked[0].query["query"] == "a b"


@pytest.mark.parametrize(("group", "nouns"), [("stats", STATISTICS), ("plot", CHARTS)])
def test_the_names_can_be_listed(group: str, nouns: dict[str, ChartSpec], run: Any) -> None:
    assert run(group, "--list").out.split() == sorted(nouns)


def test_commands_make_a_pipeline_that_keeps_the_source() -> None:
    me = f"{sys.executable} -m dirframe"
    pipeline = (
        f"{me} accounts --sample --format parquet | {me} clean - --format parquet"
        f" | {me} stats accounts_by_country - --top 3"
    )
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", pipeline],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 5
    said = "n = 1,229 of 2,000 accounts with a country · " + SAMPLE
    assert done.stderr.splitlines()[-1].startswith(said)


def test_an_audit_and_the_cleaned_accounts_are_two_files(
    saved: Path, run: Any, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    both, again = tmp_path / "both.csv", tmp_path / "other" / ".." / "both.csv"
    words = ("clean", saved / "accounts.parquet", "-o", both, "--audit", again)
    for overwrite in ((), ("--overwrite",)):
        outcome = run(*words, *overwrite)
        assert (outcome.code, both.exists()) == (2, False)
        assert "one would replace the other" in outcome.err


def test_cleaning_writes_the_audit_which_then_answers(
    saved: Path, run: Any, tmp_path: Path
) -> None:
    file = saved / "accounts.parquet"
    clean, audit = tmp_path / "clean.parquet", tmp_path / "audit.csv"
    outcome = run("clean", file, "-o", clean, "--audit", audit)
    assert outcome.code == 0, outcome.err
    assert "have no country" in outcome.err
    frame = read_export(clean)
    assert "unify_countries" in provenance.get_provenance(frame)["steps"]
    table = country_audit(read_export(file))
    written = pd.read_csv(audit, keep_default_na=False, na_values=[""], dtype="str")
    assert len(written) == len(table)
    unknown = written["country_alpha_2"].isna() & written["raw"].notna()
    written.loc[unknown, "country_alpha_2"] = "NA"
    written.to_csv(audit, index=False)
    again = run("clean", file, "--overrides", audit, "--format", "csv", "--strict")
    assert again.code == 0, again.err
    assert (again.table["country_alpha_2"] == "NA").sum() >= written["count"][unknown].astype(
        int
    ).sum()


@pytest.mark.parametrize(
    "edited",
    [
        "raw,count,country_alpha_2,country_name,rule,reason,suggestion\nKorea,1,KR,,,,\n",
        "raw;count;country_alpha_2;country_name;rule;reason;suggestion\nKorea;1;KR;;;;\n",
        "raw,country_alpha_2\nKorea,KR\n",
    ],
    ids=["rows removed", "saved with semicolons", "columns removed"],
)
def test_an_audit_answers_whatever_was_left_of_it(edited: str, run: Any, tmp_path: Path) -> None:
    file, audit = tmp_path / "accounts.csv", tmp_path / "audit.csv"
    file.write_text("id,name,country_code\n1,a,Korea\n2,b,DE\n3,c,Atlantis\n")
    assert run("clean", file, "-o", tmp_path / "clean.csv", "--audit", audit).code == 0
    audit.write_text(edited)  # the record beside it is that of three rows and seven columns
    outcome = run("clean", file, "--overrides", audit, "--format", "csv")
    assert outcome.code == 0, outcome.err
    assert outcome.table["country_alpha_2"].fillna("").tolist() == ["KR", "DE", ""]


def test_a_strict_cleaning_names_what_is_no_country(saved: Path, run: Any) -> None:
    outcome = run("clean", saved / "accounts.parquet", "--strict")
    assert outcome.code == 2
    assert "name no country" in outcome.err
    assert outcome.out == ""
