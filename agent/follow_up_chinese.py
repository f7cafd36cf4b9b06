"""Rules for follow-ups in Chinese, each named for what it mends."""

import re
from collections.abc import Sequence
from typing import Literal

from agent.topic_chinese import (
    CLAUSE,
    DEICTIC_TIME,
    IDENTIFIER,
    PREDICATE,
    Word,
    has_noun,
    names_topic,
    tagged,
    topic,
)

Opening = Literal["", "goes on", "switches"]
_FRAGMENT_CHARS = 14

_SWITCH = re.compile(
    r"(?:(?:另外|顺便|对了|再|最后|还想|我想|想)[，,、\s]*)*"
    r"(?:(?:问|咨询|请教)(?:一?下|个事|一句|个问题)|(?:换|还有|另有)一?个(?:问题|话题|事)|另一个问题|另外|顺便|对了)"
    r"(?:[，,、：:\s]+|(?=[^，。？?]{4}))"
)
_GO_ON = re.compile(
    r"(?:那么|那(?![里些个种位份项条边儿段])|还有|以及|然后|如果是|要是|换成|换做|至于|而|嗯|好的?[，,])[，,、\s]*(?=.)"
)
_ENDING = re.compile(r"(?:的话)?[呢吗嘛]?[？?。\s]*$")

_THINGS = (
    "制度|规定|规则|办法|政策|条款|文件|标准|公司|城市|地方|地区|人|时候|情况|期间|错误码|错误|代码|流程|要求|假期|假|问题|"
    "时间|部作品|作品|现象|组织|机构|产品|系统|项目|费用|钱"
)
_PRONOUN = re.compile(
    r"(?P<personal>它们|他们|她们|牠|它|他|她)"
    rf"|(?:(?:该|此|上述|前述|本)(?:{_THINGS})"
    rf"|[这那](?:些|个|项|份|条|种|位|段|部|篇|款|家|座|类)(?:{_THINGS})?|这(?:{_THINGS})|那里|这里|这边|那边"
    r"|这(?=[是算要能会对和跟合应]|可以|需要|怎么|属于|适用|[吗呢？?]|$))"
    r"|(?P<its>其)"
)
_FRAME = re.compile(r"[中下后前时里上起算内间]$|方面$")
"""A clause that sets the scene, such as 室温下 or 2006 年起: no pronoun stands for it."""

_PERSON = re.compile(
    r"(?:.{0,4}(?:员工|职工|人员|实习生|人|经理|总监|主管|专员|顾问|老师|学生|工程师|外包|管理层|高管|领导))"
)
_QUANTITY = re.compile(
    r"(?:(?:不?满|超过|不足|少于|多于|高于|低于|不到|大于|小于|至少)?\d+(?:\.\d+)?\s?[万千百亿]?\s?"
    r"(?P<unit>年|个月|天|日|元|小时|岁|人|次|级|%|公里)(?:以[上下内]|之[内外])?)"
)


def without_opening(question: str) -> tuple[str, Opening]:
    """Take off words that only join the question to the conversation: 那…, 还有…, 另外问下，…"""
    text = question.strip()
    for pattern, kind in ((_SWITCH, "switches"), (_GO_ON, "goes on")):
        match = pattern.match(text)
        if match and len(text) - match.end() > 1:
            return text[match.end() :], kind  # type: ignore[return-value]
    return text, ""


def fragment(rest: str, opening: str) -> str:
    """Return what a question without a predicate names: 北京 of 那北京呢？, 满20年 of 满20年的呢？; else nothing."""
    subject = _ENDING.sub("", rest)
    joined = opening == "goes on" or rest.rstrip("？?。 ").endswith("呢")
    if not joined or not subject or len(subject) > _FRAGMENT_CHARS or PREDICATE.search(subject):
        return ""
    if external_pronoun(rest) or rest.rstrip("？?。 ").endswith(("吗", "嘛", "不")):
        return ""
    return subject.removesuffix("的").strip()


