"""The pages of a walk by ids: which ids are still to be asked for, and where each record is."""

# Pure: no request, no thread, no text for people.

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dirframe.client.paging.ids import Draw, Undecided, Window
from dirframe.client.paging.pages import CollectionPage, Key, Place


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WindowPage(CollectionPage):
    """A page of the records among some ids; its `number` is its place in the walk."""

    first_asked: int  # of the ids
    last_asked: int
    bound: int = 0  # of the walk; 0: ids were named
    drawn: int = 0  # of a sample: ids that were drawn when it was asked for


@dataclass(slots=True, kw_only=True)
class PagesByIds:
    """The pages of a walk by ids: of all ids up to a bound, of named ones, or of those of a sample.

    The `first` page and the `closing` one say how many records there are before and after the walk. Of
    named ids nobody needs to know that.
    """

    state: Undecided | Draw
    bound: int = 0  # the largest id at the beginning; 0: ids were named
    first: CollectionPage | None = None
    aside: list[CollectionPage] = field(default_factory=list)  # in no order that is used
    pages: list[WindowPage] = field(default_factory=list)  # in the order of arrival
    closing: CollectionPage | None = None
    has_key: bool = True
    sent: int = 0  # records on the pages by ids

    def add(self, page: CollectionPage) -> None:
        """Add a page; one by ids decides what it was asked for."""
        if isinstance(page, WindowPage) and self._is_of_walk(page):
            window = Window((page.first_asked, page.last_asked))
            if isinstance(self.state, Draw):
                self.state.catch_up(page.drawn)
            self.state.decide(window, [int(text) for text in page.ids if text is not None])
            self.pages.append(page)
            self.sent += len(page.ids)
        else:
            self.aside.append(page)

    def _is_of_walk(self, page: WindowPage) -> bool:
        """Return whether a page decides ids; others showed that the bound is the largest one."""
        if isinstance(self.state, Draw):
            return page.drawn > 0
        return not self.bound or page.first_asked <= self.bound

    def set_aside(self, pages: Iterable[CollectionPage]) -> None:
        """Add pages that were received before the walk."""
        self.aside.extend(pages)

    def next_window(self) -> Window | None:
        """Return the next ids to ask for; None if all are decided."""
        return self.state.window()

    @property
    def is_closing_missing(self) -> bool:
        """Whether the page is missing that says how many records there are after the walk."""
        return self.bound > 0 and self.closing is None

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to ask for."""
        return self.next_window() is None and not self.is_closing_missing

    @property
    def lost(self) -> list[int]:
        """The ids of records that the directory could not send."""
        return self.state.lost

    # What other parts have, too

    @property
    def received(self) -> list[CollectionPage]:
        """The pages that were received."""
        closing = [] if self.closing is None else [self.closing]
        return [*self.aside, *self.pages, *closing]

    def newest_versions(self) -> list[CollectionPage]:
        """Return the pages that the records are read from; each has one version."""
        return list(self.pages)

    @property
    def totals(self) -> list[int]:
        """The numbers of records that the directory stated, before and after the walk."""
        stated = [self.first, self.closing]
        return [page.total for page in stated if page is not None and page.total is not None]

    @property
    def total(self) -> int | None:
        """The number of records that the directory stated last."""
        return self.totals[-1] if self.totals else None

    @property
    def expected(self) -> int | None:
        """The number of records to receive."""
        if isinstance(self.state, Draw):
            return self.state.expected
        return self.total if self.bound else None

    @property
    def to_receive(self) -> int:
        """The number of records on the pages to read; 0 if it is not known."""
        if isinstance(self.state, Draw):
            return self.state.drawn * self.state.available // self.bound
        return self.total or 0

    def count_missing(self) -> int:
        """Return the number of pages that are missing, at least."""
        return self.bounds_of_missing()[0]

    def bounds_of_missing(self) -> tuple[int, int]:
        """Return the least and the greatest number of pages that are missing, if nothing changes."""
        least, most = self.state.bounds_of_requests(
            self.totals[0] if self.totals else None, self.sent
        )
        return least + self.is_closing_missing, most + self.is_closing_missing

    @property
    def added_later(self) -> list[str]:
        """The newest ids of records that were added during the walk."""
        ids = self.closing.ids if self.closing is not None else ()
        return [text for text in ids if text is not None and int(text) > self.bound]

    def places(self) -> dict[Key, Place]:
        """Return where each record is, in the order of ids; those of a sample in the order drawn."""
        places: dict[Key, Place] = dict(self._found())
        if isinstance(self.state, Draw):
            kept = map(str, self.state.kept())
            return {key: places[key] for key in kept if key in places}
        return dict(sorted(places.items(), key=lambda item: int(str(item[0]))))

    def everything(self) -> dict[Key, Place]:
        """Return where each record is that was received, also on pages that are not used.

        Of a sample, only drawn ones.
        """
        places: dict[Key, Place] = self.places()
        if isinstance(self.state, Draw):
            return places
        for page in self.received:
            for index, identifier in enumerate(page.ids):
                if identifier is not None:
                    places.setdefault(identifier, Place(page, index))
        return places

    def _found(self) -> Iterator[tuple[str, Place]]:
        for page in self.pages:
            for index, identifier in enumerate(page.ids):
                if identifier is not None:
                    yield identifier, Place(page, index)
