"""Records of many pages as one frame, and what is read of a page at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dirframe.client.details import signs_of
from dirframe.client.frames.builder import FrameBuilder
from dirframe.client.xml.fast.scan import TagScan
from dirframe.client.xml.parser import PageParser
from dirframe.client.xml.records import RecordReader
from dirframe.schema import PROJECT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from dirframe.client.xml.parser import Page
    from dirframe.schema import Resource

PAGES_PER_CHUNK = 64  # converted together


class Rows:
    """Records of pages, converted as they come."""

    def __init__(self, resource: Resource) -> None:
        self._reader, self._builder = RecordReader(resource), FrameBuilder(resource)
        self._pages = self._count = 0

    def add(self, page: Page) -> int:
        """Add the records of a page; return the row of the first one."""
        row = self._count
        self._count += self._reader.add(page).records
        self._pages += 1
        if self._pages % PAGES_PER_CHUNK == 0:
            self._builder.add(self._reader.pop_columns())
        return row

    def frame(self, rows: Sequence[int]) -> pd.DataFrame:
        """Return some rows of all that were added, in their order."""
        self._builder.add(self._reader.pop_columns())
        frame = self._builder.finish()
        return frame.iloc[np.array(rows, dtype=np.int64)].reset_index(drop=True)


def page_ids(page: Page, resource: Resource) -> Sequence[str | None]:
    """Return the ids of the records of a page; without an id, digests of what they hold."""
    reader = RecordReader(resource)
    reader.add(page)
    return reader.last_values(resource.key) if resource.key else reader.last_digests()


def page_names(page: Page, resource: Resource) -> Sequence[str | None]:
    """Return the names of the records of a page."""
    reader = RecordReader(resource)
    reader.add(page)
    return reader.last_values("name")


def page_signs(page: Page, resource: Resource) -> str:
    """Return of each project of a page whether its analysis came, as `signs_of` does."""
    if resource is not PROJECT or page.records is None:
        return ""
    records = page.records
    return signs_of(PageParser().tree(records) if isinstance(records, TagScan) else records)
