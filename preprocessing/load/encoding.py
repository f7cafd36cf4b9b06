"""Bytes of a text file become text; what is none is refused or left out, and told."""

import codecs
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from charset_normalizer import from_bytes

from preprocessing.errors import LoadError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with the mark of UTF-16 LE
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Two-byte codes of punctuation and of the everyday characters: the first level of each national table.
# Counting them is right where charset-normalizer is not: in Big5 of 12 characters (0 of 399 wrong, not 98), in English
# with some Chinese (1 of 1,200 wrong, not 18).
_EVERYDAY = {
    "gb18030": re.compile(rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]"),
    **dict.fromkeys(["big5", "cp950", "big5hkscs"], re.compile(rb"[\xa1-\xa3\xa4-\xc6][\x40-\x7e\xa1-\xfe]")),
}
_LEAST_EVERYDAY = 0.6
_MOST_ACCENTED = 0.15
_MOST_DAMAGE = 0.02
"""Share of characters outside ASCII that may be broken in a file whose encoding is still told by the rest."""
_LEAST_SOUND = 20
_LEGIBLE = re.compile(
    r"[\n\r\t\x20-\x7e\u00a0-\u024f\u2010-\u2030\u3000-\u30ff\u3400-\u9fff\uff00-\uffef\U00020000-\U0003ffff]"
)
_LEAST_LEGIBLE = 0.95
_LEAST_REAL = 0.45
"""Share of everyday characters that the rarest Chinese text has; of all in Unicode they are a third."""
_SAMPLE = 4096
# What the replacement character and unset memory become in Chinese encodings.
_KNOWN = re.compile(r"\ufffd|锟斤拷|锟斤|斤拷|烫烫烫|屯屯屯")
_RUN = re.compile(r"[^\x00-\x7f\ufffd]+")
_CHINESE = re.compile(r"[\u2010-\u2030\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]+")
_WESTERN = re.compile(r"[\u00a0-\u024f\u2010-\u2122\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]+")
# What UTF-8 was taken for, and what it must turn out to be; the bytes of a few right words happen to be UTF-8 too.
_MISREAD_AS = {"cp1252": _WESTERN, "latin-1": _WESTERN, "gb18030": _CHINESE, "big5": _CHINESE}
_LEAST_MISREAD = 4
"""Characters in a line that must turn out to be UTF-8; right text of another encoding hardly ever does."""
_LONG = 10
"""Bytes of which one may be lost."""
_MOST_IN_LINE = 0.3
_MOST_IN_FILE = 0.1
_MOST_NAMED = 10
GAP = "[?]"
"""Stands where a character was lost; without it `1�0` would read as 10."""
_GLYPH_NAME = re.compile(r"/[A-Za-z]{1,5}\d?[0-9A-Fa-f]{1,4}(?=/|\s|$)|\(cid:\d+\)")
_MOST_BAD = 0.1
_MOST_SCRIPTS = 4


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text of a file, and what a person should know of how it was read."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode_clean(data: bytes, declared: str | None = None) -> Decoded:
    """Return the text without lines that were decoded wrongly before they came here, which the warnings name.

    `declared` is the encoding that the file itself claims; it is believed where the bytes fit it.
    Raises LoadError, without a file name, for bytes that are not text, or mostly mojibake.
    """
    text, encoding = decode(data, declared)
    clean, warnings = without_mojibake(text)
    return Decoded(clean, encoding, warnings)


def decode(data: bytes, declared: str | None = None) -> tuple[str, str]:
    """Return the text with `\\n` line ends, and the name of its encoding; broken characters become U+FFFD.

    Raises LoadError, without a file name, for bytes that are not text.
    """
    encoding = _marked(data) or _declared(data, declared) or _unmarked(data)
    try:
        text = data.decode(encoding, "strict" if encoding.startswith(("utf-16", "utf-32")) else "replace")
    except UnicodeDecodeError as error:
        raise LoadError(f"text is not valid {encoding} at byte {error.start}; save it as UTF-8") from error
    if encoding.startswith(("utf-16", "utf-32")) and _is_noise(text[:_SAMPLE]):
        raise LoadError(f"read as {encoding} it is no text in any language; save it as UTF-8 text")
    if "\0" in text:
        raise LoadError("holds NUL characters and looks binary; save it as UTF-8 text")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), encoding


def _is_noise(text: str) -> bool:
    """Say whether bytes of something else were read two by two: most of Unicode is Chinese characters nobody uses."""
    chinese = [char for char in text if "\u4e00" <= char <= "\u9fff"]
    everyday = sum(
        any(_EVERYDAY[name].fullmatch(char.encode(name, "ignore")) for name in ("gb18030", "big5")) for char in chinese
    )
    return is_garbled(text) or (len(chinese) >= _LEAST_SOUND and everyday < _LEAST_REAL * len(chinese))


def _marked(data: bytes) -> str | None:
    return next((name for mark, name in _MARKS if data.startswith(mark)), None)


def _declared(data: bytes, declared: str | None) -> str | None:
    if declared is None:
        return None
    try:
        name = codecs.lookup(declared).name
    except LookupError:
        return None
    name = "gb18030" if name in ("gb2312", "gbk") else name  # what is called GB 2312 mostly holds more
    return name if _decodes(data, name) else None


