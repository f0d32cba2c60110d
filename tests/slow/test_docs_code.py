"""Code of the documentation that loads, harvests or draws much: pages, and the quick start."""

import pytest

from tests.test_docs import (
    LONG,
    check_page,
    code_of,
    configured,  # noqa: F401  # a fixture
    run,
)


@pytest.mark.parametrize("page", LONG)
def test_code_of_a_page_runs_in_its_order_without_a_warning(page, configured, monkeypatch):  # noqa: F811  # the fixture
    check_page(page, monkeypatch)


def test_quick_start_runs_without_a_warning(configured):  # noqa: F811  # the fixture
    names = run(code_of("quick_start"))
    assert len(names["projects"]) == 1_500
    assert names["accounts"]["country_alpha_2"].notna().sum() > 1_000
