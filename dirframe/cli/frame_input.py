"""What a command works on: a file of records, standard input, or the answer of a directory.

A file that `dirframe.export` wrote is read as it was, provenance included. Other CSV, TSV, JSON
lines, JSON and Parquet are told by what they hold: values get the dtypes that the loaders give
them, by the names of their columns, and a line says that their source is not known.
"""

from __future__ import annotations

import io
import json
import re
import sys
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.schema import Resource

__all__ = ["STDIN", "file_argument", "read_input", "read_table"]

STDIN = "-"

_GUARDED = re.compile(r"'+[=+\-@\t\r]")

file_argument = click.argument("file", required=False, metavar="[FILE]", type=click.Path())


def read_input(file: str | None, collection: str | None, question: dict[str, Any]) -> pd.DataFrame:
    """Read the file, or ask the directory for the collection if there is none."""
    from dirframe.cli.options import ask, given_options

    if file is not None:
        if given := given_options(question):
            raise click.UsageError(
                f"{' and '.join(given)} {'asks' if len(given) == 1 else 'ask'} a directory, and "
                f"{file} is a file: leave one of the two out."
            )
        return read_table(file)
    if collection is None:
        raise click.UsageError("Name a file, or a collection to ask for: --collection projects.")
    if "project" in question and not question["project"]:
        raise click.UsageError(f"Name a file of {collection}, or a project: --project ID.")
    return ask(collection, **question)


def read_table(file: str, *, about_source: bool = True) -> pd.DataFrame:
    """Read a file of records; ``-`` is standard input.

    Parameters
    ----------
    file : str
        Its path.
    about_source : bool, default True
        Whether to say so if the file does not tell where its records are from.

    Returns
    -------
    pandas.DataFrame
        The records, in the dtypes of the loaders.

    Raises
    ------
    InvalidInputError
        If there is no such file, or it holds no table.
    """
    name = "Standard input" if file == STDIN else file
    content = _content(file)
    if not content.strip():
        raise InvalidInputError(f"{name} is empty: a table has at least a line of columns.")
    try:
        frame = _exported(file, content)
        if frame is None:
            whole = content[:4] == b"PAR1"
            frame = _parquet(content) if whole else apply_schema(_texts(content, name))
    except InvalidInputError:
        raise
    except ValueError as error:  # those of pandas, pyarrow, json and UTF-8 are all of this kind
        raise InvalidInputError(
            f"{name} holds no table of records as CSV, TSV, JSON, JSON lines or Parquet: "
            f"{str(error).splitlines()[0]}"
        ) from None
    if about_source:
        _say_what_is_lost(frame, name)
    return frame


def _content(file: str) -> bytes:
    if file == STDIN:
        if sys.stdin.isatty():
            raise click.UsageError("Standard input is a terminal: pipe a table into the command.")
        return sys.stdin.buffer.read()
    path = Path(file)
    if path.is_dir():
        raise InvalidInputError(f"{file} is a folder; name a file of records.")
    if not path.exists():
        raise InvalidInputError(f"There is no file {file}.")
    suffixes = _suffixes()
    if path.suffix and path.suffix.lower() not in suffixes:  # a pipe by name has none
        hint = " Recorded XML is read in Python alone." if _is_xml(path) else ""
        raise InvalidInputError(
            f"{file} has the suffix {path.suffix!r}; records are read from "
            f"{', '.join(suffixes)}.{hint}"
        )
    return path.read_bytes()


def _suffixes() -> list[str]:
    from dirframe.io.formats import KINDS

    return [*(suffix for suffix, kind in KINDS.items() if kind.read), ".json"]


def _is_xml(path: Path) -> bool:
    return bool({".xml"} & {suffix.lower() for suffix in path.suffixes})


def _exported(file: str, content: bytes) -> pd.DataFrame | None:
    """Read what `dirframe.export` wrote; None if that did not write it."""
    from tempfile import TemporaryDirectory

    from dirframe.io._integrity.native_check import check
    from dirframe.io.formats import KINDS, beside
    from dirframe.io.metadata import METADATA_KEY
    from dirframe.io.read import read_export

    if file == STDIN:
        if content[:4] != b"PAR1":
            return None
        with TemporaryDirectory() as folder:
            piped = Path(folder) / "piped.parquet"
            piped.write_bytes(content)
            return _exported(str(piped), content)
    path = Path(file)
    kind = KINDS.get(path.suffix.lower())
    if kind is None or kind.read is None or (kind.sidecar and not beside(path).is_file()):
        return None
    try:
        return read_export(path)
    except InvalidInputError:
        # Another program's will do: it holds nothing of ours, and no library is ended by it.
        foreign = path.suffix.lower() == ".parquet" and METADATA_KEY.encode() not in content
        if foreign and content[:4] == b"PAR1" and check(path, kind) is None:
            return None
        raise


