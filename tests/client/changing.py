"""A collection that changes or lies while it is read, and what must hold of any load of it."""

from hypothesis import assume
from hypothesis import strategies as st

import dirframe
from dirframe.errors import IncompleteCollectionError, NotFoundError
from dirframe.provenance import get_provenance
from tests.rig.server import Rig, numbered

#: What a page past the end is.
ENDS = ("empty", "first page", "no result", "404")

#: A single page of a multiple of this length may be the first of several.
SIZE_STEP = 5


class Changing(Rig):
    """A collection of numbered records, read by positions.

    Parameters
    ----------
    count
        Number of records.
    end
        What a page past the end is: one of `ENDS`.
    edits
        Functions from ids to ids, by the number of the request before whose response they are
        called.
    lie
        Function from the number of the request and of the records to the number that is stated.
    """

    def __init__(self, count, *, end="empty", edits=(), lie=None, **options):
        super().__init__(count, **options)
        self.end, self.changes = end, dict(edits)
        self.past_end_is_first = end == "first page"
        self.empty_has_result = end != "no result"
        self.states = [self.ids]
        if lie is not None:
            self.items_available = lambda true: lie(len(self.requests), true)

    def reply(self, request):
        if change := self.changes.pop(len(self.requests), None):
            self.edit(change)
            self.states.append(self.ids)
        return super().reply(request)

    def page(self, request):
        first = (request.page - 1) * self.size
        if self.end == "404" and first >= max(len(self.records), 1):
            return self.refusal("missing")
        return super().page(request)


def pages_of(count, size, most=None):
    """Return the pages that prove a quiet collection complete: a full last one needs one more.

    Of a single page only its length tells whether it is full.
    """
    loaded = count if most is None else min(count, most)
    pages = max(-(-loaded // size), 1)
    is_full = count % size == 0 if pages > 1 else count > 0 and count % SIZE_STEP == 0
    return list(range(1, pages + 1 + (is_full and (most is None or most > count))))


def outcome(directory, **options):
    """Load projects; return the frame, its provenance, and whether it is said to be in doubt."""
    try:
        frame, doubt = dirframe.load_projects(directory, progress=False, **options), False
    except IncompleteCollectionError as error:
        frame, doubt = error.frame, True
    return frame, get_provenance(frame), doubt


def edited(kind, place, name):
    """Return a function that changes ids at a place."""

    def change(ids):
        at = place % (len(ids) + 1)
        if kind == "add":
            ids.insert(at, name)
        elif kind == "remove" and ids:
            del ids[at - 1]
        elif kind == "move" and ids:
            ids.insert(at - 1, ids.pop())
        elif kind == "swap" and ids:  # one goes, one comes: the count stays
            del ids[at - 1]
            ids.insert(0, name)
        elif kind == "shuffle":
            ids = ids[at:] + ids[:at]
        return ids

    return change


@st.composite
def collections(draw):
    """Draw a collection that changes and may lie, and what is asked of it."""
    edits = draw(
        st.dictionaries(
            st.integers(2, 14),
            st.tuples(
                st.sampled_from(["add", "remove", "move", "shuffle", "swap"]), st.integers(0, 99)
            ),
            max_size=5,
        )
    )
    lie = draw(st.sampled_from([0, 0, 0, -1, 1]))
    count, size = draw(st.integers(0, 45)), draw(st.sampled_from([1, 5, 10, 25]))
    # A count one too low is believed of a single full page of another length.
    assume(not (lie == -1 and count - 1 == size and size % SIZE_STEP))
    return (
        {
            "count": count,
            "size": size,
            "end": draw(st.sampled_from(ENDS)),
            "edits": {n: edited(*edit, f"new{n}") for n, edit in edits.items()},
            "lie": lambda _, true: max(true + lie, 0),
        },
        lie,
        draw(st.none() | st.integers(1, 50)),
        draw(st.sampled_from([0, 0, 1, 12, 45])),  # records that are in the cache before
    )


def check(collection, folder):
    """Check that a load is a state of a collection in number, or in doubt, at a bounded cost."""
    options, lie, most, stored = collection
    with Changing(**options).in_process() as rig:
        quiet = not rig.changes
        with rig.directory(folder if stored else None) as directory:
            try:
                if stored:
                    outcome(directory, max_items=stored)
                before = len(rig.requests)
                frame, facts, doubt = outcome(directory, max_items=most)
            except NotFoundError:
                assert rig.end == "404"
                assert not quiet or lie > 0  # a page vanished, or never was
                return
    ids = frame["id"].tolist()
    assert len(set(ids)) == len(ids)
    assert most is None or len(ids) <= most
    longest = max(map(len, rig.states)) + 1
    assert len(rig.requests) - before <= (-(-longest // rig.size) + 2) * 5
    assert set(ids) <= set().union(*map(set, rig.states))
    assert facts["complete"] is (not doubt and (most is None or most >= facts["items_available"]))
    if doubt:
        assert facts["incomplete_reason"]
        return
    if lie == 0:
        lengths = {len(state) for state in rig.states}
        assert len(ids) in {n if most is None else min(n, most) for n in lengths}
    if quiet:
        assert lie == 0 or most is not None or not options["count"]
        assert ids == numbered(options["count"])[:most]
