"""The map of accounts: equal areas, offline, and what cannot be shown is named."""

import hashlib
import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import PathPatch

from dirframe import plot
from dirframe.errors import InvalidInputError
from tests.charts import caption, grey, key, lay_out, title
from tests.frames import with_provenance
from tools.world import BOUNDARIES, RINGS, rings


def counted(**numbers):
    """Make accounts by their number for each two-letter code; `nowhere` have no country."""
    codes = [code for code, number in numbers.items() for _ in range(number)]
    codes = pd.Series([None if code == "nowhere" else code for code in codes], dtype="str")
    frame = pd.DataFrame({"country_code": codes, "country_alpha_2": codes})
    return with_provenance(frame.assign(country_name="in " + codes), resource="account")


def countries(ax):
    patches = [patch for patch in ax.patches if isinstance(patch, PathPatch) and patch.get_gid()]
    return {patch.get_gid(): patch for patch in patches}


def filled(ax):
    """Return the lightness of each country that has a colour."""
    faces = {code: patch.get_facecolor() for code, patch in countries(ax).items()}
    land = to_hex(faces["GL"])  # where no account is
    return {code: grey(face[:3]) for code, face in faces.items() if to_hex(face) != land}


@pytest.fixture(scope="module")
def world():
    """Draw the map once, for tests of its outlines."""
    return lay_out(plot.accounts_map(counted(DE=300, NA=12, FR=1)))


def outline(world, code):
    """Return the polygons of a country, in the units of the map."""
    rings = countries(world)[code].get_path().to_polygons(closed_only=True)
    return [np.asarray(ring) for ring in rings]


def area(world, code):
    """Return the area of a country on the map, lakes of other countries excepted."""
    rings = [ring.T for ring in outline(world, code)]
    return abs(sum((x[:-1] * y[1:] - x[1:] * y[:-1]).sum() / 2 for x, y in rings))


def test_map_has_more_contrast_for_more_accounts_and_the_least_for_none(world):
    shades = filled(world)
    assert shades.keys() == {"DE", "NA", "FR"}
    assert shades["DE"] < shades["NA"] - 0.15 < shades["FR"] - 0.3
    with plt.style.context("dark_background"):
        dark = plot.accounts_map(counted(DE=300, NA=12, FR=1))
    lighter = filled(dark)
    land = grey(countries(dark)["GL"].get_facecolor()[:3])
    assert lighter["DE"] > lighter["NA"] > lighter["FR"] > land
    assert filled(plot.accounts_map(counted(XK=1, CY=1, SO=1))).keys() == {"XK", "CY", "SO"}
    assert {"N. Cyprus", "Somaliland"} <= countries(world).keys()  # are not filled with them


def test_map_keeps_the_proportions_of_areas(world):
    thousands_of_km2 = {
        "AU": 7_690, "BR": 8_510, "CA": 9_980, "CD": 2_345, "DE": 357, "DZ": 2_380, "GL": 2_170,
        "IN": 3_290, "KZ": 2_720, "SE": 450, "US": 9_830,
    }  # fmt: skip
    scale = area(world, "BR") / thousands_of_km2["BR"]
    drawn = {code: area(world, code) / scale for code in thousands_of_km2}
    assert drawn == pytest.approx(thousands_of_km2, rel=0.07)


@pytest.mark.parametrize("code", ["RU", "FJ"])
def test_map_has_a_country_across_the_date_line_on_both_sides(code, world):
    """It is drawn twice, and cut at the edges."""
    left, right = world.get_xlim()
    ends = [(ring[:, 0].min(), ring[:, 0].max()) for ring in outline(world, code)]
    assert min(low for low, _ in ends) < left + 0.25 * (right - left)
    assert max(high for _, high in ends) > right - 0.25 * (right - left)
    assert max(high - low for low, high in ends) < 0.75 * (right - left)
    assert countries(world)[code].get_clip_path() is not None


@pytest.mark.parametrize(
    ("numbers", "classes"),
    [
        ([1], ["1"]),
        ([1, 2, 4], ["1", "2", "4"]),
        ([1, 2, 9, 10, 49, 60], ["1", "2–4", "5–9", "10–19", "20–49", "50–60"]),
        ([2, 3, 294], ["1–2", "3–9", "100–294"]),
        ([99, 1, 3_000], ["1–9", "10–99", "1,000–3,000"]),
    ],
)
def test_map_key_names_the_unit_and_the_classes_that_have_a_country(numbers, classes):
    codes = ["DE", "FR", "US", "IN", "CN", "BR"][: len(numbers)]
    ax = plot.accounts_map(counted(**dict(zip(codes, numbers, strict=True))))
    assert [*key(ax)] == ["none", *classes]
    shades = [grey(patch.get_facecolor()[:3]) for patch in key(ax).values()][1:]
    assert {*filled(ax).values()} == {*shades}
    assert ax.get_legend().get_title().get_text() == "Accounts"


def test_map_counts_and_names_what_it_cannot_show():
    said = caption(plot.accounts_map(counted(DE=2, SG=9, MT=1, nowhere=3)))
    assert "3 accounts without a country. Also not shown: 10 accounts in 2 territories" in said
    assert "in SG (9), in MT (1)" in said
    assert said.startswith("12 of 15 accounts name a known country.")
    many = dict.fromkeys(["SG", "HK", "MT", "MU", "BB", "SC", "BH", "AD"], 1)
    assert "2 others" in caption(plot.accounts_map(counted(**many)))
    assert "ot shown" not in caption(plot.accounts_map(counted(DE=1)))
    ax = plot.accounts_map(counted(SG=1))
    assert not filled(ax)
    assert "Not shown: 1 account in a territory" in caption(ax)
    with pytest.raises(InvalidInputError):  # countries that were not unified
        plot.accounts_map(pd.DataFrame({"country_code": ["DE"]}))


def test_map_shortens_long_names_of_territories_in_its_caption():
    frame = counted(SG=3, DE=1)
    frame["country_name"] += " with a name without an end" * 20
    ax = lay_out(plot.accounts_map(frame, width="column"))
    assert "too small for the map: in SG with a na…without an end (3)." in caption(ax)


def test_map_of_accounts_per_million_inhabitants():
    frame = counted(DE=830, IS=100, FR=9)  # 83 million, 0.36 million
    ax = plot.accounts_map(frame, per_million=True)
    assert title(ax) == "Accounts per million inhabitants"
    assert filled(ax).keys() == {"DE", "IS"}  # of nine accounts, a rate says nothing
    assert filled(ax)["IS"] < filled(ax)["DE"]
    assert [*key(ax)] == ["fewer than 10", "10–29", "100–277"]
    assert "World Bank" in caption(ax)
    assert "World Bank" not in caption(plot.accounts_map(frame))
    assert "World Bank" not in caption(plot.accounts_by_country(frame))
    panels = plot.panels(plot.accounts_map, frame, "country_code", per_million=True)
    assert "World Bank" in panels.get_supxlabel()


def test_map_draws_the_published_boundaries(world, root):
    folder = root / "data" / "world"
    digest = hashlib.sha256(BOUNDARIES.read_bytes()).hexdigest()
    assert digest in (folder / "README.md").read_text("utf-8")
    assert "Michael Bostock" in (folder / "LICENSE").read_text("utf-8")
    assert len(countries(world)) == 176  # without Antarctica


def test_map_rings_are_those_that_the_tool_makes_of_the_boundaries():
    assert json.loads(RINGS.read_text("utf-8")) == rings()
