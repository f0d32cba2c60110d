"""An interactive chart shows what its table says: numbers, names, units, what is missing."""

from __future__ import annotations

import json
import re
from html import unescape
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.scale import SymmetricalLogTransform

import dirframe
from dirframe import charts, plot, stats
from dirframe.errors import InvalidInputError, MissingExtraError
from tests.plot.charts import CHARTS, activity_facts, caption, draw, nouns, projects

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("plotly", reason="plotly is an extra")
EVERY = pytest.mark.parametrize("name", CHARTS)
#: The column that each chart draws as lengths, heights or places, and the axis of it.
DRAWN = {
    "language_share": ("x", "projects"),
    "contributors_by_language": ("x", "median"),
    "contributors_per_thousand_lines": ("x", "median"),
    "language_breakdown": ("x", "code_lines"),
    "languages_by_year": ("y", "share"),
    "contributor_distribution": ("y", "projects"),
    "team_size_classes": ("x", "projects"),
    "lorenz": ("y", "contributors_share"),
    "activity": ("x", "projects"),
    "project_age": ("y", "projects"),
    "life_span": ("base", "first_month"),
    "accounts_by_country": ("x", "accounts"),
    "accounts_map": ("meta", "accounts"),
    "growth": ("y", "total"),
    "users_against_contributors": ("y", "contributors"),
    "licenses": ("x", "projects"),
    "tags": ("x", "projects"),
    "accounts_by_kudo_rank": ("x", "accounts"),
    "posts_distribution": ("y", "accounts"),
    "commits_by_contributor": ("y", "cumulative_share"),
    "monthly_activity": ("y", "commits"),
    "intervals": ("x", "value"),
    "compare_groups": ("x", "effect"),
    "correlation": ("x", "correlation"),
    "survival": ("y", "survival"),
    "compare_survival": ("x", "hazard_ratio"),
    "distribution_tail": ("x", "value"),
    "growth_curve": ("y", "observed"),
    "accounts_per_capita": ("x", "per_million"),
}
_LOG = SymmetricalLogTransform(10, 1, 0.5).inverted()
#: Charts of numbers above zero: their logarithms include no zero.
RATIOS = {"distribution_tail", "compare_survival"}


def interactive(name: str, frame: pd.DataFrame, **options: Any) -> dict[str, Any]:
    """Return the figure as the JSON that a browser gets."""
    figure: Any = getattr(plot, name)(frame, backend="plotly", **options)
    data: dict[str, Any] = json.loads(figure.to_json())
    return data


