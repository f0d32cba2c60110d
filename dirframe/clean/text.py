"""Clean raw text and normalize it to lookup keys.

`normalize` gives one key to all spellings of a name that differ only in case, accents,
punctuation and spaces. The name tables are built with the same function.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from typing import Final

#: Replacement character that decoders write for undecodable bytes.
MISSING: Final = "\ufffd"

#: Placeholder in a key for one letter whose bytes were lost.
LOST: Final = "?"

_LETTERS: Final = str.maketrans(
    {
        **dict.fromkeys("'’‘‛`´ʹʻʼʽʾʿˈ′＇·", ""),
        "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h",
        "ı": "i", "ŧ": "t", "ŋ": "n", "ə": "e", "ɛ": "e", "ɔ": "o", "ɗ": "d", "ɓ": "b", "ƴ": "y",
        "ة": "ه", "ى": "ي", "ی": "ي", "ک": "ك", "ہ": "ه", "ڤ": "ف",
        "&": " and ",
    }
)  # fmt: skip
_ASCII: Final = str.maketrans(
    {chr(code): " " for code in range(128) if not chr(code).isalnum()}
    | {"'": "", "`": "", "&": " and "}
)
_MARKS: Final = re.compile("[\u0300-\u036f\u0640\u064b-\u065f\u0670\u0591-\u05c7]")
# Scripts from Devanagari on write vowels as combining marks, which \w does not match.
_SEPARATORS: Final = re.compile(r"(?:[^\w\u0900-\u1fff]|_)+")
_LOSSY_SEPARATORS: Final = re.compile(r"(?:[^\w?\u0900-\u1fff]|_)+")
_INITIALS: Final = re.compile(r"\b([a-z]) (?=[a-z]\b)")
_ELISION: Final = re.compile(r"\b(d|l|dell|nell) (?=[aeiouh][a-z])")
_SAINT: Final = re.compile(r"\b(?:st|ste|sainte)\b(?= \w)")
#: Words that the regular expressions apply to; a key without them skips them.
_SPECIAL: Final = frozenset(
    (*"abcdefghijklmnopqrstuvwxyz", "dell", "nell", "st", "ste", "sainte", "the")
)
_THE: Final = re.compile(r"(?:^| )the(?= |$)")
_ARABIC_ARTICLE: Final = re.compile(r"\bال(?=\w{3})")
# Japanese has two spellings of the same sounds and words.
_JAPANESE: Final = {
    "ヴァ": "バ", "ヴィ": "ビ", "ヴェ": "ベ", "ヴォ": "ボ", "ヴ": "ブ",
    "アメリカ領": "米領", "イギリス領": "英領", "フランス領": "仏領", "オランダ領": "蘭領",
    "および": "", "及び": "", "ティ": "チ", "ウィ": "ウイ",
}  # fmt: skip
_JAPANESE_FORMS: Final = re.compile("|".join(_JAPANESE))
_BETWEEN_IDEOGRAMS: Final = re.compile("(?<=[\u3040-\u9fff]) (?=[\u3040-\u9fff])")
#: Words of an English name without which it is still understood.
SMALL_WORDS: Final = frozenset(("of", "and", "the"))
_ENTITY: Final = re.compile(r"&(?:amp;)*(?:#\w+|\w+);?")
# Escapes that R and JSON write for non-ASCII letters.
_ESCAPE: Final = re.compile(r"<U\+([0-9A-Fa-f]{4})>|\\u([0-9A-Fa-f]{4})")
# Lead bytes of UTF-8 that was decoded as Windows-1252 or Latin-1.
_MOJIBAKE: Final = re.compile("[\u00c2-\u00f4]")
# Letters that occur in correctly decoded text.
_ACCENTED: Final = re.compile("[\u00c6-\u00ff]")


def clean_text(raw: str) -> str:
    """Remove markup entities, invisible characters and typographic forms from a text."""
    text = _ESCAPE.sub(_unescaped, raw) if "U+" in raw or "\\u" in raw else raw
    for _ in range(3):
        if "&" not in text or not _ENTITY.search(text):
            break
        text = html.unescape(text)
    if text.isascii():
        return text
    normal = unicodedata.normalize("NFKC", text)
    return "".join(letter for letter in normal if unicodedata.category(letter) != "Cf")


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1] or match[2], 16))


def normalize(text: str, separators: re.Pattern[str] = _SEPARATORS) -> str:
    """Return the key of a text: lower-case words, separated by one space."""
    if text.isascii() and separators is _SEPARATORS:
        return _joined(text.lower().translate(_ASCII).split())
    lower = text.casefold().translate(_LETTERS)
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", lower))
    plain = unicodedata.normalize("NFC", bare).translate(_LETTERS)
    return _joined(separators.sub(" ", plain).split())


def casefold_exact(text: str) -> str:
    """Return the key of a text that differs from it only in case and spaces."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def fold_lossy(text: str) -> str:
    """Return the key of a text in which `LOST` replaces letters."""
    return normalize(text, _LOSSY_SEPARATORS)


def _joined(words: list[str]) -> str:
    key = " ".join(words)
    if not _SPECIAL.isdisjoint(words):
        key = _ELISION.sub(r"\1", _INITIALS.sub(r"\1", key))
        key = _SAINT.sub("saint", key)
        key = _THE.sub("", key).strip() or key
    if not key.isascii():
        key = _ARABIC_ARTICLE.sub("", key)
        key = _JAPANESE_FORMS.sub(lambda match: _JAPANESE[match[0]], key)
        key = _BETWEEN_IDEOGRAMS.sub("", key)
    return key


def sort_words(key: str) -> str:
    """Return the significant words of an English key in alphabetical order."""
    return " ".join(sorted(word for word in key.split() if word not in SMALL_WORDS))


def undo_mojibake(text: str) -> Iterator[str]:
    """Yield what a text may have been before one, then two, wrong decodings.

    Lost bytes become `LOST`; pass such a text to `fold_lossy`.
    """
    if MISSING in text or LOST in text:
        yield text.replace(MISSING, LOST)
    for _ in range(2):
        if not _MOJIBAKE.search(text):
            return
        raw = b"".join(_bytes(letter) for letter in text)
        decoded = raw.decode("utf-8", errors="replace")
        if MISSING in decoded and _ACCENTED.search(text):
            return
        text = decoded
        yield re.sub(f"{MISSING}+", LOST, text)


def _bytes(letter: str) -> bytes:
    for encoding in ("cp1252", "latin-1"):
        try:
            return letter.encode(encoding)
        except UnicodeEncodeError:
            continue
    return letter.encode(errors="surrogatepass")
