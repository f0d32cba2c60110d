"""Filters of the explorer as observable traits, and the values that they can take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets as tr

from dirframe.errors import InvalidInputError
from dirframe.explorer.choices import FILTERS
from dirframe.explorer.controller import LoadController
from dirframe.filters.conditions import ACTIVITIES, CHOICES, CREATED, MISSING, years
from dirframe.filters.select import Filters

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from dirframe.explorer.facets import Bar, Facets
    from dirframe.schema import Resource


@dataclass(frozen=True, eq=False, kw_only=True)
class VisibleRecords:
    """The records that pass the filters, in the order chosen, and all that were loaded.

    Parameters
    ----------
    frame : pandas.DataFrame
        The records that pass the filters.
    loaded : pandas.DataFrame
        All loaded records.
    resource : Resource
        Their resource.
    facets : Facets
        The values of their columns with counts.
    """

    frame: pd.DataFrame
    loaded: pd.DataFrame
    resource: Resource
    facets: Facets


class FilterState(LoadController):
    """The filters of the records shown."""

    shown = tr.Instance(VisibleRecords, allow_none=True)
    search = tr.Unicode()  # empty: all
    languages = tr.Tuple()  # empty: all
    countries = tr.Tuple()  # empty: all
    licenses = tr.Tuple()  # empty: all
    tags = tr.Tuple()  # empty: all
    years = tr.Tuple()  # empty: all
    ranges = tr.Dict()  # by column: the first number and the one to stay below
    activity = tr.Enum(ACTIVITIES, "all")

    @tr.validate("years")
    def _first_and_last(self, proposal: Any) -> Any:
        span = proposal["value"]
        is_span = len(span) == 2 and all(isinstance(year, int) for year in span)
        if span and span != MISSING and not is_span:
            raise InvalidInputError(
                f"years is {span!r}; give the first and the last, such as (2008, 2010), or () for "
                "all."
            )
        return span

    @tr.validate("ranges")
    def _of_python(self, proposal: Any) -> Any:
        """Replace numbers of numpy, which neither the code nor a saved view can hold."""
        return {
            name: tuple(bound.item() if isinstance(bound, np.generic) else bound for bound in span)
            if isinstance(span, tuple)
            else span
            for name, span in proposal["value"].items()
        }

    @property
    def filters(self) -> Filters:
        """The current filters; the full range of years is no filter."""
        everything = years(self.shown.loaded) if self.shown else None
        span = () if tuple(self.years) in {(), everything} else self.years
        return Filters(
            search=" ".join(self.search.split()),
            **{name: getattr(self, name) for name in CHOICES},
            years=(span[0], span[1]) if span else None,
            activity=self.activity,
            ranges=dict(self.ranges),
        )

    def _drop_filters(self) -> None:
        for name in FILTERS:
            self.set_trait(name, self.trait_defaults(name))

    def bars(self, column: str) -> list[Bar]:
        """Count the records by value of a column, as far as the other filters let them pass."""
        return self.shown.facets.bars(column, self.filters.active()) if self.shown else []

    def chosen(self, column: str) -> tuple[Any, ...] | None:
        """Return the values or the range that the filter of a column has; None if it has none."""
        if column in self.choice_filters:
            return getattr(self, self.choice_filters[column]) or None
        return (self.years or None) if column == CREATED else self.ranges.get(column)

    def choose(self, column: str, values: Sequence[Any]) -> None:
        """Filter by values of a column as `bars` has them; a range is from the first to the last.

        The same choice again, or no values, takes the filter away.
        """
        is_choice = column in self.choice_filters
        chosen = tuple(values) if is_choice else _hull(values)
        if chosen == self.chosen(column):
            chosen = ()
        if is_choice:
            self.set_trait(self.choice_filters[column], chosen)
        elif column == CREATED:
            self.years = chosen
        else:
            self.ranges = self.with_range(column, [chosen] if chosen else [])

    def with_range(self, column: str, spans: Sequence[Any]) -> dict[str, Any]:
        """Return the ranges with that of a column from the first to the last of these, if any."""
        others = {name: span for name, span in self.ranges.items() if name != column}
        return others | ({column: _hull(spans)} if spans else {})

    def is_chosen(self, column: str, value: Any) -> bool:
        """Return whether the filter of a column lets a value, or part of a range, pass."""
        chosen = self.chosen(column)
        if chosen is None or column in self.choice_filters or MISSING in (value, chosen):
            return chosen is not None and (value in chosen or value == chosen)
        is_year = column == CREATED  # whose last one is included
        (first, below), (begin, end) = chosen, value
        return (first is None or first < end + is_year) and (
            below is None or begin < below + is_year
        )

    def toggle(self, column: str, value: Any) -> None:
        """Add a value to the filter of a column, or take it away; a range replaces the other."""
        if column in self.choice_filters:
            chosen = self.chosen(column) or ()
            others = [other for other in chosen if other != value]
            self.choose(column, others if value in chosen else [*others, value])
        else:
            self.choose(column, [value])

    def profile(self, column: str) -> tuple[list[Bar], float]:
        """Return bars of a column of the records shown, and the share of them without a value."""
        if self.shown is None:
            return [], 0.0
        facets = self.shown.facets
        return facets.profile(column, facets.conditions.all_of(self.filters.active()))

    @property
    def choice_filters(self) -> dict[str, str]:
        """The filters by values of a column, by column."""
        facets = self.shown.facets.choices if self.shown else {}
        return {column: name for name, column in facets.items()}


def _hull(spans: Sequence[Any]) -> tuple[Any, ...]:
    """Return the range from the first to the last; missing values are in none but their own."""
    present = sorted(span for span in spans if span != MISSING)
    return (present[0][0], present[-1][1]) if present else tuple(spans[:1] and MISSING)
