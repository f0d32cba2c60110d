"""Country outlines of ``data/world/`` (TopoJSON 1.0), offline, in the Equal Earth projection."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
from matplotlib.path import Path as Outline
from numpy.typing import NDArray

from dirframe._files import data_folder

Points = NDArray[np.float64]

_SOUTHERNMOST, _NORTHERNMOST = -57.0, 84.0  # land in degrees, without Antarctica
_FILE = "world/countries-110m.json"
_ANTARCTICA = "010"
_KOSOVO = "XK"  # of no standard, but in use
_A1, _A2, _A3, _A4 = 1.340264, -0.081106, 0.000893, 0.003796


def project(longitudes: Points, latitudes: Points) -> Points:
    """Project degrees to plane coordinates; longitudes beyond ±180° continue past the edge."""
    sine = np.sqrt(3) / 2 * np.sin(np.radians(latitudes))
    angle = np.arcsin(sine)
    square = angle**2
    sixth = square**3
    slope = 9 * _A4 * square * sixth + 7 * _A3 * sixth + 3 * _A2 * square + _A1
    x = 2 * np.sqrt(3) * np.radians(longitudes) * np.cos(angle) / (3 * slope)
    y = angle * (_A4 * square * sixth + _A3 * sixth + _A2 * square + _A1)
    return np.column_stack([x, y])


def frame() -> Outline:
    """Return the outline of the map: both sides of the 180th meridian."""
    down = np.linspace(_NORTHERNMOST, _SOUTHERNMOST, 60)
    longitudes = np.repeat([-180.0, 180.0], len(down))
    return Outline(project(longitudes, np.concatenate([down, down[::-1]])), closed=False)


@cache
def outlines() -> dict[str, Outline]:
    """Return the outline of each country by its two-letter code, or its name if it has none."""
    topology = json.loads((data_folder() / _FILE).read_text(encoding="utf-8"))
    scale, origin = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = [np.cumsum(arc, axis=0) * scale + origin for arc in topology["arcs"]]
    result = {}
    for country in topology["objects"]["countries"]["geometries"]:
        if country.get("id") != _ANTARCTICA:
            polygons = country["arcs"] if country["type"] == "MultiPolygon" else [country["arcs"]]
            paths = [_path(ring, arcs) for polygon in polygons for ring in polygon]
            result[_code(country)] = Outline.make_compound_path(*paths)
    return result


def _code(country: dict[str, Any]) -> str:
    import pycountry  # takes its time, and only the map needs it

    given = str(country["properties"]["name"])
    entry = pycountry.countries.get(numeric=country.get("id", ""))
    return _KOSOVO if given == "Kosovo" else entry.alpha_2 if entry else given


def _path(ring: list[int], arcs: list[Points]) -> Outline:
    # ~n is arc n reversed. Adjacent arcs share their common point.
    parts = [arcs[n] if n >= 0 else arcs[~n][::-1] for n in ring]
    points = np.concatenate([parts[0], *(part[1:] for part in parts[1:])])
    longitudes = np.unwrap(points[:, 0], period=360)
    # A ring across the edge is drawn on both sides of the map and clipped by its frame.
    turned = [longitudes + turn for turn in (-360.0, 0.0, 360.0)]
    copies = [project(x, points[:, 1]) for x in turned if x.max() > -180 and x.min() < 180]
    return Outline.make_compound_path(*(Outline(copy, closed=True) for copy in copies))
