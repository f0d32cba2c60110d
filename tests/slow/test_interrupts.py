"""Ctrl-C while modules are loaded: every module with every error."""

import pytest

from tests import test_interrupts

pytestmark = test_interrupts.pytestmark


@pytest.mark.parametrize("error", ["", test_interrupts.IN_A_LOCK])
@pytest.mark.parametrize("module", ["pandas", "click", "requests"])
def test_interrupt_stops_a_command_that_loads_its_modules(module, error, tmp_path):
    test_interrupts.check_interrupt_in_imports(module, error, tmp_path)
