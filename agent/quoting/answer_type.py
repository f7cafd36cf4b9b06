"""Which type of answer a question asks for, and whether a text holds one of that type."""

import re
from collections.abc import Mapping
from typing import Literal

from agent.checks.numerals import normal
from agent.quoting.units import Unit

AnswerType = Literal["share", "money", "duration", "date", "number", "list", "other"]
REQUIRED: frozenset[AnswerType] = frozenset({"share", "money", "duration", "date", "number"})
"""Types without which an answer is none: who asks how much is not told by a sentence without a figure."""

_WHAT_THE = r"\bwhat(?:'s| is) the (?:(?!to\b)[\w'-]+ ){0,6}?"
_OF = r"(?=\s*(?:[?.,]|$)|\s+(?:for|of|per|in|on|to|under|when|if|at|by|with|from|range)\b)"
"""After a word that asks for a figure: before another noun it does not, as in "rate policy"."""
_ASKS: Mapping[AnswerType, str] = {
    "share": (
        r"百分之(?:几|多少)|百分比|几成|(?:比例|比率|利率|税率|费率|占比|折扣)[^，。？?]{0,6}(?:多少|几)"
        r"|(?:什么|多大|怎样的)(?:比例|折扣)"
        r"|(?:多少|几)[^，。？?]{0,2}(?:比例|百分)|\bwhat (?:percent|share|fraction)|\bhow many percent|\binterest rate"
    ),
    "duration": (
        r"多久|多长(?:时间)?|(?:几|多少)个?(?:天|日|工作日|周|星期|月|年(?!级)|小时|分钟|学期)|\bhow long\b"
        r"|\bhow many (?:\w+ ){0,3}(?:seconds|minutes|hours|days|weeks|months|years|quarters)\b"
    ),
    "money": (
        r"多少(?:钱|元|块|万)|几(?:元|块钱|万元)"
        r"|(?:费用?|金额|补贴|津贴|补助|罚款|工资|薪水|价格|押金|预算|奖金|限额|标准)[^，。？?有]{0,4}(?:多少|几)"
        r"|\bhow much (?:money|does|do|is the|can i (?:spend|claim))|\bhow many (?:dollars|yuan|euros)"
        r"|\bhow much (?:[\w'-]+ ){1,5}?(?:make|makes|earn|earns|cost|costs|get paid|be paid)\b"
        rf"|{_WHAT_THE}(?:price|cost|fee|salary|stipend|allowance|deposit|bonus|fine){_OF}"
    ),
    "date": (
        r"哪一?年|哪个?(?:年|月|天|日)|几(?:月|号|点)|\b(?:what|which) (?:year|date|time|day|month|decade|century)"
    ),
    "number": (
        r"多少|几[个次位名条项种份级岁倍台辆把人家章层页字]|多[大高远重]"
        r"|\bhow (?:many|much|often|old|far|big|large|tall|high|deep)\b"
        rf"|{_WHAT_THE}(?:rate|percentage|ratio|limit|maximum|minimum|threshold|quota)"
        rf"{_OF}(?! of (?:liability|pay)\b)"
    ),
    "list": (
        r"哪些|哪几|有什么(?:要求|条件|规定|步骤|材料)|\bwhich of\b|\bwhat are\b|\blist\b"
        r"|\bwhat (?:kinds|types|steps|documents)\b"
    ),
}
"""In the order of what is told first: 多少天 asks for a duration and not for any number."""
_MARKS_OF_ORDER = re.compile(r"第\s*\d+\s*[条章节款项号届次页]|\(\d+\)|[A-Za-z_-]+\d[\w.-]*")
_TIME = (
    r"(?:seconds?|minutes?|mins?|hours?|hrs?|(?:working |business |calendar )?days?|weeks?|months?|years?|quarters?)"
)
_CODES = r"(?:eur|usd|cny|rmb|gbp|hkd|jpy|sgd|chf)"
_CURRENCY = r"元|块|角|分钱|美元|港元|欧元|日元|英镑|dollars?|yuan|euros?|pounds?|cents?"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_RELATIVE = (
    r"不(?:得|能)?[超高低少]过?[于过]|最[高低多少]|至[多少]|全额|等额|相等"
    r"|\b(?:at (?:most|least)|no more than|unlimited|equal to|exceed)"
)
"""An amount that is stated by another, such as 不得超过培训费用."""
_HOLDS: Mapping[AnswerType, str] = {
    "share": r"\d\s*(?:%|‰|per ?cent|成)|分之|一半|\bhalf\b|\bquarter\b|\bthird\b|\d\s*倍",
    "money": (
        rf"\d\s*[万亿千百]?\s*(?:{_CURRENCY}|{_CODES}\b)|(?:[$￥¥€£]|\b{_CODES})\s*\d"
        rf"|\d\s*(?:%|per ?cent)|免费|\bfree\b|{_RELATIVE}"
    ),
    "duration": (
        rf"\d\s*个?(?:\w{{0,2}}(?:天|日)|周|星期|月|年|小时|分钟|秒)|\d[- ]*(?:\w+ )?{_TIME}\b"
        rf"|\b(?:an?|one|each) {_TIME}\b|永久|长期|半[年天月]"
    ),
    "date": (
        rf"\d\s*(?:年|个?月|日|天|号|点|世纪)|\b(?:1\d|20)\d\ds?\b|\b{_MONTH}\b"
        r"|\b\d{1,2}[:：]\d\d|\d\s?[ap]\.?m\b|\bnoon\b|\bmidnight\b"
        r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|星期|周[一二三四五六日末]|\bcentury\b"
    ),
    "number": rf"\d|\b(?:no|none|once|twice|both|single|dozen|hundred|thousand|million)\b|[每各]|{_RELATIVE}",
}


def asked_type(question: str) -> AnswerType:
    """Return the type of answer that the question asks for; `other` when it does not say."""
    return next((kind for kind, pattern in _ASKS.items() if re.search(pattern, question, re.IGNORECASE)), "other")


def is_of(kind: AnswerType, unit: Unit) -> bool:
    """Say whether the unit holds an answer of the type; any unit may hold what has no form of its own."""
    # What the figures of a table measure stands in its header, or nowhere.
    return kind not in REQUIRED or holds_type("number" if unit.header else kind, unit.text)


def holds_type(kind: AnswerType, text: str) -> bool:
    """Say whether the text holds something of a type that is required.

    Numbers of articles, clauses and lists, and those within codes, are no quantities.
    """
    return bool(re.search(_HOLDS[kind], _MARKS_OF_ORDER.sub(" ", normal(text)), re.IGNORECASE))
