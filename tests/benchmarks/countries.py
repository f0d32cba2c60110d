"""How many raw countries are resolved and how many wrongly, beside other libraries; and how fast.

The peers are optional (pip install country-converter countrynames rigour); one that is missing is
named as such.
The pairs come from the development set beside the checkout, which is no part of the project.

Speed: a million rows with 250 distinct values against factorize and a ready dict of the same
values; distinct values a second, over the set repeated; and the tables' load time, each in a
fresh process. Medians of one run.
"""

import csv
import importlib
import logging
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
import pycountry

from dirframe.clean import unify_countries
from dirframe.clean.resolver import resolve
from tests.benchmarks._report import Cell, Listing, Measure, Table

SET = Path(__file__).resolve().parents[3] / "shared" / "countries" / "dev.csv"
ROWS, VALUES, ROUNDS = 1_000_000, 250, 7
#: Answers for these would be the country that a city or a state lies in.
PARTS = ("trap-city", "trap-subnational", "trap-embedded")

LOAD = """
import time, pycountry
from dirframe.clean.names import countries
countries(), list(pycountry.countries)
import dirframe.clean.names as names
start = time.perf_counter()
names.names()
print(time.perf_counter() - start)
"""

Resolver = Callable[[str], str | None]


def ours():
    return lambda raw: resolve(raw).alpha_2


def pycountry_lookup():
    def answer(raw):
        try:
            return str(pycountry.countries.lookup(raw).alpha_2)
        except LookupError:
            return None

    return answer


def pycountry_fuzzy():
    def answer(raw):
        try:
            return str(pycountry.countries.search_fuzzy(raw)[0].alpha_2)
        except LookupError:
            return None

    return answer


def country_converter():
    module = importlib.import_module("country_converter")
    logging.getLogger("country_converter").setLevel(logging.CRITICAL)
    convert = module.CountryConverter().convert

    def answer(raw):
        found = convert(raw, to="ISO2", not_found="")
        return found if isinstance(found, str) and len(found) == 2 else None

    return answer


def countrynames():
    to_code = importlib.import_module("countrynames").to_code

    def answer(raw):
        found = to_code(raw)
        return found if found is None or len(found) == 2 else None

    return answer


def rigour():
    territories = importlib.import_module("rigour.territories")

    def answer(raw):
        found = territories.lookup_territory(raw)
        return found.code.upper() if found is not None and len(found.code) == 2 else None

    return answer


CANDIDATES = {
    "dirframe": ours,
    "pycountry, lookup": pycountry_lookup,
    "pycountry, search_fuzzy, first hit": pycountry_fuzzy,
    "country_converter": country_converter,
    "countrynames": countrynames,
    "rigour": rigour,
}


def pairs():
    with SET.open(encoding="utf-8", newline="") as file:
        return [
            (row["raw"], row["expected"] or None, row["category"]) for row in csv.DictReader(file)
        ]


def safely(resolver, raw):
    # A peer that fails on a value has no answer for it.
    try:
        return resolver(raw)
    except Exception:  # noqa: BLE001  # whatever a peer raises
        return None


def accuracy(known):
    wrongs = ("wrong country", "answer where there is none", "country of a city or state")
    table = Table(
        "way",
        Measure("resolved", "share", "higher", ".1%"),
        *(Measure(wrong, "", "lower", ".0f") for wrong in wrongs),
    )
    resolvable = sum(expected is not None for _, expected, _ in known)
    for name, make in CANDIDATES.items():
        try:
            resolver = make()
        except Exception as error:  # noqa: BLE001  # whatever a peer raises
            missing = isinstance(error, ImportError)
            why = "not installed" if missing else "cannot be started with this pandas"
            table.row(name, why, None, None, None)
            continue
        answers = [safely(resolver, raw) for raw, _, _ in known]
        both = list(zip(answers, known, strict=True))
        right = sum(expected is not None and got == expected for got, (_, expected, _) in both)
        wrong = sum(
            expected is not None and got not in (None, expected) for got, (_, expected, _) in both
        )
        extra = [kind for got, (_, expected, kind) in both if expected is None and got is not None]
        containing = sum(kind in PARTS for kind in extra)
        cells = (right / resolvable, wrong, len(extra) - containing, containing)
        table.row(name, *(Cell(cell, directed=name == "dirframe") for cell in cells))


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(values):
    draw = np.random.default_rng(7)
    column = pd.Series(np.array(values, dtype=object)[draw.integers(0, len(values), ROWS)]).astype(
        "str"
    )
    frame = pd.DataFrame({"country_code": column})
    added = ("country_alpha_2", "country_alpha_3", "country_name")
    ready = unify_countries(pd.DataFrame({"country_code": values}))
    by_value = {name: dict(zip(values, ready[name], strict=True)) for name in added}

    def bare():
        codes, uniques = pd.factorize(frame["country_code"])
        result = frame.copy(deep=False)
        for name, answers in by_value.items():
            found = pd.array([answers[value] for value in uniques], dtype="str")
            result[name] = pd.Series(found.take(codes, allow_fill=True))
        return result

    both = [(seconds(lambda: unify_countries(frame)), seconds(bare)) for _ in range(ROUNDS)]
    return median(mine for mine, _ in both) / median(theirs for _, theirs in both)


def distinct_per_second(values):
    resolve(values[0])
    column = [f"{value}{' ' * (number % 7)}" for number in range(40) for value in values]
    distinct = list(dict.fromkeys(column))
    return len(distinct) / median(
        seconds(lambda: [resolve(value) for value in distinct]) for _ in range(ROUNDS)
    )


def load_milliseconds():
    runs = [
        subprocess.run([sys.executable, "-c", LOAD], check=True, capture_output=True, text=True)
        for _ in range(ROUNDS)
    ]
    return 1000 * median(float(run.stdout) for run in runs)


def main():
    if not SET.exists():
        print("The development set is not beside this checkout; accuracy is not measured.")
        values = [country.name for country in pycountry.countries]
    else:
        known = pairs()
        accuracy(known)
        values = [raw for raw, _, _ in known]
    few = list(dict.fromkeys(values))[:VALUES]
    speed = Listing()
    name = f"{ROWS:,} rows, {len(few)} distinct values, against factorize and a dict"
    speed.row(name, ratio(few), better="lower", goal=1.5)
    rate = distinct_per_second(values)
    speed.row("distinct values a second", rate, "", "higher", goal=40_000, form=",.0f")
    speed.row("loading the tables", load_milliseconds(), "ms", "lower", goal=10, form=".1f")


if __name__ == "__main__":
    main()
