"""What the tests of the explorer share: the sample, and one explorer of it with its widgets."""

import pytest


@pytest.fixture(scope="session")
def directory(sample):
    return sample


@pytest.fixture(scope="session")
def projects(sample_projects):
    return sample_projects


@pytest.fixture(scope="session")
def accounts(sample_accounts):
    return sample_accounts


@pytest.fixture(scope="module")
def opened(projects):
    """Open an explorer of all projects, whose widgets take longest, once for a module."""
    from dirframe.explorer.state import State
    from tests.explorer.screen import Screen

    screen = Screen(State(projects))
    return screen, screen.state.trait_values()


@pytest.fixture
def screen(opened):
    """Return the explorer of all projects as it was opened."""
    screen, before = opened
    yield screen
    screen.state.show_all()
    derived = {"shown", "code", "citation", "is_working"}
    with screen.state.hold_trait_notifications():
        for name, value in before.items():
            if name not in derived:
                screen.state.set_trait(name, value)
