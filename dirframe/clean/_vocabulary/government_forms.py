"""Forms of government in country names, including East Asian suffixes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from dirframe.clean._vocabulary.territories import STATES_OF
from dirframe.clean._vocabulary.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable


#: Countries that call or called themselves a state. For others the word means a member of a
#: federation: the state of Georgia, Estado de México.
_STATES: Final = words("states")
_STATE_WORDS: Final = words("state_words")
#: The parts of France that are a department, an overseas territory, or a collectivity.
_DEPARTMENTS: Final = words("departments")
_DEPARTMENT_WORDS: Final = words("department_words")
_TERRITORY_WORDS: Final = words("territory_words")
_TERRITORIES: Final = frozenset(STATES_OF) | {"PS", "EH", "AQ"}

# Chinese, Japanese and Korean append the form of government to the name.
_TAIL: Final = re.compile(
    "(?:民主|人民|社会主义|社會主義|社会主義|社主義|联邦|聯邦|連邦|伊斯兰|伊斯蘭|イスラム|アラブ|合作|協同|独立|獨立|联合|聯合|連合"
    "|多民族|玻利瓦尔|ボリバル|東方|哈希姆|ハシミテ|이슬람|민주|인민|사회주의|연방|협동|연합|독립)*"
    "(?:共和国|共和國|大公国|大公國|公国|公國|酋长国|酋長國|首長国|苏丹国|蘇丹國|王国|王國|联邦|聯邦|連邦|联盟|聯盟|連合"
    "|国|國|연방|공화국|왕국|공국|대공국|연합|술탄국|독립국|다민족국|국)$"
)
_HEAD: Final = re.compile("^阿拉伯(?=.{2})")
#: Minimum number of letters left in a name: 大国 is not a name.
_ENOUGH: Final = 2


def allows_form(words: Iterable[str], alpha_2: str) -> bool:
    """Return whether these words around a name can mean the country as a whole."""
    present = set(words)
    if present & _STATE_WORDS:
        return alpha_2 in _STATES
    if present & _DEPARTMENT_WORDS:
        return alpha_2 in _DEPARTMENTS
    if present & _TERRITORY_WORDS:
        return alpha_2 in _TERRITORIES
    # Republic China: the Republic of China is Taiwan, the People's Republic is not.
    return alpha_2 != "CN" or len(present) > 1


def without_form(key: str) -> str | None:
    """Return an East Asian key without the appended form of government."""
    bare = _TAIL.sub("", key)
    if bare == key or len(bare) < _ENOUGH:
        return None
    return _HEAD.sub("", bare)
