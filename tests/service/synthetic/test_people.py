from __future__ import annotations

from collections import Counter
from random import Random

import pycountry
import pytest

from dirframe.service.synthetic.people import COUNTRIES, Country, country_code, location, person


def all_countries() -> list[Country]:
    return list(
        {
            COUNTRIES.at(step / 20_000).code: COUNTRIES.at(step / 20_000) for step in range(20_000)
        }.values()
    )


@pytest.mark.parametrize("country", all_countries(), ids=lambda country: country.code)
def test_a_country_has_a_code_cities_and_people(country: Country) -> None:
    assert country.code == "XK" or pycountry.countries.get(alpha_2=country.code)
    assert country.cities
    assert country.cultures
    draw = Random(1).random
    for _ in range(50):
        assert person(country, draw).strip()
        claimed, (latitude, longitude) = location(country, draw)
        assert claimed
        assert -90 <= float(latitude) <= 90
        assert -180 <= float(longitude) <= 180


def test_the_table_has_a_country_for_every_city() -> None:
    assert len(all_countries()) == 82
    assert sum(len(country.cities) for country in all_countries()) == 182


def shares(code: str) -> Counter[str]:
    country = next(each for each in all_countries() if each.code == code)
    draw = Random(3).random
    return Counter(country_code(country, draw) for _ in range(4_000))


def test_the_first_geocoder_gives_two_letters() -> None:
    found = shares("DE")
    assert found["DE"] / 4_000 == pytest.approx(0.95, abs=0.02)
    assert found["Deutschland"] > 0


def test_the_second_geocoder_gives_names_and_now_and_then_a_code() -> None:
    found = shares("GB")
    assert found["GB"] / 4_000 == pytest.approx(0.12, abs=0.02)
    assert found["United Kingdom"] > 0.3 * 4_000
    assert found["England"] > 0


def test_some_values_come_in_another_case_or_with_blanks() -> None:
    found = shares("FR")
    assert {"fr", "FR ", "FR\u00a0", "FR,"} <= found.keys()
