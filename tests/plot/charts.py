"""What the tests of the charts look at, and frames that each chart takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from dirframe import charts, plot, provenance

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    Chart = Callable[..., Axes]

GPL = {"name": "gpl3", "nice_name": "GNU General Public License 3.0"}
SOURCE = "A $directory$ of <names>"
ODD = [
    "<script>alert(1)</script>",
    "$x^2$ & C#_%",
    "Язык программирования",
    "A very long name that goes on and on, from the Institute of Endless Names and Titles",
    "Averylongnamewithoutasingleblankinit" * 3,
]


def accounts(number: int = 40, **columns: Any) -> pd.DataFrame:
    """Make accounts in 8 countries, of 10 ranks, with 0 to 2,000 posts."""
    rows = range(number)
    countries = ["DE", "FR", "US", "NA", "SG", "BR", "IN", None]
    codes = pd.Series([countries[row % 8] for row in rows], dtype="str")
    frame = pd.DataFrame(
        {
            "id": pd.Series(rows, dtype="str"),
            "country_code": codes,
            "country_alpha_2": codes,
            "country_name": codes,
            "kudo_score_kudo_rank": pd.Series([row % 11 or None for row in rows], dtype="Int64"),
            "posts_count": pd.Series([0 if row % 3 else row**2 for row in rows], dtype="Int64"),
            "created_at": _months([row % 30 for row in rows]),
        }
    ).assign(**columns)
    return provenance.set_provenance(frame, resource="account", source=SOURCE)


def projects(number: int = 40, **columns: Any) -> pd.DataFrame:
    """Make projects in 8 main languages, with 0 to 1,600 contributors."""
    rows = range(number)
    languages = ["C", "Java", "Lua", "Ada", *ODD[:3], None]
    spoken = [languages[row % 8] for row in rows]
    breakdown = [[{"language": name, "percentage": "50", "id": "1"}] for name in spoken]
    frame = pd.DataFrame(
        {
            "id": pd.Series(rows, dtype="str"),
            "name": pd.Series([ODD[row % 5] for row in rows], dtype="str"),
            "created_at": _months([row % 30 for row in rows]),
            "stack_count": pd.Series([row * 37 % 5000 for row in rows], dtype="Int64"),
            "analysis_main_language_name": pd.Series(spoken, dtype="str"),
            "analysis_total_code_lines": pd.Series([1000] * number, dtype="Int64"),
            "analysis_twelve_month_contributor_count": pd.Series(
                [row**2 % 1601 if row % 2 else 0 for row in rows], dtype="Int64"
            ),
            "analysis_min_month": _months([row % 30 for row in rows]),
            "analysis_max_month": _months([row % 30 + row for row in rows]),
            # After all of their months: what is known of one project is known of all.
            "analysis_logged_at": _months([number + 30] * number),
            "tags": pd.Series([[name, "web"] for name in (ODD * number)[:number]], dtype="object"),
            "licenses": pd.Series([[GPL, {"name": name}] for name in (ODD * number)[:number]]),
            "analysis_languages": pd.Series(breakdown, dtype="object"),
        }
    ).assign(**columns)
    return provenance.set_provenance(frame, resource="project", source=SOURCE)


def contributors(number: int = 40) -> pd.DataFrame:
    """Make contributors of a project, with 0 to 1,600 commits."""
    rows = range(number)
    frame = pd.DataFrame(
        {
            "contributor_id": pd.Series(rows, dtype="str"),
            "contributor_name": pd.Series([ODD[row % 5] for row in rows], dtype="str"),
            "commits": pd.Series([row**2 % 1601 for row in rows], dtype="Int64"),
        }
    )
    return provenance.set_provenance(frame, resource="contributor_fact", source=SOURCE)


def activity_facts(number: int = 40) -> pd.DataFrame:
    """Make months of a project, with 0 to 1,600 commits."""
    rows = range(number)
    frame = pd.DataFrame(
        {
            "month": _months([*rows]),
            "commits": pd.Series([row**2 % 1601 for row in rows], dtype="Int64"),
            "contributors": pd.Series([row % 17 for row in rows], dtype="Int64"),
        }
    )
    return provenance.set_provenance(frame, resource="activity_fact", source=SOURCE)


def nouns(make: Callable[..., pd.DataFrame]) -> str:
    """Return what the records are called in captions."""
    return make.__name__.replace("_", " ")


_MAKERS = {
    "accounts": accounts,
    "projects": projects,
    "": projects,
    "contributors": contributors,
    "activity": activity_facts,
}
#: Every chart, with what makes its frame.
CHARTS: dict[str, Callable[..., pd.DataFrame]] = {
    name: _MAKERS[spec.collection] for name, spec in charts.CHARTS.items()
}


def draw(name: str, frame: pd.DataFrame, **options: Any) -> Axes:
    chart: Chart = getattr(plot, name)
    return chart(frame, **options)


def bars(ax: Axes) -> list[Rectangle]:
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


def names(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def caption(ax: Axes) -> str:
    (text,) = (text.get_text() for text in ax.texts if text.get_gid() == "caption")
    return " ".join(text.split())


def shown_texts(ax: Axes) -> list[Text]:
    """Return the texts of the figure that are drawn; an axis has ticks beyond its limits, too."""
    unseen: set[int] = set()
    figure = ax.get_figure(root=True)
    assert figure is not None
    for panel in figure.axes:
        for axis, limits in ((panel.xaxis, panel.get_xlim()), (panel.yaxis, panel.get_ylim())):
            for place, tick in zip(axis.get_ticklocs(), axis.get_major_ticks(), strict=True):
                if not min(limits) <= place <= max(limits):
                    unseen |= {id(tick.label1), id(tick.label2)}
    texts: list[Any] = figure.findobj(Text)
    return [t for t in texts if t.get_visible() and t.get_text() and id(t) not in unseen]


def _months(numbers: list[int]) -> pd.Series[pd.Timestamp]:
    moments = [pd.Timestamp(2010 + n // 12, n % 12 + 1, 1, tz="UTC") for n in numbers]
    return pd.Series(moments, dtype="datetime64[us, UTC]")
