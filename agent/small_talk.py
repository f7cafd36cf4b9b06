"""What asks nothing: a greeting, thanks, a good-bye."""

import re
import unicodedata

from retrieval.text.language import language_of

_SMALL_TALK = re.compile(
    r"\W*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks?(?: you)?(?: (?:so|very) much| a lot)?"
    r"|ok(?:ay)?|bye|你好|您好|谢谢[你您]?|非常感谢|好的|再见)\W*)+",
    re.IGNORECASE,
)
_REPLIES = {"zh": "您好，请直接提问，我会在文档里查找答案。", "en": "Ask me anything that the documents may hold."}


def small_talk_reply(message: str) -> str:
    """Return what to say to a message that is nothing but small talk, in its language; nothing for any other."""
    if not _SMALL_TALK.fullmatch(unicodedata.normalize("NFKC", message)):
        return ""
    return _REPLIES[language_of(message)]
