"""A Plotly figure that needs no network, and is downloaded as SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["InteractiveFigure"]

#: Policy for pages: nothing is fetched. The script makes the files to download.
_POLICY = (
    "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
)
_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
</head>
<body>
<main>
<h1 style="position:absolute;clip-path:inset(50%)">{title}</h1>
<div role="group" aria-label="{words}">{figure}</div>
</main>
</body>
</html>
"""

MIMETYPE = "application/vnd.plotly.v1+json"

#: Cell of this kernel with the script, "" for one without an id; None if no figure was displayed.
_with_script: str | None = None


class InteractiveFigure(go.Figure):  # type: ignore[misc]  # plotly's classes are untyped
    """A `plotly.graph_objects.Figure` with a configuration of its own.

    Its methods `show`, `to_html` and `write_html` take it into account, unless given another, and
    fetch nothing.
    """

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
        return _PAGE.format(
            title=escape(title),
            policy=_POLICY,
            words=escape(" ".join(self.words)),
            figure=self.fragment("chart", include_plotlyjs=True),
        )

    def fragment(self, identifier: str, *, include_plotlyjs: bool = False) -> str:
        """Return the figure as part of a page; the first one on a page includes the script."""
        return self.to_html(
            full_html=False, include_plotlyjs=include_plotlyjs, div_id=identifier, validate=False
        )

    def _repr_mimebundle_(self, *_: object, **__: object) -> dict[str, Any]:
        """Return the figure for notebooks; the first one in a kernel brings the script for all."""
        global _with_script  # noqa: PLW0603  # the kernel's
        cell = _cell()
        if brings := _with_script in {None, cell}:
            _with_script = cell
        data = self.to_plotly_json()
        return {
            MIMETYPE: {**_plain(data), "config": self._configuration},
            "text/html": self.to_html(full_html=False, include_plotlyjs=brings),
            "text/plain": "\n".join(self.words),
        }

    def _ipython_display_(self) -> None:
        from IPython.display import display

        display(self._repr_mimebundle_(), raw=True)  # type: ignore[no-untyped-call]  # IPython


def _plain(data: Any) -> Any:
    import json

    from plotly.io import to_json

    return json.loads(to_json(data, validate=False))


def _cell() -> str:
    """Return the id of the cell that is run, which is the same when it is run again."""
    from IPython import get_ipython

    shell = get_ipython()  # type: ignore[no-untyped-call]  # IPython
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    return str(parent.get("metadata", {}).get("cellId", ""))
