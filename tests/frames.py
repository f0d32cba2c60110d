"""Small frames of each resource: for charts and statistics, with odd texts, with every dtype."""

import tempfile
from functools import cache
from pathlib import Path

import pandas as pd
from hypothesis import strategies as st

import dirframe
from dirframe.provenance import set_provenance
from tests.rig.server import page_xml, record

GPL = {"name": "gpl3", "nice_name": "GNU General Public License 3.0"}
SOURCE = "A $directory$ of <names>"
#: Names that are markup, mathematics, of another script, or too long for a line.
ODD = [
    "<script>alert(1)</script>",
    "$x^2$ & C#_%",
    "Язык программирования",
    "A very long name that goes on and on, from the Institute of Endless Names and Titles",
    "Averylongnamewithoutasingleblankinit" * 3,
]
MOMENT = "datetime64[us, UTC]"
LANGUAGE = "analysis_main_language_name"
PEOPLE = "analysis_twelve_month_contributor_count"
LINES = "analysis_total_code_lines"
FIRST, LAST, FETCHED = "analysis_min_month", "analysis_max_month", "analysis_logged_at"


def with_provenance(frame, **facts):
    """Return a frame with these facts in its provenance, as a loader records them."""
    return set_provenance(frame, **facts)


def accounts(number=40, **columns):
    """Make accounts in 8 countries, of 10 ranks, with 0 to 2,000 posts."""
    return _accounts(number).assign(**columns)


@cache
def _accounts(number):
    rows = range(number)
    countries = ["DE", "FR", "US", "NA", "SG", "BR", "IN", None]
    codes = [countries[row % 8] for row in rows]
    return _loaded(
        "account",
        id=("str", rows),
        country_code=("str", codes),
        country_alpha_2=("str", codes),
        country_name=("str", codes),
        kudo_score_kudo_rank=("Int64", [row % 11 or None for row in rows]),
        posts_count=("Int64", [0 if row % 3 else row**2 for row in rows]),
        created_at=(MOMENT, months([row % 30 for row in rows])),
    )


def projects(number=40, **columns):
    """Make projects in 8 main languages, with 0 to 1,600 contributors."""
    return _projects(number).assign(**columns)


@cache
def _projects(number):
    rows = range(number)
    languages = ["C", "Java", "Lua", "Ada", *ODD[:3], None]
    spoken = [languages[row % 8] for row in rows]
    odd = (ODD * number)[:number]
    breakdown = [[{"language": name, "percentage": "50", "id": "1"}] for name in spoken]
    return _loaded(
        "project",
        id=("str", rows),
        name=("str", odd),
        created_at=(MOMENT, months([row % 30 for row in rows])),
        stack_count=("Int64", [row * 37 % 5000 for row in rows]),
        **{
            LANGUAGE: ("str", spoken),
            LINES: ("Int64", [1000] * number),
            PEOPLE: ("Int64", [row**2 % 1601 if row % 2 else 0 for row in rows]),
            FIRST: (MOMENT, months([row % 30 for row in rows])),
            LAST: (MOMENT, months([row % 30 + row for row in rows])),
            # After all of their months: what is known of one project is known of all.
            FETCHED: (MOMENT, months([number + 30] * number)),
        },
        tags=("object", [[name, "web"] for name in odd]),
        licenses=("object", [[GPL, {"name": name}] for name in odd]),
        analysis_languages=("object", breakdown),
    )


def contributors(number=40):
    """Make contributors of a project, with 0 to 1,600 commits."""
    return _contributors(number).copy()


@cache
def _contributors(number):
    return _loaded(
        "contributor_fact",
        contributor_id=("str", range(number)),
        contributor_name=("str", (ODD * number)[:number]),
        commits=("Int64", [row**2 % 1601 for row in range(number)]),
    )


def activity_facts(number=40):
    """Make months of a project, with 0 to 1,600 commits."""
    return _activity_facts(number).copy()


@cache
def _activity_facts(number):
    return _loaded(
        "activity_fact",
        month=(MOMENT, months(range(number))),
        commits=("Int64", [row**2 % 1601 for row in range(number)]),
        contributors=("Int64", [row % 17 for row in range(number)]),
    )


