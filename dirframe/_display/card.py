"""Text and HTML representation of small objects: a heading, facts and a note.

The HTML uses the colours of the page, so that dark themes work; all text is escaped.
"""

from __future__ import annotations

from html import escape

from dirframe._display.html import literal
from dirframe._display.values import printable

_TABLE = "border-collapse:collapse;margin:.3em 0"
_NAME = "text-align:left;font-weight:normal;opacity:.75;padding:.1em 1em .1em 0;vertical-align:top"
_VALUE = "text-align:left;padding:.1em 0;overflow-wrap:anywhere"


class Card:
    """Mixin for objects that are displayed as a heading, facts and a note."""

    def _card(self) -> tuple[str, dict[str, str], str]:
        """Return the heading, the facts by name, and the note or an empty string."""
        raise NotImplementedError

    def __repr__(self) -> str:
        heading, facts, note = self._card()
        width = max(map(len, facts), default=0)
        lines = [heading, *(f"  {name:{width}}  {value}" for name, value in facts.items())]
        return "\n".join(printable(line) for line in [*lines, *([note] if note else [])])

    def _repr_html_(self) -> str:
        heading, facts, note = self._card()
        rows = "".join(
            f'<tr style="background:none"><th scope="row" style="{_NAME}">{escape(name)}</th>'
            f'<td style="{_VALUE}">{escape(value)}</td></tr>'
            for name, value in facts.items()
        )
        below = f"<div>{escape(note)}</div>" if note else ""
        return literal(
            f'<strong>{escape(heading)}</strong><table style="{_TABLE}"><tbody>{rows}'
            f"</tbody></table>{below}"
        )
