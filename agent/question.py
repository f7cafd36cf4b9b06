"""A question as it is asked: in which words, for whom, and of which documents; and what is none."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from retrieval.text.writing import language_of

_ADDRESS = re.compile(r"\s*(?:知识库|知識庫|[kKｋＫ][bBｂＢ])\s*[:：]\s*")
_SMALL_TALK = re.compile(
    r"\W*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks?(?: you)?(?: (?:so|very) much| a lot)?"
    r"|ok(?:ay)?|bye|你好|您好|谢谢[你您]?|非常感谢|好的|再见)\W*)+",
    re.IGNORECASE,
)
_REPLIES = {"zh": "您好，请直接提问，我会在文档里查找答案。", "en": "Ask me anything that the documents may hold."}


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a session, and which documents may answer it."""

    text: str
    session: str
    top_k: int
    filters: Mapping[str, tuple[str, ...]] | None = None
    viewer: Sequence[str] | None = None
    """Groups on whose behalf it is asked."""
    as_of: date | None = None


def without_address(message: str) -> str:
    """Return the question after the name of the knowledge base, as in `知识库：那餐补呢？` or `kb: what about meals?`.

    It is the documents that are asked in any case: an answer needs a passage, and a refusal a search.
    """
    address = _ADDRESS.match(message)
    return message[address.end() :] if address else message


def readable(text: str) -> str:
    """Return the text with a mark in the place of bytes that were no UTF-8.

    They arrive as half surrogate pairs, which no database, model or file can hold.
    """
    return text.encode("utf-8", "replace").decode("utf-8")


def small_talk_reply(message: str) -> str:
    """Return what to say to a message that is nothing but small talk, in its language; nothing for any other."""
    if not _SMALL_TALK.fullmatch(unicodedata.normalize("NFKC", message)):
        return ""
    return _REPLIES[language_of(message)]