def _loaded(resource, **columns):
    """Return a frame of columns, each of which has a dtype and values."""
    frame = pd.DataFrame()
    for name, (dtype, values) in columns.items():
        frame[name] = pd.Series(values, dtype=dtype)
    return with_provenance(frame, resource=resource, source=SOURCE)


def months(numbers):
    """Return first days of months, counted from January 2010."""
    moments = [pd.Timestamp(2010 + n // 12, n % 12 + 1, 1, tz="UTC") for n in numbers]
    return pd.Series(moments, dtype=MOMENT)


#: What the first of three projects has, as XML.
RICH = (
    '<name>Größe, "quoted"\nand broken</name><description>NA</description>'
    "<created_at>2007-01-08T09:10:11Z</created_at><stack_count>7</stack_count>"
    "<homepage_url>=1+1</homepage_url>"
    "<tags><tag>c++</tag><tag>a,b</tag></tags>"
    '<analysis><languages><language percentage="98">C</language>'
    "<language>other</language></languages></analysis>"
)


def rich():
    """Return three projects of which the first has everything, as a loader returns them."""
    return _rich().copy()


@cache
def _rich():
    records = [record(1, inner=RICH), record(2), record(3, name="NA")]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.xml"
        page.write_bytes(page_xml(records, available=3, first=0))
        frame = dirframe.read_pages(page)
    return with_provenance(
        frame, source="A <b>directory</b>", base_url="https://directory.example", query={}
    )


# Strategies

_NASTY = [
    "", "NA", "null", "nan", "007", "1e5", "2020-01-01", "=1+1", "+1", "-1", "@x", "'=1", "'", "''@",
    "\t=1", "\r", "\n", "a\r\nb", "\\", '"', '""', " x ", "a|b", "\0", "\x01", "\ufeff", "\ufffe",
    "\uffff", "\u2028", "_x000D_", "é́🙂",
]  # fmt: skip
#: Texts, missing ones among them, that a file, a spreadsheet or a page can take for something else.
NASTY = st.one_of(
    st.none(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from([*_NASTY, ODD[0]]),
)
_MOMENT = st.datetimes(
    min_value=pd.Timestamp(1700, 1, 1).to_pydatetime(),
    max_value=pd.Timestamp(2200, 1, 1).to_pydatetime(),
)
_ENTRY = st.one_of(NASTY, st.dictionaries(st.sampled_from("abc"), NASTY, max_size=3))
_NUMBER = st.one_of(st.none(), st.floats(allow_nan=False))
#: What a column of each name and dtype holds.
_COLUMNS = {
    "id": ("str", NASTY),
    "count": ("Int64", st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))),
    "share": ("Float64", _NUMBER),
    "plain": ("int64", st.integers(-9, 9)),
    "float": ("float64", _NUMBER),
    "sure": ("bool", st.booleans()),
    "perhaps": ("boolean", st.one_of(st.none(), st.booleans())),
    "when": ("datetime64[us]", st.one_of(st.none(), _MOMENT)),
    "lists": ("object", st.one_of(st.none(), st.lists(_ENTRY, max_size=3))),
    "kind": ("str", st.sampled_from(["a", "=b", None])),
    "=name, \"'": ("str", NASTY),
}


@st.composite
def frames(draw):
    """Draw a frame with every dtype that frames have, and whatever text there is."""
    rows = draw(st.integers(0, 4))
    columns = {}
    for name, (dtype, values) in _COLUMNS.items():
        drawn = draw(st.lists(values, min_size=rows, max_size=rows))
        columns[name] = pd.Series(drawn, dtype=dtype)
    frame = pd.DataFrame(columns)
    kinds = pd.CategoricalDtype(pd.Index(["a", "=b"], dtype="str"))
    frame["kind"] = frame["kind"].astype(kinds)
    frame["zoned"] = frame["when"].dt.tz_localize("UTC").dt.tz_convert("Asia/Kathmandu")
    frame["utc"] = frame["when"].dt.tz_localize("UTC")
    return with_provenance(frame, source="A directory", resource="project", complete=True)
