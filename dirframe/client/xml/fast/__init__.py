"""Fast path: read the columns of usual pages from their bytes, without a tree."""

# Pages that it does not support are left to `dirframe.client.xml.flatten`; for all others the
# columns are equal, which the tests check.
#
# It exists because nothing simpler is as fast: 20 columns take 1.2 times as long as lxml alone,
# a single pass over lxml's trees 1.6 times, tokens or expat's events 1.7 times and more.
# xml2arrow is faster, but cannot distinguish an empty element from a missing one, merges repeated
# containers silently, and reads content that is not XML: detecting what it misses would require a
# scan of the bytes as well.

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from dirframe.client.xml.fast.columns import Layout
from dirframe.client.xml.fast.elements import concat_scans

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from dirframe.client.xml.columns import ColumnChunk, FieldPath
    from dirframe.client.xml.fast.scan import TagScan
    from dirframe.schema import Resource

    FastFlattener: TypeAlias = Callable[
        [Sequence[TagScan], Collection[FieldPath]], tuple[int, dict[FieldPath, ColumnChunk]]
    ]


def fast_flattener(
    resource: Resource | None, chosen: frozenset[FieldPath] | None = None
) -> FastFlattener:
    """Return a function that flattens several scanned pages in one call.

    Parameters
    ----------
    resource
        Resource of the records.
    chosen
        Paths of the leaves to read; None for all.

    Returns
    -------
    callable
        Takes scans and the paths known so far, which may only grow from call to call. Returns
        the number of records and the values of each path; raises `FallbackToTree` if there is
        anything at other paths.
    """
    layout = None if chosen is None else Layout(sorted(chosen), resource, chosen=True)
    size = 0

    def flatten(
        scans: Sequence[TagScan], paths: Collection[FieldPath]
    ) -> tuple[int, dict[FieldPath, ColumnChunk]]:
        nonlocal layout, size
        if layout is None or (chosen is None and len(paths) != size):
            layout, size = Layout(paths, resource), len(paths)
        return layout.read(concat_scans(scans))

    return flatten
