"""Country outlines, read offline, in the Equal Earth projection.

Sources: ``data/world/`` (world-atlas 2.0.2, made from Natural Earth); the file format is TopoJSON
(TopoJSON Format Specification 1.0). The Equal Earth projection preserves areas: Šavrič, Patterson
and Jenny, "The Equal Earth map projection", International Journal of Geographical Information
Science 33 (2019), 454-465.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pycountry
from matplotlib.path import Path as Outline

from dirframe.errors import DirframeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

#: Latitudes in degrees of the southernmost (without Antarctica) and northernmost land.
LATITUDES = (-57.0, 84.0)

_PACKAGE = Path(__file__).resolve().parents[1]
_FILE = Path("data", "world", "countries-110m.json")
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
    south, north = LATITUDES
    down = np.linspace(north, south, 60)
    up = down[::-1]
    longitudes = np.repeat([-180.0, 180.0], len(down))
    return Outline(project(longitudes, np.concatenate([down, up])), closed=False)


@cache
def outlines() -> dict[str, Outline]:
    """Return the outline of each country by its two-letter code, or its name if it has none."""
    topology = json.loads(_file().read_text(encoding="utf-8"))
    scale, origin = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = [np.cumsum(arc, axis=0) * scale + origin for arc in topology["arcs"]]
    return {
        _code(country): Outline.make_compound_path(*(_path(ring, arcs) for ring in _rings(country)))
        for country in topology["objects"]["countries"]["geometries"]
        if country.get("id") != _ANTARCTICA
    }


def _file() -> Path:
    for folder in (_PACKAGE, _PACKAGE.parent):  # in a wheel, or in the repository
        if (folder / _FILE).is_file():
            return folder / _FILE
    raise DirframeError(
        f"The boundaries of countries ({_FILE.as_posix()}) are not beside the package: this is a "
        "broken installation. Install dirframe again."
    )


def _code(country: dict[str, Any]) -> str:
    given = str(country["properties"]["name"])
    entry = pycountry.countries.get(numeric=country.get("id", ""))
    return _KOSOVO if given == "Kosovo" else entry.alpha_2 if entry else given


def _rings(country: dict[str, Any]) -> list[list[int]]:
    polygons = country["arcs"] if country["type"] == "MultiPolygon" else [country["arcs"]]
    return [ring for polygon in polygons for ring in polygon]


def _path(ring: list[int], arcs: list[Points]) -> Outline:
    # ~n is arc n reversed. Adjacent arcs share their common point.
    parts = [arcs[n] if n >= 0 else arcs[~n][::-1] for n in ring]
    points = np.concatenate([parts[0], *(part[1:] for part in parts[1:])])
    longitudes = np.unwrap(points[:, 0], period=360)
    # A ring across the edge is drawn on both sides of the map and clipped by its frame.
    turns = [t for t in (-360.0, 0.0, 360.0) if _is_seen(longitudes + t)]
    copies = [project(longitudes + turn, points[:, 1]) for turn in turns]
    return Outline.make_compound_path(*(Outline(copy, closed=True) for copy in copies))


def _is_seen(longitudes: Points) -> bool:
    return bool(np.max(longitudes) > -180 and np.min(longitudes) < 180)