def substitute(subject: str, previous: str) -> str:
    """Ask the previous question about another subject.

    It takes the place of the quantity of its unit (满20年 for 满10年), of the word of its kind (place, person, time,
    code), of the word with its ending (病假 for 年假), or of the thing that is asked about; else it goes in front.
    """
    quantity = _QUANTITY.search(subject)
    if quantity:
        return _replace_quantity(subject, quantity["unit"], previous)
    words, kind = tagged(previous), _kind(subject)
    # 转正员工 brings a noun of its own before 员工, so it takes the place of all of 试用期员工.
    parts = "mabn" if len(tagged(subject)) > 1 else "mab"
    if kind:
        same = [place for place, word in enumerate(words) if word[0] != subject and _kind_of(*word) == kind]
        return previous.replace(_whole(words, same[0], parts), subject, 1) if same else _in_front(subject, previous)
    alike = [place for place, word in enumerate(words) if word[0] != subject and _ends_alike(word, subject)]
    if alike:
        return previous.replace(_whole(words, alike[0], parts), subject, 1)
    head = topic(previous).rpartition("的")[2]
    if head and head in previous:
        return previous.replace(head, subject, 1)
    return _in_front(subject, previous)


def fill_in(rest: str, opening: str, topic_before: str) -> str:
    """Put the topic of the conversation where the question points at it or leaves it out."""
    pronoun = external_pronoun(rest)
    if pronoun and opening != "switches":
        return rest[: pronoun.start()] + topic_before + rest[pronoun.end() :]
    if not names_topic(rest):
        return f"{topic_before}，{rest}"
    owner, joined, _ = topic_before.partition("的")
    if opening == "goes on" and joined and len(rest) <= _FRAGMENT_CHARS and owner not in rest:
        return f"{owner}的{rest}"
    return rest


def external_pronoun(text: str) -> re.Match[str] | None:
    """Find a pronoun that points out of the question.

    One inside it is bound: by a noun in an earlier clause (公司收到申请，它要…), or, if it says whose, by a noun before
    it in its own clause (公司公布其制度). 银行为什么决定它 is not bound: the object is never the subject.
    """
    starts, place = set(), 0
    for word, _ in tagged(text):
        place = text.index(word, place)
        starts.add(place)
        place += len(word)
    for match in _PRONOUN.finditer(text):
        if match.start() in starts and not _is_bound(text, match):
            return match
    return None


def _is_bound(text: str, pronoun: re.Match[str]) -> bool:
    *earlier, own = CLAUSE.split(text[: pronoun.start()])
    if pronoun["its"]:
        return bool(re.match("[他它中实余次]", text[pronoun.end() :])) or has_noun(text[: pronoun.start()])
    if any(has_noun(clause) and not _FRAME.search(clause) for clause in earlier):
        return True
    whose = text[pronoun.end() :].startswith("的") or not pronoun["personal"]
    return whose and has_noun(own) and not _FRAME.search(own)


def _replace_quantity(subject: str, unit: str, previous: str) -> str:
    spans = [match for match in _QUANTITY.finditer(previous) if match["unit"] == unit]
    if not spans:
        return _in_front(subject, previous)
    first = last = spans[0]
    for span in spans[1:]:
        if span.start() == last.end():
            last = span
    return previous[: first.start()] + subject + previous[last.end() :]


def _ends_alike(word: Word, subject: str) -> bool:
    return len(word[0]) > 1 and word[0][-1] == subject[-1] and word[1][0] in "nvt"


def _whole(words: Sequence[Word], place: int, parts: str) -> str:
    """Return a word with the words before it that are part of its name: numbers and adjectives, as in 一线城市."""
    first = place
    while first and words[first - 1][1][0] in parts:
        first -= 1
    return "".join(word for word, _ in words[first : place + 1])


def _in_front(subject: str, previous: str) -> str:
    return f"{subject}，{previous}"


def _kind(subject: str) -> str:
    words = tagged(subject)
    if DEICTIC_TIME.fullmatch(subject) or re.search(r"(?:之|以)?[前后]$|期间$|时$", subject):
        return "time"
    if _PERSON.fullmatch(subject):
        return "person"
    return _kind_of(*words[-1]) if len(words) == 1 else ""


def _kind_of(word: str, tag: str) -> str:
    """Name the kind of a word for which another of the same kind can stand in."""
    if _PERSON.fullmatch(word):
        return "person"
    if DEICTIC_TIME.fullmatch(word):
        return "time"
    if IDENTIFIER.fullmatch(word):
        return "code"
    return {"ns": "place", "nr": "name"}.get(tag, "")
