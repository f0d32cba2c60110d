"""Tables of any size, and all that a loader gave."""

import csv
import json

import pandas as pd
import pyarrow as pa
import pytest

import dirframe

#: Characters of two bytes: beyond the limit of csv, and the most that libxml2 reads.
SIZES = {1: 131_073, 2: 5_000_000}


def load(data, loader=dirframe.load_projects):
    service = dirframe.serve(data)
    with service as url, dirframe.Directory(url, service.api_key, cache=False) as directory:
        return loader(directory, progress=False)


def keep(path, rows):
    """Write the rows as what the suffix says."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        if path.suffix == ".csv":
            writer = csv.DictWriter(stream, ["id", "name", "location"])
            writer.writeheader()
            writer.writerows(rows)
        else:
            stream.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_field_of_any_size_that_a_reader_of_xml_takes_is_served(tmp_path, suffix):
    limit = csv.field_size_limit()
    rows = [{"id": str(n), "name": "a", "location": "é" * size} for n, size in SIZES.items()]
    path = tmp_path / f"accounts.{suffix}"
    keep(path, rows)
    accounts = load(path, dirframe.load_accounts).set_index("id")
    assert [len(accounts.loc[n, "location"]) for n in ("1", "2")] == [SIZES[1], SIZES[2]]
    assert csv.field_size_limit() == limit


def test_whole_sample_is_served_and_loaded_as_it_was(sample_projects, sample_accounts):
    for frame, loader in (
        (sample_projects, dirframe.load_projects),
        (sample_accounts, dirframe.load_accounts),
    ):
        back = load(frame, loader).set_index("id").loc[frame["id"]].reset_index()
        columns = [column for column in frame if column in back]
        pd.testing.assert_frame_equal(back[columns], frame[columns])


def test_recorded_projects_are_served_and_loaded_as_they_were(shared):
    files = sorted((shared / "real").glob("**/*.xml"))
    projects = dirframe.read_pages(files, resource="project")
    back = load(projects).set_index("id").loc[projects["id"]].reset_index()
    # Beside the number of users is that of the specification, which has another name.
    columns = [name for name in projects if name != "stack_count"]
    pd.testing.assert_frame_equal(back[columns], projects[columns])


def test_polars_frame_is_served(sample_frames):
    polars = pytest.importorskip("polars", reason="an engine of its own")
    projects = sample_frames["projects"]
    frame = polars.from_arrow(pa.Table.from_pandas(projects))
    assert list(load(frame)["name"]) == list(load(projects)["name"])
