"""The import hook that registers the accessor when pandas is imported after dirframe."""

from tests.processes import run

PROGRAM = """
import sys, dirframe, pandas as pd
print(pd.DataFrame({"id": ["1"], "tags": [["a"]]}).dirframe.stats.tags()["tag"].tolist())
print([finder for finder in sys.meta_path if "Pandas" in str(finder)])
"""


def test_frames_have_the_accessor_and_the_hook_is_gone():
    done = run(program=PROGRAM)
    assert (done.code, done.out) == (0, "['a']\n[]\n"), done.err
