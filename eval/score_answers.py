"""The story of `eval answers`: ask every question with its conversation, and judge what comes back."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from agent.answer import CitedAnswer
from agent.citations import remove_unknown_labels
from agent.memory import Turn, as_turns
from eval.answer_metrics import Cited, answer_containment, answer_f1, citation_precision, citation_recall, rewrite_f1
from eval.answer_trace import AnswerTrace
from eval.index import PASSAGES
from eval.judge_answer import Judge
from eval.query import Query
from eval.runs import QuestionScore
from preprocessing.document import Chunk

ROW = "agent"
"""The one row of the table."""


class Answerer(Protocol):
    """What is scored."""

    def ask(self, question: str, *, history: Sequence[Turn] = ()) -> CitedAnswer:
        """Answer a question after a conversation."""


def score_answers(
    queries: Iterable[Query],
    answerer: Answerer,
    passages: Callable[[Sequence[str]], Sequence[Chunk]],
    *,
    trace_of: Callable[[str], AnswerTrace] | None = None,
    judge: Judge | None = None,
) -> Iterator[QuestionScore]:
    """Yield the scores of one question after the other.

    `passages` gives the chunks of ids, `trace_of` what stands in the trace of an id, and `judge` grades what was
    answered; a refusal of what can be answered is graded 0 unread.
    """
    for query in queries:
        history = as_turns([{"role": role, "text": text} for role, text in query.history])
        started = time.perf_counter()
        answer = answerer.ask(query.text, history=history)
        milliseconds = (time.perf_counter() - started) * 1000
        chunks = passages([citation.chunk_id for citation in answer.citations])
        trace = trace_of(answer.trace_id) if trace_of else AnswerTrace()
        grade = judge(query, said(answer)) if judge else None
        yield QuestionScore(
            query_id=query.query_id,
            question=query.text,
            kind=query.kind,
            scores={ROW: score_answer(query, answer, chunks, trace, grade)},
            rankings={ROW: [chunk.chunk_id for chunk in chunks]},
            milliseconds={**trace.milliseconds, "ask": milliseconds},
        )


def score_answer(
    query: Query,
    answer: CitedAnswer,
    cited: Sequence[Chunk],
    trace: AnswerTrace | None = None,
    grade: float | None = None,
) -> dict[str, float]:
    """Return every metric that applies; a refusal of what can be answered holds no answer."""
    text, trace = said(answer), trace or AnswerTrace()
    sources = [] if answer.refused else [_cited(chunk) for chunk in cited]
    scores = {
        "contains answer": answer_containment(text, query),
        "token F1": answer_f1(text, query),
        "citation precision": citation_precision(sources, query),
        "citation recall": citation_recall(sources, query),
        "judge": grade,
        "rewrite F1": rewrite_f1(trace.searched, query) if trace.searched else None,
        "similarity": trace.similarity,
        "refused": float(answer.refused),
        "unanswerable": float(not query.answerable),
        "LLM calls": float(answer.usage.get("llm_calls", 0)),
        "tool calls": float(answer.usage.get("tool_calls", 0)),
        "tokens": float(answer.usage.get("prompt_tokens", 0) + answer.usage.get("completion_tokens", 0)),
    }
    return {name: score for name, score in scores.items() if score is not None}


def said(answer: CitedAnswer) -> str:
    """Return the answer without labels; nothing when it is a refusal."""
    return "" if answer.refused else remove_unknown_labels(answer.answer, ())[0]


def _cited(chunk: Chunk) -> Cited:
    return Cited(chunk.source, chunk.text, chunk.chunk_id if chunk.revision == PASSAGES else "")
