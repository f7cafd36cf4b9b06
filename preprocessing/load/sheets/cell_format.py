"""Numbers and dates of a spreadsheet as its number formats show them (ECMA-376 part 1, 18.8.31)."""

import datetime
import re
from decimal import ROUND_HALF_UP, Decimal

_SECTION_END = re.compile(r";(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)")
_TAG = re.compile(r"\[(?!h+\]|m+\]|s+\])(?:\$([^\]-]*)[^\]]*|[^\]]*)\]", re.IGNORECASE)
_PADDING = re.compile(r"[_*].")
_LITERAL = re.compile(r"\"([^\"]*)\"|\\(.)")
_DIGITS = re.compile(r"[#0?](?:[#0?,.]*[#0?.])?,*(?:[eE][+-]0+)?")
_DATE_CODE = re.compile(
    r"\"[^\"]*\"|\\.|\[h+\]|\[m+\]|\[s+\]|yyyy|yy|mmmmm|mmmm|mmm|mm|m|dddd|ddd|dd|d|hh|h|ss|s|\.0+|AM/PM|上午/下午|A/P|aaaa|aaa",
    re.IGNORECASE,
)
_WEEKDAYS_ZH = "一二三四五六日"
_MASK = "\ue000"
Moment = datetime.datetime | datetime.date | datetime.time | datetime.timedelta


def number_text(value: int | float, code: str) -> str:
    """Return the number in the format; as `General` where the format has no single group of digits."""
    sections = _SECTION_END.split(code)
    section, sign = sections[0], "-" if value < 0 else ""
    if value < 0 and len(sections) > 1:
        section, sign = sections[1], ""  # the section says itself that the number is negative
    elif value == 0 and len(sections) > 2:
        section = sections[2]
    pattern = _PADDING.sub("", _TAG.sub(lambda tag: f'"{tag[1]}"' if tag[1] else "", section))
    masked = _LITERAL.sub(lambda found: _MASK * len(found[0]), pattern)
    groups = list(_DIGITS.finditer(masked))
    if not groups and masked.strip(f"{_MASK} ()-+") == "" and pattern:
        return _plain(pattern).strip()  # a word in place of the number
    if len(groups) != 1 or "/" in masked or "general" in masked.lower():
        return _general(value)
    number = _digits(abs(Decimal(repr(value))) * (100 if "%" in masked else 1), groups[0][0])
    before, after = pattern[: groups[0].start()], pattern[groups[0].end() :]
    return f"{sign}{_plain(before)}{number}{_plain(after)}".strip()


def _plain(pattern: str) -> str:
    return _LITERAL.sub(lambda found: found[1] or found[2] or "", pattern)


def _digits(value: Decimal, pattern: str) -> str:
    if "e" in pattern.lower():
        mantissa, exponent = re.split("[eE]", pattern)
        power = value.adjusted() if value else 0
        places = len(mantissa.partition(".")[2])
        return f"{_rounded(value.scaleb(-power), places)}E{power:+0{len(exponent)}d}"
    whole, _, decimals = pattern.rstrip(",").partition(".")
    value /= 1000 ** (len(pattern) - len(pattern.rstrip(",")))
    number = _rounded(value, len(decimals))
    integer, _, fraction = number.partition(".")
    fraction = fraction[: decimals.count("0")] + fraction[decimals.count("0") :].rstrip("0")
    integer = integer.zfill(whole.replace(",", "").count("0")) if int(integer) else "0" * whole.count("0")
    if "," in whole:
        integer = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", integer)
    return f"{integer}.{fraction}" if fraction else integer


def _rounded(value: Decimal, places: int) -> str:
    return f"{value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP):f}"


def _general(value: int | float) -> str:
    if isinstance(value, int) or value.is_integer():
        return str(int(value)) if abs(value) < 1e15 else f"{value:.5E}"
    return f"{value:.10g}"


def moment_text(value: Moment, code: str) -> str:
    """Return a date, time or duration in the format; dates in ISO 8601 where the format is the reader's own."""
    if isinstance(value, datetime.timedelta):
        minutes, seconds = divmod(int(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    section = _TAG.sub("", _PADDING.sub("", code.split(";")[0]))
    # Formats 14 and 22 show the date as each reader's computer does; ISO 8601 is read alike everywhere.
    if section.lower() in ("mm-dd-yy", "m/d/yy", "m/d/yy h:mm", "m/d/yyyy", "general", "@", "mm/dd/yyyy"):
        return _iso(value)
    parts: list[str] = []
    position, after_hour = 0, False
    is_half_day = bool(re.search("AM/PM|上午/下午|A/P", section, re.IGNORECASE))
    for found in _DATE_CODE.finditer(section):
        parts.append(section[position : found.start()])
        position = found.end()
        token = found[0]
        before_seconds = re.match(r"[^a-z]*s", section[position:], re.IGNORECASE) is not None
        is_minute = token.lower() in ("m", "mm") and (after_hour or before_seconds)
        parts.append(_moment_part(value, token, is_minute, is_half_day))
        if token[0] not in '"\\':
            after_hour = token.lower().strip("[]") in ("h", "hh")
    return "".join([*parts, section[position:]]).strip()


def _moment_part(
    value: datetime.datetime | datetime.date | datetime.time, token: str, is_minute: bool, half: bool
) -> str:
    lower = token.lower()
    if token[0] == '"':
        return token[1:-1]
    if token[0] == "\\":
        return token[1:]
    time = value if isinstance(value, (datetime.datetime, datetime.time)) else datetime.time()
    date = value if isinstance(value, datetime.date) else None
    hour = (time.hour % 12 or 12) if half else time.hour
    if is_minute:
        return f"{time.minute:0{len(lower)}d}"
    if lower in ("am/pm", "a/p"):
        return time.strftime("%p")
    if lower == "上午/下午":
        return "上午" if time.hour < 12 else "下午"
    if lower.startswith("."):
        return f".{time.microsecond:06d}"[: len(lower)]
    if lower.strip("[]") in ("h", "hh", "s", "ss"):
        return f"{hour if 'h' in lower else time.second:0{len(lower.strip('[]'))}d}"
    if date is None:
        return ""
    weekday = _WEEKDAYS_ZH[date.weekday()]
    names = {
        "yyyy": f"{date.year:04d}", "yy": f"{date.year % 100:02d}", "mmmm": date.strftime("%B"),
        "mmm": date.strftime("%b"), "mmmmm": date.strftime("%B")[0], "mm": f"{date.month:02d}", "m": str(date.month),
        "dddd": date.strftime("%A"), "ddd": date.strftime("%a"), "dd": f"{date.day:02d}", "d": str(date.day),
        "aaaa": f"星期{weekday}", "aaa": weekday,
    }  # fmt: skip
    return names.get(lower, token)


def _iso(value: datetime.datetime | datetime.date | datetime.time) -> str:
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ", "minutes")
    return value.isoformat()
