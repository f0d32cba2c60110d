"""Commands that draw much: the reports of the help, and every chart."""

import pytest

from dirframe.charts import CHARTS
from tests.cli.conftest import (  # noqa: F401  # fixtures
    files,
    folder,
    help_files,
    pipe,
    shell_rig,
)
from tests.cli.test_commands import examples, fault_of_example


def test_help_examples_of_reports_run_and_make_what_they_name(help_files, run, pipe):  # noqa: F811  # the fixture
    lines = examples(run, ("report",))
    assert len(lines) >= 3
    faults = [fault for line in lines if (fault := fault_of_example(line, pipe))]
    assert not faults, "\n".join(faults)


OF_COLLECTIONS = [
    name for name, one in CHARTS.items() if one.collection in {"projects", "accounts", ""}
]


@pytest.mark.parametrize("name", OF_COLLECTIONS)
def test_chart_of_the_shell_does_not_refuse_the_records_that_it_is_tried_with(
    name,
    folder,  # noqa: F811  # the fixture
    run,
):
    collection = CHARTS[name].collection or "projects"
    outcome = run("plot", name, "--demo", "-n", "3", "--collection", collection)
    assert outcome.code == 0, outcome.err
