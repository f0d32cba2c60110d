"""Write reports on frames from an editable notebook template.

The cells of ``template.ipynb`` call the functions exported here.
"""

from __future__ import annotations

from dirframe.reports.cells import show, with_countries
from dirframe.reports.findings import build_findings
from dirframe.reports.kernel_inputs import report_data
from dirframe.reports.text import build_citation, build_front, build_method, build_provenance

__all__ = [
    "build_citation",
    "build_findings",
    "build_front",
    "build_method",
    "build_provenance",
    "report_data",
    "show",
    "with_countries",
]
