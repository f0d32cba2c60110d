"""Outlines of countries in the Equal Earth projection, from rings that ``tools.world`` made."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
from matplotlib.path import Path as Outline

from dirframe._files import data_folder

_SEA = "sea"


@cache
def _rings() -> dict[str, list[list[int]]]:
    """Return the rings of each country: x and y by turns, the first absolute, then differences."""
    text = (data_folder() / "world" / "rings.json").read_text(encoding="utf-8")
    rings: dict[str, list[list[int]]] = json.loads(text)
    return rings


@cache
def outlines() -> dict[str, Outline]:
    """Return the outline of each country by its two-letter code, or its name if it has none."""
    return {code: _outline(code) for code in _rings() if code != _SEA}


@cache
def sea() -> Outline:
    """Return the outline of the map: both sides of the 180th meridian."""
    return _outline(_SEA)


def _outline(code: str) -> Outline:
    rings = [np.cumsum(np.reshape(ring, (-1, 2)), axis=0) for ring in _rings()[code]]
    return Outline.make_compound_path(*(Outline(ring / 1e4, closed=True) for ring in rings))
