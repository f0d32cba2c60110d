"""Citations of the source of a frame, from its provenance."""

from __future__ import annotations

import re
from datetime import date
from hashlib import sha256
from typing import Any, Literal, get_args
from urllib.parse import quote, urlsplit

from dirframe._display import quantity
from dirframe.errors import InvalidInputError
from dirframe.provenance import (
    added_columns,
    completeness_note,
    days_of,
    difference,
    get_provenance,
)
from dirframe.schema import PROJECT, resource_named
from dirframe.settings import is_loopback

Style = Literal["text", "bibtex", "apa"]

#: Licence of generated sample records.
SAMPLE_LICENCE = "CC0-1.0"

#: Signs that TeX reads as commands. Not \{ and \}: BibTeX counts these braces too.
_ESCAPES = str.maketrans(
    {sign: f"\\{sign}" for sign in "$&#%_"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}
)


#: English names, whatever the locale is.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


class Citation(str):
    """A citation: a string whose repr is its text, with line breaks and without quotes."""

    __repr__ = str.__str__


def cite(frame: Any, *, style: Style = "text") -> Citation:
    """Return a citation of a frame: the directory, the query and the days of access.

    Parameters
    ----------
    frame : pandas.DataFrame or pyarrow.Table
        A frame of a loader, or one that kept its provenance, such as a statistic.
    style : {"text", "bibtex", "apa"}, default "text"
        Plain text; an entry for BibTeX and BibLaTeX, which Zotero and Pandoc read too; or a reference
        in the style of the American Psychological Association (7th edition, data sets).

    Returns
    -------
    Citation
        A string that is displayed as it is: name and address of the directory, query, number of
        records, days of access in UTC, version of dirframe, steps and exclusions. In BibTeX and APA
        the title says if the data is synthetic, a sample or not proven complete, because all styles
        print the title.

    Raises
    ------
    InvalidInputError
        If the frame has no source in its provenance, or there is no such style.

    Examples
    --------
    >>> import pandas as pd
    >>> from dirframe.provenance import set_provenance
    >>> facts = {"source": "A directory", "query": {"query": "xml"}, "completeness": "proven"}
    >>> cite(set_provenance(pd.DataFrame(), resource="project", items_loaded=0, **facts))
    A directory. Projects matching “xml” (0 records). Read with dirframe 0.1.0.
    """
    if style not in get_args(Style):
        raise InvalidInputError(
            f"There is no citation style {style!r}; it is one of {', '.join(get_args(Style))}."
        )
    styles = {"text": _text, "bibtex": _bibtex, "apa": _apa}
    return Citation(styles[style](Source(frame)))


