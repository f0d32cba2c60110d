"""Whatever goes wrong in a load, the explorer says it, shows no key and can be used again."""

from dirframe.errors import QuotaExceededError
from dirframe.explorer.state import State
from tests.rig import faults
from tests.rig.server import MARK, Rig


def test_every_fault_is_a_message_without_the_key_and_the_next_load_is_whole(tmp_path):
    failures = []
    skipped = {"gzip bomb", *faults.SLOW}
    names = [
        name
        for name in faults.FAULTS
        if name not in skipped and not name.startswith(("503", "endless"))
    ]
    for number, name in enumerate(names):
        with Rig(25) as rig, rig.directory(tmp_path / str(number)) as directory:
            state = State(directory)
            rig.faults.append(None)
            rig.always = faults.FAULTS[name]
            state.load()
            failed = state.error
            if not state.message or state.severity == "info" or "Traceback" in state.message:
                failures.append(f"{name}: {state.message!r}")
            written = repr((state.trait_values(), state.shown and state.shown.frame.to_dict()))
            state.show_price()
            if MARK in repr((written, failed, state.message)):
                failures.append(f"{name}: the key is shown")
            if state.busy:
                failures.append(f"{name}: busy")
            rig.always = None
            if isinstance(failed, QuotaExceededError):  # the directory is believed
                assert state.quota_left == 0
                continue
            state.load()
            if (state.severity, state.error, len(state.shown.frame)) != ("success", None, 25):
                failures.append(f"{name}: the next load: {state.message}")
    assert len(names) > 30
    assert not failures
