"""What a load costs, and what is left of the daily quota."""

from __future__ import annotations

import json
from typing import Any

from tests.cli import dirframe


def test_a_plan_is_a_sentence_or_json() -> None:
    assert "1,500 projects on 61 pages" in dirframe("plan", "projects", "--sample").stdout
    facts = json.loads(dirframe("plan", "accounts", "--sample", "--format", "json").stdout)
    assert facts["items"] == 2000
    assert facts["fits"] is True


def test_the_quota_counts_what_was_paid_and_asks_nothing(there: Any, run: Any) -> None:
    before = json.loads(run("quota", "--format", "json").out)
    assert (before["used"], before["left"], before["resets_at"]) == (0, 1000, None)
    assert there.asked == []
    run("projects")
    paid = len(there.asked)
    after = json.loads(run("quota", "--format", "json").out)
    assert paid > 0
    assert after["used"] == paid
    assert after["left"] == 1000 - paid
    assert after["resets_at"].endswith("+00:00")
    shown = run("quota")
    assert f"{1000 - paid} left of 1,000" in shown.out
    assert "comes back at" in shown.out
    assert len(there.asked) == paid
    assert "a-key-0123456789" not in shown.out + shown.err


def test_without_a_directory_there_is_no_quota() -> None:
    assert dirframe("quota").returncode == 3
