"""The widgets with a script of their own; tests/browser presses the keys and clicks."""

from __future__ import annotations

import pytest

anywidget = pytest.importorskip("anywidget", reason="anywidget is an extra")

from dirframe.explorer.widgets import page  # after the check that it can be imported


@pytest.mark.parametrize("widget", [page.Page, page.HtmlTable])
def test_its_script_comes_with_the_package_and_fetches_nothing(
    widget: type[page.Page | page.HtmlTable],
) -> None:
    script = widget._esm  # anywidget has read the file
    assert "export default" in str(script)
    assert "http" not in str(script)
    assert "import " not in str(script)


def test_the_table_is_sent_to_the_page() -> None:
    table = page.HtmlTable(value="<table></table>")
    assert table.get_state()["value"] == "<table></table>"
    assert page.Page().get_state()["is_dark"] is False
