"""Descriptions such as "the player" or 该城市: they stand for something with a name, which the question lacks."""

import re
import unicodedata

from agent.language import language_of

_NOUNS = (
    "person man woman player athlete singer actor actress author writer poet president king queen emperor scientist "
    "artist painter composer hero character country nation city town village county state province island river lake "
    "mountain park beach museum stadium arena library airport bridge castle church cathedral temple university school "
    "hospital clinic hotel restaurant casino theat(?:er|re) book novel film movie series song album band game "
    "sport painting poem league chain airline battle tournament championship festival election mission "
    "hurricane earthquake treaty revolution empire dynasty animal breed species bird tree language religion tribe "
    "planet disease drug aircraft ship product"
)
"""Things that are told apart by their names. No part of an organisation: the company, the team, the policy."""
_NOUNS_ZH = (
    "国家 城市 岛屿 河流 公园 海滩 博物馆 体育场 图书馆 机场 大学 学校 医院 诊所 酒店 餐厅 小说 书 电影 影片 "
    "电视剧 歌曲 专辑 乐队 游戏 诗 俱乐部 球队 联赛 航空公司 战争 战役 锦标赛 选举 地震 飓风 帝国 王朝 动物 "
    "物种 植物 语言 宗教 民族 行星 疾病 药物 飞机 船 产品 球员 运动员 演员 歌手 作家 作者 诗人 总统 国王 "
    "皇帝 科学家 画家 作曲家"
)
_NO_MODIFIER = r"(?:most|least|\w+est|only|first|last|other|of|in|at|on|for|to|and|has|have|had)\b"
"""Superlatives and ordinals tell which one."""
_DEFINITE = re.compile(
    rf"\b(?P<points>this|that|these|those|the)\s+(?:(?!{_NO_MODIFIER})[\w-]+\s+){{0,2}}?"
    rf"(?:{'|'.join(_NOUNS.split())})s?\b"
    r"(?!\s+(?:of|in|on|at|for|from|to|that|which|who|whose|where|with|by|called|named|between|when)\b)",
    re.IGNORECASE,
)
"""Not where words after it say which one: the country in which I work."""
_POINTS_ZH = re.compile(
    rf"(?<![》”」因如在由])(?:[这那][个位部本首座家种支场款名项]?|[该此])[\u4e00-\u9fff]{{0,4}}?(?:{'|'.join(_NOUNS_ZH.split())})"
)
_THAT = re.compile(r"(?:^|\b(?:of|for|in|on|at|to|from|with|about|by|is|are|was|were|does|did|do|can|will)\s+)$", re.I)
"""What stands before a "that" which points; any other joins a clause."""
_NAME = re.compile(r"(?<=[\w,] )(?!(?:TV|PC|IT|HR|ID|OK)\b)[A-Z][A-Za-z]|\d")


def nameless_description(question: str) -> str:
    """Return the description of a thing with a name where the question gives no name; else nothing.

    "The" may go with any name of the question; what points ("this", 该) stands for one that was given before.
    """
    text = unicodedata.normalize("NFKC", question)
    if language_of(text) == "zh":
        match = _POINTS_ZH.search(text)
        return match[0] if match else ""
    for match in _DEFINITE.finditer(text):
        points = match["points"].lower()
        if points == "that" and not _THAT.search(text[: match.start()]):
            continue
        if points != "the" or not _NAME.search(text):
            return match[0]
    return ""