def _unmarked(data: bytes) -> str:
    if b"\0" in data:
        return _unmarked_utf16(data)
    if _decodes(data, "utf-8") or _is_damaged(data, "utf-8"):
        return "utf-8"
    shares = {name: _everyday_share(data, name) for name in _EVERYDAY if _decodes(data, name)}
    if shares and max(shares.values()) >= _LEAST_EVERYDAY:
        return max(shares, key=lambda name: shares[name])
    # Western text has few bytes outside ASCII; a curly apostrophe would otherwise read as a rare Chinese character.
    if sum(byte > 0x7F for byte in data) <= _MOST_ACCENTED * len(data) and _decodes(data, "cp1252"):
        return "cp1252"
    damaged = {name: _everyday_share(data, name) for name in ("gb18030", "big5") if _is_damaged(data, name)}
    if damaged and max(damaged.values()) >= _LEAST_EVERYDAY:
        return max(damaged, key=lambda name: damaged[name])
    best = from_bytes(data).best()
    if best is None:
        raise LoadError("text encoding is not recognised; save it as UTF-8")
    return best.encoding


def _unmarked_utf16(data: bytes) -> str:
    """Return the byte order of UTF-16 without a mark: read the other way round it is no script people write here."""
    shares = {name: _legible_share(data.decode(name)) for name in ("utf-16-le", "utf-16-be") if _decodes(data, name)}
    best = max(shares, key=lambda name: shares[name], default=None)
    if best is None or shares[best] < _LEAST_LEGIBLE:
        raise LoadError("holds NUL bytes and looks binary; save it as UTF-8 text")
    return best


def _legible_share(text: str) -> float:
    return len(_LEGIBLE.findall(text)) / max(len(text), 1)


def _is_damaged(data: bytes, encoding: str) -> bool:
    """Say whether the bytes are text in the encoding with a few broken characters, as a cut file has."""
    text = data.decode(encoding, "replace")
    broken = text.count("\ufffd")
    sound = sum(char > "\x7f" for char in text) - broken
    return 0 < broken <= max(1, _MOST_DAMAGE * sound) and sound >= _LEAST_SOUND


def _everyday_share(data: bytes, encoding: str) -> float:
    """Return which part of the characters outside ASCII are everyday ones, 0 to 1."""
    text = data.decode(encoding, "replace").replace("\ufffd", "")
    encoded = [char.encode(encoding) for char in text if ord(char) > 0x7F]
    everyday = sum(1 for code in encoded if _EVERYDAY[encoding].fullmatch(code))
    return everyday / len(encoded) if encoded else 0.0


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def without_mojibake(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text without wrong lines, lost characters marked as gaps, and warnings that name the lines.

    Raises LoadError when more than a tenth of the text is wrong.
    """
    if text.isascii():
        return text, ()
    lines = text.split("\n")
    bad = [_bad_characters(line) for line in lines]
    if sum(bad) > _MOST_IN_FILE * len("".join(text.split())):
        raise LoadError(
            f"the text is mojibake (decoded wrongly before it was saved) on {_named(bad)}; "
            "export it again as UTF-8 from the program that wrote it"
        )
    wrong = [count > _MOST_IN_LINE * max(len("".join(line.split())), 1) for count, line in zip(bad, lines, strict=True)]
    in_part = [count > 0 and not is_wrong for count, is_wrong in zip(bad, wrong, strict=True)]
    warnings = [f"mojibake left out: {_named(wrong)}"] if any(wrong) else []
    warnings += [f"mojibake or lost characters ({GAP}) in part of {_named(in_part)}"] if any(in_part) else []
    kept = ["" if left_out else re.sub("\ufffd+", GAP, line) for left_out, line in zip(wrong, lines, strict=True)]
    return "\n".join(kept), tuple(warnings)


def _bad_characters(line: str) -> int:
    if line.isascii():
        return 0
    known = sum(len(found[0]) for found in _KNOWN.finditer(line))
    misread = [run for run in _RUN.findall(line) if _is_utf8_misread(run)]
    characters = sum(map(len, misread))
    return known + (characters if characters >= _LEAST_MISREAD else 0)


def _is_utf8_misread(run: str) -> bool:
    for encoding, meant in _MISREAD_AS.items():
        try:
            data = run.encode(encoding)
        except UnicodeError:
            continue
        right = data.decode("utf-8", "ignore")  # a character or two may have been lost on the way
        lost = len(data) - len(right.encode("utf-8"))
        if meant.fullmatch(right) and lost <= len(data) // _LONG:
            return True
    return False


def _named(lines: list[int] | list[bool]) -> str:
    numbers = [number for number, is_named in enumerate(lines, start=1) if is_named]
    shown = ", ".join(map(str, numbers[:_MOST_NAMED]))
    return f"line{'s' * (len(numbers) > 1)} {shown}{' and more' * (len(numbers) > _MOST_NAMED)}"


def is_garbled(text: str) -> bool:
    """Say whether the text is glyph names, characters of nobody's script, or a soup of many scripts."""
    characters = [char for char in text if not char.isspace()]
    if len(characters) < 10:
        return False
    names = sum(len(found[0]) for found in _GLYPH_NAME.finditer(text))
    bad = sum(1 for char in characters if char == "\ufffd" or unicodedata.category(char) in ("Co", "Cn", "Cc"))
    if (names if names > 30 else 0) + bad > _MOST_BAD * len(characters):
        return True
    letters = [char for char in characters if char.isalpha() and ord(char) > 0x7F]
    scripts = Counter(unicodedata.name(char, "UNKNOWN").split()[0].split("-")[0] for char in letters)
    return sum(1 for count in scripts.values() if count > 0.005 * len(characters)) > _MOST_SCRIPTS
