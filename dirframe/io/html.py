"""Write HTML and Markdown tables with source and citation."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

from dirframe._display.html import Column, table_parts
from dirframe._display.markdown import escape_markdown, table_lines
from dirframe._display.values import is_number

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dirframe.io.frame_codec import ExportFrame


_STYLE = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { margin: 2rem; }
div { overflow-x: auto; margin-bottom: 3rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { caption-side: bottom; text-align: left; padding-top: .8rem; max-width: 60rem; }
caption small { display: block; opacity: .8; }
th, td { padding: .3rem .8rem; text-align: left; vertical-align: top; max-width: 28rem; }
th { border-bottom: 2px solid; white-space: nowrap; }
td { border-bottom: 1px solid #8884; overflow-wrap: anywhere; }
.n { text-align: right; white-space: nowrap; }
"""
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def write_html(frames: Sequence[ExportFrame], file: Path) -> None:
    """Write an HTML page with one table per frame; all text is escaped, nothing is fetched."""
    title = escape(" · ".join(prepared.name for prepared in frames))
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
            f"<title>{title}</title>\n<style>{_STYLE}</style></head>\n<body>\n"
        )
        for prepared in frames:
            _html_table(prepared, stream, len(frames) > 1)
        stream.write("</body></html>\n")


def write_md(frames: Sequence[ExportFrame], file: Path) -> None:
    """Write one GitHub Flavored Markdown table per frame (GFM, 4.10)."""
    sections = []
    for prepared in frames:
        table = "\n".join(table_lines(_columns(prepared)))
        heading = f"## {_marked(prepared.name)}\n\n" if len(frames) > 1 else ""
        notes = [
            _marked(note)
            for note in (prepared.record["caption"], prepared.record["citation"])
            if note
        ]
        sections.append(f"{heading}{table}\n\n" + "\n\n".join(notes) + "\n")
    file.write_text("\n".join(sections), encoding="utf-8", newline="\n")


def _html_table(prepared: ExportFrame, stream: Any, headed: bool) -> None:
    if headed:
        stream.write(f"<h2>{escape(prepared.name)}</h2>\n")
    citation = prepared.record["citation"]
    cited = f"<small>{escape(_visible(citation))}</small>" if citation else ""
    caption = f"<caption>{escape(_visible(prepared.record['caption']))}{cited}</caption>\n"
    stream.write("<div>")
    stream.writelines(table_parts(_columns(prepared), number='class="n"', begin=caption))
    stream.write("</div>\n")


def _columns(prepared: ExportFrame) -> list[Column]:
    return [
        Column(
            head=_visible(column["name"]),
            cells=["" if v is None else _visible(str(v)) for v in prepared.texts_of(position)],
            number=is_number(dtype),
        )
        for position, (column, dtype) in enumerate(
            zip(prepared.columns, prepared.frame.dtypes, strict=True)
        )
    ]


def _visible(text: str) -> str:
    """Replace control characters, which HTML does not allow."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _marked(text: str) -> str:
    """Escape Markdown and HTML markup."""
    lines = escape_markdown(_visible(text)).splitlines()
    return "<br>".join(lines)
