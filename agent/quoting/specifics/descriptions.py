"""Descriptions such as "the player" or 该城市: they stand for something with a name, which the question lacks."""

import re
import unicodedata

from retrieval.text.language import language_of

_ANY = (
    "player athlete singer actor actress poet king queen emperor scientist artist painter composer hero island "
    "river lake mountain beach stadium arena castle church cathedral temple casino theat(?:er|re) novel film "
    "movie song album tournament championship hurricane earthquake treaty revolution empire dynasty animal breed "
    "species bird religion tribe planet language"
)
"""Things that are told apart by their names, and that no organisation has one of."""
_POINTED_AT = (
    f"{_ANY} country nation city town village county state province park museum library airport university school "
    "hospital clinic restaurant book series band game league airline battle festival election mission person "
    "author president writer"
)
"""With these too, what points at one says that it was named before."""
_ANY_ZH = (
    "国家 城市 岛屿 河流 公园 海滩 博物馆 体育场 图书馆 机场 大学 学校 医院 诊所 酒店 餐厅 小说 电影 影片 电视剧 "
    "歌曲 专辑 乐队 游戏 俱乐部 球队 联赛 航空公司 战争 战役 锦标赛 选举 地震 飓风 帝国 王朝 动物 物种 植物 语言 "
    "宗教 民族 行星 疾病 药物 球员 运动员 演员 歌手 作家 作者 诗人 总统 国王 皇帝 科学家 画家 作曲家"
)
_NO_MODIFIER = r"(?:most|least|\w+est|only|first|last|other|of|in|at|on|for|to|and|has|have|had)\b"
"""Superlatives and ordinals tell which one."""
_GOES_ON = (
    r"(?=['’]s\b|\s*(?:[,;:.?!]|$)|\s+(?:\w+(?:ed|ly)|spoken|known|written|given|held|found|built|is|was|are|were|be|been|born|do|does|did|has|have|had|can|could|will|"
    r"would|must|may|provides?|offers?|starts?|begins?|opens?|plays?|made|won|and|or|but|as|so|too|also|now|then|still|"
    r"it|he|she|they|we|you|i|the|a)\b)"
)
"""What may stand after the noun: one before another noun only says more of that, as in "city allowance"."""
_POINTS = re.compile(
    rf"(?:(?:^|\b(?:of|for|in|on|at|to|from|with|about|by|is|are|was|were|does|did|do|can|will)\s+)that|\b(?:this|these|those))"
    rf"\s+(?:(?!{_NO_MODIFIER})[\w-]+\s+){{0,2}}?(?:{'|'.join(_POINTED_AT.split())})s?\b{_GOES_ON}",
    re.IGNORECASE,
)
"""A "that" elsewhere joins a clause."""
_THE = re.compile(
    rf"\bthe\s+(?:(?!{_NO_MODIFIER})[\w-]+\s+){{0,2}}?(?:(?:{'|'.join(_ANY.split())})s?\b{_GOES_ON}"
    r"|(?:country|city|state|town|book)(?:['’]s\b|\s+the\b))",
    re.IGNORECASE,
)
_POINTS_ZH = re.compile(
    r"(?<![》”」])(?:[这那][个位部本首座家种支场款名所艘张次]|(?<![因如在由])[该此])[\u4e00-\u9fff]{0,2}?"
    rf"(?:{'|'.join(_ANY_ZH.split())})(?=[的是在有叫属何几多什怎谁哪为由将会能可要须需开规]|\W|$)"
    r"|[这那]本书(?=[的是由在讲写]|\W|$)"
)
_NAME = re.compile(r"(?<=[\w,] )(?!(?:TV|PC|IT|HR|ID|OK)\b)[A-Z][A-Za-z]|\d")


def nameless_description(question: str) -> str:
    """Return the description of a thing with a name where the question gives no name; else nothing.

    "The" may go with any name of the question; what points ("this", 该) stands for one that was given before.
    """
    text = unicodedata.normalize("NFKC", question)
    if language_of(text) == "zh":
        match = _POINTS_ZH.search(text)
    else:
        match = _POINTS.search(text) or (None if _NAME.search(text) else _THE.search(text))
    if not match:
        return ""
    return re.sub(r"^(?!that)\w+\s+(?=that )", "", match[0].strip(), flags=re.IGNORECASE)
