"""Check that the facts of each sentence stand in the passages that it cites."""

import re
import unicodedata
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

# --- Labels and sentences -------------------------------------------------------------------------------------------

_ONE_LABEL = r"[SsＳｓ]\s?\d{1,3}"
_LABELS = rf"[\[【［(（]\s*{_ONE_LABEL}(?:\s*[,，、;；/&\-–~和及]?\s*{_ONE_LABEL})*\s*[\]】］)）]"
_LABEL_GROUP = re.compile(_LABELS)
_ABBREVIATIONS = (
    *("e.g", "i.e", "No", "no", "vs", "Dr", "Mr", "Ms", "Mrs", "St", "Art", "Sec", "Fig", "approx", "U.S"),
    *("Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec"),
)
_FULL_STOP = "".join(rf"(?<!\b{re.escape(word)})" for word in _ABBREVIATIONS) + r"(?<!^\d)(?<!^\d\d)\."
_SENTENCE_END = re.compile(
    rf"(?:[。！？；]+|(?:[!?]+|{_FULL_STOP})(?=\s|$|[\"”’)）*]|{_LABELS}))[\"”’」』)）*_]*(?:\s*{_LABELS})*[。.；;]?"
)
_TABLE_RULE = re.compile(r"^[\s|:+-]*$")


@dataclass(frozen=True)
class Claim:
    """A sentence of an answer, the labels it cites, and its facts that none of the cited passages holds."""

    text: str
    """As it stands in the answer, with its labels."""
    labels: tuple[str, ...]
    """Like `S1`, in order; empty for a sentence that cites nothing."""
    missing: tuple[str, ...]

    @property
    def supported(self) -> bool:
        """Tell whether every fact was found; true for a claim without labels, which was not checked."""
        return not self.missing


def cited_labels(answer: str) -> list[str]:
    """Return the labels of an answer as `S1`, in order, each once."""
    return list(dict.fromkeys(label for group in _LABEL_GROUP.findall(answer) for label in _labels_in(group)))


def _labels_in(group: str) -> list[str]:
    return [f"S{int(digits)}" for digits in re.findall(r"\d+", group)]


def remove_unknown_labels(answer: str, known: Container[str]) -> tuple[str, list[str]]:
    """Return the answer with its known labels written as `[S1]`, and the labels that were removed.

    `known` holds labels such as `S1`.
    """
    removed: dict[str, None] = {}

    def rewrite(match: re.Match[str]) -> str:
        labels = _labels_in(match[2])
        removed.update(dict.fromkeys(label for label in labels if label not in known))
        if kept := "".join(f"[{label}]" for label in dict.fromkeys(labels) if label in known):
            return match[1] + kept + match[3]
        before, after = answer[: match.start()][-1:], answer[match.end() :][:1]
        if before in ("", "\n") or not after:
            return match[1] if before in ("", "\n") else ""
        joins_words = before.isascii() and before.isalnum() and after.isascii() and after.isalnum()
        return match[3] or (" " if joins_words else "")

    cleaned = re.sub(rf"([ \t]*)({_LABELS})([ \t]*)", rewrite, answer)
    return cleaned, list(removed)


