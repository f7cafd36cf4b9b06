"""What became of a document that was expected among the hits, told in the language of the question."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from retrieval.hit import Leg
from retrieval.text.writing import Language
from retrieval.upkeep.why_not import DEEPEST, Placing, Verdict

_LEGS: Mapping[Language, Mapping[Leg, str]] = {
    "zh": {"vector": "向量检索", "keyword": "关键词检索", "fused": "融合", "rerank": "重排"},
    "en": {"vector": "vector leg", "keyword": "keyword leg", "fused": "fusion", "rerank": "reranker"},
}
_WORDS: Mapping[Language, Mapping[str, str]] = {
    "zh": {
        "found": "{source} 找到了，是第 {rank} 条结果。",
        "duplicate": "{source} 与第 {rank} 条结果（{by}）内容相同，只显示一次，列在它的其他来源里。",
        "not_ingested": "知识库里没有 {source}：没有导入过，或者名称写错了。运行 folio documents list 可以看到名称。",
        "failed": "{source} 没有导入成功：{error}",
        "not_visible": "{source} 只对这些组可见：{values}。用 --viewer {first} 可以搜到。",
        "superseded": "{source} 已被 {by} 取代。用 --as-of 日期 或 --filter source={source} 可以搜到。",
        "not_in_force": "{source} 在这一天不在有效期内（{dates}）。",
        "version": "{source} 在这一天不是有效版本。",
        "from": "自 {day} 起",
        "to": "至 {day}",
        "filters": "{source} 没有一段同时符合所有筛选条件。",
        "filter": "{source} 不符合筛选条件 {condition}：它的值是 {values}。",
        "filter_no_value": "{source} 不符合筛选条件 {condition}：它没有这一项。",
        "recall": "{source} 没有进入候选，两路检索都没有排到前面。",
        "fusion": "{source} 被检索到了，但融合后名次不够。",
        "rerank": "{source} 进入了候选，但重排后名次不够。",
        "note": "注意：最近一次更新它失败了（{error}），现在检索的是之前的版本。",
        "no_word": "：与问题没有共同的词。",
        "rank": "：第 {rank} 名，得分 {score:.4f}",
        "below": "：第 {deepest} 名以后，得分 {score:.4f}",
        "short": "；入选的最后一名是第 {last_rank} 名，得分 {last_score:.4f}，差 {short:.4f}",
        "stop": "。",
    },
    "en": {
        "found": "{source} is found: it is hit {rank}.",
        "duplicate": "{source} says the same as hit {rank} ({by}), which is shown once and names it.",
        "not_ingested": "{source} is not in the knowledge base: it was never ingested, or has another name. "
        "Run folio documents list to see the names.",
        "failed": "{source} could not be ingested: {error}",
        "not_visible": "{source} is visible to {values} only. --viewer {first} finds it.",
        "superseded": "{source} is superseded by {by}. --as-of DATE or --filter source={source} finds it.",
        "not_in_force": "{source} is not in force on that day (it is {dates}).",
        "version": "{source} is not the version in force on that day.",
        "from": "from {day}",
        "to": "to {day}",
        "filters": "{source} has no passage that meets all filters together.",
        "filter": "{source} does not meet the filter {condition}: it has {values}.",
        "filter_no_value": "{source} does not meet the filter {condition}: it has no such value.",
        "recall": "{source} did not become a candidate: neither leg ranks it high enough.",
        "fusion": "{source} was recalled, but ranks too low after fusion.",
        "rerank": "{source} was a candidate, but ranks too low after reranking.",
        "note": "Note: the last try to update it failed ({error}); an earlier state is searched.",
        "no_word": ": it shares no word with the question.",
        "rank": ": rank {rank}, score {score:.4f}",
        "below": ": below rank {deepest}, score {score:.4f}",
        "short": "; the last that made it is rank {last_rank}, score {last_score:.4f}: {short:.4f} short",
        "stop": ".",
    },
}


def verdict_text(verdict: Verdict, language: Language) -> str:
    """Return the verdict as a sentence, then a line for each stage that ranked the document."""
    words, record = _WORDS[language], verdict.record
    days = {"from": record.effective_from, "to": record.effective_to} if record else {}
    lines = [
        words[_sentence(verdict)].format(
            source=record.source if record else verdict.name,
            rank=verdict.rank,
            by=verdict.by,
            error=verdict.error,
            condition=verdict.condition,
            values=("、" if language == "zh" else ", ").join(
                verdict.values if verdict.stage == "not_visible" else verdict.values[:5]
            ),
            first=verdict.values[0] if verdict.values else "",
            dates=("" if language == "zh" else " ").join(
                words[key].format(day=day) for key, day in days.items() if day
            ),
        )
    ]
    if verdict.stage != "duplicate":
        placings = {leg: verdict.placings[leg] for leg in _LEGS[language] if leg in verdict.placings}
        lines += [f"  {_LEGS[language][leg]}{_placing_text(placing, words)}" for leg, placing in placings.items()]
    if verdict.error and verdict.stage != "failed":
        lines.append(words["note"].format(error=verdict.error))
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
        "legs": {leg: asdict(placing) for leg, placing in verdict.placings.items()},
        "message": verdict_text(verdict, language),
    }


def _sentence(verdict: Verdict) -> str:
    record = verdict.record
    if verdict.stage == "version":
        in_force = record is not None and (record.effective_from or record.effective_to)
        return "superseded" if verdict.by else "not_in_force" if in_force else "version"
    if verdict.stage == "filter":
        return "filters" if verdict.condition is None else "filter" if verdict.values else "filter_no_value"
    return verdict.stage


def _placing_text(placing: Placing, words: Mapping[str, str]) -> str:
    if placing.score is None:
        return words["no_word"]
    own = words["rank" if placing.rank else "below"].format(rank=placing.rank, deepest=DEEPEST, score=placing.score)
    made_it = placing.rank is not None and placing.rank <= placing.last_rank
    if not made_it and placing.last_score is not None:
        short = placing.last_score - placing.score
        own += words["short"].format(last_rank=placing.last_rank, last_score=placing.last_score, short=short)
    return own + words["stop"]
