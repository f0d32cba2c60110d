"""The vectorised second reader, and lists in Arrow's form: they are as the plain ones."""

import copy
import io
import pickle
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dirframe
from tests.client.trees import PAGES, STYLES, documents
from tests.rig.server import page_xml, record


def read(pages, **options):
    with tempfile.TemporaryDirectory() as folder:
        for number, content in enumerate(pages):
            (Path(folder) / f"{number:03}.xml").write_bytes(content)
        return dirframe.read_pages(folder, **options)


@given(pages=PAGES, style=STYLES, known=st.booleans())
def test_fast_reader_gives_what_the_tree_gives(pages, style, known):
    """A page with a comment between its records is read over the tree, others fast.

    Each page comes twice: what was unknown the first time is known the second.
    """
    fast = documents([*pages, *pages], style)
    tree = [page.replace(b"<result>", b"<result><!-- a comment -->") for page in fast]
    if not known:
        fast, tree = ([p.replace(b"project>", b"thing>") for p in which] for which in (fast, tree))
    pd.testing.assert_frame_equal(read(fast), read(tree))


def put(frame, value):
    changed = frame.copy()
    changed.at[1, "tags"] = value  # noqa: PD008  # .loc takes no list for one cell
    return changed


def replaced(frame, at, value):
    changed = frame.copy()
    changed.loc[at, "tags"] = value
    return changed


IDIOMS = [
    lambda f: f.loc[3, "licenses"], lambda f: f.iloc[0], lambda f: f.iloc[[3, 1, -1]],
    lambda f: f[f["language"] == "C"], lambda f: f[4:1:-2], lambda f: f.iloc[:0],
    lambda f: f.dropna(subset=["tags"]), lambda f: f["tags"].map(len, na_action="ignore"),
    lambda f: f.apply(lambda row: len(row["tags"] or []), axis=1), lambda f: f["tags"].str.len(),
    lambda f: f["tags"].head(3).str.join(", "), lambda f: f["licenses"].str[0].str.get("name"),
    lambda f: f.explode("tags"), lambda f: f["tags"].explode().value_counts(),
    lambda f: f.sort_values("language"), lambda f: f.reindex([5, 9, 0]), lambda f: f["tags"].shift(2),
    lambda f: f["tags"].where(f["language"] == "C"), lambda f: f["tags"].ffill(),
    lambda f: f["tags"].combine_first(f["tags"].shift()), lambda f: pd.concat([f, f]),
    lambda f: pd.concat([f["tags"], f["licenses"]]), lambda f: pd.concat([f, f[["id"]]]),
    lambda f: f[["id", "tags"]].merge(f[["id", "licenses"]].head(2), "left", on="id"),
    lambda f: f.groupby("language")["tags"].agg(list), lambda f: f.groupby("language").first(),
    lambda f: f.melt("id", ["tags", "licenses"]), lambda f: f.T, lambda f: f.to_dict("records"),
    lambda f: f.to_json(orient="records"), lambda f: f.to_csv(), lambda f: f.to_numpy(),
    lambda f: list(f.itertuples()), lambda f: f["tags"].astype(str), copy.deepcopy,
    lambda f: pickle.loads(pickle.dumps(f)), lambda f: f.info(buf=io.StringIO()),
    lambda f: pa.Table.from_pandas(f).to_pylist(), lambda f: f["tags"] == f["tags"],
    lambda f: f.equals(f.copy()), lambda f: f["tags"].isin([None]), lambda f: f.replace("C", "D"),
    lambda f: f.sort_values("tags", key=lambda tags: tags.str.len()),
    lambda f: f["tags"].fillna(f["tags"].shift(-1)), lambda f: list(f.columns[f.dtypes == "object"]),
    lambda f: f["tags"].dropna().sum(), lambda f: f["tags"].head(1) + f["licenses"].head(1),
    lambda f: f["tags"].head(1) + pd.Series([["new"]]), lambda f: f["tags"].head(3).max(),
    lambda f: put(f, ["new"]), lambda f: replaced(f, 5, None), lambda f: f.count(),
    lambda f: replaced(f, [0, 4], f["tags"].iloc[[2, 5]].to_numpy()),
    lambda f: f["tags"].reindex([0, 99, 1], fill_value=["x"]).tolist(),
]  # fmt: skip


def plain(value):
    """Return values without pandas and numpy; missing ones alike."""
    if isinstance(value, pd.DataFrame):
        return {str(name): plain(column) for name, column in value.items()}
    if isinstance(value, pd.Series):
        return list(map(str, value.index)), plain(value.tolist())
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return list(map(plain, value))
    if isinstance(value, dict):
        return {name: plain(inside) for name, inside in value.items()}
    return None if pd.isna(value) else value


def test_lists_do_what_python_lists_do(tmp_path):
    tags = [["c", "web"], None, ["c"], ["xml", None], None, ["web", "c", "xml"]]
    licenses = [[{"name": "gpl", "nice_name": "GPL"}], None, None, [{"name": "mit"}], None, None]
    records = [
        record(
            n,
            inner="".join(f"<tag>{tag or ''}</tag>" for tag in tags[n] or ()).join(
                ("<tags>", "</tags>") if tags[n] else ("", "")
            )
            + "".join(
                f"<licenses><license>{''.join(f'<{k}>{v}</{k}>' for k, v in one.items())}</license></licenses>"
                for one in licenses[n] or ()
            ),
        )
        for n in range(6)
    ]
    frame = read([page_xml(records)])[["id", "tags", "licenses"]]
    frame.insert(1, "language", ["C", "C", "Java", None, "Java", "C"])
    frame = frame.assign(id=list("abcdef"))
    assert frame["tags"].tolist() == tags
    python = frame.assign(
        tags=frame["tags"].astype(object), licenses=frame["licenses"].astype(object)
    )
    failures = []
    for number, idiom in enumerate(IDIOMS):
        for rows in (6, 0) if number in (5, 6, 7, 9, 12, 20, 28) else (6,):
            ours, others = plain(idiom(frame[:rows])), plain(idiom(python[:rows]))
            if ours != others:
                failures.append((number, rows, ours, others))
    assert not failures
    # Nothing that was done changed the frame, and nothing else than lists is let in.
    put(frame, ["new"])
    frame["tags"].tolist()[0].append("new")
    assert frame["tags"].tolist() == tags
    for value in ("a text", 7, [{"name": "C"}], ["C", {"name": "C"}]):
        with pytest.raises(TypeError):
            put(frame, value)
    for position in (6, -7):
        with pytest.raises(IndexError):
            frame["tags"].array[position]
        with pytest.raises(IndexError):
            frame["tags"].array.take([position])
    with pytest.raises(ValueError, match="-1"):
        frame["tags"].array.take([-2], allow_fill=True)
    for suffix in ("parquet", "feather"):
        for name, lists in (("ours", frame), ("python", python)):
            getattr(lists, f"to_{suffix}")(tmp_path / f"{name}.{suffix}")
        back = [
            getattr(pd, f"read_{suffix}")(tmp_path / f"{n}.{suffix}") for n in ("ours", "python")
        ]
        assert plain(back[0]) == plain(back[1])
    many = [record(n, inner="<tags><tag>Java</tag><tag>C</tag></tags>") for n in range(500)]
    column = read([page_xml(many)])["tags"]
    assert column.memory_usage(index=False, deep=True) * 10 < 500 * (2 * 53 + 72)
