"""Write the text sections of a report from the provenance of its frames."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from dirframe import provenance
from dirframe._display.values import counted
from dirframe.citation import cite
from dirframe.errors import InvalidInputError
from dirframe.provenance import Provenance
from dirframe.reports.passages import Block, Passage
from dirframe.reports.selection import excluded_counts, strata_for
from dirframe.stats._rules.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from dirframe.reports.inputs import ReportData
    from dirframe.stats._options.selection import Selection


_COUNTED = (
    "Each table and figure is computed by the function of dirframe.stats or dirframe.plot that is "
    "named below it; its documentation gives the rule, the units and the treatment of missing and "
    "impossible values. Findings are read from the same tables."
)


def build_front(material: ReportData) -> Passage:
    """Return the front of a report: title, sources and warnings about the data.

    Parameters
    ----------
    material : ReportData
        As returned by `report_data`.

    Returns
    -------
    Passage
        The title, a line for each frame, and warnings: incomplete, synthetic, unknown source,
        empty.

    Examples
    --------
    >>> import pandas as pd
    >>> from dirframe.reports.inputs import collect_inputs
    >>> print(build_front(collect_inputs({"projects": pd.DataFrame({"id": ["1"]})}, "Mine")))
    Mine
    n = 1 record · Source: not recorded
    The frame of projects does not say where it is from: nobody can tell whether it is complete.
    """
    blocks = [(Block.TITLE, material.title)]
    blocks += [(Block.TEXT, provenance.caption(frame)) for frame in material.frames.values()]
    blocks += [
        (Block.WARNING, text)
        for name, frame in material.frames.items()
        for text in _warnings(name, frame)
    ]
    return Passage(tuple(blocks))


def _warnings(name: str, frame: pd.DataFrame) -> Iterator[str]:
    """Yield the reasons to beware of a whole frame."""
    record = provenance.get_provenance(frame)
    if not (record["source"] or record["base_url"]):
        yield (
            f"The frame of {name} does not say where it is from: nobody can tell whether it is "
            "complete."
        )
    if record["complete"] is False:
        yield f"The {name} are incomplete{_loaded(record)}. What was loaded is no fair sample."
    if record["synthetic"]:
        yield f"The {name} are synthetic: generated, not observed."
    if frame.empty:
        yield f"There are no {name} in the frame."


def _loaded(record: dict[str, Any]) -> str:
    loaded, available = record["items_loaded"], record["items_available"]
    reason = f" ({record['incomplete_reason']})" if record["incomplete_reason"] else ""
    if loaded is None or available is None:
        return reason
    return f": {loaded:,} of {available:,} {'was' if loaded == 1 else 'were'} loaded{reason}"


def build_method(material: ReportData) -> Passage:
    """Describe how the frames were queried, cleaned and counted, with the package versions.

    Parameters
    ----------
    material : ReportData
        As returned by `report_data`, with the frames as counted.

    Returns
    -------
    Passage
        A heading and a list for each frame, then the versions.

    Examples
    --------
    >>> import pandas as pd
    >>> from dirframe.reports.inputs import collect_inputs
    >>> told = build_method(collect_inputs({"projects": pd.DataFrame({"id": ["1"]})}, None))
    >>> print(told)
    Loading the projects
    Not recorded: how these records were requested.
    Counting
    ...
    """
    lines: list[tuple[Block, str]] = []
    for name, frame in material.frames.items():
        lines.append((Block.HEADING, f"Loading the {name}"))
        record = provenance.get_provenance(frame)
        items = [*_provenance_items(record), *_selection_items(name, frame, material.selection)]
        lines += [(Block.ITEM, text) for text in items]
    packages = ("pandas", "numpy", "matplotlib", "pyarrow", "pycountry")
    versions = [f"{package} {version(package)}" for package in packages]
    runtime = [f"dirframe {Provenance().dirframe}", f"Python {platform.python_version()}"]
    lines += [
        (Block.HEADING, "Counting"),
        (Block.ITEM, _COUNTED),
        (Block.ITEM, "Impossible values stay in the frames; no record is weighted or imputed."),
        (Block.ITEM, f"Made with {', '.join(runtime + versions)}."),
    ]
    return Passage(tuple(lines))


def _provenance_items(record: dict[str, Any]) -> Iterator[str]:
    if not (record["source"] or record["base_url"]):
        yield "Not recorded: how these records were requested."
        return
    parameters = ", ".join(f"{k} {v}" for k, v in record["query"].items() if v not in {None, ""})
    yield f"Requested from {record['source'] or record['base_url']}: {parameters or 'all records'}."
    removed = counted(record["duplicates_removed"], "duplicate record")
    yield (
        f"{counted(record['requests_made'], 'request')} to the directory, "
        f"{counted(record['requests_cached'], 'page')} from the cache; {removed} removed."
    )
    state = {True: "proven complete", False: "incomplete", None: "not known to be complete"}
    yield f"The load is {state[record['complete']]}."
    steps = ", ".join(record["steps"])
    yield (
        f"Steps since, in this order: {steps}." if steps else "The records are as they were loaded."
    )


def _selection_items(name: str, frame: pd.DataFrame, selection: Selection) -> Iterator[str]:
    counts = dict(excluded_counts(frame, selection))
    if counts:
        total = counts.pop("")
        age = selection.get("max_age")
        notes = {Rule.STALE_ANALYSIS.value: f" (max_age {age})"} if age is not None else {}
        rules = "; ".join(f"{rule}{notes.get(rule, '')} {n:,}" for rule, n in counts.items())
        yield (
            f"Excluded from tables and charts, but not from the summary: {total:,} of {len(frame):,} "
            f"{name}, by the rules of dirframe.flags: {rules}. A record can match several rules."
        )
    if by := strata_for(frame, selection):
        small = selection.get("min_records", 1)
        pooled = f"; strata of fewer than {small:,} records are pooled" if small > 1 else ""
        yield (
            f"Stratified by {', '.join(by)}{pooled}, except for charts without panels, and tables "
            "that have this column themselves. Findings are of all strata together."
        )


def build_citation(material: ReportData) -> Passage:
    """Return the citation of each frame as text and BibTeX.

    Parameters
    ----------
    material : ReportData
        As returned by `report_data`.

    Returns
    -------
    Passage
        Text, link and BibTeX entry of each frame with a known source.

    Examples
    --------
    >>> import pandas as pd
    >>> from dirframe.reports.inputs import collect_inputs
    >>> print(build_citation(collect_inputs({"projects": pd.DataFrame({"id": ["1"]})}, None)))
    Citing the projects
    The frame has no provenance, so it cannot be cited.
    """
    lines: list[tuple[Block, str]] = []
    for name, frame in material.frames.items():
        lines.append((Block.HEADING, f"Citing the {name}"))
        try:
            lines.append((Block.TEXT, cite(frame)))
        except InvalidInputError:
            text = "The frame has no provenance, so it cannot be cited."
            lines.append((Block.TEXT, text))
            continue
        # The citation omits addresses that others cannot open.
        (item,) = json.loads(cite(frame, style="csl"))
        if urlsplit(address := item.get("URL", "")).scheme in {"http", "https"}:
            lines.append((Block.LINK, address))
        lines.append((Block.CODE, cite(frame, style="bibtex")))
    return Passage(tuple(lines))


def build_provenance(frame: pd.DataFrame) -> Passage:
    """Return the complete provenance of a frame.

    Parameters
    ----------
    frame : pandas.DataFrame
        A frame of a report.

    Returns
    -------
    Passage
        One line per field.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = provenance.set_provenance(pd.DataFrame(), source="A directory")
    >>> print(build_provenance(frame))
    source             A directory
    ...
    """
    # Only the known fields: attrs can contain other values.
    record = Provenance.from_dict(frame.attrs.get(provenance.ATTRIBUTE)).to_dict()
    width = max(map(len, record))
    rows = "\n".join(f"{name.ljust(width)}  {_plain(value)}" for name, value in record.items())
    return Passage(((Block.CODE, rows),))


def _plain(value: object) -> str:
    if value is None or value in ("", [], {}):
        return "–"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {v}" for name, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
