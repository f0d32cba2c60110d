"""Words around names of countries, and which state a territory belongs to.

What stays out: names themselves (`names`, `own`).
"""

from __future__ import annotations

from typing import Final

__all__ = ["ADJECTIVES", "ARTICLES", "CONNECTORS", "FORMS", "KINDS", "SHORT", "STATES_OF"]

#: Articles that stand before a name or, in lists, in brackets after it.
ARTICLES: Final = frozenset("the la le les l el los las il lo gli i os as a o die der das den de het".split())

#: Words between a form of government and a name.
CONNECTORS: Final = frozenset(
    "of the and de du des d da do dos das di del della dello dei degli dell van von der den het "
    "la le les el los las il lo gli y e et und en i".split()
)

_GOVERNMENT: Final = """
republic republique republica republik repubblica republiek republika respublika republiken
kingdom royaume reino konigreich regno koninkrijk krolestwo kongeriket kongeriget konungariket
state etat estado staat stato panstwo sultanate sultanat sultanato sultanaat emirate emirat
emirato emiraat principality principaute principado furstentum principato prinsdom vorstendom
ksiestwo commonwealth union unione uniao federation confederation
""".split()

_QUALITIES: Final = """
federal federale federative federativa federativo federalna federated islamic islamique islamica
islamische islamitische islamska democratic democratique democratica demokratische
democratische demokratyczna peoples people popular populaire popolare volks socialist socialiste
socialista sozialistische socialistische plurinational bolivarian bolivarienne bolivariana
bolivarische independent independiente independente independant indipendente unabhangiger
onafhankelijke cooperative co operative unitary hashemite hachemite hachemita haschemitische
united grand duchy oriental eastern arab arabe araba arabische
республика королевство княжество государство султанат эмират союз федеративная исламская
демократическая народная социалистическая объединенная федеративная
جمهوريه جمهورية مملكه مملكة دوله دولة اماره إمارة سلطنه سلطنة اتحاد
""".split()

#: Words for what kind of state a name belongs to; alone they name none.
KINDS: Final = frozenset(_GOVERNMENT + _QUALITIES)

#: Of these, the ones that also follow the name.
FORMS: Final = frozenset(
    """
    republic kingdom cumhuriyeti kralligi prensligi sultanligi emirligi devleti federasyonu
    birligi federal islam demokratik halk bagimsiz respublikasi
    """.split()
)

#: Abbreviations that are used without a point as well.
SHORT: Final = {
    "rep": "republic",
    "repub": "republic",
    "dem": "democratic",
    "demo": "democratic",
    "ppl": "peoples",
    "peop": "peoples",
    "terr": "territories",
    "is": "islands",
    "isl": "islands",
    "isls": "islands",
    "isds": "islands",
    "fed": "federated",
    "sts": "states",
    "brit": "british",
    "utd": "united",
    "afr": "african",
    "dpr": "democratic peoples republic",
    "pdr": "peoples democratic republic",
    "sar": "special administrative region",
    "ssr": "soviet socialist republic",
    "fyr": "former yugoslav republic",
    "tfyr": "former yugoslav republic",
    "hrz": "herzegovina",
    "herz": "herzegovina",
    "herzeg": "herzegovina",
    "gren": "grenadines",
    "ant": "antarctic",
    "n": "north",
    "s": "south",
    "st": "saint",
    "us": "united states",
    "uk": "united kingdom",
}

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
    territory: state for state, found in _TERRITORIES.items() for territory in found.split()
}

#: How a state is named beside its territory.
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
