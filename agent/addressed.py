"""A message that names the knowledge base before the question: `知识库：那餐补呢？`, `kb: what about meals?`."""

import re

_ADDRESS = re.compile(r"\s*(?:知识库|知識庫|[kKｋＫ][bBｂＢ])\s*[:：]\s*")


def without_address(message: str) -> str:
    """Return the question after the name of the knowledge base; a message that has none as it is.

    It is the documents that are asked in any case: an answer needs a passage, and a refusal a search.
    """
    address = _ADDRESS.match(message)
    return message[address.end() :] if address else message
