"""Read numbers and amounts with their units: 1.2万元, `$1,200`, 三个半小时, `five days`."""

import re
from decimal import Decimal

from agent.facts.fact import Fact, Reader, plain
from agent.facts.number_words import ONE, WORD
from agent.facts.units import MULTIPLIER, MULTIPLIERS, UNIT, UNIT_OF

_COUNTED = (
    r"(?:个?(?:方面|条件|步骤|部分|要点|原因|情形|情况|要求|阶段|环节|问题|例子|场景|选项|方式|方法|层次|层面|要素|大类|文件|来源|资料)"
    r"|点(?!\d)|种|类|步|大(?=类|方面|部分)|者|"
    r"\s*(?:main\s+|key\s+|different\s+)?(?:points|steps|conditions|reasons|ways|types|kinds|categories|parts|items|options|"
    r"cases|requirements|things|aspects|sources|documents|passages|examples|methods|stages|rules)\b)"
)
"""What an answer counts of its own: "three conditions", 以下两点."""
_AMOUNT = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?"
_NUMBER = re.compile(
    rf"(?P<sign>[¥$€£]|(?:RMB|CNY|USD|EUR|HKD|人民币|US\$)\s*[¥$]?)?\s*(?<![A-Za-z0-9_.])(?P<mark>[{WORD}{ONE}])?"
    rf"(?P<n>{_AMOUNT})(?:\s*(?P<times>{MULTIPLIER})(?:{ONE}?(?P<n2>\d+)(?P<times2>{MULTIPLIER}))?)?"
    rf"(?:(?P<counted>{_COUNTED})|(?P<a_half>个半)?[\s-]?(?:个|多|余|整)?\s*(?:连续|calendar\s|consecutive\s|full\s|paid\s)?\s*"
    rf"(?P<unit>{UNIT})(?P<and_half>半)?)?(?P<ordinal>(?:st|nd|rd|th)\b)?",
    re.IGNORECASE,
)
_SIGNS = {"¥": "CNY", "RMB": "CNY", "人民币": "CNY", "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP"}


def _read_number(match: re.Match[str]) -> list[Fact]:
    value, unit = _value(match), _unit(match)
    if match["ordinal"] or _is_ordinal(match):
        return [Fact(f"no. {plain(value)}", "ordinal", plain(value))]
    if unit == "years" and 1000 <= value <= 2100 and not match["times"]:
        unit = ""  # a calendar year
    one, word = match["mark"] == ONE and value == 1, match["mark"] == WORD and not unit
    weak = one or word or (bool(match["counted"]) and value <= 20)
    text = plain(value)
    return [Fact(f"{text} {unit}".rstrip(), "number", text, unit, weak)]


def _is_ordinal(match: re.Match[str]) -> bool:
    """Tell 第3, 第3次 and 第3人 from 第3年."""
    nth = match.string[: match.start("n")].rstrip().endswith("第")
    return nth and UNIT_OF.get(match["unit"] or "", "times") in ("times", "people")


def _value(match: re.Match[str]) -> Decimal:
    value = Decimal(match["n"].replace(",", ""))
    if match["times"]:
        value *= MULTIPLIERS[match["times"].lower()]
    if match["sign"] and (match["unit"] or "").lower() == "m":
        value *= 10**6  # £30m
    if match["times2"]:
        value += Decimal(match["n2"]) * MULTIPLIERS[match["times2"].lower()]
    if match["a_half"] or match["and_half"]:
        value += Decimal("0.5")
    return value


def _unit(match: re.Match[str]) -> str:
    """Return the currency before the number, or the unit after it."""
    sign = re.sub(r"\s|(?<=\w)[¥$]", "", match["sign"] or "").upper()
    return _SIGNS.get(sign, sign) or UNIT_OF.get(re.sub(r"\s+", " ", (match["unit"] or "").lower()), "")


NUMBER = Reader(_NUMBER, _read_number)
