"""Frames that several tests of the statistics read; none changes them."""

from random import Random

import pytest

from dirframe import provenance, read_pages
from tests import oracle


@pytest.fixture(scope="session")
def frames():
    """Make 60 records of each kind, with a source."""
    records = {kind: oracle.make(kind, Random(3), 60) for kind in oracle.STATISTICS}
    return {
        kind: provenance.set_provenance(oracle.frame(kind, some), source="A directory")
        for kind, some in records.items()
    }


@pytest.fixture(scope="session")
def recorded(shared):
    """Read the recorded answers of a directory: 313 projects."""
    return read_pages(shared / "real" / "pages")
