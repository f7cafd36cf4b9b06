"""A follow-up becomes a question that stands alone; a comparison becomes one query for each side.

By rules, for Chinese and English. A chat model may do it instead (`rewrite_by_model`) and falls back on the rules.
"""

import re
from collections.abc import Sequence

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel

import prompts
from agent.language import language_of
from agent.memory import Turn, as_history
from agent.parser import strip_thinking
from agent.tools import MAX_QUERIES

_MAX_QUERY_CHARS = 300
_SHORT_ZH, _SHORT_EN = 12, 5

_ZH_OPENING = re.compile(
    r"^(那么|那|还有|另外问下|另外|以及|然后|再问一下|如果是|要是|换成|换做|至于|而)[，,、\s]*(?=.)"
)
_ZH_ENDING = re.compile(r"(的话)?[呢吗嘛]?[？?。\s]*$")
_ZH_PRONOUN = re.compile(
    r"它们|他们|她们|它|他(?!人)|她|(该|此|这个|这项|这份|这条|那个|那项|那份|上述|前述|这些|那些)"
    r"(制度|规定|办法|政策|条款|文件|标准|公司|城市|地方|人|时候|情况|错误码?|代码|流程|要求|假期?|问题)?|那里|这里|其(?!他|它|中|实|余)"
)
_ZH_ASKING = re.compile(
    r"(是|为|有|要|能|可以|应该|应|最多|最少|最长|最低|最高|每[天晚月年次]|一般|大概)*"
    r"(多少|几(?=[天个次年月元级种份小])|多久|多长|多高|什么|怎么|怎样|如何|哪些|哪个|哪里|哪|谁|是否|能不能|可不可以|有没有)"
)
_ZH_CLAUSE = re.compile(r"[，,；;]")
_EN_OPENING = re.compile(
    r"^(and|but|so|also|then|ok|okay)?[\s,]*(what about|how about|and for|what if|same for|and|or|but)\b[\s,]*",
    re.IGNORECASE,
)
_EN_PRONOUN = re.compile(
    r"\b(it|its|they|them|their|those|these|this|that|he|she|him|her|there)\b"
    r"(?!\s+(is|are|was|were)\s+(a|an|the|any|no)\b)(\s+(policy|rule|document|one|limit|code|error|leave|program|system))?",
    re.IGNORECASE,
)
_EN_ASKING = frozenset(
    "what which who whom whose when where why how many much long often far is are was were be do does did can could should "
    "would will shall may must i we you my our your the a an of to for in on at by with from and or not have has had get "
    "it its they them their this that these those there he she him her about if me us any".split()
)
_IDENTIFIER = re.compile(r"[A-Za-z]+[-_/]?\d+|[A-Za-z]+_\w+|\d{3,}")

_ZH_COMPARISON = re.compile(
    r"^(?:请)?(?:对比一下|比较一下|对比|比较)?(?P<a>[^，,。？?]{1,30}?)\s*(?:和|与|跟|同|还是|vs\.?|VS\.?)\s*(?P<b>[^，,。？?]{1,40}?)"
    r"(?P<tail>(?:之间)?(?:的|在)?[^，,。？?]{0,20}?(?:有什么|有何|有哪些|的)?(?:区别|不同|差别|差异|变化|对比|相比|哪个更?[^，。？?]*|谁更?[^，。？?]*))[^，,。]*[？?。]?$"
)
_EN_COMPARISON = re.compile(
    r"^(?:what(?:'s| is| are)? the )?(?:differences?|comparison|compare)(?: between| of)?\s+(?P<a>.{1,60}?)"
    r"\s+(?:and|with|to|versus|vs\.?)\s+(?P<b>.{1,80}?)[?.]?$",
    re.IGNORECASE,
)


def rewrite_by_rules(question: str, turns: Sequence[Turn]) -> list[str]:
    """Return one to three queries that need no conversation; a question that stands alone comes back as it is."""
    standing = stand_alone(question, turns)
    return _sides(standing)[:MAX_QUERIES]


def rewrite_by_model(
    question: str,
    turns: Sequence[Turn],
    model: BaseChatModel,
    history_tokens: int,
    callbacks: list[BaseCallbackHandler] | None = None,
) -> list[str]:
    """Ask the model for one to three queries; what is no list of queries falls back on the rules."""
    prompt = prompts.render("rewrite", chat_history=as_history(turns, history_tokens), question=question)
    reply = strip_thinking(str(model.invoke(prompt, config={"callbacks": callbacks}).text))
    lines = [
        re.sub(r"^\s*(?:[-*•]|\d+[.)、]|queries?:)\s*", "", line, flags=re.IGNORECASE).strip()
        for line in reply.splitlines()
    ]
    queries = [
        line for line in dict.fromkeys(lines) if line and len(line) <= _MAX_QUERY_CHARS and not line.startswith("```")
    ]
    if not 1 <= len(queries) <= MAX_QUERIES:
        return rewrite_by_rules(question, turns)
    return queries


def needs_rewriting(question: str, turns: Sequence[Turn]) -> bool:
    """Say whether the question is a follow-up of this conversation or compares several things."""
    return rewrite_by_rules(question, turns) != [question]


def stand_alone(question: str, turns: Sequence[Turn]) -> str:
    """Resolve a follow-up against the questions before it, the first of which stands alone."""
    resolved = ""
    for earlier in [turn.question for turn in turns] + [question]:
        resolved = _resolve(earlier, resolved) if resolved else earlier
    return resolved


