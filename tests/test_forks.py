"""A forked process ends if it does nothing, and opens its own if it loads."""

import os
import sys

import pytest

from tests import processes
from tests.rig.server import Rig

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork") or sys.platform == "darwin", reason="needs os.fork"
)

#: What is open, or under way, in the process that forks.
OPENED = {
    "a directory": """
directory = dirframe.Directory(*sys.argv[1:3], name="rig", daily_quota=100_000)
load(directory)
""",
    "a sample": """
directory = dirframe.sample_directory()
load(directory)
""",
    "a load in another thread": """
directory = dirframe.Directory(*sys.argv[1:3], name="rig", daily_quota=100_000)
load(directory)
begin_loads(directory)
""",
    "a load of a sample in another thread": """
directory = dirframe.sample_directory()
load(directory)
begin_loads(directory)
""",
}
BEGIN = """
import gc, multiprocessing, os, signal, sys, threading, time, warnings
import dirframe

warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads

def load(directory):
    return len(dirframe.load_projects(directory, max_items=30, progress=False, refresh=True))

def begin_loads(directory):
    def loads():
        while True:
            load(directory)
            time.sleep(0.005)
    threading.Thread(target=loads, daemon=True).start()
    while directory.quota().used < 10:
        time.sleep(0.01)
"""
#: The collector leaves the modules alone: a fork that collects garbage would copy all of their memory.
FREEZE = """
import dirframe.client.loaders
gc.freeze()
"""
#: What the forked process does: nothing but what its end does.
ENDS = """
def exits():
    sys.exit(0)

def collects_garbage():
    global directory
    del directory
    gc.collect()
    sys.exit(0)

def closes():
    with directory:
        sys.exit(0)

rounds = int(sys.argv[3])
for end in (exits, collects_garbage, closes) * rounds:
    child = os.fork()
    if not child:
        signal.alarm(60)  # killed by it, if it does not end
        end()
    assert os.waitpid(child, 0)[1] == 0, end
    time.sleep(0.003)
context = multiprocessing.get_context("fork")
for _ in range(rounds):
    child = context.Process(target=signal.alarm, args=(60,))
    child.start()
    child.join()
    assert child.exitcode == 0
os._exit(0)
"""


@pytest.mark.parametrize("opened", ["a directory"])
def test_fork_that_does_nothing_ends(opened, own_cache, tmp_path):
    """The slow tests have all that may be open, collect all garbage, and fork four times as often."""
    check_forks(opened, tmp_path, rounds=1, before=FREEZE)


def check_forks(opened, folder, *, rounds, before=""):
    """Fork in several ways, each so often, and check that each process ends."""
    with Rig(55) as rig:
        program = BEGIN + before + OPENED[opened] + ENDS
        words = (rig.url, rig.key, rounds)
        done = processes.run(*words, program=program, env={"DIRFRAME_DATA_DIR": str(folder)})
    assert (done.err, done.code) == ("", 0)


#: The process that forks ends first, and its service with it.
OWN_SERVICE = """
directory = dirframe.sample_directory()
load(directory)
first = directory.base_url
reading, writing = os.pipe()
if os.fork():
    os._exit(0)
os.close(writing)
os.read(reading, 1)  # ends when the other process has
with directory:
    print(load(directory), directory.base_url != first, directory.quota().used)
try:
    load(directory)
except dirframe.ConfigurationError:
    print("closed")
"""


def test_fork_of_a_sample_starts_a_service_of_its_own(own_cache, tmp_path):
    folders = {"DIRFRAME_DATA_DIR": str(tmp_path)}
    done = processes.run(program=BEGIN + OWN_SERVICE, env=folders)
    assert (done.err, done.out.split()) == ("", ["30", "True", "2", "closed"])
