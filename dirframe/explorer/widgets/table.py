"""The table of records: a page at a time, sorted by a click on a header."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets as w

from dirframe.explorer import choices, html
from dirframe.explorer.widgets.bindings import (
    AUTO_WIDTH,
    apply,
    bind_trait,
    boxed,
    button,
    html_output,
    labelled_widget,
    select_widget,
    update_on,
    with_class,
)
from dirframe.explorer.widgets.page import HtmlTable

if TYPE_CHECKING:
    from dirframe.explorer.state import State

#: Traits that determine the rows of the table.
_TRAITS = ("shown", "page", "page_size", "columns")


def records(state: State) -> list[Any]:
    """Return the table with its controls for sorting and paging."""
    table = HtmlTable()

    def draw() -> None:
        table.value = html.rows(state)

    def order(_: Any, message: dict[str, str], __: Any) -> None:
        apply(state, lambda: state.order(message["column"]))

    update_on(state, _TRAITS, draw)
    table.on_msg(order)
    span = html_output(
        "df-span", state, _TRAITS, lambda: f"<span class='df-quiet'>{html.span(state)}</span>"
    )
    return [boxed("df-row df-tools", _tools(state)), with_class(table, "df-table"), span]


def _tools(state: State) -> list[Any]:
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

    page = w.BoundedIntText(min=1, max=1, layout=AUTO_WIDTH)
    back = button("df-back", "◂ Back", state, lambda: turn_page(-1), tip="Page before")
    forward = button("df-on", "Next ▸", state, lambda: turn_page(1), tip="Next page")

    def turn_page(by: int) -> None:
        state.page = min(max(state.page + by, 1), state.pages)

    def follow() -> None:
        page.description = f"Page (of {state.pages:,})"
        page.max = state.pages
        page.value = state.page
        back.disabled, forward.disabled = state.page <= 1, state.page >= state.pages

    bind_trait([page], state, "page", follow=follow, value=int, when=["page_size", "shown"])
    order = select_widget(
        w.Dropdown,
        "Order by",
        state,
        "order_by",
        name="df-order",
        options=orders,
        when=["shown", "columns"],
    )
    descending = labelled_widget(
        w.Checkbox, "Descending", state, "descending", name="df-down", indent=False
    )
    size = labelled_widget(
        w.Dropdown, "Rows", state, "page_size", name="df-size", options=choices.PAGE_SIZES
    )
    turn = boxed("df-turn", [back, forward])
    return [order, descending, size, with_class(page, "df-page"), turn]
