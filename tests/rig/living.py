"""Today's live service, of any size, whose projects change while it is read for days."""

import warnings
from collections import deque
from datetime import UTC, datetime, timedelta
from random import Random

import time_machine

import dirframe
from dirframe.errors import QuotaExceededError, QuotaWarning
from tests.rig.today import Today, leading_number, projects

#: Changes on a day, by their kind; of two projects that are merged, one is removed.
DAILY = {"add": 50, "remove": 5, "merge": 3, "undelete": 2, "rename": 20}
CHANGES_A_DAY = sum(DAILY.values())
_START = datetime(2026, 11, 2, 9, tzinfo=UTC)


class Killed(BaseException):
    """The process ends: a request was sent, and its page is lost."""


class Living(Today):
    """Projects whose records are written when they are sent; 12 of 100 ids do not exist.

    Every other request is answered by a replica, which is some changes behind. `ever` has the ids of
    projects that existed at some time, and `throughout` of those that were never removed.
    """

    def __init__(self, count, seed, *, lag=4):
        super().__init__()
        self.random = Random(seed)
        self.moves = False
        self.newest = round(count / 0.88)
        ids = sorted(self.random.sample(range(1, self.newest + 1), count))
        self.names = {number: f"project {number}" for number in ids}
        self.ever, self.throughout = set(ids), set(ids)
        self.removed = []
        self._before = deque(maxlen=lag)  # ids, and their names before the last changes
        for _ in range(lag):
            self.change()

    def change(self):
        """Change one project at random."""
        (kind,) = self.random.choices(list(DAILY), list(DAILY.values()))
        if kind == "add":
            self.newest += 1
            self._set(self.newest, f"project {self.newest}")
        elif kind == "undelete":
            if self.removed:
                number = self.removed.pop(self.random.randrange(len(self.removed)))
                self._set(number, f"project {number}")
        else:
            number = self.random.choice(list(self.names))
            is_renamed = kind == "rename"
            self._set(number, f"renamed {self.random.random()}" if is_renamed else None)

    def _set(self, number, name):
        self._before.append((number, self.names.get(number)))
        if name is None:
            del self.names[number]
            self.removed.append(number)
            self.throughout.discard(number)
        else:
            self.names[number] = name
            self.ever.add(number)

    def chosen(self, request):
        names = self.names
        if len(self.requests) % 2:  # by the replica
            names = dict(names)
            for number, name in reversed(self._before):
                names.pop(number, None)
                if name is not None:
                    names[number] = name
        asked = request.query.get("ids")
        if asked:
            numbers = sorted({leading_number(part) for part in asked.split(",")} & names.keys())
        else:
            numbers = sorted(names, reverse=request.query.get("sort") == "new")
        return _Records(numbers, names)


class _Records:
    def __init__(self, numbers, names):
        self.numbers, self.names = numbers, names

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, places):
        numbers = self.numbers[places]
        written = projects(map(str, numbers))
        return [
            xml.replace(xml.partition("<name>")[2].partition("<")[0], self.names[number], 1)
            for xml, number in zip(written, numbers, strict=True)
        ]


def harvest_over_days(rig, folder, *, quota, kills_a_day, at_most=60):
    """Repeat a harvest until it ends, killed at random requests; return the days and the kills."""
    random, kills = Random(1), 0
    killed = set()

    def before(_):
        for _ in range(
            CHANGES_A_DAY // quota + (rig.random.random() < CHANGES_A_DAY % quota / quota)
        ):
            rig.change()
        if len(rig.requests) in killed:
            raise Killed

    rig.before = before
    for day in range(at_most):
        begun = len(rig.requests)
        killed |= {begun + random.randrange(1, quota) for _ in range(kills_a_day)}
        while True:
            moment = _START + timedelta(days=day, minutes=day)
            with (
                time_machine.travel(moment, tick=True),
                rig.directory(folder, daily_quota=quota, cache=False) as directory,
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("ignore", QuotaWarning)
                try:
                    dirframe.harvest("projects", folder / "kept.archive", directory=directory)
                except Killed:
                    kills += 1
                    continue
                except QuotaExceededError:
                    break
                return day + 1, kills
    raise AssertionError(f"not ended after {at_most} days")
