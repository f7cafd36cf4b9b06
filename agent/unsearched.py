"""What no search can answer: a greeting, or a question about something that nobody named yet."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

from agent import follow_up_chinese, follow_up_english, topic_chinese, topic_english
from agent.language import language_of
from agent.memory import Turn

Unsearched = Literal["no_question", "underspecified"]

_SMALL_TALK = re.compile(
    r"\W*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|(?:many )?thanks?(?: you)?(?: (?:so|very) much| a lot)?|"
    r"thank you for your help|ok(?:ay)?|great|got it|bye|good ?bye|see you|"
    r"你好|您好|大家好|早上好|上午好|下午好|晚上好|谢谢[你您]?(?:的帮助)?|多谢|(?:非常)?感谢|好的?|明白了?|知道了|收到|"
    r"再见|拜拜)(?:啊|呀|了)?\W*)+",
    re.IGNORECASE,
)
_PERSONAL = re.compile(r"它们|他们|她们|牠|它|他|她|its?|they|them|their|he|she|him|his|her", re.IGNORECASE)


def unsearched(question: str, turns: Sequence[Turn]) -> Unsearched | None:
    """Say why there is nothing to search for; None for a question that can be searched.

    A pronoun at the beginning of a conversation stands for nothing; a fragment such as 那病假呢？ names something.
    """
    if _SMALL_TALK.fullmatch(unicodedata.normalize("NFKC", question)):
        return "no_question"
    return "underspecified" if not turns and nameless(question) else None


def nameless(question: str) -> str:
    """Return the pronoun that stands for something outside of the question; empty when there is none."""
    chinese = language_of(question) == "zh"
    language = follow_up_chinese if chinese else follow_up_english
    rest, opening = language.without_opening(question)
    if opening == "switches":
        return ""
    pronoun = language.external_pronoun(rest)
    if not pronoun:
        return ""
    before = rest[: pronoun.start()]
    # A word before it may be what it stands for.
    named = topic_chinese.has_noun(before) if chinese else topic_english.content_words(before)
    return "" if named or not _PERSONAL.fullmatch(pronoun[0]) else pronoun[0]


def unsearched_text(question: str, why: Unsearched) -> str:
    """Return what to say instead of an answer, in the language of the question."""
    chinese = language_of(question) == "zh"
    if why == "no_question":
        return "您好，请直接提问，我会在文档里查找答案。" if chinese else "Ask me anything that the documents may hold."
    name = nameless(question).strip("？?。. ")
    if chinese:
        return f"“{name}”指的是什么？前面没有提到过，请把问题说完整，例如写出制度、地点或产品的名称。"
    return (
        f"What does “{name}” stand for? Nothing was said before it; please ask in full, with the name of what you mean."
    )
