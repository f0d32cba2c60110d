"""Write reports on frames from an editable notebook template.

The cells of ``template.ipynb`` call the functions exported here.
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
