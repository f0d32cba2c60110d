"""Whatever bytes of a file are changed: the right frame or an error."""

import json

import dirframe
from tests import processes
from tests.rig.server import Rig
from tests.rig.today import projects

#: Changes one to four bytes of a file, again and again, and counts what comes of reading it. In a
#: process of its own, because a library that reads damaged bytes may end its process.
PROGRAM = """
import json, sys
from collections import Counter
from pathlib import Path
from random import Random
import pandas as pd
import dirframe

file, times = Path(sys.argv[1]), int(sys.argv[2])

def read():
    if file.suffix == ".archive":
        return dirframe.open_archive(file).frame()
    return dirframe.read_export(file)

def outcome():
    try:
        frame = read()
    except dirframe.DirframeError:
        return "error"
    try:
        pd.testing.assert_frame_equal(frame, right, check_exact=True)
        assert frame.attrs == right.attrs
    except Exception:
        return "WRONG"
    return "right"

content, right, chance, found = file.read_bytes(), read(), Random(7), Counter()
for number in range(times):
    damaged = bytearray(content)
    for _ in range(chance.randrange(1, 5)):
        damaged[chance.randrange(len(damaged))] ^= chance.randrange(1, 256)
    file.write_bytes(damaged)
    found[outcome()] += 1
print(json.dumps(found))
"""


def test_damaged_parquet_is_never_read_as_something_else(tmp_path):
    file, times = tmp_path / "f.parquet", 400
    with Rig(projects(map(str, range(200))), size=50) as rig:
        frame = dirframe.load_projects(rig.directory(), progress=False)
        dirframe.export(frame, file)
    outcome = processes.run(file, times, program=PROGRAM)
    assert outcome.code == 0, outcome.err
    found = json.loads(outcome.out)
    assert sum(found.values()) == times
    assert found.keys() == {"right", "error"}, found
