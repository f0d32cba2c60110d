"""Detect markers of missing values, such as "unknown" and "n/a"."""

from __future__ import annotations

import re
from typing import Final

from dirframe.clean._reasons import Reason
from dirframe.clean.name_index import Resolution

NULL_MARKER: Final = Resolution(None, reason=Reason.NULL_MARKER)

_TOKENS: Final = re.compile(r"[^\W\d_]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Markers of spreadsheets, data tools and forms.
_MARKERS: Final = _words("""
    na nan null none nil nul nat nd nv nvt ka sd nr ns nc nsp nk nb bd tba tbc tbd unk undef
    undefined inf ind qnan snan ref err void blank empty missing unknown unspecified unassigned
    undisclosed unavailable undetermined unidentified other others various multiple nowhere
    anywhere everywhere test private hidden secret anonymous placeholder
    unbekannt inconnu inconnue desconocido desconocida desconhecido sconosciuto onbekend nieznany
    nieznane okänd ukendt ukjent tuntematon neznámý ismeretlen necunoscut bilinmiyor belirtilmemiş
    aucun ninguno nenhum nessuno keine geen brak yok
    неизвестно неизвестна неизвестный недоступно невідомо нд άγνωστο άγνωστη δδ مجهول نامشخص
    未知 不明 不详 不詳 无 無 なし 該当なし 未指定 不适用 不適用 暂无 未定 없음 미상
    """)

#: Words that markers are composed of.
_WORDS: Final = _words("""
    n a k s d v t b o not no non nao não available applicable specified stated known provided
    given set found defined disclosed answer country data value name num div null information
    response don dont know to be determined announced confirmed error the
    angabe angegeben verfügbar nicht zutreffend disponible spécifié renseigné sans objet aplica
    especificado datos dato sin sem dados disponível aplicável informado disponibile applicabile
    specificato niet beschikbaar van toepassing danych nie dotyczy mevcut değil nombre valor wert
    nom valeur нет данных указано применимо не немає даних لا ينطبق غير معروف متوفر متاح محدد
    알 수 해당
    """)

_PARTS: Final = _MARKERS | _WORDS

#: Longer than any marker.
_LONGEST: Final = 60


def is_null_marker(text: str) -> bool:
    """Return whether a text consists only of markers of a missing value.

    The text `NA` in capitals is the code of Namibia.
    """
    if len(text) > _LONGEST or text.strip() == "NA":
        return False
    lower = text.casefold()
    first = _TOKENS.search(lower)
    if first is None or first[0] not in _PARTS:
        return False
    tokens = set(_TOKENS.findall(lower))
    if tokens <= _MARKERS:
        return True
    return len(tokens) > 1 and tokens <= _PARTS
