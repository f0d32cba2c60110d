"""Citations of the source of a frame, from its provenance."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from html import escape
from typing import Any, Literal, get_args
from urllib.parse import quote, urlsplit

from dirframe._arrow import as_pandas
from dirframe._display import counted
from dirframe.errors import InvalidInputError
from dirframe.provenance import Provenance, completeness_note, difference, record_of
from dirframe.schema.extensions import ALL_RESOURCES, UNKNOWN
from dirframe.settings import is_loopback

Style = Literal["text", "bibtex"]

#: Signs that TeX reads as commands. Not \{ and \}: BibTeX counts these braces too.
_ESCAPES = str.maketrans(
    {sign: f"\\{sign}" for sign in "$&#%_"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}
)


class Citation(str):
    """A citation: a string whose repr is its text, with line breaks and without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        style = "white-space:pre-wrap;overflow-wrap:anywhere;margin:0"
        if not self.startswith("@"):
            style += ";font-family:inherit"
        return f'<pre style="{style}">{escape(self)}</pre>'


def cite(frame: Any, *, style: Style = "text") -> Citation:
    """Return a citation of a frame: the directory, the query and the days of access.

    Parameters
    ----------
    frame : pandas.DataFrame or pyarrow.Table
        A frame of a loader, or one derived from it that kept its provenance, such as a
        statistic.
    style : {"text", "bibtex"}, default "text"
        Plain text, or an entry for BibTeX and BibLaTeX, which Zotero and Pandoc read too.

    Returns
    -------
    Citation
        A string that is displayed as it is in a terminal and a notebook: name and home page of
        the directory, resource, query, number of records, days of access in UTC, version of
        dirframe and processing steps; what was excluded; that the data is synthetic, a sample,
        incomplete or not proven complete; and how the records differ from those that were loaded.
        In BibTeX this is in the title too, which every style prints. Addresses of this machine are
        left out.

    Raises
    ------
    InvalidInputError
        If the frame has no source in its provenance, or the style is unknown.

    Notes
    -----
    The key of an entry is unique to a load and stable: it ends in a digest of the above. For
    recorded pages, whose days of access are not known, the year is that of the last change.

    Examples
    --------
    >>> import pandas as pd
    >>> from dirframe import provenance
    >>> frame = provenance.set_provenance(
    ...     pd.DataFrame({"id": ["1", "2", "3"]}),
    ...     source="A directory", base_url="https://directory.example", resource="project",
    ...     query={"query": "xml"}, items_loaded=3, retrieved_oldest="2026-11-20T09:00:00Z",
    ...     retrieved_newest="2026-11-20T09:05:00Z", complete=True, dirframe="0.1.0",
    ... )
    >>> print(cite(frame))
    A directory. Projects matching “xml” (3 records). https://directory.example.
    Retrieved 2026-11-20 with dirframe 0.1.0.
    """
    if style not in get_args(Style):
        raise InvalidInputError(
            f"There is no citation style {style!r}; it is one of {', '.join(get_args(Style))}."
        )
    return Citation((_bibtex if style == "bibtex" else _text)(*_facts(frame)))


def cited_title(frame: Any) -> str:
    """Return the title of the citation, with what is missing or different."""
    return _whole_title(*_facts(frame))


def cited_source(frame: Any) -> tuple[str, str]:
    """Return the name of the directory, and its address; empty for one of this machine."""
    record, _ = _facts(frame)
    return _service(record), _link(record)


def _facts(frame: Any) -> tuple[Provenance, str]:
    """Return the record of a frame, and in words how many records it has."""
    frame = as_pandas(frame)
    record = record_of(frame)
    if not (record.source or record.base_url):
        raise InvalidInputError(
            "The frame has no provenance, so it cannot be cited.",
            hint=(
                "Cite the frame of a loader (a file of dirframe accounts or projects), or hand its record on "
                "to one that was merged or concatenated by dirframe.provenance.copy_provenance(loaded, frame)."
            ),
        )
    differs = difference(frame)
    if differs is None:
        return record, ""
    is_part = differs.rows < differs.loaded
    return record, str(differs) if is_part else f"{counted(differs.rows, 'record')}, {differs}"


