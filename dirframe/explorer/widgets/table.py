"""Table widgets: itables if installed, otherwise a plain table with pages.

itables sorts, searches and pages in the browser, which holds all its rows. So it gets parts of
`choices.PART` records; nearly every load fits into one. Larger loads are sorted as a whole and
shown in labelled parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets as w
import pandas as pd

from dirframe.explorer import choices, html
from dirframe.explorer.widgets.bindings import (
    bind_trait,
    boxed,
    button,
    html_output,
    labelled_widget,
    select_widget,
    with_class,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from dirframe.explorer.state import State

    Maker = Callable[[State], list[Any]]

__all__ = ["itable", "load_itables", "plain"]

#: Traits that determine the records in the table and their order.
_TRAITS = ("shown", "page", "page_size", "order_by", "descending", "columns")


def load_itables() -> type | None:
    """Return the widget class of itables; None if it or a dependency is not installed."""
    try:
        from itables.widget import ITable
    except ImportError:
        return None
    return ITable


def plain(state: State) -> list[Any]:
    """Return a plain table with controls for paging and sorting."""
    sizes = list(choices.PAGE_SIZES)
    size = labelled_widget(w.Dropdown, "df-size", "Rows", state, "page_size", options=sizes)
    order, descending, page, turn = _tools(state, "Page")
    return [
        boxed("df-row df-tools", [order, descending, size, page, turn]),
        html_output("df-table", state, _TRAITS, lambda: html.rows(state)),
    ]


def itable(made_by: type, state: State) -> list[Any]:
    """Return an itables widget, with controls for loads of more than one part.

    Parameters
    ----------
    made_by
        The class returned by `load_itables`.
    state
        The state; its ``page`` is a part of `choices.PART` records.

    Returns
    -------
    list
        The controls, visible if there is more than one part, and the table.
    """
    widget = made_by(pd.DataFrame({"": []}), **_itable_options(state))
    tools = boxed("df-row df-tools", _tools(state, "Part"))
    notice = html_output("df-part", state, _TRAITS, lambda: html.part(state))
    drawn_state: list[Any] = []

    def draw(_: Any = None) -> None:
        current = [getattr(state, trait) for trait in _TRAITS]
        if state.shown is None or current == drawn_state:
            return
        drawn_state[:] = current
        widget.update(html.texts(state), **_itable_options(state))
        tools.layout.display = None if state.pages > 1 else "none"

    tools.layout.display = "none"
    draw()
    state.observe(draw, list(_TRAITS))
    return [tools, notice, with_class(widget, "df-table")]


def _itable_options(state: State) -> dict[str, Any]:
    """Return the options of itables: all records, as text, in English."""
    from itables import JavascriptFunction

    is_single_part = state.pages == 1
    return {
        "maxBytes": 0,  # the default truncates above 64 KB
        "maxColumns": 0,
        # itables clears the selection first, for which DataTables looks up every row among all
        # others: 15 seconds for 100,000. Selection is not used here.
        "drawCallback": JavascriptFunction("function () { this.api().off('deselect'); }"),
        "showIndex": False,
        "autoWidth": False,
        "columnDefs": html.kinds(state),
        # Sorting and searching one part would give wrong maxima and missing matches.
        "ordering": is_single_part,
        "layout": {"topEnd": "search" if is_single_part else None},
        "lengthMenu": list(choices.PAGE_SIZES),
        "pageLength": choices.PAGE_SIZES[0],
        "text_in_header_can_be_selected": False,  # a click on a header sorts
        "classes": "display compact df-library",
        "style": "table-layout:fixed;width:100%",
        "language": {
            "search": "Search",
            "lengthMenu": "_MENU_ rows",
            "info": "_START_ to _END_ of _TOTAL_",
            "infoEmpty": "0 records",
            "infoFiltered": "that match, of _MAX_",
            "emptyTable": "No record passes the filters.",
            "zeroRecords": "No record matches the search.",
        },
    }


def _tools(state: State, noun: str) -> list[Any]:
    """Return the controls for sorting and paging."""

    def orders() -> list[tuple[str, str]]:
        if state.shown is None:
            return [("as loaded", "")]
        sortable = choices.sortable(state.shown.loaded)
        names = dict.fromkeys([*state.columns, *filter(None, [state.order_by])])
        resource = state.shown.resource
        return [
            ("as loaded", ""),
            *((choices.heading(name, resource), name) for name in names if name in sortable),
        ]

    page = w.BoundedIntText(min=1, max=1, layout={"width": "auto"})
    back = button("df-back", "◂ Back", state, lambda: turn_page(-1), tip=f"{noun} before")
    forward = button("df-on", "Next ▸", state, lambda: turn_page(1), tip=f"Next {noun.lower()}")

    def turn_page(by: int) -> None:
        state.page = min(max(state.page + by, 1), state.pages)

    def follow() -> None:
        page.description = f"{noun} (of {state.pages:,})"
        page.max = state.pages
        page.value = state.page
        back.disabled, forward.disabled = state.page <= 1, state.page >= state.pages

    bind_trait([page], state, "page", follow=follow, value=int, when=["page_size", "shown"])
    order = select_widget(
        w.Dropdown,
        "df-order",
        "Order by",
        state,
        "order_by",
        options=orders,
        when=["shown", "columns"],
    )
    descending = labelled_widget(
        w.Checkbox, "df-down", "Descending", state, "descending", indent=False
    )
    return [order, descending, with_class(page, "df-page"), boxed("df-turn", [back, forward])]
