"""Locate the stored records that were removed from the directory."""

# Records removed from a directory are on none of the pages of changes. The count tells how many were
# removed. Once all changes are read, every record of the directory is among the stored ones. So where
# each of these has its place in a stable order, or is on a page that is read, the two differ only by the
# removed ones: each page shows how many were removed before it, and a bisection locates each
# (`dirframe.archive.rounds.tracking`), with some ten requests for a thousand pages. This holds for one
# state of the directory: if its count changes meanwhile, the changes are read again.

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.archive.model import Doubt, Reason, RoundKind
from dirframe.archive.rounds.full import run_round
from dirframe.archive.rounds.known import known_state
from dirframe.archive.status import rounds_as_of
from dirframe.archive.writer import is_client_error
from dirframe.errors import ServiceError

if TYPE_CHECKING:
    from dirframe.archive.model import Round
    from dirframe.archive.writer import ArchiveWriter


def find_removed(writer: ArchiveWriter, begun: Round | None = None) -> bool:
    """Locate and record the stored records that were removed, if there is a stable order.

    Parameters
    ----------
    writer
        Fetches and stores pages.
    begun
        The round, if an earlier call has started one.

    Returns
    -------
    bool
        False if the collection changed meanwhile, so that another round of changes is needed.
    """
    rounds = rounds_as_of(writer.rounds, None)
    base = rounds[0]
    known = known_state(writer, rounds)
    if known is None or base.sort is None:
        if begun is not None:
            writer.abandon_round(begun, Doubt(Reason.UNSTABLE_ORDER))
        return True
    if begun is None:
        try:
            first = writer.fetch(1, base.sort)
        except ServiceError as error:
            if not is_client_error(error):
                raise
            return True
        begun = writer.start_round(RoundKind.REMOVALS, base.sort, first)
    run_round(writer, begun, known)
    doubt = begun.outcome.doubt if begun.outcome else None
    counts = known.counts | writer.counts(begun)
    return not doubt or (doubt.reason is not Reason.TOO_MANY_CHANGES and len(counts) == 1)
