"""Rules for follow-ups in Chinese, each named for what it mends.

`rjieba` tags the words: n* noun, t time, r pronoun, v verb, m number, p preposition, u 的 and its like, y 吗 and 呢.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

Opening = Literal["", "goes on", "switches"]
Word = tuple[str, str]

_FRAGMENT_CHARS = 14

_SWITCH = re.compile(
    r"(?:(?:另外|顺便|对了|再|最后|还想|我想|想)[，,、\s]*)*"
    r"(?:(?:问|咨询|请教)(?:一?下|个事|一句|个问题)|(?:换|还有)一?个(?:问题|话题)|(?:另|还)有一?个(?:问题|事)|另一个问题|另外|顺便|对了)"
    r"(?:[，,、：:\s]+|(?=[^，。？?]{4}))"
)
_GO_ON = re.compile(
    r"(?:那么|那(?![里些个种位份项条边儿段])|还有|以及|然后|如果是|要是|换成|换做|至于|而|嗯|好的?[，,])[，,、\s]*(?=.)"
)
_ENDING = re.compile(r"(?:的话)?[呢吗嘛]?[？?。\s]*$")

_ASK_WORD = r"多少|几(?=[天个次年月元级种份小条类岁])|多久|多长|多高|多大|什么|怎么|怎样|怎麼|什麼|如何|为何|哪|谁|是否|能不能|可不可以|有没有|要不要|是不是"
_ASKING = re.compile(
    rf"(?:是|为|有|要|能|可以|应该|应|最多|最少|最长|最短|最低|最高|每[天晚月年次]|一般|大概|可|会)*(?:{_ASK_WORD})"
)
_PREDICATE = re.compile(rf"{_ASKING.pattern}|是|可以|能够?|应该|需要|必须|要(?!求)|会(?!议)")
_IDENTITY = re.compile(r"(?:是|叫|为|在|位于|属于)?(?:什么|谁|哪)")
"""Asks what an attribute is: 甲的职业是什么 is about 甲, while 甲的假期有几天 is about 甲的假期."""

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

_PARTY = re.compile(
    r".{0,4}(?:员工|职工|公司|单位|企业|部门|领导|老板|主管|同事|个人|本人|实习生|新人)|劳动者|家属|自己|大家|对方"
)
"""Takes part in every rule, so naming one names no topic: 实习生可以申请吗 does not say for what."""
_RELATIONAL = frozenset(
    "利率 比例 金额 期限 上限 下限 标准 条件 流程 方式 办法 时间 额度 次数 数量 价格 费用 地址 电话 原因 理由 目的 区别 范围 "
    "对象 后果 处罚 例外 依据 材料 手续 步骤 名字 全称 意思 作用 特点 情况 时候 事 钱 问题 困难 时 前 后 规定 要求 说法 部分 "
    "有效期 截止日期 天 月 年 日 小时 地方 结果 影响 周期 频率 人 谁 方面 东西 证明 多长时间 责任".split()
)
"""Says something of another thing, so alone it names no topic: 利率是多少 leaves open of what."""
_ACT_ON = frozenset(
    "可以 需要 应该 能够 必须 延长 申请 办理 审批 提交 取消 修改 超过 逾期 计算 开始 结束 改 提前 推迟 生效 到期".split()
)
_DEICTIC_TIME = re.compile(
    r"[今明去后前本当每上下近][天年月周晚日次].*|周.*|星期.*|[一二三四五六七八九十\d]+[年月日天]|现在|目前|以[前后]|之[前后]|[年月]底|当时"
)
_PERSON = re.compile(
    r"(?:.{0,4}(?:员工|职工|人员|实习生|人|经理|总监|主管|专员|顾问|老师|学生|工程师|外包|管理层|高管|领导))"
)
_QUANTITY = re.compile(
    r"(?:(?:不?满|超过|不足|少于|多于|高于|低于|不到|大于|小于|至少)?\d+(?:\.\d+)?[万千百亿]?"
    r"(?P<unit>年|个月|天|日|元|小时|岁|人|次|级|%|公里)(?:以[上下内]|之[内外])?)"
)
_IDENTIFIER = re.compile(r"[A-Za-z]+[-_/]?\d+[\w.-]*|[A-Za-z]+_\w+|\d{3,}")
_CLAUSE = re.compile(r"[，,；;。]")


def without_opening(question: str) -> tuple[str, Opening]:
    """Take off words that only join the question to the conversation: 那…, 还有…, 另外问下，…"""
    text = question.strip()
    for pattern, kind in ((_SWITCH, "switches"), (_GO_ON, "goes on")):
        match = pattern.match(text)
        if match and len(text) - match.end() > 1:
            return text[match.end() :], kind  # type: ignore[return-value]
    return text, ""


def fragment(rest: str, opening: Opening) -> str:
    """Return what a question without a predicate names: 北京 of 那北京呢？, 满20年 of 满20年的呢？; else nothing."""
    subject = _ENDING.sub("", rest)
    joined = opening == "goes on" or rest.rstrip("？?。 ").endswith("呢")
    if not joined or not subject or len(subject) > _FRAGMENT_CHARS or _PREDICATE.search(subject):
        return ""
    if _external_pronoun(rest) or rest.rstrip("？?。 ").endswith(("吗", "嘛", "不")):
        return ""
    return subject.removesuffix("的")


def substitute(subject: str, previous: str) -> str:
    """Ask the previous question about another subject.

    It takes the place of the quantity of its unit (满20年 for 满10年), of the word of its kind (place, person, time,
    code), of the word with its ending (病假 for 年假), or of the thing that is asked about; else it goes in front.
    """
    quantity = _QUANTITY.search(subject)
    if quantity:
        return _replace_quantity(subject, quantity["unit"], previous)
    words, kind = tagged(previous), _kind(subject)
    if kind:
        same = next((word for word, tag in words if word != subject and _kind_of(word, tag) == kind), "")
        return previous.replace(same, subject, 1) if same else _in_front(subject, previous)
    alike = next((w for w, t in words if len(w) > 1 and w != subject and w[-1] == subject[-1] and t[0] in "nvt"), "")
    if alike:
        return previous.replace(alike, subject, 1)
    head = topic(previous).rpartition("的")[2]
    if head and head in previous:
        return previous.replace(head, subject, 1)
    return _in_front(subject, previous)


def fill_in(rest: str, opening: Opening, topic_before: str) -> str:
    """Put the topic of the conversation where the question points at it or leaves it out."""
    pronoun = _external_pronoun(rest)
    if pronoun and opening != "switches":
        return rest[: pronoun.start()] + topic_before + rest[pronoun.end() :]
    if not names_topic(rest):
        return f"{topic_before}，{rest}"
    owner, joined, _ = topic_before.partition("的")
    if opening == "goes on" and joined and len(rest) <= _FRAGMENT_CHARS and owner not in rest:
        return f"{owner}的{rest}"
    return rest


def topic(question: str) -> str:
    """Return what a question is about.

    The noun phrase that stands before its predicate, in the last clause that has one; 甲的乙是什么 is about 甲.
    """
    clauses = [clause for clause in _CLAUSE.split(question.strip("？?。 ")) if clause.strip()]
    for clause in reversed(clauses):
        found = _topic_of_clause(clause)
        if found:
            return found
    return _ASKING.sub("", question).strip("？?。，, ")


def names_topic(text: str) -> bool:
    """Say whether a question names something of its own to search for."""
    if _IDENTIFIER.search(text) or re.search(r"[《“「\"]", text):
        return True
    if any(_is_topic_word(word, tag) for word, tag in tagged(text)) or re.match("(?:什么是|什么叫|何为).{2}", text):
        return True
    predicate = _PREDICATE.search(text)
    head = tagged(text[: predicate.start()]) if predicate else []
    return _is_deed(head) or any(_is_deed([deed]) and then[0] in _RELATIONAL for deed, then in pairwise(head))


def tagged(text: str) -> list[Word]:
    """Return the words with their part of speech."""
    # The dictionary takes a moment to load, and most questions need no rewriting.
    import rjieba

    return [(word, tag) for word, tag in rjieba.tag(text) if word.strip()]


def _external_pronoun(text: str) -> re.Match[str] | None:
    """Find a pronoun that points out of the question.

    One inside it is bound: by a noun in an earlier clause (公司收到申请，它要…), or, if it says whose, by a noun before it in
    its own clause (公司公布其制度). 银行为什么决定它 is not bound: the object is never the subject.
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
    *earlier, own = _CLAUSE.split(text[: pronoun.start()])
    if pronoun["its"]:
        return bool(re.match("[他它中实余次]", text[pronoun.end() :])) or _has_noun(text[: pronoun.start()])
    if any(_has_noun(clause) and not _FRAME.search(clause) for clause in earlier):
        return True
    whose = text[pronoun.end() :].startswith("的") or not pronoun["personal"]
    return whose and _has_noun(own) and not _FRAME.search(own)


