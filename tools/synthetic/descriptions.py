"""Generate names, descriptions and tags of synthetic projects."""

# They are composed of words in `tables/words.toml`; any resemblance to real projects is
# coincidental.

from __future__ import annotations

import string
from math import gcd

from tools.synthetic import calibration
from tools.synthetic.distributions import Draw, WeightedChoice, pick, read_table

_TABLE = read_table("words.toml")
_NAME = {key: tuple(words.split()) for key, words in _TABLE["name"].items()}
_TEXT = _TABLE["text"]
_TAGS = tuple(_TABLE["tags"]["all"].split())


def _coined(draw: Draw) -> str:
    syllables = 2 if draw() < 0.2 else 1
    parts: list[str] = []
    for _ in range(syllables):
        parts += (pick(_NAME["onset"], draw), pick(_NAME["vowel"], draw))
    return "".join((*parts, pick(_NAME["coda"], draw), pick(_NAME["ending"], draw)))


def _plain(word: str, draw: Draw) -> str:
    return word if draw() < 0.25 else word.capitalize()


def _with_suffix(word: str, draw: Draw) -> str:
    return word.capitalize() + pick(_NAME["suffix"], draw)


def _with_prefix(word: str, draw: Draw) -> str:
    return pick(_NAME["prefix"], draw) + (word if draw() < 0.5 else word.capitalize())


def _with_kind(word: str, draw: Draw) -> str:
    return f"{word.capitalize()} {pick(_KINDS, draw).title()}"


def _image(_word: str, draw: Draw) -> str:
    joint = "" if draw() < 0.5 else " "
    return f"{pick(_NAME['colour'], draw)}{joint}{pick(_NAME['thing'], draw)}"


def _long(_word: str, draw: Draw) -> str:
    return f"{pick(_KINDS, draw).title()} for {pick(_DOMAINS, draw).title()}"


def _letters(word: str, draw: Draw) -> str:
    return word[: 2 + int(draw() * 3)].upper()


_KINDS = tuple(_TEXT["kind"])
_DOMAINS = tuple(_TEXT["domain"])
_STYLES = WeightedChoice(
    {_plain: 41, _with_suffix: 9, _with_prefix: 8, _image: 9, _with_kind: 18}
    | {_long: 8, _letters: 7}
)


def project_name(draw: Draw) -> tuple[str, str]:
    """Generate a name, and a word of it for URLs."""
    word = _coined(draw)
    return _STYLES.at(draw())(word, draw), word


_Piece = str | tuple[str, ...] | None


def _compiled(template: str) -> list[_Piece]:
    """Parse a template: literal text, the words of each placeholder, None for the name."""
    pieces: list[_Piece] = []
    for literal, gap, _, _ in string.Formatter().parse(template):
        text = literal
        words: tuple[str, ...] | None = None
        if gap and gap != "name":
            kind = gap.rstrip("2")
            twice = f"{{{kind}2}}" in template
            # Two placeholders of a kind get disjoint words, so that they never agree.
            words = tuple(_TEXT[kind][int(gap != kind) :: 2] if twice else _TEXT[kind])
            for article in ("a", "A"):
                if text == f"{article} " or text.endswith(f" {article} "):
                    text = text[: -len(article) - 1]
                    words = tuple(f"{article}{'n' * (w[0] in 'aeiou')} {w}" for w in words)
        if text:
            pieces.append(text)
        if gap:
            pieces.append(words)
    return pieces


_SENTENCES = tuple(_compiled(template) for template in _TEXT["sentence"])
#: Number of templates, from the first, that can open a description.
_OPENINGS = 3
#: Strides between templates that visit all of them before a repetition.
_STRIDES = tuple(n for n in range(2, len(_SENTENCES)) if gcd(n, len(_SENTENCES)) == 1)
#: Only descriptions of several sentences have paragraphs, about three of four.
_LONG_ENOUGH = 4 / 3
_TAGLINES = tuple(_compiled(template) for template in _TEXT["tagline"])


def _filled(pieces: list[_Piece], name: str, draw: Draw) -> str:
    text = "".join(
        [
            name if piece is None else piece if isinstance(piece, str) else pick(piece, draw)
            for piece in pieces
        ]
    )
    return text if pieces[0] is None else text[0].upper() + text[1:]


def description(name: str, draw: Draw) -> str:
    """Generate a description of realistic length; some have paragraphs."""
    length = calibration.DESCRIPTION_LENGTH.at(draw())
    if length < 50:
        return _filled(pick(_TAGLINES, draw), name, draw)
    turn = int(draw() * _OPENINGS)
    stride = pick(_STRIDES, draw)
    text = _filled(_SENTENCES[turn], name, draw)
    joint = " "
    if draw() < calibration.WITH_CARRIAGE_RETURN * _LONG_ENOUGH:
        joint = "\r\n\r\n"
    while len(text) + 35 < length:
        turn = (turn + stride) % len(_SENTENCES)
        text += joint + _filled(_SENTENCES[turn], name, draw)
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