def _resolve(question: str, previous: str) -> str:
    if language_of(question) == "zh":
        return _resolve_chinese(question.strip(), previous)
    return _resolve_english(question.strip(), previous)


def _resolve_chinese(question: str, previous: str) -> str:
    opening = _ZH_OPENING.match(question)
    rest = question[opening.end() :] if opening else question
    subject = _ZH_ENDING.sub("", rest)
    asks = _ZH_ASKING.search(rest)
    if (opening or question.rstrip("？?。 ").endswith("呢")) and not asks and len(subject) <= _SHORT_ZH:
        return _substitute(subject.removesuffix("的"), previous)
    if _ZH_PRONOUN.search(rest):
        return _ZH_PRONOUN.sub(lambda _: _topic(previous), rest, count=1)
    if opening and asks and opening[1] not in ("另外问下", "另外", "而") and len(rest) <= _SHORT_ZH:
        return f"{_topic(previous)}，{rest}"
    if len(rest) <= _SHORT_ZH and not _has_subject(rest):
        return f"{_topic(previous)}，{rest}"
    return question


def _substitute(subject: str, previous: str) -> str:
    """Ask the previous question about another subject: in place of the word of its kind, else of its last clause."""
    words = _tagged(previous)
    kind = _kind(subject)
    for word, tag in words:
        if word != subject and kind and _kind_of(word, tag) == kind:
            return previous.replace(word, subject, 1)
    clauses = [clause for clause in _ZH_CLAUSE.split(previous) if clause.strip()]
    asks = _ZH_ASKING.search(clauses[-1]) if clauses else None
    if len(clauses) > 1 and asks:
        return f"{'，'.join(clauses[:-1])}，{subject}{clauses[-1][asks.start() :]}"
    tail = _shared_ending(subject, words)
    if tail:
        return previous.replace(tail, subject, 1)
    return f"{subject}，{previous}"


def _topic(previous: str) -> str:
    """Return what the previous question is about: the words before its first 的 or verb, else all but what it asks."""
    topic = ""
    for word, tag in _tagged(previous):
        if tag[0] in "uvpydx" and topic:
            break
        if tag[0] not in "uvpydxrc":
            topic += word
    if len(topic) > 1:
        return topic
    return _ZH_ASKING.sub("", previous).strip("？?。，, ")


def _has_subject(text: str) -> bool:
    """Say whether a short question names something of its own to search for."""
    if _IDENTIFIER.search(text):
        return True
    return any(tag[0] in "nbj" or tag in ("vn", "eng", "l", "i") for _, tag in _tagged(text))


def _kind(subject: str) -> str:
    tagged = _tagged(subject)
    return _kind_of(*tagged[-1]) if len(tagged) == 1 else ""


def _kind_of(word: str, tag: str) -> str:
    """Name the kind of a word for which another of the same kind can stand in: place, person, or code."""
    if tag in ("ns", "nr"):
        return tag
    if _IDENTIFIER.fullmatch(word):
        return "code"
    return ""


def _shared_ending(subject: str, words: Sequence[tuple[str, str]]) -> str:
    """Find the word that ends as the subject does, such as 年假 for 病假."""
    return next((word for word, _ in words if len(word) > 1 and word != subject and word[-1] == subject[-1]), "")


def _tagged(text: str) -> list[tuple[str, str]]:
    # The dictionary takes a moment to load, and most questions need no rewriting.
    import rjieba

    return [(word, tag) for word, tag in rjieba.tag(text) if word.strip()]


def _resolve_english(question: str, previous: str) -> str:
    opening = _EN_OPENING.match(question)
    rest = question[opening.end() :] if opening else question
    short = len(rest.split()) <= _SHORT_EN
    topic = _english_topic(previous)
    if opening and not _EN_PRONOUN.search(rest) and short:
        return f"{previous.rstrip('?？. ')} - {rest.rstrip('? ')}?"
    if _EN_PRONOUN.search(rest):
        return _EN_PRONOUN.sub(lambda _: topic, rest, count=1)
    if short and not _english_topic(rest) and not _IDENTIFIER.search(rest):
        return f"{rest.rstrip('? ')} - {topic}?"
    return question


def _english_topic(question: str) -> str:
    """Return the content words of a question in their order."""
    if language_of(question) == "zh":
        return _topic(question)
    words = re.findall(r"[\w'-]+", question)
    return " ".join(word for word in words if word.lower() not in _EN_ASKING)


def _sides(question: str) -> list[str]:
    """Return one query for each side of a comparison, and one for each of several questions."""
    parts = [part.strip() for part in re.split(r"(?<=[？?])", question) if part.strip()]
    if len(parts) > 1 and all(len(part) > 3 for part in parts):
        return parts
    match = _ZH_COMPARISON.match(question) or _EN_COMPARISON.match(question)
    if not match:
        return [question]
    first, second = match["a"].strip(" 的"), match["b"].strip(" 的")
    shared = _shared_tail(first, second)
    return [question, f"{first}{shared}", second]


def _shared_tail(first: str, second: str) -> str:
    """Return what the second side says and the first leaves out: 经理和总监的住宿标准 asks for 经理的住宿标准 too."""
    if "的" in second and "的" not in first:
        return second[second.index("的") :]
    words = second.split()
    if " " in second and " " not in first and len(words) > 1:
        return " " + " ".join(words[1:])
    return ""
