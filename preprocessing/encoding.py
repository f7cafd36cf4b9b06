"""Bytes of a text file become text."""

import codecs
import re

from preprocessing.errors import LoadError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with the mark of UTF-16 LE
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Two-byte codes of punctuation and of the everyday characters: the first level of each national table.
_EVERYDAY = {
    "gb18030": re.compile(rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]"),
    "big5": re.compile(rb"[\xa1-\xa3\xa4-\xc6][\x40-\x7e\xa1-\xfe]"),
}
_LEAST_EVERYDAY = 0.6
_MOST_ACCENTED = 0.15


def decode(data: bytes) -> tuple[str, str]:
    """Return the text with `\\n` line ends, and the name of its encoding.

    Raises LoadError, without a file name, for bytes that are not text.
    """
    encoding = _marked(data) or _unmarked(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise LoadError(f"text is not valid {encoding} at byte {error.start}; save it as UTF-8") from error
    if "\0" in text:
        raise LoadError("holds NUL characters and looks binary; save it as UTF-8 text")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), encoding


def _marked(data: bytes) -> str | None:
    return next((name for mark, name in _MARKS if data.startswith(mark)), None)


def _unmarked(data: bytes) -> str:
    if _decodes(data, "utf-8"):
        return "utf-8"
    if b"\0" in data:
        raise LoadError("holds NUL bytes and looks binary; save it as UTF-8 text")
    shares = {name: _everyday_share(data, name) for name in _EVERYDAY if _decodes(data, name)}
    if shares and max(shares.values()) >= _LEAST_EVERYDAY:
        return max(shares, key=lambda name: shares[name])
    # Western text has few bytes outside ASCII; a curly apostrophe would otherwise read as a rare Chinese character.
    if sum(byte > 0x7F for byte in data) <= _MOST_ACCENTED * len(data) and _decodes(data, "cp1252"):
        return "cp1252"
    return _guessed(data)


def _everyday_share(data: bytes, encoding: str) -> float:
    """Return which part of the characters outside ASCII are everyday ones, 0 to 1."""
    encoded = [char.encode(encoding) for char in data.decode(encoding) if ord(char) > 0x7F]
    everyday = sum(1 for code in encoded if _EVERYDAY[encoding].fullmatch(code))
    return everyday / len(encoded) if encoded else 0.0


def _guessed(data: bytes) -> str:
    from charset_normalizer import from_bytes  # costs start-up time and is rarely needed

    best = from_bytes(data).best()
    if best is None:
        raise LoadError("text encoding is not recognised; save it as UTF-8")
    return best.encoding


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
