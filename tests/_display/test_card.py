"""Small objects show themselves escaped, in terminal and notebook."""

from __future__ import annotations

from dirframe._display.card import Card


class Nasty(Card):
    def _card(self) -> tuple[str, dict[str, str], str]:
        return "<b>", {"name": "<script>alert(1)</script>\x1b[31m"}, "<i>"


def test_html_is_escaped() -> None:
    shown = Nasty()._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "<i>" not in shown


def test_a_terminal_gets_no_control_characters() -> None:
    assert "\x1b" not in repr(Nasty())
    assert len(repr(Nasty()).splitlines()) == 3
