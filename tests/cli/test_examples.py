"""The examples in the help of the commands run, as they stand there."""

import pytest

from tests.cli.examples import desk, examples, failure_of

#: Commands whose examples run elsewhere: test_demo, test_serve, and the slow tests, because they
#: need other libraries or another shell, or write much.
ELSEWHERE = {"demo", "serve", "report"}


@pytest.fixture(scope="module")
def desk_folder(tmp_path_factory, root):
    folder = tmp_path_factory.mktemp("desk")
    with desk(folder, root):
        yield folder


def test_examples_of_the_help_run_and_make_what_they_name(
    desk_folder, tmp_path, run, pipe, monkeypatch
):
    lines = [
        line
        for line, path in examples(run).items()
        if (path or line.split()[1:2])[0] not in ELSEWHERE
    ]
    assert len(lines) > 25
    failures = [
        failure_of(line, desk_folder, tmp_path / str(number), pipe, monkeypatch)
        for number, line in enumerate(lines)
    ]
    assert not any(failures), "\n".join(filter(None, failures))
