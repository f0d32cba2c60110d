"""Tables that the package knows itself, as Markdown for the pages.

What stays out: text that a person writes.
"""

from __future__ import annotations

from inspect import getdoc
from typing import TYPE_CHECKING

from dirframe import errors
from dirframe.cli import EXIT_CODES
from dirframe.client.dtypes import to_pandas, typed_array
from dirframe.schema import RESOURCES, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dirframe.schema import Field


def substitutions() -> dict[str, str]:
    """Return what a page may ask for as ``{{ name }}``.

    That is one table of fields a resource and a repeated element, the table of exit codes, the
    two trees of the errors' module, and the description of each error by its name.
    """
    found = {"exit_codes": _exit_codes(), "error_trees": _error_trees()}
    for resource in RESOURCES.values():
        found[f"fields_{resource.name}"] = _fields(resource.fields)
        for field in resource.fields:
            if field.items:
                name = f"fields_{resource.name}_{field.path[-1]}"
                found[name] = _fields(field.items.fields, sources=False)
    return found | {name: getdoc(getattr(errors, name)) or "" for name in errors.__all__}


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _dtype(field: Field) -> str:
    if field.kind is Kind.ITEMS:
        return "list"
    return str(to_pandas(typed_array([], field.kind).array).dtype)


def _fields(fields: Iterable[Field], *, sources: bool = True) -> str:
    rows = []
    for field in fields:
        row = [f"`{field.column}`", field.meaning, f"`{_dtype(field)}`", field.unit]
        more = ["yes" if field.required else "", field.dialect.value]
        rows.append(row + more if sources else row)
    heads = ["Column", "Meaning", "Type", "Unit"]
    return _table([*heads, "Required", "Known from"] if sources else heads, rows)


def _exit_codes() -> str:
    first_lines = {error: (getdoc(error) or "").splitlines()[0] for error in EXIT_CODES}
    rows = [("0", "", "Done."), ("2", "", "A wrong call: an option or argument that is none.")]
    rows += [
        (str(code), f"{{py:exc}}`~dirframe.{error.__name__}`", first_lines[error])
        for error, code in EXIT_CODES.items()
    ]
    rows.append(("130", "", "Stopped by Ctrl-C; what was loaded is in the cache."))
    return _table(["Code", "Error", "Meaning"], sorted(rows, key=lambda row: int(row[0])))


def _error_trees() -> str:
    text = (errors.__doc__ or "").partition("::\n")[2].rpartition("\n\nAn error says")[0]
    trees, between, warnings = text.partition("\n\nWarnings are")
    head, _, warning_tree = (between + warnings).partition("::\n")
    return f"```text{trees}\n```\n\n{head.strip().rstrip(':')}:\n\n```text{warning_tree}\n```"
