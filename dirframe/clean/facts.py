"""Words around names of countries, and which state a territory belongs to.

What stays out: names themselves (`names`, `own`).
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "ADJECTIVES",
    "ARTICLES",
    "CONNECTORS",
    "FORMS",
    "GOVERNMENTS",
    "ISLANDS",
    "ISLAND_TAILS",
    "ISLAND_WORDS",
    "KINDS",
    "SHORT",
    "STATES_OF",
]

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
ksiestwo commonwealth federation confederation duchy duche ducado herzogtum grossherzogtum
granducato groothertogdom bailiwick gemenebest mancomunidad terytorium collectivity territory territoire territorio department
cumhuriyeti kralligi prensligi sultanligi emirligi devleti federasyonu birligi respublikasi
республика королевство княжество государство султанат эмират союз
جمهوريه مملكه دوله اماره سلطنه اتحاد كومنولث
""".split()

_QUALITIES: Final = """
federal federale federative federativa federativo federalna federated islamic islamique islamica
islamische islamitische islamska democratic democratique democratica demokratische
democratische demokratyczna peoples people popular populaire popolare volks socialist socialiste
socialista sozialistische socialistische plurinational bolivarian bolivarienne bolivariana
bolivarische independent independiente independente independant indipendente unabhangiger
onafhankelijke cooperative co operative unitary hashemite hachemite hachemita haschemitische
united grand duchy oriental eastern arab arabe araba arabische
most serene sovereign федеративная исламская демократическая народная социалистическая
""".split()

#: Words for what a state or dependency is.
GOVERNMENTS: Final = frozenset(_GOVERNMENT)

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

#: Words for island, as keys.
ISLAND_WORDS: Final = frozenset(
    """
    island islands isle isles isla islas ile iles ilha ilhas isola isole insel inseln eiland
    eilanden wyspa wyspy adasi adalari ostrov ostrova oya archipelago
    остров острова جزر جزيره
    """.split()
)

#: The same where they are written onto the name.
ISLAND_TAILS: Final = ("群岛", "群島", "諸島", "岛", "島", "eilanden", "eiland", "inseln")

#: Countries that are islands: for these alone the word may come and go.
ISLANDS: Final = frozenset(
    """
    AI AW AX BB BM BS BV CC CK CU CV CW CX CY FJ FK FO GD GG GL GP GU HM IM IS JE JM KI KM KY MH
    MP MQ MS MT MU MV NC NF NR NU PN PR PW RE SB SC SH SJ TC TK TO TV UM VG VI WF YT
    """.split()
)

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
