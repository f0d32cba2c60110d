"""Parts of a report on its own, without the others."""

import pytest


@pytest.fixture(scope="session")
def part():
    """Build a part of a report: `part("findings", frames)` gives its lines, by kind."""
    from dirframe import reports
    from dirframe.reports.inputs import collect_inputs

    def build(name, frames, title=None, **selection):
        data = collect_inputs(frames, title, selection)
        passage = getattr(reports, f"build_{name}")(data)
        return [(block.name.lower(), text) for block, text in passage.blocks]

    return build
