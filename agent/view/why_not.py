"""What became of a document that was expected among the hits, told in the language of the question."""

from typing import Any

from agent.language import Language
from retrieval.hit import Leg
from retrieval.placing import DEEPEST, Placing
from retrieval.why_not import Verdict

_LEGS: dict[Language, dict[Leg, str]] = {
    "zh": {"vector": "向量检索", "keyword": "关键词检索", "fused": "融合", "rerank": "重排"},
    "en": {"vector": "vector leg", "keyword": "keyword leg", "fused": "fusion", "rerank": "reranker"},
}


def verdict_text(verdict: Verdict, language: Language) -> str:
    """Return the verdict as a sentence, then a line for each stage that ranked the document."""
    tell = _chinese if language == "zh" else _english
    lines = [tell(verdict)]
    if verdict.stage != "duplicate":
        placings = {leg: verdict.placings[leg] for leg in _LEGS[language] if leg in verdict.placings}
        lines += [f"  {_LEGS[language][leg]}{_placing_text(placing, language)}" for leg, placing in placings.items()]
    if verdict.error and verdict.stage != "failed":
        lines.append(
            f"注意：最近一次更新它失败了（{verdict.error}），现在检索的是之前的版本。"
            if language == "zh"
            else f"Note: the last try to update it failed ({verdict.error}); an earlier state is searched."
        )
    return "\n".join(lines)


def verdict_json(verdict: Verdict, question: str, language: Language) -> dict[str, Any]:
    """Return the verdict in the form of `folio why-not --json`."""
    return {
        "document": verdict.name,
        "question": question,
        "stage": verdict.stage,
        "rank": verdict.rank,
        "doc_id": verdict.record.doc_id if verdict.record else None,
        "source": verdict.record.source if verdict.record else None,
        "by": verdict.by,
        "condition": verdict.condition,
        "values": list(verdict.values),
        "error": verdict.error,
        "legs": {
            leg: {
                "rank": placing.rank,
                "score": placing.score,
                "last_rank": placing.last_rank,
                "last_score": placing.last_score,
            }
            for leg, placing in verdict.placings.items()
        },
        "message": verdict_text(verdict, language),
    }


def _chinese(verdict: Verdict) -> str:
    source = verdict.record.source if verdict.record else verdict.name
    match verdict.stage:
        case "found":
            return f"{source} 找到了，是第 {verdict.rank} 条结果。"
        case "duplicate":
            return f"{source} 与第 {verdict.rank} 条结果（{verdict.by}）内容相同，只显示一次，列在它的其他来源里。"
        case "not_ingested":
            return f"知识库里没有 {source}：没有导入过，或者名称写错了。运行 folio documents list 可以看到名称。"
        case "failed":
            return f"{source} 没有导入成功：{verdict.error}"
        case "not_visible":
            groups = "、".join(verdict.values)
            return f"{source} 只对这些组可见：{groups}。用 --viewer {verdict.values[0]} 可以搜到。"
        case "version":
            return f"{source} {_version_chinese(verdict)}"
        case "filter":
            values = "、".join(verdict.values[:5])
            if verdict.condition is None:
                return f"{source} 没有一段同时符合所有筛选条件。"
            return f"{source} 不符合筛选条件 {verdict.condition}：" + (
                f"它的值是 {values}。" if values else "它没有这一项。"
            )
        case "recall":
            return f"{source} 没有进入候选，两路检索都没有排到前面。"
        case "fusion":
            return f"{source} 被检索到了，但融合后名次不够。"
        case "rerank":
            return f"{source} 进入了候选，但重排后名次不够。"


def _english(verdict: Verdict) -> str:
    source = verdict.record.source if verdict.record else verdict.name
    match verdict.stage:
        case "found":
            return f"{source} is found: it is hit {verdict.rank}."
        case "duplicate":
            return f"{source} says the same as hit {verdict.rank} ({verdict.by}), which is shown once and names it."
        case "not_ingested":
            return (
                f"{source} is not in the knowledge base: it was never ingested, or has another name. "
                "Run folio documents list to see the names."
            )
        case "failed":
            return f"{source} could not be ingested: {verdict.error}"
        case "not_visible":
            groups = ", ".join(verdict.values)
            return f"{source} is visible to {groups} only. --viewer {verdict.values[0]} finds it."
        case "version":
            return f"{source} {_version_english(verdict)}"
        case "filter":
            values = ", ".join(verdict.values[:5])
            if verdict.condition is None:
                return f"{source} has no passage that meets all filters together."
            has = f"it has {values}." if values else "it has no such value."
            return f"{source} does not meet the filter {verdict.condition}: {has}"
        case "recall":
            return f"{source} did not become a candidate: neither leg ranks it high enough."
        case "fusion":
            return f"{source} was recalled, but ranks too low after fusion."
        case "rerank":
            return f"{source} was a candidate, but ranks too low after reranking."


def _version_chinese(verdict: Verdict) -> str:
    record = verdict.record
    assert record is not None
    if verdict.by:
        return f"已被 {verdict.by} 取代。用 --as-of 日期 或 --filter source={record.source} 可以搜到。"
    dates = [f"自 {record.effective_from} 起" if record.effective_from else ""]
    dates += [f"至 {record.effective_to}" if record.effective_to else ""]
    return f"在这一天不在有效期内（{''.join(dates)}）。" if any(dates) else "在这一天不是有效版本。"


def _version_english(verdict: Verdict) -> str:
    record = verdict.record
    assert record is not None
    if verdict.by:
        return f"is superseded by {verdict.by}. --as-of DATE or --filter source={record.source} finds it."
    dates = [f"from {record.effective_from}" if record.effective_from else ""]
    dates += [f"to {record.effective_to}" if record.effective_to else ""]
    shown = " ".join(filter(None, dates))
    return f"is not in force on that day (it is {shown})." if shown else "is not the version in force on that day."


def _placing_text(placing: Placing, language: Language) -> str:
    if placing.score is None:
        return "：与问题没有共同的词。" if language == "zh" else ": it shares no word with the question."
    made_it = placing.rank is not None and placing.rank <= placing.last_rank
    if language == "zh":
        rank = f"第 {placing.rank} 名" if placing.rank else f"第 {DEEPEST} 名以后"
        own = f"：{rank}，得分 {placing.score:.4f}"
        if made_it or placing.last_score is None:
            return f"{own}。"
        short = placing.last_score - placing.score
        return f"{own}；入选的最后一名是第 {placing.last_rank} 名，得分 {placing.last_score:.4f}，差 {short:.4f}。"
    rank = f"rank {placing.rank}" if placing.rank else f"below rank {DEEPEST}"
    own = f": {rank}, score {placing.score:.4f}"
    if made_it or placing.last_score is None:
        return f"{own}."
    short = placing.last_score - placing.score
    return (
        f"{own}; the last that made it is rank {placing.last_rank}, score {placing.last_score:.4f}: {short:.4f} short."
    )
