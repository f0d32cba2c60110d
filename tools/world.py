"""Make the rings of the world map: ``python -m tools.world``.

Reads the boundaries of `countries-110m.json` beside it (TopoJSON 1.0, in degrees), and writes to
`data/world/rings.json` for each country its rings in the Equal Earth projection, as differences of
ten-thousandths.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pycountry
from numpy.typing import NDArray

Points = NDArray[np.float64]

BOUNDARIES = Path(__file__).with_name("countries-110m.json")
RINGS = Path(__file__).resolve().parent.parent / "data" / "world" / "rings.json"

_SOUTHERNMOST, _NORTHERNMOST = -57.0, 84.0  # land in degrees, without Antarctica
_ANTARCTICA = "010"
_KOSOVO = "XK"  # of no standard, but in use
_SEA = "sea"
_UNIT = 1e-4
_A1, _A2, _A3, _A4 = 1.340264, -0.081106, 0.000893, 0.003796


def rings() -> dict[str, list[list[int]]]:
    """Return the rings of each country by its two-letter code, or its name if it has none."""
    topology = json.loads(BOUNDARIES.read_text(encoding="utf-8"))
    scale, origin = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = [np.cumsum(arc, axis=0) * scale + origin for arc in topology["arcs"]]
    result = {_SEA: [_differences(_frame())]}
    for country in topology["objects"]["countries"]["geometries"]:
        if country.get("id") == _ANTARCTICA:
            continue
        is_multiple = country["type"] == "MultiPolygon"
        polygons = country["arcs"] if is_multiple else [country["arcs"]]
        found: list[list[int]] = []
        for polygon in polygons:
            for ring in polygon:
                found += [_differences(points) for points in _copies(ring, arcs)]
        result[_code(country)] = found
    return result


def _code(country: dict[str, Any]) -> str:
    name = str(country["properties"]["name"])
    if name == "Kosovo":
        return _KOSOVO
    entry = pycountry.countries.get(numeric=country.get("id", ""))
    return str(entry.alpha_2) if entry else name


def _copies(ring: list[int], arcs: list[Points]) -> list[Points]:
    """Return a ring in the plane; one across the edge is on both sides of the map."""
    # ~n is arc n reversed. Adjacent arcs share their common point.
    parts = [arcs[n] if n >= 0 else arcs[~n][::-1] for n in ring]
    points = np.concatenate([parts[0], *(part[1:] for part in parts[1:])])
    longitudes = np.unwrap(points[:, 0], period=360)
    turned = [longitudes + turn for turn in (-360.0, 0.0, 360.0)]
    return [_project(x, points[:, 1]) for x in turned if x.max() > -180 and x.min() < 180]


def _frame() -> Points:
    """Return the outline of the map: both sides of the 180th meridian."""
    down = np.linspace(_NORTHERNMOST, _SOUTHERNMOST, 60)
    longitudes = np.repeat([-180.0, 180.0], len(down))
    corners = _project(longitudes, np.concatenate([down, down[::-1]]))
    return np.concatenate([corners, corners[:1]])


def _project(longitudes: Points, latitudes: Points) -> Points:
    """Project degrees to plane coordinates; longitudes beyond ±180° continue past the edge."""
    sine = np.sqrt(3) / 2 * np.sin(np.radians(latitudes))
    angle = np.arcsin(sine)
    square = angle**2
    sixth = square**3
    slope = 9 * _A4 * square * sixth + 7 * _A3 * sixth + 3 * _A2 * square + _A1
    x = 2 * np.sqrt(3) * np.radians(longitudes) * np.cos(angle) / (3 * slope)
    y = angle * (_A4 * square * sixth + _A3 * sixth + _A2 * square + _A1)
    return np.column_stack([x, y])


def _differences(points: Points) -> list[int]:
    """Return points as whole numbers: x and y by turns, the first absolute, then differences."""
    whole = np.round(points / _UNIT).astype(int)
    steps = np.diff(whole, axis=0, prepend=np.zeros((1, 2), dtype=int))
    return [int(number) for number in steps.ravel()]


def write() -> None:
    """Write the rings, a country a line."""
    lines = [
        f"{json.dumps(code)}: {json.dumps(found, separators=(',', ':'))}"
        for code, found in rings().items()
    ]
    RINGS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