def _text(record: Provenance, differs: str) -> str:
    link, days, size = _link(record), record.days, _size(record, differs)
    access = f"Retrieved {' to '.join(days)} with" if days else "Read with"
    parts = [
        f"{_service(record)}.",
        f"{_title(record)}{size and f' ({size})'}.",
        f"{link}." if link else "",
        f"{access} dirframe {record.dirframe}.",
        *_notes(record),
    ]
    return " ".join(part for part in parts if part)


def _bibtex(record: Provenance, differs: str) -> str:
    days, years = record.days, _years(record)
    size = [_size(record, differs), f"retrieved {' to '.join(days)}" if days else ""]
    facts = ", ".join(part for part in size if part)
    note = " ".join([f"{facts}."] * bool(facts) + _notes(record))
    fields = {
        "author": "{" + _service(record).translate(_ESCAPES) + "}",
        "title": "{" + _whole_title(record, differs).translate(_ESCAPES) + "}",
        "year": years[-1] if years else "",
        # BibTeX reads an address verbatim: only characters that would end the field are encoded.
        "url": quote(_link(record), safe=":/?#[]@!$&'()*+,;=%~_-."),
        "urldate": days[-1] if days else "",
        "version": f"dirframe {record.dirframe}".translate(_ESCAPES),
        "note": note.translate(_ESCAPES),
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@misc{{{_key(record, differs)},\n{lines}}}\n"


def _service(record: Provenance) -> str:
    return " ".join((record.source or record.base_url).split())


def _link(record: Provenance) -> str:
    is_local = is_loopback(urlsplit(record.base_url).hostname or "")
    return "" if is_local else record.base_url


def _title(record: Provenance) -> str:
    """Describe the query in words."""
    resource = ALL_RESOURCES.get(record.resource, UNKNOWN)
    query = {name: value for name, value in record.query.items() if value is not None}
    title = resource.words[1].capitalize()
    if text := query.pop("query", ""):
        title += f" matching “{' '.join(str(text).split())}”"
    if sort := query.pop("sort", ""):
        title += f", sorted by {sort}"
    if (max_items := query.pop("max_items", None)) is not None:
        title += f", at most {max_items:,}"
    return title + "".join(f", {name} {value}" for name, value in query.items())


def _whole_title(record: Provenance, differs: str) -> str:
    """Return the title of an entry, the only field that every style prints."""
    synthetic = "synthetic sample data" if record.synthetic else ""
    marks = [mark for mark in (synthetic, completeness_note(record), differs) if mark]
    return f"{_service(record)}: {_title(record)}" + "".join(f" [{mark}]" for mark in marks)


def _size(record: Provenance, differs: str) -> str:
    if differs or record.items_loaded is None:
        return differs
    return counted(record.items_loaded, "record")


def _years(record: Provenance) -> list[str]:
    """Return the years of access, or else the years of the last changes in the records."""
    changes = (record.records_oldest, record.records_newest)
    return list(dict.fromkeys(day[:4] for day in record.days or changes if day))


def _notes(record: Provenance) -> list[str]:
    notes = []
    if not record.days and (years := " to ".join(_years(record))):
        notes.append(f"Days of access not recorded; the records were last changed in {years}.")
    if record.steps:
        notes.append(f"Then: {', '.join(record.steps)}.")
    if record.excluded:
        rules = ", ".join(f"{rule} {number:,}" for rule, number in record.excluded.items())
        notes.append(f"Excluded: {rules}.")
    if note := completeness_note(record):
        why = f" ({record.incomplete_reason})" if record.incomplete_reason else ""
        notes.append(f"{note[0].upper()}{note[1:]}{why}.")
    if record.synthetic:
        notes.append("Synthetic sample data: generated, not observed.")
    return notes


def _key(record: Provenance, differs: str) -> str:
    """Return the key of an entry: the same for the same query, days and records."""
    plain = unicodedata.normalize("NFKD", _service(record)).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", plain.casefold())[:4] or ["directory"]
    resource = ALL_RESOURCES.get(record.resource)
    # The link leaves out loopback addresses, whose port changes with every start.
    place = [_service(record), record.resource, _link(record), dict(record.query)]
    identity = [*place, record.days, record.items_loaded, record.ids, differs]
    serialized = json.dumps(identity, sort_keys=True)
    digest = hashlib.blake2b(serialized.encode(), digest_size=4).hexdigest()
    parts = [*words, resource.collection if resource else "", *_years(record)[-1:], digest]
    return "-".join(part for part in parts if part)
