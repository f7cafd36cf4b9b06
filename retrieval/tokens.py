"""One tokenizer for documents and questions: Chinese words, English words, and identifiers kept whole."""

import re
import unicodedata
from collections.abc import Iterator

from retrieval.numerals import fold_ordinals

TOKENIZER_ID = "rjieba-pairs-1"
"""Recorded in the manifest; a change of tokens needs a new name, so that old keyword indexes are rebuilt."""

_SPAN = re.compile(
    r"(?P<article>第\d+[条章节款项编号])"
    # An identifier holds its joints only between letters or digits, so that "Postgres." ends before the full stop.
    r"|(?P<identifier>[^\W_\u3040-\u9fff]+(?:[._\-/:@&'][^\W_\u3040-\u9fff]+|_+[^\W_\u3040-\u9fff]+)*(?:\+\+|[#%])?)"
    r"|(?P<han>(?:(?!第\d+[条章节款项编号])[\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff])+)"
)
_JOINT = re.compile(r"[._\-/:@&'_]+")
_NUMBER = re.compile(r"\d+([.,:]\d+)*%?")

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


def tokenize(text: str, *, pairs: bool = True) -> list[str]:
    """Return the tokens of a text: words, parts of compounds, and `pairs` where a Chinese word may be cut in two."""
    return list(_tokens(text, skip=frozenset(), pairs=pairs))


def query_tokens(question: str) -> list[str]:
    """Return the tokens of a question without stop words, unless nothing else is left."""
    return list(_tokens(question, skip=STOP_TOKENS, pairs=True)) or tokenize(question)


def _tokens(text: str, *, skip: frozenset[str], pairs: bool) -> Iterator[str]:
    folded = fold_ordinals(unicodedata.normalize("NFKC", text).casefold())
    for span in _SPAN.finditer(folded):
        if span.lastgroup == "han":
            yield from _chinese_tokens(span[0], skip, pairs)
        elif span.lastgroup == "identifier":
            yield from (token for token in _identifier_with_parts(span[0]) if token not in skip)
        else:
            yield span[0]


def _chinese_tokens(run: str, skip: frozenset[str], pairs: bool) -> Iterator[str]:
    """Yield words with the words inside them, and pairs of characters where a word may have been cut in two.

    The same word is cut otherwise in another sentence: 年假 is one word alone and two in 年假是. So a word of one
    character is joined to its neighbours. Wider pairs, as in 口返 of 接口返回, would be rare, and count for too much.
    """
    # The dictionary loads on the first call, which costs more than importing every other part of this package.
    import rjieba

    before = ""
    for word in rjieba.cut(run):
        if word in skip:
            before = ""
            continue
        if pairs and before and (len(before) == 1 or len(word) == 1):
            yield before[-1] + word[0]
        yield from rjieba.cut_for_search(word)
        before = word


def _identifier_with_parts(identifier: str) -> Iterator[str]:
    yield identifier
    if _NUMBER.fullmatch(identifier):
        if identifier.endswith("%"):
            yield identifier[:-1]
        return
    parts = [part for part in _JOINT.split(identifier.rstrip("+#%")) if part]
    if len(parts) > 1 or parts[0] != identifier:
        yield from parts
