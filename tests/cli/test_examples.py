"""The examples in the help of the commands run, as they stand there."""

import pytest

from tests.cli.examples import desk, examples, failure_of

#: Commands whose examples run elsewhere: test_demo, test_serve, and the slow tests, because they
#: need other libraries or another shell, or write much.
ELSEWHERE = {"demo", "serve", "report", "completion"}
#: Groups whose members have the same examples, made of their names: some of each are enough.
OF_TEMPLATES = {
    "stats": {"language_share", "accounts_by_country", "monthly_activity"},
    "plot": {"language_share", "accounts_by_country", "monthly_activity"},
}


@pytest.fixture(scope="module")
def desk_folder(tmp_path_factory, root):
    folder = tmp_path_factory.mktemp("desk")
    with desk(folder, root):
        yield folder


def test_examples_of_the_help_run_and_make_what_they_name(
    desk_folder, tmp_path, run, pipe, monkeypatch
):
    lines = []
    for line, path in examples(run).items():
        command, *name = path or line.split()[1:2]
        if command not in ELSEWHERE and {*name} <= OF_TEMPLATES.get(command, {*name}):
            lines.append(line)
    assert len(lines) > 30
    failures = [
        failure_of(line, desk_folder, tmp_path / str(number), pipe, monkeypatch)
        for number, line in enumerate(lines)
    ]
    assert not any(failures), "\n".join(filter(None, failures))
