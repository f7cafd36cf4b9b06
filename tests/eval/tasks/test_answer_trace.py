import pytest

from eval.tasks.answers import read_answer_trace


def observation(tool: str, seconds: float, *hits: tuple[str, float | None]) -> dict[str, object]:
    legs = [{"vector": {"score": score}} if score else {"keyword": {"score": 9.0}} for _, score in hits]
    shown = [{"query": query, "legs": leg} for (query, _), leg in zip(hits, legs, strict=True)]
    return {"event": "observation", "tool": tool, "seconds": seconds, "hits": shown}


def test_what_a_trace_says() -> None:
    record = {
        "events": [
            {"event": "action", "tool": "query_rewrite"},
            observation("query_rewrite", 0.25),
            observation("knowledge_search", 0.5, ("first", None), ("first", 0.7), ("second", 0.9)),
            observation("knowledge_search", 0.125, ("third", 0.8)),
            observation("_Exception", 8.0),
        ],
        "llm_calls": [{"seconds": 1.0}, {"seconds": 2.0}],
    }
    read = read_answer_trace(record)
    assert (read.searched, read.similarity) == ("first", 0.9)
    assert read.milliseconds == pytest.approx({"rewrite": 250.0, "search": 625.0, "model": 3000.0})
