"""Forked processes that end, more often: what is open in another thread differs each time."""

import pytest

from tests import test_forks

pytestmark = test_forks.pytestmark


@pytest.mark.parametrize("opened", test_forks.OPENED)
def test_fork_that_does_nothing_ends(opened, own_cache, tmp_path):
    test_forks.check_forks(opened, tmp_path, rounds=4)
