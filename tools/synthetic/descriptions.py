"""Generate names, descriptions and tags of synthetic projects."""

# They are composed of words in `tables/words.toml`; any resemblance to real projects is
# coincidental.

from __future__ import annotations

import re
from math import gcd

from tools.synthetic import calibration
from tools.synthetic.calibration import CURVES
from tools.synthetic.distributions import Draw, WeightedChoice, pick, read_table

_TABLE = read_table("words.toml")
_NAME = {key: words.split() for key, words in _TABLE["name"].items()}
_TEXT = _TABLE["text"]
_TAGS = _TABLE["tags"]["all"].split()
_STYLES = WeightedChoice(
    {"word": 41, "suffix": 9, "prefix": 8, "image": 9, "kind": 18, "domain": 8, "letters": 7}
)
#: A placeholder of a template, with the article before it.
_GAP = re.compile(r"(?:\b([aA]) )?\{([a-z]+)(2?)\}")
#: Number of sentences, from the first, that can open a description.
_OPENINGS = 3
#: Strides between sentences that visit all of them before a repetition.
_STRIDES = [n for n in range(2, len(_TEXT["sentence"])) if gcd(n, len(_TEXT["sentence"])) == 1]
#: Only descriptions of several sentences have paragraphs, about three of four.
_LONG_ENOUGH = 4 / 3


def project_name(draw: Draw) -> tuple[str, str]:
    """Generate a name, and a word of it for URLs."""
    word = ""
    for _ in range(2 if draw() < 0.2 else 1):
        word += pick(_NAME["onset"], draw) + pick(_NAME["vowel"], draw)
    word += pick(_NAME["coda"], draw) + pick(_NAME["ending"], draw)
    return _styled(word, _STYLES.at(draw()), draw), word


def _styled(word: str, style: str, draw: Draw) -> str:
    capitalized = word.capitalize()
    match style:
        case "word":
            name = word if draw() < 0.25 else capitalized
        case "suffix":
            name = capitalized + pick(_NAME["suffix"], draw)
        case "prefix":
            name = pick(_NAME["prefix"], draw) + (word if draw() < 0.5 else capitalized)
        case "image":
            joint = "" if draw() < 0.5 else " "
            name = pick(_NAME["colour"], draw) + joint + pick(_NAME["thing"], draw)
        case "kind":
            name = f"{capitalized} {pick(_TEXT['kind'], draw).title()}"
        case "domain":
            name = f"{pick(_TEXT['kind'], draw).title()} for {pick(_TEXT['domain'], draw).title()}"
        case _:
            name = word[: 2 + int(draw() * 3)].upper()
    return name


def _filled(template: str, name: str, draw: Draw) -> str:
    def fill(gap: re.Match[str]) -> str:
        article, kind, second = gap.groups(default="")
        if kind == "name":
            return name
        words = _TEXT[kind]
        if f"{{{kind}2}}" in template:  # two of a kind get disjoint words, so that they never agree
            words = words[len(second) :: 2]
        word: str = pick(words, draw)
        return f"{article}{'n' * (word[0] in 'aeiou')} {word}" if article else word

    text = _GAP.sub(fill, template)
    return text if template.startswith("{name}") else text[0].upper() + text[1:]


def description(name: str, draw: Draw) -> str:
    """Generate a description of realistic length; some have paragraphs."""
    length = CURVES["description_length"].at(draw())
    if length < 50:
        return _filled(pick(_TEXT["tagline"], draw), name, draw)
    sentences = _TEXT["sentence"]
    turn = int(draw() * _OPENINGS)
    stride = pick(_STRIDES, draw)
    text = _filled(sentences[turn], name, draw)
    joint = " "
    if draw() < calibration.WITH_CARRIAGE_RETURN * _LONG_ENOUGH:
        joint = "\r\n\r\n"
    while len(text) + 35 < length:
        turn = (turn + stride) % len(sentences)
        text += joint + _filled(sentences[turn], name, draw)
        joint = " "
    return text


def tags(count: int, language: str | None, draw: Draw) -> list[str]:
    """Generate `count` distinct tags, often including the main language."""
    chosen: dict[str, None] = {}
    if language and count > 1 and draw() < 0.5:
        chosen[language.lower()] = None
    while len(chosen) < count:
        chosen[_TAGS[int(draw() ** 2 * len(_TAGS))]] = None
    return list(chosen)
