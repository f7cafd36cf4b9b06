"""What a Chinese question is about, told from the parts of speech.

`rjieba` tags the words: n* noun, t time, r pronoun, v verb, m number, p preposition, u 的 and its like, y 吗 and 呢.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

Word = tuple[str, str]
_ASK_WORD = (
    r"多少|几(?=[天个次年月元级种份小条类岁])|是否|能不能|可不可以|有没有|要不要|是不是|"
    r"多久|多长|多高|多大|什么|怎么|怎样|怎麼|什麼|如何|为何|哪|谁"
)
ASKING = re.compile(
    rf"(?:是|为|有|要|能|可以?|会|应该?|最[多少长短低高]|每[天晚月年次]|一般|大概){{0,4}}(?:{_ASK_WORD})"
)
PREDICATE = re.compile(
    rf"{ASKING.pattern}|是|可以|应该|需要|必须|(?<![功智])能(?![源力耗])"
    r"|(?<![主重必摘纪])要(?![求素点])|(?<![省社工协年])会(?![议员计])"
)
_IDENTITY = re.compile(r"[是为]?(?:什么|谁|哪)")
"""Asks what an attribute is: 甲的职业是什么 is about 甲, while 甲的假期有几天 is about 甲的假期."""
_PARTY = re.compile(
    r".{0,4}(?:员工|职工|公司|单位|企业|部门|领导|老板|主管|同事|个人|本人|实习生|新人)|劳动者|家属|自己|大家|对方"
)
"""Takes part in every rule, so naming one names no topic: 实习生可以申请吗 does not say for what."""
_RELATIONAL = frozenset(
    "利率 比例 金额 期限 上限 下限 标准 条件 流程 方式 办法 时间 额度 次数 数量 价格 费用 地址 电话 原因 理由 目的 "
    "区别 范围 对象 后果 处罚 例外 依据 材料 手续 步骤 名字 全称 意思 作用 特点 情况 时候 事 钱 问题 困难 时 前 后 "
    "规定 要求 说法 部分 有效期 截止日期 天 月 年 日 小时 地方 结果 影响 周期 频率 人 谁 方面 东西 证明 责任".split()
)
"""Says something of another thing, so alone it names no topic: 利率是多少 leaves open of what."""
_ACT_ON = frozenset(
    "可以 需要 应该 能够 必须 "
    "延长 申请 办理 审批 提交 取消 修改 超过 逾期 计算 开始 结束 改 提前 推迟 生效 到期".split()
)
DEICTIC_TIME = re.compile(
    r"[今明去后前本当每上下近][天年月周晚日次].*|周.*|星期.*|[一二三四五六七八九十\d]+[年月日天]|现在|目前|以[前后]|之[前后]|[年月]底|当时"
)
IDENTIFIER = re.compile(r"(?<![A-Za-z])[A-Za-z]+[-_/]?\d+[\w.-]*|(?<![A-Za-z])[A-Za-z]+_\w+|\d{3,}")
CLAUSE = re.compile(r"[，,；;。]")


def topic(question: str) -> str:
    """Return what a question is about.

    The noun phrase that stands before its predicate, in the last clause that has one; 甲的乙是什么 is about 甲.
    """
    clauses = [clause for clause in CLAUSE.split(question.strip("？?。 ")) if clause.strip()]
    for clause in reversed(clauses):
        found = _topic_of_clause(clause)
        if found:
            return found
    return ASKING.sub("", question).strip("？?。，, ")


def names_topic(text: str) -> bool:
    """Say whether a question names something of its own to search for."""
    if IDENTIFIER.search(text) or re.search(r"[《“「\"]", text):
        return True
    words = tagged(text)
    if any(_is_topic_word(*word) and _is_whole_noun(words, place) for place, word in enumerate(words)):
        return True
    if re.match("(?:什么是|什么叫|何为).{2}", text):
        return True
    predicate = PREDICATE.search(text)
    head = tagged(text[: predicate.start()]) if predicate else []
    return _is_deed(head) or any(_is_deed([deed]) and then[0] in _RELATIONAL for deed, then in pairwise(head))


def tagged(text: str) -> list[Word]:
    """Return the words with their part of speech."""
    # The dictionary takes a moment to load, and most questions need no rewriting.
    import rjieba

    return [(word, tag) for word, tag in rjieba.tag(text) if word.strip()]


def has_noun(text: str) -> bool:
    """Say whether the text holds a noun, a name or an abbreviation."""
    return any(tag[0] == "n" or tag in ("eng", "j") for _, tag in tagged(text))


def _is_topic_word(word: str, tag: str) -> bool:
    if tag == "t":
        return not DEICTIC_TIME.fullmatch(word)
    if not (tag[0] in "nbj" or tag in ("vn", "eng", "i", "l")):
        return False
    return word not in _RELATIONAL and not _PARTY.fullmatch(word) and not re.match(r"怎么|为什么", word)


def _is_whole_noun(words: Sequence[Word], place: int) -> bool:
    """Doubt a single character inside a question: 报 of 向谁报 is a verb, but 假 of 年假 was cut off its noun."""
    if len(words[place][0]) > 1 or place == 0:
        return True
    word, tag = words[place - 1]
    return len(word) == 1 and tag[0] in "mnabt"


def _is_deed(words: Sequence[Word]) -> bool:
    """Say whether a phrase names a deed: 辞职 of 辞职要提前多久, but not 交不起 of 交不起怎么办."""
    if not words or any(re.search(r"[不没得满]", word) for word, _ in words):
        return False
    word, tag = words[-1]
    return tag[0] == "v" and len(word) > 1 and word not in _ACT_ON


def _topic_of_clause(clause: str) -> str:
    asks = ASKING.search(clause)
    predicate = PREDICATE.search(clause)
    head = clause[: predicate.start()] if predicate else clause
    if asks and _IDENTITY.fullmatch(asks[0]):
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
    while words and (words[0][1][0] in "rdpcyx" or DEICTIC_TIME.fullmatch(words[0][0])):
        words.pop(0)
    phrase = "".join(word for word, _ in words)
    return phrase if len(phrase) > 1 and any(_is_topic_word(*word) or _is_deed([word]) for word in words) else ""


def _is_loose_verb(words: Sequence[Word]) -> bool:
    """Say whether the phrase ends with a verb of what comes after it: 放 of 春节放几天."""
    return len(words) > 1 and words[-1][1][0] == "v" and len(words[-1][0]) == 1 and words[-2][1][0] != "u"
