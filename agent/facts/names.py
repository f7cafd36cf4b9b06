"""Find the names in a text without a list of names: capitals in English, the tagger in Chinese, quotation marks."""

import re
from collections.abc import Collection, Iterator
from itertools import pairwise

from agent.facts.normal import folded, half_width
from retrieval.simplified import simplified
from retrieval.tokens import STOP_TOKENS, tokenize

_QUOTED = re.compile(
    r"“([^“”]{2,200})”|「([^「」]{2,200})」|『([^『』]{2,200})』|《([^《》]{1,80})》|〈([^〈〉]{1,80})〉"
    r"|(?<![\w\"])\"([^\"\n]{2,200})\"(?!\w)|(?<!\w)‘([^‘’]{2,80})’(?!\w)"
)
_ELLIPSIS = re.compile(r"…+|\.{3,}|\[\.{3}\]")
_LETTER = r"[^\W_\u3400-\u9fff]"
_CAPITAL = rf"[A-ZÀ-ÖØ-Þ](?:{_LETTER}|['’])*(?:[-.&]{_LETTER}+)*"
_RUN = re.compile(rf"(?<!{_LETTER})(?<!-){_CAPITAL}(?:[ \t]+(?:(?:of|de|da|van|von|and|for|&)[ \t]+)?{_CAPITAL})*")
_WORD = re.compile(rf"{_LETTER}+(?:['’](?!s\b){_LETTER}+)*")
_AT_START = re.compile(r"(?:^|[.!?:;•*|>\n\"“(\[\-–—。！？：；，、（「《]\s*)$")
_PEOPLE_OF = re.compile(r"(?:n|ese|ish|i|ic)$")
NAME_TAGS = frozenset(("nr", "nrt", "nrfg", "ns", "nt", "nz"))
"""People, places, organisations and other proper nouns, as the tagger calls them."""
_PLACES = frozenset(("ns", "nt"))
_FOREIGN = re.compile(r"([\u3400-\u9fff]{2})[·•‧]([\u3400-\u9fff]{2})")
"""The middle of a foreign name, whose parts are parted by a dot."""
_SURNAMES = frozenset(
    "王李张刘陈杨赵吴周徐孙朱胡郭何林罗郑梁谢宋唐许韩冯邓曹彭萧田董袁潘蒋蔡余杜叶程苏魏吕丁沈姚卢姜崔钟谭陆汪范廖贾夏付邹熊孟秦薛侯阎郝龚邵史陶贺赖洪"
)
_NO_NAMES = frozenset("东西 两国 大洋 长度 关联 高山 钟点工 普通员工 中国 国内 我国 国外".split())
"""Words that the tagger takes for names, or that name no place in particular."""


def quotations(text: str) -> list[str]:
    """Return what stands in quotation or title marks, in parts where something was left out."""
    quoted = ("".join(filter(None, match.groups())) for match in _QUOTED.finditer(text))
    return [part.strip() for one in quoted for part in _ELLIPSIS.split(one) if len(folded(part)) > 1]


def english_words(text: str) -> frozenset[str]:
    """Return the stems of a text, and the initials of its runs of capitalised words."""
    initials = {"".join(word[0] for word in _WORD.findall(run) if word[0].isupper()) for run in _RUN.findall(text)}
    return frozenset(tokenize(text, characters=False)) | {one.lower() for one in initials if len(one) > 1}


def english_names_not_in(words: Collection[str], text: str) -> Iterator[str]:
    """Yield the runs of capitalised words of a text of which a word is not among `words`.

    A capital at the start of a sentence is no sign, so the word there counts only with another missing one after it.
    An acronym and its long form are one thing, as are a country and its people.
    """
    for match in _RUN.finditer(text):
        run = [word for word in _WORD.findall(match[0]) if word[0].isupper() and len(word) > 1]
        initials = "".join(word[0] for word in run).lower()
        missing = [word for word in run if not _is_among(word, words)]
        at_start = bool(run) and _AT_START.search(text[: match.start()]) and missing[:1] == run[:1]
        if len(missing) > bool(at_start) and not (len(initials) > 1 and initials in words):
            yield match[0]


def chinese_names_not_in(letters: str, text: str) -> Iterator[str]:
    """Yield the names of people, places and organisations no part of which is in a text.

    `letters` is that text, folded. The tagger cuts other words into names too, so a name of a person is one of three
    characters, or one of two that begins with a common surname, and two characters of a name suffice.
    """
    plain = simplified(half_width(text))
    for word, tag in tagged(plain):
        is_place = tag in _PLACES and len(word) > 1
        is_person = tag in NAME_TAGS and (len(word) == 3 or (len(word) == 2 and word[0] in _SURNAMES))
        if (is_place or is_person) and word not in _NO_NAMES and not any(two in letters for two in _pairs(word)):
            yield word
    for match in _FOREIGN.finditer(plain):
        if not any(part in letters for part in match.groups()):
            yield match[0]


def _pairs(word: str) -> list[str]:
    return ["".join(pair) for pair in pairwise(word)]


def tagged(text: str) -> list[tuple[str, str]]:
    """Return the words of a text, in half width and Simplified characters, with their parts of speech."""
    # The dictionary takes a moment to load.
    import rjieba

    words: list[tuple[str, str]] = rjieba.tag(simplified(half_width(text)))
    return words


def _is_among(word: str, words: Collection[str]) -> bool:
    tokens = [token for token in tokenize(word.replace("’", "'"), characters=False) if token not in STOP_TOKENS]
    if not tokens or any(token in words for token in tokens):
        return True
    people = len(word) > 4 and _PEOPLE_OF.search(word)
    return bool(people) and any(one.startswith(word[:4].lower()) for one in words)
