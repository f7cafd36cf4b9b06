"""One tokenizer for documents and questions: Chinese words and characters, English stems, identifiers whole."""

import re
from collections.abc import Iterator

from Stemmer import Stemmer

from retrieval.text.writing import fold_ordinals, folded, is_code, simplified

TOKENIZER_ID = "rjieba-characters-2"
"""Recorded in the manifest; a change of tokens needs a new name, so that old keyword indexes are rebuilt."""

_SPAN = re.compile(
    r"(?P<article>第\d+[条章节款项编号])"
    # An identifier holds its joints only between letters or digits, so that "Postgres." ends before the full stop.
    r"|(?P<identifier>[^\W_\u3040-\u9fff]+(?:[._\-/:@&'][^\W_\u3040-\u9fff]+|_+[^\W_\u3040-\u9fff]+)*(?:\+\+|[#%])?)"
    r"|(?P<han>(?:(?!第\d+[条章节款项编号])[\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff])+)"
)
_JOINT = re.compile(r"[._\-/:@&'_]+")
_NUMBER = re.compile(r"\d+([.,:]\d+)*%?")
_WORD = re.compile(r"[a-z]+('[a-z]+)*")
_SERIAL = re.compile(r"(?:0x|[a-z]{1,6})(?P<digits>\d{3,})")
_BETWEEN_DIGITS = re.compile(r"\d[._\-/:@&'_]+\d")
_CODE_SHARE = 0.5
"""What the codes of a question count for beside its other tokens."""

STOP_TOKENS = frozenset(
    # Function and question words only: each stands in so many texts that sharing it says nothing.
    (
        "的 了 是 在 和 与 及 或 对 由 为 有 吗 呢 吧 啊 么 我 你 他 她 它 我们 你们 他们 这 那 这个 那个 "
        "什么 怎么 怎样 如何 多少 几 哪 哪些 哪个 哪里 谁 请问 可以 应该 需要 会 能 要 "
        "就 都 也 还 被 把 从 到 个 中 上 下 时 后 前 "
        "a an the is are was were be been do does did of in on at to for from by with and or as it its this that "
        "these those what which who whom whose when where why how many much can could should would will shall may "
        "must i you he she we they my your our their me us them there if not no have has had about"
    ).split()
)


def tokenize(text: str, *, characters: bool = True) -> list[str]:
    """Return the tokens of a text; `characters` adds those inside Chinese words of several."""
    return list(_tokens(text, skip=frozenset(), characters=characters))


def query_tokens(question: str) -> list[str]:
    """Return the tokens of a question without stop words, as `keywords` does, unless nothing else is left."""
    return keywords(question) or tokenize(question)


def keywords(question: str) -> list[str]:
    """Return the tokens that a question is searched by: no stop words, so none at all for 的 or `who is it`.

    A code such as `ERR_4032` or 第46条 comes several times: it alone counts for half as much as the rest, or the many
    characters of a Chinese question would outweigh it.
    """
    tokens = list(_tokens(question, skip=STOP_TOKENS, characters=True))
    codes = [token for token in tokens if is_code(token)]
    more = round(_CODE_SHARE * (len(tokens) - len(codes)) / len(codes)) if codes else 0
    return tokens + codes * more


def _tokens(text: str, *, skip: frozenset[str], characters: bool) -> Iterator[str]:
    plain = fold_ordinals(simplified(folded(text)))
    # A stemmer each time, which costs less than a microsecond: it may not be shared between threads.
    stem = Stemmer("english").stemWord
    for span in _SPAN.finditer(plain):
        if span.lastgroup == "han":
            yield from _chinese_tokens(span[0], skip, characters=characters)
        elif span.lastgroup == "identifier":
            tokens = (token for token in _identifier_with_parts(span[0]) if token not in skip)
            yield from (stem(token) if _WORD.fullmatch(token) else token for token in tokens)
        else:
            yield span[0]


def _chinese_tokens(run: str, skip: frozenset[str], *, characters: bool) -> Iterator[str]:
    """Yield words, the words inside them, and their characters.

    The same word is cut otherwise in another sentence, and people say 休假 where the rule says 年休假: what both share
    are characters.
    """
    # It loads its dictionary, which costs more than importing every other part of this package.
    import rjieba

    for word in rjieba.cut(run):
        if word in skip:
            continue
        yield from rjieba.cut_for_search(word)
        if characters and len(word) > 1:
            yield from (character for character in word if character not in STOP_TOKENS)


def _identifier_with_parts(identifier: str) -> Iterator[str]:
    """Yield an identifier, its parts, and how it is written without joints, as ERR4032 for ERR_4032.

    Between digits a joint counts: 2.31 is not 23.1.
    """
    yield identifier
    if _NUMBER.fullmatch(identifier):
        if identifier.endswith("%"):
            yield identifier[:-1]
        return
    if _WORD.fullmatch(identifier):
        return
    bare = identifier.rstrip("+#%")
    parts = [part for part in _JOINT.split(bare) if part]
    if len(parts) > 1 or parts[0] != identifier:
        yield from parts
    if len(parts) > 1 and not _BETWEEN_DIGITS.search(bare):
        yield "".join(parts)
    yield from (serial["digits"] for part in parts if (serial := _SERIAL.fullmatch(part)))
