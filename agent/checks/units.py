"""Units of measure and what else may stand after a number, in English and Chinese."""

import re

UNITS: dict[str, tuple[str, ...]] = {
    "CNY": ("元", "圆", "块钱", "人民币", "yuan", "rmb", "cny"),
    "USD": ("美元", "美金", "usd", "us dollars", "us dollar", "dollars", "dollar"),
    "EUR": ("欧元", "euros", "euro", "eur"),
    "GBP": ("英镑", "pounds", "gbp"),
    "HKD": ("港元", "港币", "hkd"),
    "JPY": ("日元", "jpy", "yen"),
    "workdays": ("工作日", "working days", "working day", "business days", "business day", "workdays", "workday"),
    "days": ("自然日", "日历日", "天", "日", "calendar days", "calendar day", "days", "day"),
    "hours": ("小时", "钟头", "hours", "hour", "hrs", "hr", "h"),
    "minutes": ("分钟", "minutes", "minute", "mins", "min"),
    "seconds": ("秒钟", "秒", "seconds", "second", "secs", "sec", "s"),
    "ms": ("毫秒", "milliseconds", "millisecond", "ms"),
    "weeks": ("星期", "礼拜", "周", "weeks", "week"),
    "months": ("个月", "months", "month"),
    "quarters": ("个季度", "quarters"),
    "years": ("周年", "周岁", "年", "岁", "years old", "years", "year"),
    "people": ("人", "名", "位", "people", "persons", "person", "employees", "staff"),
    "times": ("次",),
    "fold": ("倍", "fold"),
    "km": ("公里", "千米", "kilometres", "kilometers", "km"),
    "m": ("米", "metres", "meters", "metre", "meter", "m"),
    "cm": ("厘米", "cm"),
    "m2": ("平方米", "平米", "m2", "sqm"),
    "miles": ("英里", "miles", "mile"),
    "kg": ("公斤", "千克", "kilograms", "kg"),
    "g": ("克", "grams", "g"),
    "t": ("吨", "tonnes", "tons"),
    "L": ("升", "litres", "liters", "l"),
    "KB": ("kb",),
    "MB": ("兆", "megabytes", "mb"),
    "GB": ("gigabytes", "gb"),
    "TB": ("tb",),
    "°C": ("摄氏度", "℃", "°c", "degrees celsius"),
    "kW": ("千瓦", "kw"),
    "characters": ("字符", "个字", "characters"),
    "points": ("积分", "分"),
}
UNIT_OF = {word: unit for unit, words in UNITS.items() for word in words}
_OTHER_WORDS = {"年": "代", "元": "组素旦件首", "分": "之卫部别析", "次": "性", "人": "民"}
"""Characters after which a unit is the beginning of another word."""


def _unit_pattern(word: str) -> str:
    border = "(?![A-Za-z])" if word[-1].isascii() else f"(?![{_OTHER_WORDS[word]}])" if word in _OTHER_WORDS else ""
    return re.escape(word).replace(r"\ ", r"\s+") + border


UNIT = "|".join(map(_unit_pattern, sorted(UNIT_OF, key=len, reverse=True)))

MULTIPLIER = (
    r"百万|千万|万亿|万|亿|千(?![克米瓦卡字帕赫焦伏])|百(?![分帕])"
    r"|(?:hundred|thousand|million|billion|bn|k)(?![A-Za-z])"
)
MULTIPLIERS = {
    **{"千": 1000, "百": 100, "万": 10**4, "百万": 10**6, "千万": 10**7, "亿": 10**8, "万亿": 10**12, "k": 1000},
    **{"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "bn": 10**9},
}
"""By what MULTIPLIER matches, in lower case."""

CLAUSE_WORDS = "条款项章节页编篇号期级"
"""After 第 and a number: a part of a document."""

MEASURE_WORDS = "个所座部家条支只本张篇场届层间台辆艘架颗处份批套组栋幢"
"""After a number in Chinese: it counts what comes next, and is no unit."""