def _has_noun(text: str) -> bool:
    return any(tag[0] == "n" or tag in ("eng", "j") for _, tag in tagged(text))


def _is_topic_word(word: str, tag: str) -> bool:
    if tag == "t":
        return not _DEICTIC_TIME.fullmatch(word)
    if not (tag[0] in "nbj" or tag in ("vn", "eng", "i", "l")):
        return False
    return word not in _RELATIONAL and not _PARTY.fullmatch(word) and not re.match(r"怎么|为什么", word)


def _is_deed(words: Sequence[Word]) -> bool:
    """Say whether a phrase names a deed: 辞职 of 辞职要提前多久, but not 交不起 of 交不起怎么办."""
    if not words or any(re.search(r"[不没得满]", word) for word, _ in words):
        return False
    word, tag = words[-1]
    return tag[0] == "v" and len(word) > 1 and word not in _ACT_ON


def _topic_of_clause(clause: str) -> str:
    asks = _ASKING.search(clause)
    predicate = _PREDICATE.search(clause)
    head = clause[: predicate.start()] if predicate else clause
    if asks and _IDENTITY.search(asks[0]) and not re.search("怎", asks[0]):
        return _first_nouns(clause)
    return _phrase(head) or _first_nouns(clause)


def _first_nouns(clause: str) -> str:
    """Return the words from the first noun to the next 的, verb or particle."""
    found = ""
    for word, tag in tagged(clause):
        if tag[0] in "uvpydx" and found and word not in "《》·":
            break
        if tag[0] not in "uvpydrc" and (tag[0] != "x" or word in "《》·"):
            found += word
    return found if len(found) > 1 and found not in _RELATIONAL else ""


