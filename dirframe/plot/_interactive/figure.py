"""A Plotly figure that needs no network, and is downloaded as SVG."""

from __future__ import annotations

import json
import sys
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import uuid4

import plotly.graph_objects as go
from plotly.io import to_html, to_json
from plotly.offline import get_plotlyjs

from dirframe._display.policy import policy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PAGE = Path(__file__).with_name("page.html").read_text(encoding="utf-8")

MIMETYPE = "application/vnd.plotly.v1+json"


class InteractiveFigure(go.Figure):  # type: ignore[misc]  # plotly's classes are untyped
    """A `plotly.graph_objects.Figure` with a configuration of its own.

    Its methods `show`, `to_html` and `write_html` take it into account, unless given another, and
    fetch nothing.
    """

    #: Cell of this kernel with the script, "" for one without an id; None before the first figure.
    _cell_with_script: ClassVar[str | None] = None

    @classmethod
    def of(
        cls,
        traces: Sequence[Mapping[str, Any]],
        layout: Mapping[str, Any],
        *,
        name: str,
        words: Sequence[str],
    ) -> InteractiveFigure:
        """Create a figure; `name` is that of downloaded files, `words` describe it."""
        figure = cls(data=list(traces), layout={"template": "none", **layout})
        figure.layout.meta = {"name": name, "words": [" ".join(text.split()) for text in words]}
        return figure

    @property
    def words(self) -> list[str]:
        """Title and caption, as alternative text."""
        return [text for text in self.layout.meta["words"] if text]

    @property
    def _configuration(self) -> dict[str, Any]:
        return {
            "displaylogo": False,
            "responsive": True,
            "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"],
            "toImageButtonOptions": {"format": "svg", "filename": self.layout.meta["name"]},
        }

    def show(self, *args: Any, **options: Any) -> Any:
        return super().show(*args, **{"config": self._configuration} | options)

    def to_html(self, *args: Any, **options: Any) -> str:
        offline = {"config": self._configuration, "include_mathjax": False}
        return str(super().to_html(*args, **offline | options))

    def write_html(self, *args: Any, **options: Any) -> None:
        offline = {"config": self._configuration, "include_mathjax": False}
        super().write_html(*args, **offline | options)

    def page(self) -> str:
        """Return a page with the figure and its script, which fetches nothing."""
        title, *_ = [*self.words, "Chart"]
        scripts, chart = script(), fragment(self.json_bundle()[MIMETYPE], "chart")
        return _PAGE.format(
            title=escape(title),
            policy=policy(scripts + chart),
            words=escape(" ".join(self.words)),
            script=scripts,
            chart=chart,
        )

    def json_bundle(self) -> dict[str, Any]:
        """Return the figure and its configuration as JSON, by type of content."""
        figure = json.loads(to_json(self, validate=False))
        return {MIMETYPE: {**figure, "config": self._configuration}}

    def _repr_mimebundle_(self, *_: object, **__: object) -> dict[str, Any]:
        """Return the figure for notebooks; the first one in a kernel brings the script for all."""
        cell, before = _cell(), InteractiveFigure._cell_with_script
        if brings := before is None or (cell != "" and cell == before):
            InteractiveFigure._cell_with_script = cell
        bundle = self.json_bundle()
        html = fragment(bundle[MIMETYPE], f"chart-{uuid4()}")
        words = {"text/plain": "\n".join(self.words)}
        return {**bundle, "text/html": (script() if brings else "") + html, **words}

    #: Plotly's own would take precedence, and its page asks another host for MathJax.
    _ipython_display_ = None


def script() -> str:
    """Return the element with Plotly's script, for all charts of a page."""
    return f"<script>{get_plotlyjs()}</script>"


def fragment(figure: Mapping[str, Any], identifier: str) -> str:
    """Return a figure as JSON as part of a page that has the script."""
    data = {name: part for name, part in figure.items() if name != "config"}
    html = to_html(
        data,
        config=figure["config"],
        include_plotlyjs=False,
        include_mathjax=False,
        full_html=False,
        div_id=identifier,
        validate=False,
    )
    return str(html)


def _cell() -> str:
    """Return the id of the cell that is run, which is the same when it is run again."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython else None
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    return str(parent.get("metadata", {}).get("cellId", ""))