def _parquet(content: bytes) -> pd.DataFrame:
    import numpy as np
    import pandas as pd

    frame = pd.read_parquet(io.BytesIO(content))
    for name in frame.columns:
        if frame[name].dtype == object:  # Parquet gives lists back as arrays
            frame[name] = frame[name].map(
                lambda one: one.tolist() if isinstance(one, np.ndarray) else one,
                na_action="ignore",
            )
    return frame


def _texts(content: bytes, name: str) -> pd.DataFrame:
    """Read every value as it stands, as text; JSON brings numbers and lists along."""
    import pandas as pd

    text = content.decode("utf-8-sig")
    begin = text.lstrip()[:1]
    if begin == "[":
        return pd.DataFrame(_records(json.loads(text)), dtype="object")
    if begin == "{":
        lines = [json.loads(line) for line in text.splitlines() if line.strip()]
        return pd.DataFrame(_records(lines), dtype="object")
    header = text.partition("\n")[0]
    frame = pd.read_csv(
        io.StringIO(text),
        sep="\t" if header.count("\t") > header.count(",") else ",",
        dtype="str",
        keep_default_na=False,  # NA is Namibia
        na_values=[""],
    )
    if "<" in header or (len(frame.columns) == 1 and "\0" in text):
        raise InvalidInputError(
            f"{name} holds no table of records. Recorded XML is read in Python: "
            "dirframe.read_pages."
        )
    return frame


def _records(found: Any) -> list[dict[str, Any]]:
    if not all(isinstance(one, dict) for one in found):
        raise InvalidInputError("JSON is read as a list of records, each an object.")
    records: list[dict[str, Any]] = found
    return records


def apply_schema(frame: pd.DataFrame) -> pd.DataFrame:
    """Give each column the dtype of its field; of what is no record, what pandas infers."""
    from dirframe.provenance import set_provenance
    from dirframe.schema.extensions import EXTENSIONS, detect_resource

    # What a spreadsheet would take for a formula has an apostrophe before it in our CSV.
    frame = frame.map(strip_formula_guard, na_action="ignore")
    resource = detect_resource(frame.columns)
    if resource is None or ("id" not in frame and resource.name not in EXTENSIONS):
        return _inferred(frame)
    for name in list(frame.columns):
        frame = _one_typed(frame, str(name), resource)
    return set_provenance(frame, resource=resource.name)


def _one_typed(frame: pd.DataFrame, name: str, resource: Resource) -> pd.DataFrame:
    import pandas as pd

    from dirframe.client.frames.dtypes import convert_column, to_pandas
    from dirframe.schema import Kind

    field = resource.by_column.get(name)
    kind = field.kind if field else Kind.TEXT
    column = frame[name]
    if kind is Kind.ITEMS:
        lists = [None if _missing(one) else _listed(one) for one in column]
        return frame.assign(**{name: pd.Series(lists, dtype="object", index=frame.index)})
    texts = [None if _missing(one) else _plain(one) for one in column]
    array, unreadable = convert_column(texts, kind)
    frame = frame.assign(**{name: to_pandas(array)})
    if unreadable is not None:
        beside = f"{name}_unreadable"
        count = len(unreadable) - unreadable.null_count
        frame[beside] = pd.Series(to_pandas(unreadable), index=frame.index)
        click.echo(f"dirframe: {count:,} values of {name} are kept as text in {beside}.", err=True)
    return frame


def strip_formula_guard(value: Any) -> Any:
    return value[1:] if isinstance(value, str) and _GUARDED.match(value) else value


def _missing(value: object) -> bool:
    return value is None or value == "" or (isinstance(value, float) and isnan(value))


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _listed(value: object) -> object:
    found = json.loads(value) if isinstance(value, str) else value
    return found if isinstance(found, list) else [found]


def _inferred(frame: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    def numbers(column: pd.Series[Any]) -> pd.Series[Any]:
        try:
            return pd.to_numeric(column)
        except (TypeError, ValueError):
            return column

    return frame.apply(numbers) if len(frame) else frame


def _say_what_is_lost(frame: pd.DataFrame, name: str) -> None:
    from dirframe.cli.frame_output import echo_note
    from dirframe.provenance import get_provenance

    if not get_provenance(frame)["source"]:
        echo_note(
            f"{Path(name).name} does not say where its records are from; Parquet does "
            "(-o FILE.parquet, or --format parquet between commands)."
        )