def _phrase(head: str) -> str:
    """Return the noun phrase that the head of a clause ends with, its 的 included, without adverbs around it."""
    words = tagged(head)
    while words and (words[-1][1][0] in "udpcyrxfm" or _is_loose_verb(words)):
        words.pop()
    while words and (words[0][1][0] in "rdpcyx" or _DEICTIC_TIME.fullmatch(words[0][0])):
        words.pop(0)
    phrase = "".join(word for word, _ in words)
    return phrase if len(phrase) > 1 and any(_is_topic_word(*word) or _is_deed([word]) for word in words) else ""


def _is_loose_verb(words: Sequence[Word]) -> bool:
    """Say whether the phrase ends with a verb of what comes after it: 放 of 春节放几天."""
    return len(words) > 1 and words[-1][1][0] == "v" and len(words[-1][0]) == 1 and words[-2][1][0] != "u"


def _replace_quantity(subject: str, unit: str, previous: str) -> str:
    spans = [match for match in _QUANTITY.finditer(previous) if match["unit"] == unit]
    if not spans:
        return _in_front(subject, previous)
    first = last = spans[0]
    for span in spans[1:]:
        if span.start() == last.end():
            last = span
    return previous[: first.start()] + subject + previous[last.end() :]


def _in_front(subject: str, previous: str) -> str:
    return f"{subject}，{previous}"


def _kind(subject: str) -> str:
    words = tagged(subject)
    if _DEICTIC_TIME.fullmatch(subject) or re.search(r"(?:之|以)?[前后]$|期间$|时$", subject):
        return "time"
    if _PERSON.fullmatch(subject):
        return "person"
    return _kind_of(*words[-1]) if len(words) == 1 else ""


def _kind_of(word: str, tag: str) -> str:
    """Name the kind of a word for which another of the same kind can stand in."""
    if _PERSON.fullmatch(word):
        return "person"
    if _DEICTIC_TIME.fullmatch(word):
        return "time"
    if _IDENTIFIER.fullmatch(word):
        return "code"
    return {"ns": "place", "nr": "name"}.get(tag, "")
