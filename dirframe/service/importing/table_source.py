"""Convert the rows of a table to records, and report the values that do not fit."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from lxml import etree

from dirframe.errors import ConfigurationError, Hint, StoreError
from dirframe.schema import Field, Items, Kind, Resource
from dirframe.service.dialects.xml_writer import record_xml
from dirframe.service.importing.importer import SourceRecord, email_digests
from dirframe.service.importing.mapping import FieldMap, Section, mappable
from dirframe.service.importing.values import convert_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dirframe.service.importing.tables import Table
    from dirframe.service.records import Record


_EXAMPLES = 3
_CUT = 60
#: Fields that every record must have.
_NEEDED = ("id", "name")


@dataclasses.dataclass
class Problem:
    """Values of one column that do not fit for one reason, with examples: row and value."""

    column: str
    field: str
    why: str
    count: int = 0
    examples: list[tuple[int, str]] = dataclasses.field(default_factory=list)

    def __str__(self) -> str:
        rows = ", ".join(f"row {row} ({value})" for row, value in self.examples)
        more = f" and {self.count - len(self.examples):,} more" if self.count > _EXAMPLES else ""
        target = f" (for {self.field})" if self.field not in {"", self.column} else ""
        location = f"column {self.column}{target}" if self.column else "whole row"
        return f"  {location}, {self.count:,}: {self.why} {rows[0].upper()}{rows[1:]}{more}."


@dataclasses.dataclass
class TableReport:
    """Report of the values and columns of a table that do not fit the schema.

    Rows are counted from 1, without the line of column names.
    """

    collection: str
    table: str
    unused: list[str] = dataclasses.field(default_factory=list)
    unmapped: list[str] = dataclasses.field(default_factory=list)
    rows: int = 0
    invalid: int = 0
    problems: dict[tuple[str, str, str], Problem] = dataclasses.field(default_factory=dict)

    def add(self, row: int, column: str, name: str, shown: str, why: str) -> None:
        """Count a problem and keep the first examples."""
        problem = self.problems.setdefault((column, name, why), Problem(column, name, why))
        problem.count += 1
        if len(problem.examples) < _EXAMPLES:
            problem.examples.append((row, shown if len(shown) <= _CUT else shown[:_CUT] + "…"))

    def __str__(self) -> str:
        fit = self.rows - self.invalid
        lines = [f"{self.collection} from {self.table}: {self.rows:,} rows, {fit:,} fit."]
        if self.invalid:
            lines[0] += " Rows are numbered from 1, below the names of the columns."
        lines += map(str, self.problems.values())
        if self.unused:
            lines.append(f"  Columns that no field takes, not served: {', '.join(self.unused)}.")
        if self.unmapped:
            lines.append(
                f"  Fields of the interface without a column, served empty: "
                f"{', '.join(self.unmapped)}."
            )
        # Names of files and of entries may have what no Unicode text has.
        return "\n".join(lines).encode(errors="backslashreplace").decode()


class TableSource:
    """The rows of a table as records of a collection.

    Parameters
    ----------
    table
        Columns and rows.
    resource
        The kind of record.
    section
        The map; columns named as a field, and not mapped, are that field.
    skip_invalid
        Whether to leave out rows that do not fit; else the import is refused at the end, when
        all rows have been checked.
    ids
        The table in which each id of the collection was read, for all tables of the collection.

    Raises
    ------
    ConfigurationError
        The map names a column that the table does not have, or no column is the id.
    """

    def __init__(
        self,
        table: Table,
        resource: Resource,
        section: Section,
        *,
        skip_invalid: bool = False,
        ids: dict[str, TableSource] | None = None,
    ) -> None:
        self.name = table.name
        self._ids = {} if ids is None else ids
        self._table = table
        self._resource = resource
        self._skip_invalid = skip_invalid
        known = mappable(resource)
        mapped = {name: FieldMap(column=name) for name in table.columns if name in known}
        mapped_columns = {m.column for m in section.fields.values()}
        mapped = {n: m for n, m in mapped.items() if n not in mapped_columns} | section.fields
        for name, m in mapped.items():
            if m.column and m.column not in table.columns:
                raise ConfigurationError(
                    f"The map takes {name} from the column {m.column!r}, which {table.name} does "
                    f"not have; it has {', '.join(table.columns)}."
                )
        if absent := [name for name in _NEEDED if name not in mapped]:
            raise ConfigurationError(
                f"{table.name} has no column for {' and '.join(absent)}, which every record needs; "
                f"it has {', '.join(table.columns)}.",
                hint=Hint(
                    f'Pass mapping= a TOML file with [{resource.collection}.fields] {absent[0]} = "COLUMN".',
                    shell=f"Use --map with a TOML file with [{resource.collection}.fields] "
                    f'{absent[0]} = "COLUMN".',
                ),
            )
        # In the order of the schema, which is that of the elements.
        self._fields = [(known[name], mapped[name]) for name in known if name in mapped]
        digests = {"email_sha1"} if "email" in mapped else set()
        self.report = TableReport(
            resource.collection,
            table.name,
            unused=[c for c in table.columns if c not in {m.column for m in mapped.values()}],
            unmapped=[
                f.column
                for f in resource.specified
                if f.required and f.column not in {*mapped, *digests}
            ],
        )

    def records(self) -> Iterator[SourceRecord]:
        """Yield the records that fit, and fill the report.

        Raises
        ------
        StoreError
            Rows do not fit; the message is the report.
        """
        report = self.report
        report.rows = report.invalid = 0
        report.problems.clear()
        columns = self._table.columns
        position = {name: number for number, name in enumerate(columns)}
        plan = [(f, m, position.get(m.column, -1)) for f, m in self._fields]
        for identifier in [key for key, source in self._ids.items() if source is self]:
            del self._ids[identifier]  # of an earlier reading
        for number, row in enumerate(self._table.rows(), start=1):
            report.rows = number
            values: dict[str, Any] = {}
            fits = len(row) == len(columns)
            if not fits:
                why = f"the table has {len(columns)} columns."
                report.add(number, "", "", f"{len(row)} values", why)
            for target, m, index in plan if fits else ():
                value = m.value if index < 0 else row[index]
                try:
                    text = convert_value(value, target, m)
                    if text is None and target.column in _NEEDED:
                        raise ValueError("every record needs one.")
                    if target.column == "id":
                        self._take_id(text)
                except ValueError as error:
                    report.add(number, m.column, target.column, repr(value), str(error))
                    fits = False
                else:
                    if text is not None:
                        values[target.column] = text
            if fits:
                element = etree.fromstring(
                    record_xml(self._resource, _record(self._resource, values))
                )
                where = f"{self.name}, row {number}"
                yield SourceRecord(self._resource, element, where, self._table.synthetic)
            else:
                report.invalid += 1
        if report.invalid and not self._skip_invalid:
            raise StoreError(
                f"{report.invalid:,} of {report.rows:,} rows do not fit; nothing was imported.\n"
                f"{report}",
                hint=Hint(
                    "Correct the data or the map, or pass skip_invalid=True to leave these rows out.",
                    shell="Correct the data or the map, or use --skip-invalid to leave these rows "
                    "out.",
                ),
            )

    def _take_id(self, identifier: str) -> None:
        if (other := self._ids.get(identifier)) is not None:
            where = "another row" if other is self else f"a row of {other.name}"
            raise ValueError(f"{where} has the same id.")
        self._ids[identifier] = self


def _record(resource: Resource, values: dict[str, Any]) -> Record:
    """Return the record with the values of its fields."""
    record: dict[str, Any] = {}
    if "email" in values:
        values.setdefault("email_sha1", email_digests(values["email"])[0])
    for column, target in mappable(resource).items():
        if (value := values.get(column)) is None:
            continue
        *parents, name = target.path
        parent = record
        for tag in parents:
            parent = parent.setdefault(tag, {})
        if target.items:
            entries = [_entry(target.items, entry) for entry in value]
            parent.setdefault(name, {})[target.items.tag] = entries
        elif resource.by_column.get("_".join(parents), target).kind is Kind.ITEMS:
            parent[f"@{name}"] = value  # of a list, such as the picture of its languages
        else:
            parent[name] = value
    return record


def _entry(items: Items, entry: Sequence[tuple[Field, str]]) -> Record:
    # As recorded: an entry with a text of its own has its other fields as attributes.
    if not any(f.column == items.tag for f in items.fields):
        return {f.column: text for f, text in entry}
    return {"#text" if f.column == items.tag else f"@{f.column}": text for f, text in entry}
