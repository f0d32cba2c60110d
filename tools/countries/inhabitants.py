"""Build the table of inhabitants by country; run by hand, seldom.

::

    pip install pypopulation  # World Bank, SP.POP.TOTL, of 2019: CC BY 4.0
    python -m tools.countries.inhabitants
"""

from __future__ import annotations

import csv

import pypopulation

from dirframe.clean.names import countries
from tools.countries.build import TARGET


def main() -> None:
    """Write the inhabitants of each country that the World Bank counts."""
    numbers = {code: pypopulation.get_population_a2(code) for code in sorted(countries())}
    with (TARGET / "inhabitants.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["country_alpha_2", "inhabitants_2019"])
        writer.writerows([code, number] for code, number in numbers.items() if number is not None)


if __name__ == "__main__":
    main()
