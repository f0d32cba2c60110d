"""Properties with more examples than the fast tests draw."""

# ruff: noqa: F401  # they are collected here
from tests.clean.test_countries import (
    test_country_answer_is_a_known_code_with_a_rule_or_a_reason,
    test_country_name_beside_another_country_has_no_single_answer,
    test_country_name_in_any_form_of_unicode_resolves_alike,
    test_country_name_that_is_written_twice_resolves,
    test_country_name_with_a_blank_between_all_letters_resolves,
    test_country_unification_done_twice_changes_nothing,
    test_namibia_is_its_two_capital_letters_alone,
)
from tests.client.conftest import read  # a fixture
from tests.client.test_columns import (
    test_inference_loses_nothing_and_does_not_depend_on_order_or_pages,
)
from tests.io.test_read import (
    test_fields_of_the_interface_come_back_from_text_whatever_they_hold,
    test_parquet_of_any_frame_comes_back_as_it_was,
)
from tests.quality.test_compare import test_compare_finds_each_record_new_gone_changed_or_the_same
from tests.service.conftest import cache, imported, open_written  # fixtures
from tests.service.test_store import (
    test_query_finds_what_a_plain_search_finds,
    test_xml_of_any_texts_and_elements_comes_out_as_it_went_in,
)
from tests.stats.test_strata import (
    test_strata_hold_each_record_once,
    test_strata_of_few_records_are_together,
)
from tests.test_provenance import test_records_are_compared_with_those_loaded_by_their_numbers
from tests.test_selection import test_activity_is_that_of_the_statistic
