"""One query for each side of a comparison, and for each of several questions asked at once."""

import re

_SHORTEST_ZH, _SHORTEST_EN = 4, 3
"""Characters or words of a question that can be searched for itself."""

_ZH_PAIR = r"(?P<a>[^，,。？?和与跟]{1,30}?)\s*(?:和|与|跟|同|vs\.?|VS\.?|相比于?)\s*(?P<b>[^，,。？?]{1,40}?)"
_ZH_DIFFERENCE = (
    r"(?:之间|相比|两者|这两[者个种])*的?(?:有|存在)?(?:什么|何|哪些|啥)?(?:主要|具体)?的?(?:[两几一三]个)?(?:区别|不同|差别|差异)"
    r"(?:是什么|有哪些|在哪里?|在于什么)?"
)
_ZH_COMPARISONS = (
    re.compile(rf"(?:请问|请)?{_ZH_PAIR}{_ZH_DIFFERENCE}[？?。]?$"),
    re.compile(rf"(?:请|帮我)*(?:对比|比较)(?:一下)?{_ZH_PAIR}(?:{_ZH_DIFFERENCE})?[？?。]?$"),
    re.compile(rf"{_ZH_PAIR}(?:哪个|哪种|谁)(?:更|比较|最|[好多高大长快低少])[^，。？?]*[？?。]?$"),
    re.compile(rf"{_ZH_PAIR}(?P<each>(?:分别|各自?)(?:是|为|有|要|可以|怎么|多|几|需要)[^，。？?]*)[？?。]?$"),
)
_EN_PAIR = r"(?P<a>.{1,60}?),?\s+(?:and|with|to|versus|vs\.?|from)\s+(?P<b>[^,?]{1,80}?)"
_EN_COMPARISONS = (
    re.compile(rf"(?:what(?:'s| is| are) )?(?:the )?(?:main )?differences? between {_EN_PAIR}[?.]?$", re.IGNORECASE),
    re.compile(rf"(?:please )?compare {_EN_PAIR}[?.]?$", re.IGNORECASE),
    re.compile(
        r"how (?:does|do|is|are) (?P<a>.{1,60}?) (?:differ(?:ent)? from|compare (?:to|with)) (?P<b>[^,?]{1,80}?)[?.]?$",
        re.I,
    ),
    re.compile(rf"how (?:do|are) {_EN_PAIR} (?:differ(?:ent)?|compare)[?.]?$", re.IGNORECASE),
    re.compile(r"(?P<a>[^,?]{1,60}?) (?:versus|vs\.?) (?P<b>[^,?]{1,80}?)[?.]?$", re.IGNORECASE),
)
_EN_PREPOSITION = re.compile(r"\s(?:for|of|in|on|at|to)\s(?:the\s)?", re.IGNORECASE)

_BETWEEN_QUESTIONS = re.compile(
    r"(?<=[？?])\s*|[，,]\s*(?:以及|还有|另外|并且)?(?=[^，,。？?]{1,10}呢[？?]?$)"
    r"|,\s*and\s+(?=(?:what|which|how|when|where|who|is|are|do|does|can|may|must)\b)",
    re.IGNORECASE,
)


def split_questions(text: str) -> list[str]:
    """Return the questions that are asked one after another; the text itself when it is one, or tells something too."""
    parts = [part.strip() for part in _BETWEEN_QUESTIONS.split(text) if part.strip()]
    if len(parts) < 2 or not parts[-1].endswith(("?", "？")) or not all(map(_is_long_enough, parts)):
        return [text]
    return [part if part.endswith(("?", "？")) else f"{part}{parts[-1][-1]}" for part in parts]


def sides(question: str) -> list[str]:
    """Return the question and each side of what it compares; the question alone when it compares nothing.

    住宿标准和餐补分别是多少 asks the same of both, so each side is a whole question and stands for it.
    """
    patterns = (*_ZH_COMPARISONS, *_EN_COMPARISONS)
    match = next((found for pattern in patterns if (found := pattern.match(question.strip()))), None)
    if not match:
        return [question]
    first, second = _share(match["a"].strip(" 的"), match["b"].strip(" 的"))
    if not first or not second:
        return [question]
    each = match.groupdict().get("each")
    if each:
        asked = re.sub(r"^(?:分别|各自?)", "", each)
        return [f"{first}{asked}？", f"{second}{asked}？"]
    return [question, first, second]


def _share(first: str, second: str) -> tuple[str, str]:
    """Give either side what only the other says.

    经理和总监的住宿标准, sick and annual leave, rules for interns and staff.
    """
    if "的" in second and "的" not in first:
        return first + second[second.index("的") :], second
    words = second.split()
    if " " not in first and len(words) > 1 and first.islower() and second.isascii():
        return " ".join([first, *words[1:]]), second
    prepositions = list(_EN_PREPOSITION.finditer(first))
    if prepositions and not _EN_PREPOSITION.search(second):
        return first, first[: prepositions[-1].end()] + second
    return first, second


def _is_long_enough(part: str) -> bool:
    if part.isascii():
        return len(part.split()) >= _SHORTEST_EN
    return len(part.strip("？?")) >= _SHORTEST_ZH or part.rstrip("？?").endswith("呢")