def table_of(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    statistic = charts.CHARTS[name].statistic or name
    defaults = signature(getattr(plot, name)).parameters  # a chart shows fewer rows
    options = {option: defaults[option].default for option in charts.CHARTS[name].options}
    table: pd.DataFrame = getattr(stats, statistic)(frame, **options)
    if name == "accounts_map":  # a territory too small for the map is in the caption
        return table[table["country_alpha_2"] != "SG"]
    if name == "tags" and table.attrs["dirframe"]["counted"]["tags_in_other"]:
        return table.iloc[:-1]  # nearly all projects have one of the others
    if name == "contributors_by_language":
        return table[table["projects_counted"] > 0]
    if name == "compare_groups":  # the test of all groups is in the caption
        return table[table["second"].notna()]
    if name == "compare_survival":
        return table[table["hazard_ratio"].notna()]
    return table


def shown(figure: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the traces with data, not those of legends and lines between dots."""
    return [trace for trace in figure["data"] if trace.get("customdata") or trace.get("meta")]


def numbers(figure: dict[str, Any], which: str, *, of_ratios: bool = False) -> Iterator[float]:
    for trace in shown(figure):
        if which == "meta":
            yield trace["meta"]["number"]
            continue
        if trace["type"] == "bar" and which in "xy" and which != "xy"[trace["orientation"] == "v"]:
            continue
        values: Any = np.asarray(trace[which], dtype=float)
        label = figure["layout"]["xaxis" if which == "base" else f"{which}axis"]
        if "minor" in label:
            values = 10**values if of_ratios else _LOG.transform_non_affine(values)
        yield from values


@EVERY
def test_the_numbers_drawn_are_those_of_the_table(
    name: str, sample_frames: dict[str, pd.DataFrame]
) -> None:
    check_numbers(name, CHARTS[name]())
    check_numbers(name, sample_frames[charts.CHARTS[name].collection or "projects"])


@pytest.mark.filterwarnings("ignore::dirframe.errors.IncompleteWarning")
def test_the_numbers_of_recorded_projects_are_drawn(shared: Path) -> None:
    frame = dirframe.read_pages(shared / "real" / "pages")
    for name, spec in charts.CHARTS.items():
        if spec.collection == "projects":
            check_numbers(name, frame)


def check_limits(figure: dict[str, Any]) -> None:
    """Every dot, end of a line and end of a bar lies within the axes."""
    for trace in figure["data"]:
        if trace.get("fill") == "toself" or "xaxis" not in trace:  # a country, an entry of a legend
            continue
        if trace.get("line", {}).get("dash") == "dash" and "customdata" not in trace:
            continue  # from beyond the left end
        for which in "xy":
            axis = figure["layout"][trace[f"{which}axis"].replace(which, f"{which}axis")]
            limits = axis.get("range") or figure["layout"][f"{axis['matches']}axis"]["range"]
            values = np.asarray(trace[which], dtype=float)
            if trace["type"] == "bar" and which == "xy"[trace["orientation"] == "v"]:
                values = values + np.asarray(trace["base"], dtype=float)
            if len(values := values[np.isfinite(values)]):
                margin = 1e-4 * (max(limits) - min(limits))  # outlines are rounded
                assert min(limits) - margin <= values.min(), (which, limits)
                assert values.max() <= max(limits) + margin, (which, limits)


def check_numbers(name: str, frame: pd.DataFrame) -> None:
    table = table_of(name, frame)
    which, column = DRAWN[name]
    figure = interactive(name, frame)
    if name == "contributors_per_thousand_lines":  # the bars, and the dots at their feet
        ratios = [
            value for trace in figure["data"] if trace["type"] == "bar" for value in trace["x"]
        ]
        assert sorted(ratios) == sorted(table["contributors_per_thousand_lines"].astype(float))
    if name in {"contributors_per_thousand_lines", "contributors_by_language"}:
        figure["data"] = [trace for trace in figure["data"] if trace["type"] != "bar"]
    if name in {"distribution_tail", "growth_curve"}:  # the dots; the lines are fitted
        figure["data"] = [trace for trace in figure["data"] if trace["mode"] == "markers"]
    if name == "monthly_activity":  # in a lane of its own
        lane = [trace for trace in figure["data"] if trace["yaxis"] == "y2"]
        assert lane[0]["y"] == table["contributors"].astype(float).to_list()
        figure["data"] = [trace for trace in figure["data"] if trace["yaxis"] == "y"]
    expected = table[column]
    if which == "base":
        expected = (expected - pd.Timestamp(0, tz="UTC")) / pd.Timedelta("1ms")
    drawn = sorted(numbers(figure, which, of_ratios=name in RATIOS))
    check_limits(figure)
    assert drawn == pytest.approx(sorted(expected.astype(float).dropna()), rel=1e-9)


@EVERY
def test_hovering_shows_every_column_of_the_row(name: str) -> None:
    frame = CHARTS[name]()
    table = table_of(name, frame)
    figure = interactive(name, frame)
    if name == "accounts_map":
        texts = {trace["meta"]["code"]: trace["text"] for trace in shown(figure)}
        assert set(texts) == set(table["country_alpha_2"])
        assert "accounts: 5<br>share: 14.3%" in texts["DE"]
        return
    rows = [row for trace in shown(figure) for row in trace["customdata"]]
    for trace in shown(figure):
        labels = [line.split(":")[0] for line in trace["hovertemplate"].split("<br>")]
        assert [label.removeprefix("<b>") for label in labels] == [
            str(column).replace("_", " ") for column in table
        ]
    for column in set(table) & {"projects", "accounts", "commits", "users", "total", "months"}:
        place = list(table).index(column)
        said = {row[place] for row in rows}
        assert said == {f"{value:,}" for value in table[column]}, column
    for column in set(table) & {"share", "cumulative_share"}:
        said = {row[list(table).index(column)] for row in rows}
        known = table[column].dropna().astype(float)
        assert said - {"not known"} <= {f"{value:.1%}" for value in known} | {
            "&lt;0.1%",
            "&gt;99.9%",
        }
        assert ("not known" in said) == bool(table[column].isna().any())


@EVERY
def test_title_caption_and_units_are_those_of_the_picture(name: str) -> None:
    frame = CHARTS[name]()
    ax = draw(name, frame)
    layout = interactive(name, frame)["layout"]
    (note,) = (words(text) for text in layout["annotations"] if text.get("name") == "caption")
    assert note == caption(ax)
    assert unescape(layout["title"]["text"]).replace("<br>", " ") == ax.get_title()
    axis = layout["xaxis2" if name == "monthly_activity" else "xaxis"]
    unit = " ".join(ax.get_xlabel().split()).removesuffix("; below: at risk")  # here on hovering
    assert words(axis.get("title", {"text": ""})) == unit
    labels = {words(text) for text in layout["annotations"]}
    assert {" ".join(ax.get_ylabel().split())} - {""} <= labels


def words(text: dict[str, Any]) -> str:
    return " ".join(unescape(text["text"]).replace("<br>", " ").split())


@EVERY
def test_an_empty_frame_says_why_there_is_nothing(name: str) -> None:
    figure = interactive(name, CHARTS[name]().iloc[:0])
    assert figure["data"] == []
    said = [words(text) for text in figure["layout"]["annotations"]]
    assert said[0] == f"No {nouns(CHARTS[name])}"
    assert f"n = 0 {nouns(CHARTS[name])}" in said[1]


@EVERY
def test_a_table_computed_earlier_makes_the_same_figure(name: str) -> None:
    frame = CHARTS[name]()
    table = getattr(stats, charts.CHARTS[name].statistic or name)(frame)
    if not charts.CHARTS[name].options:
        assert interactive(name, table) == interactive(name, frame)


@EVERY
def test_panels_share_their_axes_and_hold_the_records_of_their_stratum(name: str) -> None:
    frame = CHARTS[name]()
    frame["half"] = ["left"] * 20 + ["right"] * 20
    figure = interactive(name, frame, by="half")
    said = [words(text) for text in figure["layout"]["annotations"]]
    assert [
        sum(text.startswith(f"{side} (n = ") for text in said) for side in ("left", "right")
    ] == [
        1,
        1,
    ]
    lanes = 2 if name == "monthly_activity" else 1
    assert {f"xaxis{n if n > 1 else ''}" for n in range(1, 2 * lanes + 1)} <= set(figure["layout"])
    if name != "accounts_map":
        assert figure["layout"][f"xaxis{2 * lanes}"]["matches"] == "x"


def test_a_curve_of_survival_has_steps_and_a_band() -> None:
    low, high, curve = interactive("survival", CHARTS["survival"]())["data"]
    table = stats.survival(CHARTS["survival"]())
    for trace, column in ((low, "low"), (high, "high")):
        ends = np.asarray(trace["y"], dtype=float)
        np.testing.assert_allclose(ends, table[column].to_numpy(float, na_value=np.nan))
    assert high["fill"] == "tonexty"
    assert {trace["line"]["shape"] for trace in (low, high, curve)} == {"hv"}


def test_an_effect_is_compared_with_none() -> None:
    for name, reference in (("compare_groups", 0), ("correlation", 0), ("compare_survival", 0)):
        (line,) = interactive(name, CHARTS[name]())["layout"]["shapes"]
        assert line["x0"] == line["x1"] == reference  # of ratios, the logarithm of 1


def test_fitted_curves_are_told_apart_and_named(sample_frames: dict[str, pd.DataFrame]) -> None:
    data = interactive("distribution_tail", sample_frames["projects"])["data"]
    fitted = {trace["name"]: trace["line"]["dash"] for trace in data if trace["showlegend"]}
    assert fitted == {"power law": "dash", "log-normal": "dot"}


def test_no_name_is_read_as_markup_or_mathematics() -> None:
    figure = interactive("language_share", projects())
    del figure["layout"]["meta"]  # which is not drawn
    text = json.dumps(figure)
    assert "<script" not in text
    assert "$" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_what_is_unfinished_is_hatched_and_what_is_small_is_pale() -> None:
    facts = activity_facts()
    facts["month"] = facts["month"].dt.tz_convert("UTC")
    (bars,) = interactive("growth", projects())["data"]
    assert bars["marker"]["pattern"]["shape"] == [""] * (len(bars["y"]) - 1) + ["/"]
    (segments, *_) = interactive("contributors_by_language", projects())["data"]
    assert set(segments["marker"]["opacity"]) == {0.35}  # five projects of each language


def test_own_title_caption_width_and_colours_are_taken() -> None:
    look = {"title": "Mine", "caption": "Note.", "width": "column", "palette": ["#112233"]}
    figure = interactive("accounts_by_kudo_rank", CHARTS["accounts_by_kudo_rank"](), **look)
    assert figure["layout"]["title"]["text"] == "Mine"
    assert figure["layout"]["width"] == pytest.approx(3.3 * 96)
    assert figure["data"][0]["marker"]["color"] == "#112233"
    assert any(words(text).startswith("Note. n = ") for text in figure["layout"]["annotations"])
    plain = interactive("tags", projects(), title="", caption=False)["layout"]
    assert plain["title"]["text"] == ""
    assert plain.get("annotations", []) == []


def test_a_figure_needs_no_network_and_is_downloaded_as_svg_under_its_name() -> None:
    figure: Any = plot.tags(projects(), backend="plotly")
    for html in (figure.to_html(), figure.page()):
        assert re.findall(r"<(?:script|link|img)[^>]+src=[^>]+", html) == []
        assert '"format": "svg", "filename": "tags"' in html or '"filename":"tags"' in html
    assert "script-src 'sha256-" in figure.page()
    bundle = figure._repr_mimebundle_()
    assert set(bundle) == {"application/vnd.plotly.v1+json", "text/html", "text/plain"}
    assert bundle["application/vnd.plotly.v1+json"]["config"]["displaylogo"] is False


def test_the_countries_are_drawn_from_the_bundled_outlines() -> None:
    figure = interactive("accounts_map", CHARTS["accounts_map"]())
    assert {trace["type"] for trace in figure["data"]} == {"scatter"}  # others fetch a map
    assert {"DE", "FR", "NA", "RU"} <= {trace.get("name") for trace in figure["data"]}


def test_an_unknown_backend_and_axes_for_the_wrong_one_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="backend is 'bokeh'; it must be 'matplotlib'"):
        plot.tags(projects(), backend="bokeh")  # type: ignore[arg-type]  # what is refused
    ax = plot.tags(projects())
    with pytest.raises(InvalidInputError, match="ax= is for matplotlib"):
        plot.tags(projects(), backend="plotly", ax=ax)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for module in list(sys.modules):
        if module.startswith(
            ("plotly", "dirframe.plot._drawing.plotly", "dirframe.plot._drawing.interactive")
        ):
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(MissingExtraError, match="interactive") as caught:
        plot.tags(projects(), backend="plotly")
    assert caught.value.extra == "interactive"
