"""Words that accompany country names, as keys."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Articles before a name or, in lists, in brackets after it.
ARTICLES: Final = _words("the la le les l el los las il lo gli i os as a o die der das den de het")

#: Words between a form of government and a name.
CONNECTORS: Final = _words(
    "of the and de du des d da do dos das di del della dello dei degli dell van von der den het "
    "la le les el los las il lo gli y e et und en i"
)

_GOVERNMENT: Final = _words("""
republic republique republica republik repubblica republiek republika respublika republiken republikken
kingdom royaume reino konigreich regno koninkrijk krolestwo kongeriket kongeriget konungariket
state etat estado staat stato panstwo sultanate sultanat sultanato sultanaat emirate emirat
emirato emiraat principality principaute principado furstentum principato prinsdom vorstendom
ksiestwo commonwealth federation confederation duchy duche ducado herzogtum grossherzogtum
granducato groothertogdom bailiwick gemenebest mancomunidad terytorium collectivity territory territoire territorio department
cumhuriyeti kralligi prensligi sultanligi emirligi devleti federasyonu birligi respublikasi
kraljevina knezevina drzava federacija komonvelt kralovstvi kralovstvo knizectvi kniezatstvo
federace federacia regatul statul principatul sultanatul emiratul
federacion federacao federazione federatie federationen foderation federacja konfederacia
union unionen unione unie uniao unia bailia bailiado baliato baljuwschap baliwat
republiken kungadomet forstendomet forbundsrepubliken staten territoriet departementet
collectivite colectividad coletividade collettivita departement departamento dipartimento
vabariik islamivabariik liitvabariik rahvavabariik kuningriik suurhertsogiriik vurstiriik riik
uhendus sultanaat koztarsasag nepkoztarsasag kiralysag fejedelemseg nagyhercegseg allam szultanatus
tasavalta liittotasavalta kansantasavalta kuningaskunta ruhtinaskunta suurherttuakunta valtio
sulttaanikunta emiirikunta kerajaan negara kesultanan
республика королевство княжество государство султанат эмират союз содружество федерация
република краљевина кнежевина држава кралство кнежество республіка королівство князівство держава
республикасы δημοκρατια βασιλειο πριγκιπατο
جمهوري پادشاهي دولت امارت مملكت سلطنت رياست كومونولث دوقيه اقليم
गणराज्य गणतंत्र साम्राज्य 술탄국 왕국 공화국 공국 대공국 연방 국 독립국 다민족국
جمهوريه مملكه دوله اماره سلطنه اتحاد كومنولث
""")

_QUALITIES: Final = _words("""
federal federale federative federativa federativo federalna federated islamic islamique islamica
islamische islamitische islamska democratic democratique democratica demokratische
democratische demokratyczna peoples people popular populaire popolare volks socialist socialiste
socialista sozialistische socialistische plurinational bolivarian bolivarienne bolivariana
bolivarische independent independiente independente independant indipendente unabhangiger
onafhankelijke cooperative co operative unitary hashemite hachemite hachemita haschemitische
united grand duchy oriental eastern arab arabe araba arabische
most serene sovereign федеративная исламская демократическая народная социалистическая
territoriale soberano soberana sovrano sovrana soevereine serenisima serenissima kooperativa
demokratiska socialistiska islamiska sjalvstandiga oberoende bolivarianska hashimitiska cooperativa
savezna federativna demokratska narodna nezavisna ujedinjena arapska demokraticka ludova lidova
federativni demokraatlik sotsialistlik iseseisev szovetsegi demokratikus szocialista fuggetlen
iszlam demokraattinen sosialistinen islamilainen itsenainen федеративна ісламська демократична
народна савезна демократска исламска независимое независимая
اسلامي دموكراتيك فدرال سوسياليستي مستقل وفاقي عوامي اشتراكي ازاد
""")

#: Words for the form of a state or dependency.
GOVERNMENTS: Final = _GOVERNMENT

#: Words for the kind of state; on their own they name no country.
KINDS: Final = _GOVERNMENT | _QUALITIES

#: Words of `KINDS` that may also follow the name.
FORMS: Final = _words("""
    republic kingdom cumhuriyeti kralligi prensligi sultanligi emirligi devleti federasyonu
    birligi federal islam demokratik halk bagimsiz respublikasi республикасы गणराज्य गणतंत्र
    술탄국 왕국 공화국 공국 대공국 연방 국 독립국 다민족국 인민 민주 연합 협동 동방
    vabariik islamivabariik liitvabariik rahvavabariik kuningriik suurhertsogiriik vurstiriik riik
    uhendus sultanaat demokraatlik sotsialistlik iseseisev
    koztarsasag nepkoztarsasag kiralysag fejedelemseg nagyhercegseg allam szultanatus szovetsegi
    demokratikus szocialista fuggetlen iszlam
    tasavalta liittotasavalta kansantasavalta kuningaskunta ruhtinaskunta suurherttuakunta valtio
    sulttaanikunta emiirikunta demokraattinen sosialistinen islamilainen itsenainen
    شعبيه ديمقراطيه اسلاميه اتحاديه اشتراكيه تعاونيه متحده عربيه مستقله كبري هاشميه
    """)

#: The ending of a name before a form of government: Estonian and Hungarian, and Finnish.
ENDINGS: Final = {
    **dict.fromkeys(
        _words("""
        vabariik islamivabariik liitvabariik rahvavabariik kuningriik suurhertsogiriik vurstiriik
        riik uhendus sultanaat koztarsasag nepkoztarsasag kiralysag fejedelemseg nagyhercegseg allam
        szultanatus
        """),
        "i",
    ),
    **dict.fromkeys(
        _words("""
        tasavalta liittotasavalta kansantasavalta kuningaskunta ruhtinaskunta suurherttuakunta valtio
        sulttaanikunta emiirikunta
        """),
        "n",
    ),
}

#: Abbreviations that are also used without a point.
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
    "gt": "great",
    "cent": "central",
    "equat": "equatorial",
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
ISLAND_WORDS: Final = _words("""
    island islands isle isles isla islas ile iles ilha ilhas isola isole insel inseln eiland
    eilanden wyspa wyspy adasi adalari ostrov ostrova oya archipelago
    остров острова جزر جزيره جزاير otok otoci ostrvo ostrva ostrovy saar saared sziget szigetek
    saaret kepulauan
    """)

#: Words for island that are appended to the name without a space.
ISLAND_TAILS: Final = ("群岛", "群島", "諸島", "岛", "島", "eilanden", "eiland", "inseln")
