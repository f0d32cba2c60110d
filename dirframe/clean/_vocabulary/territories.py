"""Territories and their states, and the countries that are islands."""

from __future__ import annotations

from typing import Final


def _codes(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Island countries: only for these is the word for island optional.
ISLANDS: Final = _codes("""
    AI AW AX BB BM BS BV CC CK CU CV CW CX CY DM FJ FK FO GD GG GL GP GU HM IM IS JE JM KI KM KY LC MH
    MP MQ MS MT MU MV NC NF NR NU PN PR PW RE SB SC SH SJ TC TK TO TV UM VG VI VU WF YT
    """)

_TERRITORIES: Final = {
    "AU": "CC CX HM NF",
    "CN": "HK MO TW",
    "DK": "FO GL",
    "FI": "AX",
    "FR": "BL GF GP MF MQ NC PF PM RE TF WF YT",
    "GB": "AI BM FK GG GI GS IM IO JE KY MS PN SH TC VG",
    "NL": "AW BQ CW SX",
    "NO": "BV SJ",
    "NZ": "CK NU TK",
    "US": "AS GU MP PR UM VI",
}

#: The state of each territory that has a code of its own.
STATES_OF: Final = {
    territory: state for state, codes in _TERRITORIES.items() for territory in codes.split()
}

#: Adjectives and phrases that name the state of a territory.
ADJECTIVES: Final = {
    "british": "GB",
    "br": "GB",
    "british overseas territory": "GB",
    "uk overseas territory": "GB",
    "crown dependency": "GB",
    "british crown dependency": "GB",
    "french": "FR",
    "fr": "FR",
    "overseas france": "FR",
    "french part": "FR",
    "french overseas": "FR",
    "french overseas territory": "FR",
    "dutch": "NL",
    "neth": "NL",
    "netherlands antilles": "NL",
    "dutch part": "NL",
    "danish": "DK",
    "norwegian": "NO",
    "finnish": "FI",
    "american": "US",
    "us territory": "US",
    "australian": "AU",
    "chinese": "CN",
    "sar": "CN",
    "special administrative region": "CN",
    "sar of china": "CN",
    "sar china": "CN",
    "province of china": "CN",
}
