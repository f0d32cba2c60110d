"""Tables that the package knows itself, as Markdown for the pages."""

from __future__ import annotations

from inspect import getdoc
from typing import TYPE_CHECKING

import dirframe
from dirframe import errors
from dirframe.cli import EXIT_CODES
from dirframe.client.dtypes import dtype_of
from dirframe.schema.extensions import ALL_RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dirframe.schema import Field, Resource


def substitutions() -> dict[str, str]:
    """Return what a page may ask for as ``{{ name }}``.

    That is one table of fields a resource and a repeated element, the table of exit codes, the
    two trees of the errors' module, and the description of each error by its name.
    """
    found = {"exit_codes": _exit_codes(), "error_trees": _error_trees()}
    for resource in ALL_RESOURCES.values():
        found[f"fields_{resource.name}"] = _columns(resource)
        for field in resource.fields:
            if field.items:
                name = f"fields_{resource.name}_{field.path[-1]}"
                found[name] = _entries(field.items.fields)
    return found | {name: getdoc(getattr(errors, name)) or "" for name in errors.__all__}


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _columns(resource: Resource) -> str:
    rows = [
        (
            f"`{row.name}`",
            resource.by_column[row.name].meaning,
            f"`{row.type}`",
            row.unit if isinstance(row.unit, str) else "",
            "yes" if row.required else "",
            row.dialects,
        )
        for row in dirframe.fields(resource.name).itertuples(index=False)
    ]
    return _table(["Column", "Meaning", "Type", "Unit", "Required", "Known from"], rows)


def _entries(fields: Iterable[Field]) -> str:
    rows = [(f"`{f.column}`", f.meaning, f"`{dtype_of(f.kind)}`", f.unit) for f in fields]
    return _table(["Column", "Meaning", "Type", "Unit"], rows)


def _exit_codes() -> str:
    first_lines = {error: (getdoc(error) or "").splitlines()[0] for error in EXIT_CODES}
    rows = [("0", "", "Success."), ("2", "", "Invalid command, option or argument.")]
    rows += [
        (str(code), f"{{py:exc}}`~dirframe.{error.__name__}`", first_lines[error])
        for error, code in EXIT_CODES.items()
    ]
    stopped = "Interrupted by Ctrl-C; loaded pages are in the cache. `serve` ends with 0."
    rows.append(("130", "", stopped))
    return _table(["Code", "Error", "Meaning"], sorted(rows, key=lambda row: int(row[0])))


def _error_trees() -> str:
    text = (errors.__doc__ or "").partition("::\n")[2].rpartition("\n\nAn error says")[0]
    trees, between, warnings = text.partition("\n\nWarnings are")
    head, _, warning_tree = (between + warnings).partition("::\n")
    return f"```text{trees}\n```\n\n{head.strip().rstrip(':')}:\n\n```text{warning_tree}\n```"
