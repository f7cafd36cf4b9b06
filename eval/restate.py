"""Turn a question and its answer into a statement: a right answer in the words of the person who asked."""

import re

from retrieval.text_language import TextLanguage

_LONGEST = 40
"""Characters of an answer that still fits into the question."""
_CHINESE = (
    (r"(?:是)?(?:在)?(?:什么|什麼)(?:时候|時候)|何时|何時", r"{在}"),
    (r"哪(?:一)?年", r"{}"),
    (r"(?:谁|誰|哪位|何人)", r"{}"),
    (r"(?:哪里|哪裡|哪裏|何地|何处|何處)", r"{}"),
    (r"(?<=[是为為叫作])(?:什么|什麼)(?:名字|名称|名稱)?(?=$|的)", r"{}"),
    (r"(?:多少|几|幾)", r"{}"),
)
_VERB = r"(?:is|was|has|had|\w+ed)\b"
_ENGLISH = (
    (rf"\A(?:Who|Whose|Which (?:\w+ ){{1,2}}?(?={_VERB})|What (?:\w+ )?(?={_VERB}))\s?", "{} "),
    (
        r"\A(?:When|Where) (?P<verb>is|was|are|were) (?P<rest>.+?) (?P<past>\w+(?:ed|en|rn))\Z",
        r"\g<rest> \g<verb> \g<past> {}",
    ),
)
_DO = re.compile(r"\b(?:did|does|do)\b")


def restate(question: str, answer: str, language: TextLanguage) -> str:
    """Return the question with the answer in the place of what it asks for; empty where that cannot be done."""
    asked = question.strip().rstrip("？?。. ").strip()
    if len(answer) > _LONGEST or "\n" in answer or re.search(r"[，。？；,;?]", answer):
        return ""
    for pattern, form in _CHINESE if language == "zh" else _ENGLISH:
        found = re.search(pattern, asked)
        if not found or (language == "en" and _DO.search(asked)):
            continue
        said = answer
        rest = asked[found.end() :]
        if language == "zh" and form == r"{}" and rest[:1] and said.endswith(rest[:1]):
            said = said[:-1]
        if form == "{在}":
            filled = (
                answer
                if re.search(r"[于於从從自在]$", asked[: found.start()]) or answer[0] in "自在于於从從"
                else f"于{answer}"
            )
        else:
            filled = found.expand(form).replace("{}", said)
        statement = asked[: found.start()] + filled + rest
        if re.search(r"什么|什麼|怎么|怎麼|为何|哪|吗|嗎|呢|\b[Ww]h(?:at|o|ich|y|en|ere)\b|\bhow\b", statement):
            return ""
        return statement + ("。" if language == "zh" else ".")
    return ""
