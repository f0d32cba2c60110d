"""Report text with HTML, Markdown and plain-text representations."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from dirframe._display.markdown import escape_markdown

__all__ = ["Passage"]


@dataclass(frozen=True, repr=False)
class Passage:
    """Lines of text, each of a kind; markup in them is escaped.

    Parameters
    ----------
    lines : tuple of (str, str)
        Kind and text. Kinds: ``title``, ``heading``, ``warning``, ``text``, ``item``, ``code`` and
        ``link`` (a URL).

    Examples
    --------
    >>> Passage((("text", "<b>"),))._repr_html_()
    '<p>&lt;b&gt;</p>'
    """

    lines: tuple[tuple[str, str], ...]

    def __repr__(self) -> str:
        return "\n".join(text for _, text in self.lines)

    def _repr_html_(self) -> str:
        forms = {
            "title": "<h1>{}</h1>",
            "heading": "<h3>{}</h3>",
            "warning": '<p class="warning" role="note">{}</p>',
            "text": "<p>{}</p>",
            "item": "<ul><li>{}</li></ul>",
            "code": "<pre>{}</pre>",
            "link": '<p><a href="{0}" rel="noreferrer">{0}</a></p>',
        }
        html = "\n".join(forms[kind].format(escape(text)) for kind, text in self.lines)
        return html.replace("</ul>\n<ul>", "\n")

    def _repr_markdown_(self) -> str:
        forms = {
            "title": "# {}",
            "heading": "### {}",
            "warning": "> **Beware:** {}",
            "text": "{}",
            "item": "- {}",
            "link": "<{}>",
        }
        blocks = []
        for kind, text in self.lines:
            if kind == "code":  # indented rather than fenced: the text could close a fence
                blocks.append("\n".join(f"    {line}" for line in text.splitlines()))
            elif kind == "link":
                blocks.append(forms[kind].format(text))
            else:
                line = " ".join(text.split())  # a new line could start a list or a heading
                blocks.append(forms[kind].format(escape_markdown(line)))
        return "\n\n".join(blocks)
