"""Reports: frames in, one readable file out, made from a notebook that people can edit.

``making`` is the way of a report from frames to file; `received`, `show` and the `tell_`
functions are what the cells of ``template.ipynb`` call.
"""

from __future__ import annotations

from dirframe.reports.cells import show, with_countries
from dirframe.reports.kernel_inputs import report_data
from dirframe.reports.text import tell_citation, tell_front, tell_method, tell_provenance

__all__ = [
    "report_data",
    "show",
    "tell_citation",
    "tell_front",
    "tell_method",
    "tell_provenance",
    "with_countries",
]
