"""Write the text sections of a report from the provenance of its frames."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from dirframe import provenance
from dirframe.citation import cite
from dirframe.errors import InvalidInputError
from dirframe.provenance import Provenance
from dirframe.reports.passages import Passage
from dirframe.reports.selection import counts_of, strata_for
from dirframe.stats._rules.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from dirframe.reports.inputs import ReportData
    from dirframe.stats._options.selection import Selection

__all__ = ["tell_citation", "tell_front", "tell_method", "tell_provenance"]

_COUNTED = (
    "Each table and chart is made by a function of dirframe.stats or dirframe.plot, which the "
    "template names; its documentation gives the rule, the units and what becomes of missing and "
    "impossible values."
)


def tell_front(material: ReportData) -> Passage:
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
    >>> print(tell_front(collect_inputs({"projects": pd.DataFrame({"id": ["1"]})}, "Mine")))
    Mine
    n = 1 record · Source: not recorded
    The frame of projects does not say where it is from: nobody can tell whether it is complete.
    """
    lines = [("title", material.title)]
    lines += [("text", provenance.caption(frame)) for frame in material.frames.values()]
    for name, frame in material.frames.items():
        lines += [("warning", text) for text in _warnings(name, frame)]
    return Passage(tuple(lines))


def _warnings(name: str, frame: pd.DataFrame) -> Iterator[str]:
    record = provenance.get_provenance(frame)
    if not (record["source"] or record["base_url"]):
        yield (
            f"The frame of {name} does not say where it is from: nobody can tell whether it is "
            "complete."
        )
    if record["complete"] is False:
        loaded, available = record["items_loaded"], record["items_available"]
        is_counted = loaded is not None and available is not None
        of = f": {loaded:,} of {available:,} were loaded" if is_counted else ""
        reason = f" ({record['incomplete_reason']})" if record["incomplete_reason"] else ""
        yield f"The {name} are incomplete{of}{reason}. What was loaded is no fair sample."
    if record["synthetic"]:
        yield f"The {name} are synthetic: generated, not observed."
    if frame.empty:
        yield f"There are no {name} in the frame."


def tell_method(material: ReportData) -> Passage:
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
    >>> told = tell_method(collect_inputs({"projects": pd.DataFrame({"id": ["1"]})}, None))
    >>> print(told)
    Projects
    Not recorded: how these records were asked for.
    Counted
    ...
    """
    lines: list[tuple[str, str]] = []
    for name, frame in material.frames.items():
        lines.append(("heading", name.capitalize()))
        lines += [("item", text) for text in _provenance_items(provenance.get_provenance(frame))]
        lines += [("item", text) for text in _selection_items(name, frame, material.selection)]
    packages = ("pandas", "numpy", "matplotlib", "pyarrow", "pycountry")
    versions = [f"{package} {version(package)}" for package in packages]
    runtime = [f"dirframe {Provenance().dirframe}", f"Python {platform.python_version()}"]
    lines += [
        ("heading", "Counted"),
        ("item", _COUNTED),
        ("item", "Impossible values stay in the frames; no record is weighted or imputed."),
        ("item", f"Made with {', '.join(runtime + versions)}."),
    ]
    return Passage(tuple(lines))


def _provenance_items(record: dict[str, Any]) -> Iterator[str]:
    if not (record["source"] or record["base_url"]):
        yield "Not recorded: how these records were asked for."
        return
    parameters = ", ".join(f"{k} {v}" for k, v in record["query"].items() if v not in {None, ""})
    yield f"Asked of {record['source'] or record['base_url']}: {parameters or 'every record'}."
    yield (
        f"{record['requests_made']:,} pages came from the directory and "
        f"{record['requests_cached']:,} from the cache; {record['duplicates_removed']:,} "
        "records that came twice were removed."
    )
    state = {True: "proven complete", False: "incomplete", None: "not known to be complete"}
    yield f"The load is {state[record['complete']]}."
    steps = ", ".join(record["steps"])
    yield f"Then, in this order: {steps}." if steps else "Nothing was done to the records since."


def _selection_items(name: str, frame: pd.DataFrame, selection: Selection) -> Iterator[str]:
    counts = dict(counts_of(frame, selection))
    if counts:
        total = counts.pop("")
        age = selection.get("max_age")
        of = {Rule.STALE_ANALYSIS.value: f" (max_age {age})"} if age is not None else {}
        rules = "; ".join(f"{rule}{of.get(rule, '')} {n:,}" for rule, n in counts.items())
        yield (
            f"Left out of tables and charts, but not of the summary: {total:,} of {len(frame):,} "
            f"{name}, by the rules of dirframe.flags: {rules}. Several rules can tell one record."
        )
    if by := strata_for(frame, selection):
        small = selection.get("min_records", 1)
        pooled = f"; strata of fewer than {small:,} records are one" if small > 1 else ""
        yield (
            f"Tables and charts are divided by {', '.join(by)} where they can be{pooled}. Whole "
            "are the charts without panels, and the tables that have this column themselves."
        )


def tell_citation(material: ReportData) -> Passage:
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
    >>> print(tell_citation(collect_inputs({"projects": pd.DataFrame({"id": ["1"]})}, None)))
    Projects
    The frame does not say where it is from, so it cannot be cited.
    """
    lines: list[tuple[str, str]] = []
    for name, frame in material.frames.items():
        lines.append(("heading", name.capitalize()))
        try:
            text = cite(frame)
        except InvalidInputError:
            lines.append(
                ("text", "The frame does not say where it is from, so it cannot be cited.")
            )
            continue
        lines.append(("text", text))
        address = provenance.get_provenance(frame)["base_url"]
        # The citation omits URLs that others cannot open.
        if address and address in text and urlsplit(address).scheme in {"http", "https"}:
            lines.append(("link", address))
        lines.append(("code", cite(frame, style="bibtex")))
    return Passage(tuple(lines))


def tell_provenance(frame: pd.DataFrame) -> Passage:
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
    >>> print(tell_provenance(frame))
    source             A directory
    ...
    """
    # Only the known fields: attrs can contain other values.
    record = Provenance.from_dict(frame.attrs.get(provenance.ATTRIBUTE)).to_dict()
    width = max(map(len, record))
    rows = "\n".join(f"{name.ljust(width)}  {_plain(value)}" for name, value in record.items())
    return Passage((("code", rows),))


def _plain(value: object) -> str:
    if value is None or value in ("", [], {}):
        return "–"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {v}" for name, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
