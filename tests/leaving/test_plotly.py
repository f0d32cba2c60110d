"""An interactive chart shows what its table says, with its texts, and needs no network."""

import json
import re
from html import unescape

import pytest

from dirframe import plot, stats
from tests.charts import caption, draw, words
from tests.frames import projects


def test_charts_of_plotly_say_what_those_of_matplotlib_say():
    pytest.importorskip("plotly", reason="plotly is an extra")
    failures = []
    for name in ("accounts_map", "growth", "language_share", "lorenz"):
        ax = draw(name)
        layout = json.loads(draw(name, backend="plotly").to_json())["layout"]
        texts = [
            words(unescape(note["text"]).replace("<br>", " ")) for note in layout["annotations"]
        ]
        title = unescape(layout["title"]["text"]).replace("<br>", " ")
        if caption(ax) not in texts or title != ax.get_title():
            failures.append((name, texts, title))
    assert not failures
    figure = plot.language_share(projects(), backend="plotly")
    table = stats.language_share(projects())
    lengths = [x for trace in json.loads(figure.to_json())["data"] for x in trace.get("x", ())]
    assert {*table["projects"]} <= {*lengths}
    for html in (figure.to_html(), figure.page()):
        assert re.findall(r"<(?:script|link|img)[^>]+src=[^>]+", html) == []
        assert "<script>alert(1)" not in html
