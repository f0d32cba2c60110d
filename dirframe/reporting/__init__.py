"""Reports: frames in, one readable file out, made from a notebook that people can edit.

``making`` is the way of a report from frames to file; `received`, `show` and the `tell_`
functions are what the cells of ``template.ipynb`` call.

What stays out: loading, and every figure itself (`dirframe.stats`, `dirframe.plot`).
"""

from __future__ import annotations

from dirframe.reporting.handover import received
from dirframe.reporting.showing import show, with_countries
from dirframe.reporting.telling import tell_citation, tell_front, tell_method, tell_provenance

__all__ = [
    "received",
    "show",
    "tell_citation",
    "tell_front",
    "tell_method",
    "tell_provenance",
    "with_countries",
]
