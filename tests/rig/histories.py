"""Random histories of a collection: one change between two requests, one to three in all."""

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from tests.rig.server import Rig

COUNT = 60

KINDS = ("add in front", "add at the end", "add", "remove")


def change(kind, ids, random, new):
    """Return ids after a change at a random place."""
    if kind == "remove":
        place = random.randrange(len(ids))
        return ids[:place] + ids[place + 1 :]
    ends = {"add in front": 0, "add at the end": len(ids)}
    place = ends.get(kind, random.randrange(len(ids) + 1))
    return [*ids[:place], new, *ids[place:]]


@dataclass
class History:
    """What a directory held at each request, by the seed of its changes."""

    seed: int
    states: list[frozenset[str]] = field(default_factory=list)

    def follow(self, rig):
        """Change the records of a rig before some of its requests, and note each state."""
        random = Random(self.seed)
        changes = {
            random.randint(2, 9): random.choice(KINDS) for _ in range(random.choice([1, 2, 3]))
        }
        self.states.append(frozenset(rig.ids))

        def before(_):
            kind = changes.pop(len(rig.requests), None)
            if kind is not None:
                new = f"new{len(rig.requests)}"
                rig.edit(lambda ids: change(kind, ids, random, new))
            self.states.append(frozenset(rig.ids))

        rig.before = before

    def fault(self, frame):
        """Return what is wrong with what a frame claims, or None."""
        completeness = frame.attrs["dirframe"]["completeness"]
        if completeness not in {"proven", "counted"}:
            return None
        ids = set(frame["id"])
        if frozenset.intersection(*self.states) - ids:
            return f"{completeness}: a record that was there throughout is missing"
        if ids - frozenset.union(*self.states):
            return f"{completeness}: a record that never was there"
        return None


def run(seeds, load):
    """Return the faults by seed, and how often each completeness was claimed."""
    faults, claims = {}, Counter()
    for seed in seeds:
        history = History(seed)
        with Rig(COUNT).in_process() as rig:
            history.follow(rig)
            frame = load(rig)
        claims[frame.attrs["dirframe"]["completeness"]] += 1
        fault = history.fault(frame)
        if fault is not None:
            faults[seed] = fault
    return faults, claims
