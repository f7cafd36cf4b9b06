"""Codes, article numbers, years and versions in a question."""

import re
import unicodedata

from retrieval.numerals import fold_ordinals

_CODE = re.compile(
    r"第\d+[条章节款项]"
    # ERR_4032, GB/T 7714, V3, p6; letters and number apart only when the letters are capitals, so not "first 30".
    r"|(?<![A-Za-z])(?:[A-Za-z]+(?:[-_/][A-Za-z]+)*[-_]?|[A-Z]+(?:/[A-Z]+)? )\d+(?:[-_.]\d+)*"
    r"|(?<![\d.,])\d{4,}(?![\d.,]*\d)(?!\s*(?:元|块|人|yuan|people))"
    r"|(?:(?<=code )|(?<=error )|(?<=代码)|(?<=编号)|(?<=错误码))\d{2,}"
)


def codes(question: str) -> list[str]:
    """Return them in their order; ordinals are folded, so 第四十六条 is returned as 第46条."""
    text = fold_ordinals(unicodedata.normalize("NFKC", question))
    return [match[0].strip() for match in _CODE.finditer(text)]
