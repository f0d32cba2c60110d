from __future__ import annotations

from dirframe.service.synthetic.tables import read_rows, read_table


def test_a_table_keeps_the_order_of_its_entries_which_draws_depend_on() -> None:
    companions = read_table("projects.toml")["companions"]
    assert list(companions)[:3] == ["XML", "HTML", "shell script"]
    assert companions["XML"] == 20


def test_the_bounds_of_statements_ascend_so_that_the_first_one_above_a_figure_fits() -> None:
    for statements in read_table("projects.toml")["factoids"].values():
        bounds = [bound for bound, _, _ in statements]
        assert bounds == sorted(set(bounds))


def test_a_row_has_a_value_under_each_name_of_the_head() -> None:
    rows = read_rows("cities.csv")
    assert len(rows) > 100
    assert all(row["country"] and row["city"] and float(row["latitude"]) for row in rows)
