"""The charts of accounts by country, checked by what is drawn."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.patches import PathPatch, Rectangle

from dirframe import plot, provenance
from dirframe.errors import DirframeError, InvalidInputError
from dirframe.plot._drawing import worldmap

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes


def accounts(*rows: tuple[str | None, str | None, str | None]) -> pd.DataFrame:
    columns = ["country_code", "country_alpha_2", "country_name"]
    frame = pd.DataFrame(list(rows), columns=columns).astype("str")
    return provenance.set_provenance(frame, source="A directory", resource="account")


GERMANY, ALSO_GERMANY = ("DE", "DE", "Germany"), ("Germany", "DE", "Germany")
NAMIBIA, FRANCE = ("NA", "NA", "Namibia"), ("FR", "FR", "France")
NOWHERE, ATLANTIS = (None, None, None), ("Atlantis", None, None)


def names(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def texts(ax: Axes) -> list[str]:
    return [" ".join(text.get_text().split()) for text in ax.texts]


def test_the_bars_are_the_counts_from_the_most_to_the_least() -> None:
    ax = plot.accounts_by_country(accounts(NAMIBIA, GERMANY, ALSO_GERMANY, NOWHERE))
    assert names(ax) == ["Germany", "Namibia"]
    bars = [bar for bar in ax.patches if isinstance(bar, Rectangle)]
    assert [bar.get_width() for bar in bars] == [2, 1]
    assert texts(ax)[:2] == ["2 (66.7%)", "1 (33.3%)"]
    assert "Accounts" in ax.get_xlabel()
    assert ax.get_title() == "Accounts by country"


def test_missing_and_unidentified_countries_stand_in_the_caption() -> None:
    ax = plot.accounts_by_country(accounts(GERMANY, NOWHERE, NOWHERE, ATLANTIS))
    assert texts(ax)[-1] == (
        "Not shown: 2 accounts without a country, 1 with one that was not identified. "
        "n = 1 of 4 accounts with a country · Source: A directory"
    )


def test_the_others_are_one_hatched_bar() -> None:
    ax = plot.accounts_by_country(accounts(GERMANY, GERMANY, NAMIBIA, FRANCE), top=1)
    assert names(ax) == ["Germany", "other (2 countries)"]
    assert [bool(bar.get_hatch()) for bar in ax.patches] == [False, True]


@pytest.mark.parametrize(
    ("rows", "said"),
    [([], "No accounts"), ([NOWHERE, ATLANTIS], "None of 2 accounts has a known country")],
)
def test_a_chart_of_nothing_says_so(rows: list[Any], said: str) -> None:
    ax = plot.accounts_by_country(accounts(*rows))
    ax.figure.canvas.figure.draw_without_rendering()
    assert texts(ax)[0] == said
    assert f"{len(rows)} accounts" in texts(ax)[1]
    assert not ax.patches


def test_a_frame_whose_countries_are_not_unified_leaves_no_empty_figure_behind() -> None:
    with pytest.raises(InvalidInputError, match="unify_countries"):
        plot.accounts_by_country(pd.DataFrame({"country_code": ["DE"]}))
    assert plt.get_fignums() == []


def counted(**numbers: int) -> pd.DataFrame:
    """Make accounts: so many of each two-letter code; ``nowhere`` have no country."""
    codes = [code for code, number in numbers.items() for _ in range(number)]
    column = pd.Series([None if code == "nowhere" else code for code in codes], dtype="str")
    frame = pd.DataFrame(
        {"country_code": column, "country_alpha_2": column, "country_name": "in " + column}
    )
    return provenance.set_provenance(frame, source="A directory", resource="account")


def shapes(ax: Axes) -> dict[str, PathPatch]:
    return {
        str(patch.get_gid()): patch
        for patch in ax.patches
        if isinstance(patch, PathPatch) and patch.get_gid()
    }


def filled(ax: Axes) -> dict[str, float]:
    """Return the lightness of each country that has a colour."""
    lightness = np.array([0.299, 0.587, 0.114])
    return {
        code: float(lightness @ to_rgb(patch.get_facecolor()))
        for code, patch in shapes(ax).items()
        if to_rgba(patch.get_facecolor())[3]
    }


def key(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def caption(ax: Axes) -> str:
    (text,) = (text.get_text() for text in ax.texts if text.get_gid() == "caption")
    return " ".join(text.split())


def test_the_more_accounts_the_darker_and_none_is_white() -> None:
    shades = filled(plot.accounts_map(counted(DE=300, NA=12, FR=1)))
    assert list(shades) == sorted(shades, key=list(worldmap.outlines()).index)
    assert shades.keys() == {"DE", "NA", "FR"}
    assert shades["DE"] < shades["NA"] - 0.15 < shades["FR"] - 0.3


@pytest.mark.parametrize(
    ("most", "classes"),
    [
        (1, ["1"]),
        (4, ["1", "2", "3", "4"]),
        (60, ["1", "2–4", "5–9", "10–19", "20–49", "50–60"]),
        (294, ["1–2", "3–9", "10–29", "30–99", "100–294"]),
        (3_000, ["1–9", "10–99", "100–999", "1,000–3,000"]),
    ],
)
def test_the_key_names_the_classes_and_the_unit(most: int, classes: list[str]) -> None:
    ax = plot.accounts_map(counted(DE=most))
    assert key(ax) == ["none", *classes]
    legend = ax.get_legend()
    assert legend is not None
    assert legend.get_title().get_text() == "Accounts"


def test_what_the_map_cannot_show_is_counted_and_named_beside_it() -> None:
    said = caption(plot.accounts_map(counted(DE=2, SG=9, MT=1, nowhere=3)))
    assert said.startswith(
        "Not shown: 3 accounts without a country. Nor 10 accounts in 2 territories too small "
        "for the map: in SG (9), in MT (1). n = 12 of 15 accounts with a country · "
        "Source: A directory"
    )
    many = dict.fromkeys(["SG", "HK", "MT", "MU", "BB", "SC", "BH", "AD"], 1)
    assert "2 others" in caption(plot.accounts_map(counted(**many)))
    assert "Not shown" not in caption(plot.accounts_map(counted(DE=1)))


def test_kosovo_is_found_without_a_number_and_its_two_like_stay_white() -> None:
    assert filled(plot.accounts_map(counted(XK=1, CY=1, SO=1))).keys() == {"XK", "CY", "SO"}
    assert {"N. Cyprus", "Somaliland"} <= worldmap.outlines().keys()


@pytest.mark.parametrize(
    ("numbers", "said"),
    [({}, "No accounts"), ({"nowhere": 2}, "None of 2 accounts has a known country")],
)
def test_a_map_of_nothing_says_so(numbers: dict[str, int], said: str) -> None:
    ax = plot.accounts_map(counted(**numbers))
    ax.figure.canvas.figure.draw_without_rendering()
    assert ax.texts[0].get_text() == said
    assert not ax.patches


def test_a_map_of_one_account_that_it_cannot_show_is_drawn_and_says_so() -> None:
    ax = plot.accounts_map(counted(SG=1))
    assert not filled(ax)
    assert "Not shown: 1 account in a territory too small for the map: in SG (1)." in caption(ax)


@pytest.mark.parametrize("size", [(3.4, 2.4), (3.4, 6), (6.4, 4.8), (12, 4)], ids=str)
def test_no_text_is_cut_off_or_covered(size: tuple[float, float]) -> None:
    figure, ax = plt.subplots(figsize=size)
    plot.accounts_map(counted(DE=294, SG=20, nowhere=700, FR=30, NA=4), ax=ax)
    figure.draw_without_rendering()
    legend = ax.get_legend()
    assert legend is not None
    boxes = [text.get_window_extent() for text in (ax.title, *ax.texts)]
    boxes.insert(1, legend.get_window_extent())
    assert all(figure.bbox.padded(1).x0 <= box.x0 for box in boxes)
    assert all(figure.bbox.padded(1).x1 >= box.x1 for box in boxes)
    assert all(figure.bbox.padded(1).y0 <= box.y0 for box in boxes)
    assert all(figure.bbox.padded(1).y1 >= box.y1 for box in boxes)
    title, below, note = boxes
    assert title.y0 >= ax.get_window_extent().y1
    assert ax.get_window_extent().y0 >= below.y1 - 1
    assert below.y0 >= note.y1


def test_every_country_lies_where_it_is() -> None:
    for code, longitude, latitude in [
        ("DE", 10, 51), ("BR", -55, -10), ("AU", 134, -25), ("NA", 17, -22), ("RU", 100, 65),
        ("RU", -175, 66.3), ("RU", 178, 67), ("FJ", 178, -17.8), ("LS", 28.2, -29.5),
    ]:  # fmt: skip
        point = worldmap.project(np.array([longitude], float), np.array([latitude], float))[0]
        assert worldmap.outlines()[code].contains_point(point.tolist()), code
        within = {
            n for n, shape in worldmap.outlines().items() if shape.contains_point(point.tolist())
        }
        assert within - {"ZA"} == {code} - {"ZA"}


def test_areas_keep_their_proportions() -> None:
    def area(south: float, north: float) -> float:
        edge = np.linspace(south, north, 200)
        x, y = worldmap.project(np.ones_like(edge), edge).T
        return float(np.trapezoid(x, y) / (np.sin(np.radians(north)) - np.sin(np.radians(south))))

    assert area(0, 10) == pytest.approx(area(60, 80), rel=1e-4)
    assert area(0, 10) == pytest.approx(area(-40, -30), rel=1e-4)


def test_the_boundaries_are_the_published_file_with_its_licence(root: Path) -> None:
    folder = root / "data" / "world"
    content = (folder / "countries-110m.json").read_bytes()
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert hashlib.sha256(content).hexdigest() in readme
    assert "Michael Bostock" in (folder / "LICENSE").read_text(encoding="utf-8")
    assert len(json.loads(content)["objects"]["countries"]["geometries"]) == 177
    assert len(worldmap.outlines()) == 176  # without Antarctica


def test_missing_boundaries_say_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    worldmap.outlines.cache_clear()
    monkeypatch.setattr(worldmap, "_PACKAGE", tmp_path / "dirframe")
    with pytest.raises(DirframeError, match="Install dirframe again"):
        plot.accounts_map(counted(DE=1))


def test_countries_that_are_not_unified_are_refused_and_leave_no_figure() -> None:
    with pytest.raises(InvalidInputError, match="unify_countries"):
        plot.accounts_map(pd.DataFrame({"country_code": ["DE"]}))
    assert plt.get_fignums() == []