def split_claims(answer: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return each sentence as it stands in the answer, with the labels in it or right after it.

    A line, a list item or a table row is at least one sentence; a line of labels belongs to the sentence before it.
    """
    spans: list[tuple[int, int]] = []
    position = 0
    for line in answer.splitlines(keepends=True):
        for start, end in _sentence_spans(line):
            only_labels = not re.sub(r"[\s。.；;，,*]", "", _LABEL_GROUP.sub("", line[start:end]))
            if only_labels and spans:
                spans[-1] = (spans[-1][0], position + end)
            else:
                spans.append((position + start, position + end))
        position += len(line)
    return [(answer[start:end], tuple(cited_labels(answer[start:end]))) for start, end in spans]


def _sentence_spans(line: str) -> Iterable[tuple[int, int]]:
    """Yield where the sentences of a line begin and end, without the white space around them."""
    if _TABLE_RULE.match(line):
        return
    ends = [len(line)]
    if not line.lstrip().startswith("|"):
        ends = [match.end() for match in _SENTENCE_END.finditer(line)] + ends
    start = 0
    for end in ends:
        piece = line[start:end]
        if piece.strip():
            yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
        start = end


def check_claims(answer: str, passages: Mapping[str, str]) -> list[Claim]:
    """Return every claim of an answer with what its cited passages do not hold.

    `passages` maps labels such as `S1` to text; a label without a passage supports nothing. Left out, because they
    are rarely statements about the source: "one" and 一, other small English number words without a unit, counts of
    the answer's own list ("three conditions", 以下两点), and ordinals that number no clause (第三方, the first).
    """
    held = {label: _Held.by(text) for label, text in passages.items()}
    claims = []
    for text, labels in split_claims(answer):
        cited = [held[label] for label in labels if label in held]
        stated = [fact for fact in _read_facts(text) if not fact.weak] if labels else []
        missing = [fact.text for fact in stated if not any(passage.holds(fact) for passage in cited)]
        claims.append(Claim(text, labels, tuple(dict.fromkeys(missing))))
    return claims


# --- Units and number words -----------------------------------------------------------------------------------------

_UNITS: dict[str, tuple[str, ...]] = {
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
    "mm": ("毫米", "mm"),
    "m2": ("平方米", "平米", "m2", "sqm"),
    "m3": ("立方米", "m3"),
    "kg": ("公斤", "千克", "kilograms", "kg"),
    "g": ("克", "grams", "g"),
    "t": ("吨", "tonnes", "tons"),
    "L": ("升", "litres", "liters", "l"),
    "KB": ("kb",),
    "MB": ("兆", "megabytes", "mb"),
    "GB": ("gigabytes", "gb"),
    "TB": ("tb",),
    "°C": ("摄氏度", "℃", "°c", "degrees celsius"),
    "MPa": ("兆帕", "mpa"),
    "kPa": ("千帕", "kpa"),
    "V": ("伏特", "伏", "volts", "v"),
    "kW": ("千瓦", "kw"),
    "characters": ("字符", "个字", "characters"),
    "points": ("积分", "分"),
}
_UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words}
_OTHER_WORDS = {"年": "代", "元": "组素旦件首", "分": "之卫部别析", "次": "性", "人": "民"}
"""Characters after which a unit is the beginning of another word."""


def _unit_pattern(word: str) -> str:
    border = "(?![A-Za-z])" if word[-1].isascii() else f"(?![{_OTHER_WORDS[word]}])" if word in _OTHER_WORDS else ""
    return re.escape(word).replace(r"\ ", r"\s+") + border


_UNIT = "|".join(map(_unit_pattern, sorted(_UNIT_OF, key=len, reverse=True)))
_COUNTED = (
    r"(?:个?(?:方面|条件|步骤|部分|要点|原因|情形|情况|要求|阶段|环节|问题|例子|场景|选项|方式|方法|层次|层面|要素|大类|文件|来源|资料)"
    r"|点(?!\d)|种|类|步|大(?=类|方面|部分)|者|"
    r"\s*(?:main\s+|key\s+|different\s+)?(?:points|steps|conditions|reasons|ways|types|kinds|categories|parts|items|options|"
    r"cases|requirements|things|aspects|sources|documents|passages|examples|methods|stages|rules)\b)"
)
_DIGITS = dict(zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_ENGLISH_NUMBERS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_WORDS = {word: value for value, word in enumerate(_ENGLISH_NUMBERS, start=1)} | {
    **{"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
}
_MULTIPLIERS = {
    **{"千": 1000, "百": 100, "万": 10**4, "百万": 10**6, "千万": 10**7, "亿": 10**8, "万亿": 10**12, "k": 1000},
    **{"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9},
}
_WORD, _ONE = "\ue000", "\ue001"
"""Marks before a number that was a word in English, and before 一 or "one"; no text uses them."""

_CLAUSE = "条款项章节页编篇号期级"
_ZH_NUMBER = re.compile(
    r"(?<![几数上好多])"
    r"(?P<number>[一二三四五六七八九十两零〇][零〇一二三四五六七八九十百千万亿两]{0,20}(?:点[零〇一二三四五六七八九]{1,20}(?![十刻分]))?)"
)
_ZH_CONTEXT = re.compile(
    rf"\s*个?半?(?:{_UNIT}|月|点[钟整半前后之上下开关到至以]|时[整前后]|[{_CLAUSE}成季]|世纪|分之|%|‰)"
)


def _zh_value(numeral: str) -> Decimal:
    """Return the value of a Chinese numeral; digits alone are read in order, as in 二〇二四."""
    whole, _, fraction = numeral.partition("点")
    if not set(whole) & set(_POWERS):
        value = int("".join(str(_DIGITS[char]) for char in whole))
    else:
        value = section = digit = 0
        for char in whole:
            if char in _DIGITS:
                digit = _DIGITS[char]
            elif (power := _POWERS[char]) >= 10_000:
                below = section + digit
                value, section, digit = value + below * power if value > power else (value + below) * power, 0, 0
            else:
                section, digit = section + (digit or 1) * power, 0
        value += section + digit
    return Decimal(f"{value}.{''.join(str(_DIGITS[char]) for char in fraction) or 0}")


def _zh_to_digits(match: re.Match[str]) -> str:
    numeral, text = match["number"], match.string
    before, after = text[: match.start()], text[match.end() :]
    measured = bool(_ZH_CONTEXT.match(after)) and not (numeral == "十" and re.match("分(?!钟|之)", after))
    follows = before.endswith(
        ("分之", "第", "下午", "上午", "晚上", "早上", "凌晨", "中午", "月", "年", "点", "周", "星期")
    )
    clear = len(numeral) > 2 or (len(numeral) == 2 and bool(set(numeral) & set("十百千万亿")))
    if after.startswith("次性") or not (measured or follows or clear):
        return numeral
    return (_ONE if numeral == "一" and not before.endswith(("第", "月", "分之")) else "") + _plain(_zh_value(numeral))


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# --- Facts ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Fact:
    text: str
    """Normal form, equal for all ways of writing it."""
    kind: Literal["number", "date", "time", "clause", "identifier"]
    value: str = ""
    """Of a number or clause: the number alone."""
    unit: str = ""
    """Of a number: its unit, empty when it has none or one that is not known."""
    weak: bool = False
    """Too vague to hold against a claim, such as "one"."""


def facts(text: str) -> set[str]:
    """Return the numbers, amounts, percentages, dates, times and identifiers of a text in normal form.

    Two ways of writing the same fact give the same string: `1.2万元`, `12,000 yuan` → `12000 CNY`;
    `第四十六条` → `第46条`; `July 1, 2024` → `2024-07-01`; `下午3点` → `15:00`;
    `百分之八十` → `80%`; `v2.3.1` → `2.3.1`.
    """
    return {fact.text for fact in _read_facts(text)}


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<name>jan(?:uary|\.)?|feb(?:ruary|\.)?|mar(?:ch|\.)?|apr(?:il|\.)?|may|jun(?:e|\.)?|jul(?:y|\.)?|aug(?:ust|\.)?|"
    r"sept?(?:ember|\.)?|oct(?:ober|\.)?|nov(?:ember|\.)?|dec(?:ember|\.)?)"
)
_N = r"(?<![A-Za-z0-9_.])"
_DATE_FORMS = [
    rf"{_N}(?P<y>\d{{4}})\s*年\s*(?P<m>\d{{1,2}})\s*月\s*(?P<d>\d{{1,2}})\s*[日号]?",
    rf"{_N}(?P<y>\d{{4}})(?P<sep>[-/.])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}})(?![\d.-]*\d)",
    rf"\b{_MONTH}\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})(?!\d)",
    rf"{_N}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+(?P<y>\d{{4}})(?!\d)",
    rf"{_N}(?P<y>\d{{4}})\s*年\s*(?P<m>\d{{1,2}})\s*月份?",
    rf"\b{_MONTH},?\s+(?P<y>\d{{4}})(?!\d)",
    rf"{_N}(?P<y>(?:19|20)\d\d)[-/](?P<m>0[1-9]|1[0-2])(?![\d/-])",
    rf"{_N}(?P<m>\d{{1,2}})\s*月\s*(?P<d>\d{{1,2}})\s*[日号]",
    rf"\b{_MONTH}[ \t]+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.,]?\d)",
    rf"{_N}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[ \t]+(?:of\s+)?{_MONTH}\b",
    rf"{_N}(?P<m>\d{{1,2}})\s*月份?(?!内)",
    r"(?:\b(?:in|by|since|until|from|every|each)\s+)(?-i:(?=[A-Z]))" + _MONTH + r"\b",
]
# ASCII: a Chinese character next to a letter is the border of a word.
_DATES = [re.compile(form, re.IGNORECASE | re.ASCII) for form in _DATE_FORMS]
_TIME = re.compile(
    rf"(?P<part>凌晨|早上|上午|中午|下午|傍晚|晚上|晚)?\s*{_N}[{_ONE}{_WORD}]?(?:(?P<h>\d{{1,2}}):(?P<min>\d\d)(?::\d\d)?(?!\d)"
    r"|(?P<zh>\d{1,2})\s*(?:点钟?|时)(?:(?P<half>半)|(?P<zmin>\d{1,2})分?)?(?!间|\d)|(?P<bare>\d{1,2})(?=\s*[ap]\.?m\b))"
    r"\s*(?P<half_day>[ap]\.?m\b\.?)?",
    re.IGNORECASE,
)
_URL = re.compile(r"https?://[\w./?=&%#:~+-]+[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_STANDARD = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:GB|ISO|IEC|IEEE|RFC|DB|HG|JB|SH|YY|JGJ|EN|ASTM)(?:\d\d)?(?:/[A-Z]+)*|[A-Z]{2,}(?:/[A-Z]+)?(?=\s?\d+[-:]))"
    r"\s?\d[\d.]*(?:[-:—–]\d+)*(?![A-Za-z0-9])"
)
_IDENTIFIER = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]+(?:[-_./:#][A-Za-z0-9]+)*(?![A-Za-z0-9])")
_PHONE = re.compile(rf"{_N}(?:0\d{{2,3}}-\d{{7,8}}|\d{{3,4}}-\d{{3,4}}-\d{{4}}|1\d{{10}})(?![\d-])")
_CENTURY = re.compile(
    rf"{_N}[{_ONE}]?(?:(?P<n>\d{{1,2}})\s*世纪|(?P<en>\d{{1,2}})(?:st|nd|rd|th)[\s-]centur(?:y|ies)\b)", re.I | re.A
)
_FRACTION = re.compile(rf"{_N}(?:(?P<below>\d+)分之{_ONE}?(?P<above>\d+)|(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}}))(?![\d/])")
_PERCENT = re.compile(
    rf"(?P<zh>百分之|千分之|万分之)\s*{_ONE}?(?P<of>\d+(?:\.\d+)?)"
    rf"|{_N}(?P<n>\d+(?:,\d{{3}})*(?:\.\d+)?)\s*"
    r"(?P<sign>%|‰|percentage points|percent|per\s?cent|pct|个百分点|成(?![为本立功员果]))(?P<half>半)?",
    re.IGNORECASE,
)
_CLAUSE_NUMBER = re.compile(
    rf"第\s*(?P<n>\d{{1,5}})\s*(?P<kind>季度|部分|[{_CLAUSE}])"
    r"|\b(?:articles?|sections?|clauses?|chapters?|page|paragraph|art\.|sec\.)\s+(?P<en>\d{1,5})(?![\d.]*\d)",
    re.IGNORECASE,
)
_MULTIPLIER = (
    r"百万|千万|万亿|万|亿|千(?![克米瓦卡字帕赫焦伏])|百(?![分帕])|(?:hundred|thousand|million|billion|k)(?![A-Za-z])"
)
_AMOUNT = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?"
_NUMBER = re.compile(
    rf"(?P<sign>[¥$€£]|(?:RMB|CNY|USD|EUR|HKD|人民币|US\$)\s*[¥$]?)?\s*(?<![A-Za-z0-9_.])(?P<mark>[{_WORD}{_ONE}])?"
    rf"(?P<n>{_AMOUNT})(?:\s*(?P<times>{_MULTIPLIER})(?:{_ONE}?(?P<n2>\d+)(?P<times2>{_MULTIPLIER}))?)?"
    rf"(?:(?P<counted>{_COUNTED})|(?P<a_half>个半)?[\s-]?(?:个|多|余|整)?\s*(?:连续|calendar\s|consecutive\s|full\s|paid\s)?\s*"
    rf"(?P<unit>{_UNIT})(?P<and_half>半)?)?(?P<ordinal>(?:st|nd|rd|th)\b)?",
    re.IGNORECASE,
)
_SIGNS = {"¥": "CNY", "RMB": "CNY", "人民币": "CNY", "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP"}
_ENUMERATION = re.compile(
    rf"^[ \t>*_#|+•·-]*(?:\d{{1,3}}(?:[)、]|\.(?=\s|[^\d\s]))|\(\d{{1,3}}\)"
    rf"|\d+(?:\.\d+)+\.?(?=\s+(?!{_UNIT}|%|{_MULTIPLIER}))"
    r"|[一二三四五六七八九十]+、|\([一二三四五六七八九十]+\)|第[一二三四五六七八九十]+[,:、]|(?:step|步骤)\s*\d+\s*[:.、]?)",
    re.IGNORECASE | re.MULTILINE,
)
_CIRCLED = re.compile("[\u2460-\u249b\u24ea-\u24ff\u2776-\u2793]")


_TRADITIONAL = str.maketrans(
    "萬億個點兩週鐘時號條項節頁編級歲圓幣噸後餘鎊盧紀○", "万亿个点两周钟时号条项节页编级岁圆币吨后余镑卢纪〇"
)
_DECADE = re.compile(r"(\d{1,2})\s*世纪\s*(?:的\s*)?(\d0)\s*年代")


def _normal(text: str) -> str:
    """Return the text without labels, list numbers and emphasis, in half width, with number words as digits."""
    text = unicodedata.normalize("NFKC", _CIRCLED.sub(" ", _LABEL_GROUP.sub(" ", text))).translate(_TRADITIONAL)
    text = _ENUMERATION.sub(" ", text.translate(str.maketrans("×\u2044−–—", "x/---")))
    text = re.sub(r"\*\*|__(?=\W|\d)|`|~~", "", text)
    text = re.sub(r"\b(?:mid|pre|post|early|late)-(?=\d)", " ", text, flags=re.I | re.A)
    text = re.sub(
        rf"\b(?:{'|'.join(_WORDS)})(?:[\s-](?:one|two|three|four|five|six|seven|eight|nine))?\b",
        _word_to_digits,
        text,
        flags=re.I | re.A,
    )
    text = _ZH_NUMBER.sub(_zh_to_digits, text)
    text = re.sub(r"(?<!\d)([12]\d\d0)\s*年代", r"\1s ", text)
    return _DECADE.sub(lambda match: f" {int(match[1]) - 1:02}{match[2]}s ", text)


def _word_to_digits(match: re.Match[str]) -> str:
    first, *rest = re.split(r"[\s-]+", match[0].lower())
    if rest and _WORDS[first] < 20:
        return " ".join(f"{_ONE if word == 'one' else _WORD}{_WORDS[word]}" for word in (first, *rest))
    value = _WORDS[first] + sum(_WORDS[word] for word in rest)
    return f"{_ONE if value == 1 else _WORD}{value}"


def _read_facts(text: str) -> list[_Fact]:
    """Read one kind after the other, most specific first; what is read is taken out of the text."""
    found: list[_Fact] = []
    rest = _normal(text)
    for pattern, read in _READERS:
        for match in reversed(list(pattern.finditer(rest))):
            if (read_facts := read(match)) is not None:
                found.extend(read_facts)
                rest = f"{rest[: match.start()]} \x00 {rest[match.end() :]}"
    return found


def _read_date(match: re.Match[str]) -> list[_Fact] | None:
    parts = match.groupdict()
    name = parts.get("name")
    month = _MONTHS.index(name[:3].lower()) + 1 if name else int(parts["m"])
    year, day = parts.get("y"), parts.get("d")
    if not 1 <= month <= 12 or not 1 <= int(day or 1) <= 31:
        return None
    if not year and not day:
        return [_Fact(f"month {month}", "date")]
    return [_Fact("-".join(filter(None, (year, f"{month:02}", day and f"{int(day):02}"))), "date")]


def _read_time(match: re.Match[str]) -> list[_Fact] | None:
    part, marker = match["part"] or "", (match["half_day"] or "").lower()
    hour = int(match["h"] or match["zh"] or match["bare"])
    minute = 30 if match["half"] else int(match["min"] or match["zmin"] or 0)
    before, after = match.string[: match.start()], match.string[match.end() :]
    listed = re.search(r"(?:以下|如下|下列|这|共|有|注意|几)\s*$", before) or after.startswith(":")
    if hour > 24 or minute > 59 or (match[0].endswith("点") and not part and listed):
        return None
    if hour < 12 and (
        part in ("下午", "傍晚", "晚上", "晚") or marker.startswith("p") or (part == "中午" and hour < 10)
    ):
        hour += 12
    elif hour == 12 and marker.startswith("a"):
        hour = 0
    clock = "" if part or marker or hour >= 12 else "unmarked"
    return [_Fact(f"{hour:02}:{minute:02}", "time", unit=clock)]


def _read_clause(match: re.Match[str]) -> list[_Fact]:
    number, kind = str(int(match["n"] or match["en"])), match["kind"] or ""
    if kind == "季度":
        return [_Fact(f"Q{number}", "identifier")]
    page = kind == "页" or match[0].lower().startswith("page")
    return [_Fact(f"第{number}{kind}", "clause", number, weak=page)]


def _read_percent(match: re.Match[str]) -> list[_Fact]:
    value = Decimal((match["of"] or match["n"]).replace(",", ""))
    sign = match["sign"] or {"百": "%", "千": "‰", "万": "‱"}[match["zh"][0]]
    if sign == "成":
        value = value * 10 + (5 if match["half"] else 0)
    sign = sign if sign in ("‰", "‱") else "%"
    return [_Fact(f"{_plain(value)}{sign}", "number", _plain(value), sign)]


def _read_fraction(match: re.Match[str]) -> list[_Fact]:
    above, below = match["above"] or match["a"], match["below"] or match["b"]
    return [_Fact(f"{above}/{below}", "identifier")]


def _read_identifier(match: re.Match[str]) -> list[_Fact] | None:
    token = re.sub(r"\s", "", match[0]).replace("—", "-").replace("–", "-").upper()
    if token.lower() in _UNIT_OF:
        return None
    if re.fullmatch(r"S\d{1,2}", token):
        return []  # a label without its brackets
    decade = re.fullmatch(r"[12]\d\d0S", token)
    number_with_unit = re.fullmatch(r"\d[\d.]*(?:[-/]?[A-Z]+)+[23]?", token) and not decade
    has_letter, has_digit = re.search("[A-Z]", token), re.search(r"\d", token)
    if (
        not has_digit
        or number_with_unit
        or not (has_letter or re.fullmatch(r"\d+(?:\.\d+){2,}|\d+(?:/\d+){2,}", token))
    ):
        return None
    return [_Fact(re.sub(r"^V(?=\d)", "", token), "identifier")]


def _read_century(match: re.Match[str]) -> list[_Fact]:
    return [_Fact(f"{int(match['n'] or match['en'])} century", "identifier")]


def _read_phone(match: re.Match[str]) -> list[_Fact]:
    return [_Fact(match[0].replace("-", ""), "identifier")]


def _read_url(match: re.Match[str]) -> list[_Fact]:
    return [_Fact(match[0].lower(), "identifier")] if re.search(r"\d", match[0]) else []


def _read_number(match: re.Match[str]) -> list[_Fact]:
    nth = match.string[: match.start("n")].rstrip().endswith("第")
    if match["ordinal"] or (nth and _UNIT_OF.get(match["unit"] or "", "times") in ("times", "people")):
        return []
    value = Decimal(match["n"].replace(",", ""))
    if match["times"]:
        value *= _MULTIPLIERS[match["times"].lower()]
    if match["times2"]:
        value += Decimal(match["n2"]) * _MULTIPLIERS[match["times2"].lower()]
    if match["a_half"] or match["and_half"]:
        value += Decimal("0.5")
    sign = re.sub(r"\s|(?<=\w)[¥$]", "", match["sign"] or "").upper()
    unit = _SIGNS.get(sign, sign) or _UNIT_OF.get(re.sub(r"\s+", " ", (match["unit"] or "").lower()), "")
    if unit == "years" and 1000 <= value <= 2100 and not match["times"]:
        unit = ""  # a calendar year
    weak = (match["mark"] == _ONE and value == 1) or (match["mark"] == _WORD and not unit)
    weak = weak or (bool(match["counted"]) and value <= 20)
    text = _plain(value)
    return [_Fact(f"{text} {unit}".rstrip(), "number", text, unit, weak)]


_READERS: list[tuple[re.Pattern[str], Callable[[re.Match[str]], list[_Fact] | None]]] = [
    (_URL, _read_url),
    *((form, _read_date) for form in _DATES),
    (_TIME, _read_time),
    (_CENTURY, _read_century),
    (_PHONE, _read_phone),
    (_STANDARD, _read_identifier),
    (_CLAUSE_NUMBER, _read_clause),
    (_PERCENT, _read_percent),
    (_FRACTION, _read_fraction),
    (_IDENTIFIER, _read_identifier),
    (_NUMBER, _read_number),
]


# --- What a passage holds -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Held:
    """The facts of a passage, with what follows from them: a date holds its month and its year."""

    texts: frozenset[str]
    units: Mapping[str, frozenset[str]]
    """Number → the units it stands with."""
    clauses: frozenset[str]
    """Numbers of clauses and list items."""
    words: str

    @classmethod
    def by(cls, passage: str) -> "_Held":
        found = _read_facts(passage)
        texts = {fact.text for fact in found}
        units: dict[str, set[str]] = {}
        for fact in found:
            if fact.kind == "number":
                units.setdefault(fact.value, set()).add(fact.unit)
            if fact.kind == "time" and fact.unit == "unmarked":
                texts.add(f"{fact.text} unmarked")
            if fact.kind == "identifier":
                for number in re.findall(r"(?<![^-_/:# ])[1-9]\d*(?![^-_/:# ])", fact.text):
                    units.setdefault(number, set()).add("")
            if fact.kind == "date":
                year, month, day = _date_parts(fact.text)
                texts.update(
                    {f"month {int(month)}", f"{year}-{month}" if year else "", f"{month}-{day}" if day else ""}
                )
                if year:
                    units.setdefault(year, set()).add("")
        clauses = {fact.value for fact in found if fact.kind == "clause"}
        plain = unicodedata.normalize("NFKC", passage)
        for marker in _ENUMERATION.findall(plain):
            if dotted := re.search(r"\d+(?:\.\d+)+", marker):
                units.setdefault(dotted[0], set()).add("§")
            elif number := re.search(r"\d+", _ZH_NUMBER.sub(lambda match: _plain(_zh_value(match["number"])), marker)):
                clauses.add(number[0])
        frozen = {value: frozenset(with_units) for value, with_units in units.items()}
        return cls(frozenset(texts - {""}), frozen, frozenset(clauses), plain.upper())

    def holds(self, fact: _Fact) -> bool:
        """Tell whether a fact stands in the passage, written in this or in another way."""
        if fact.text in self.texts:
            return True
        match fact.kind:
            case "number":
                units = self.units.get(fact.value, frozenset())
                loosely = "" in units or (fact.unit == "days" and "workdays" in units)
                return bool(units) and (not fact.unit or loosely)
            case "date":
                year, month, day = _date_parts(fact.text)
                rest = f"{month}-{day}" if day else f"month {int(month)}"
                return bool(year) and year in self.units and rest in self.texts
            case "time":
                hour, minute = fact.text.split(":")
                afternoon = any(re.match(r"(?:1[2-9]|2\d):", text) for text in self.texts)
                return afternoon and int(hour) > 12 and f"{int(hour) - 12:02}:{minute} unmarked" in self.texts
            case "clause":
                return fact.value in self.clauses
            case "identifier":
                spelt = r"\s?".join(map(re.escape, fact.text.upper()))
                named = re.fullmatch(r"[A-Z]{5,}-(\d+)", fact.text)  # a word in one language, another in the other
                if named and named[1] in self.units:
                    return True
                return bool(re.search(rf"(?<![A-Z0-9])(?<!\d\.){spelt}(?![A-Z0-9]|\.\d)", self.words))


def _date_parts(text: str) -> tuple[str, str, str]:
    """Return year, month and day of `2024-07-01`, `2024-07`, `07-01` or `month 7`; empty where there is none."""
    if text.startswith("month "):
        return "", f"{int(text[6:]):02}", ""
    parts = text.split("-")
    if len(parts[0]) == 4:
        return parts[0], parts[1], parts[2] if len(parts) == 3 else ""
    return "", parts[0], parts[1]