class Source:
    """What the citation of a frame is made of."""

    def __init__(self, frame: Any) -> None:
        self.record, differs = get_provenance(frame), difference(frame)
        address, loaded = self.record["base_url"], self.record["items_loaded"]
        if not (self.record["source"] or address):
            raise InvalidInputError(
                "The frame has no provenance, so it cannot be cited.",
                hint="Cite the frame of a loader (a file of dirframe accounts or projects); after a "
                "merge, call dirframe.provenance.copy_provenance(loaded, frame) first.",
            )
        self.name = " ".join((self.record["source"] or address).split())
        # Without the address of this machine, whose port changes with every start.
        self.link = "" if is_loopback(urlsplit(address).hostname or "") else address
        self.days = days_of(self.record)
        self.differs = str(differs or "")
        if differs and differs.rows >= differs.loaded:
            self.differs = f"{quantity(differs.rows, 'record')}, {differs}"
        self.added = added_columns(frame)
        self.size = self.differs or ("" if loaded is None else quantity(loaded, "record"))

    def query(self) -> str:
        """Describe the query in words."""
        query = {name: value for name, value in self.record["query"].items() if value is not None}
        query.pop("details", None)  # the same records, with more about each
        words = resource_named(self.record["resource"]).words[1].capitalize()
        is_named = self.record["resource"] == PROJECT.name and "projects" in query
        if is_named:
            words = f"{quantity(query.pop('projects'), 'project')} by name"
        for owner in ("project", "account", "organization"):
            if number := query.pop(f"{owner}s", 0):
                words += f" of {quantity(number, owner)}"
        if text := query.pop("query", ""):
            words += f" matching “{' '.join(str(text).split())}”"
        sort = query.pop("sort", "")
        if sort and not self.record["sample"]:  # which is in its order alone
            words += f", sorted by {sort}"
        if "max_items" in query:
            words += f", at most {query.pop('max_items'):,}"
        return words + "".join(f", {name} {value}" for name, value in query.items())

    def title(self) -> str:
        """Return the title, the only field that every style prints."""
        return f"{self.name}: {self.query()}" + "".join(f" [{mark}]" for mark in self.marks())

    def marks(self) -> list[str]:
        """Return what a title says of the records: generated, incomplete, a sample, or a part."""
        synthetic = "synthetic sample data" if self.record["synthetic"] else ""
        marks = [synthetic, completeness_note(self.record), self.differs]
        return [mark for mark in marks if mark]

    def notes(self) -> list[str]:
        """Return what was done with the records, and what is missing."""
        record, notes = self.record, []
        if record["steps"]:
            notes.append(f"Then: {', '.join(record['steps'])}.")
        if self.added:
            notes.append(f"Columns added by hand: {', '.join(self.added)}.")
        if record["other_data"]:
            notes.append(f"With {'; '.join(record['other_data'])}.")
        if record["excluded"]:
            rules = ", ".join(f"{rule} {number:,}" for rule, number in record["excluded"].items())
            notes.append(f"Excluded: {rules}.")
        if note := completeness_note(record, with_reason=True):
            notes.append(f"{note[0].upper()}{note[1:]}.")
        if record["synthetic"]:
            notes.append("Synthetic sample data: generated, not observed.")
        return notes

    def terms(self) -> str:
        """Return what may be done with the records, as far as that is known."""
        if self.record["synthetic"]:
            return f"Generated sample records, free for any use ({SAMPLE_LICENCE})."
        where = f" ({self.link})" if self.link else ""
        return (
            f"The terms of {self.name}{where} apply to its records, and no licence of theirs is "
            "known here: cite and link it, and ask who runs it before you publish them."
        )

    def key(self) -> str:
        """Return the key of an entry: the same for the same query, days and number of records."""
        facts = [self.title(), self.link, self.days, self.record["items_loaded"]]
        digest = sha256(repr(facts).encode()).hexdigest()[:8]
        words = re.findall(r"[a-z0-9]+", self.name.casefold())[:4]
        collection = resource_named(self.record["resource"]).collection
        return "-".join([*words, collection, *(day[:4] for day in self.days[-1:]), digest])


def _text(source: Source) -> str:
    days = " to ".join(source.days)
    parts = [
        f"{source.name}.",
        f"{source.query()} ({source.size})." if source.size else f"{source.query()}.",
        f"{source.link}." if source.link else "",
        f"{f'Retrieved {days}' if days else 'Read'} with dirframe {source.record['dirframe']}.",
        *source.notes(),
    ]
    return " ".join(filter(None, parts))


def _apa(source: Source) -> str:
    day = date.fromisoformat(source.days[-1]) if source.days else None
    year = "n.d." if day is None else str(day.year)
    kind = "; ".join(["Data set", *source.marks()])
    retrieved = (
        "Read" if day is None else f"Retrieved {_MONTHS[day.month - 1]} {day.day}, {day.year},"
    )
    place = f", from {source.link}" if source.link else ""
    parts = [
        f"{source.name}. ({year}). {source.query()} [{kind}].",
        f"{retrieved} with dirframe {source.record['dirframe']}{place}.",
        *source.notes(),
    ]
    return " ".join(parts)


def _bibtex(source: Source) -> str:
    days = f"retrieved {' to '.join(source.days)}" if source.days else ""
    facts = ", ".join(filter(None, [source.size, days]))
    fields = {
        "author": "{" + source.name.translate(_ESCAPES) + "}",
        "title": "{" + source.title().translate(_ESCAPES) + "}",
        "year": "".join(source.days[-1:])[:4],
        # BibTeX reads an address verbatim: only characters that would end the field are encoded.
        "url": quote(source.link, safe=":/?#[]@!$&'()*+,;=%~_-."),
        "urldate": "".join(source.days[-1:]),
        "version": f"dirframe {source.record['dirframe']}".translate(_ESCAPES),
        "note": " ".join([f"{facts}."] * bool(facts) + source.notes()).translate(_ESCAPES),
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@misc{{{source.key()},\n{lines}}}\n"
