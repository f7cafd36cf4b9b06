"""The story of `eval answers`: ask every question with its conversation, and judge what comes back."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from agent.answer import CitedAnswer
from agent.citations import remove_unknown_labels
from agent.memory import Turn, as_turns
from eval.answer_metrics import Cited, answer_containment, answer_f1, citation_precision, citation_recall
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
    queries: Iterable[Query], answerer: Answerer, passages: Callable[[Sequence[str]], Sequence[Chunk]]
) -> Iterator[QuestionScore]:
    """Yield the scores of one question after the other; `passages` gives the chunks of ids."""
    for query in queries:
        history = as_turns([{"role": role, "text": text} for role, text in query.history])
        started = time.perf_counter()
        answer = answerer.ask(query.text, history=history)
        milliseconds = (time.perf_counter() - started) * 1000
        chunks = passages([citation.chunk_id for citation in answer.citations])
        yield QuestionScore(
            query_id=query.query_id,
            question=query.text,
            kind=query.kind,
            scores={ROW: score_answer(query, answer, chunks)},
            rankings={ROW: [chunk.chunk_id for chunk in chunks]},
            milliseconds={"ask": milliseconds},
        )


def score_answer(query: Query, answer: CitedAnswer, cited: Sequence[Chunk]) -> dict[str, float]:
    """Return every metric that applies; a refusal of what can be answered holds no answer."""
    text = "" if answer.refused else remove_unknown_labels(answer.answer, ())[0]
    sources = [] if answer.refused else [Cited(chunk.source, chunk.text) for chunk in cited]
    scores = {
        "contains answer": answer_containment(text, query),
        "token F1": answer_f1(text, query),
        "citation precision": citation_precision(sources, query),
        "citation recall": citation_recall(sources, query),
        "refused": float(answer.refused),
        "unanswerable": float(not query.answerable),
        "LLM calls": float(answer.usage.get("llm_calls", 0)),
        "tool calls": float(answer.usage.get("tool_calls", 0)),
        "tokens": float(answer.usage.get("prompt_tokens", 0) + answer.usage.get("completion_tokens", 0)),
    }
    return {name: score for name, score in scores.items() if score is not None}
