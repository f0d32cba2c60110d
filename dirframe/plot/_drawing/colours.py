"""Colours of the charts; each language has the same colour in every chart."""

from __future__ import annotations

__all__ = ["ACCENT", "NEUTRAL", "OTHER", "language_colour"]

#: For data of one kind, such as all bars of a chart of countries.
ACCENT = "#4477AA"
#: For languages without their own colour.
NEUTRAL = "#8C96A0"
#: For "other" rows, which are also hatched.
OTHER = "#E1E4E8"

# The scheme "muted" of Paul Tol, "Colour Schemes", SRON/EPS/TN/09-002 (2021), which is
# distinguishable with every kind of colour blindness. Its nine colours are assigned to the nine
# most frequent main languages of 12,360 projects recorded in 2013.
_COLOURS = {
    "java": "#CC6677",
    "c": "#332288",
    "c++": "#88CCEE",
    "python": "#117733",
    "php": "#AA4499",
    "javascript": "#DDCC77",
    "c#": "#44AA99",
    "perl": "#999933",
    "ruby": "#882255",
}


def language_colour(language: str) -> str:
    """Return the colour of a language.

    Parameters
    ----------
    language : str
        Name of the language, case-insensitive.

    Returns
    -------
    str
        A hexadecimal colour. Nine frequent languages have their own, from a palette that is
        distinguishable to colour-blind readers; all others share a grey.

    Examples
    --------
    >>> language_colour("Python")
    '#117733'
    """
    return _COLOURS.get(language.strip().casefold(), NEUTRAL)
