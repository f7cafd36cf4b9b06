"""The story of `eval answers`: ask every question with its conversation, and judge what comes back."""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import typer

from agent.assistant import Assistant
from agent.sessions.store import SessionStore
from agent.settings import Settings, load_settings
from eval.options import DataOption, JsonOption, LimitOption, RunsOption, SplitOption
from eval.runs.run import Run, describe, identify, kept_at, new_run, progress, recorded
from eval.runs.tables import of_set, spread
from eval.sets.index import ingested, passages_ingested
from eval.sets.load import EvalSet, load_set
from eval.sets.vector_cache import CachedEmbedder, vector_cache
from retrieval.embed import open_embedder
from retrieval.embed.embedder import Embedder

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from agent.answer import CitedAnswer
from agent.checks.citations import remove_unknown_labels
from agent.sessions.turn import Turn, as_turns
from eval.metrics.answers import (
    Cited,
    answer_containment,
    answer_f1,
    citation_precision,
    citation_recall,
    refusal_scores,
    rewrite_f1,
)
from eval.runs.run import QuestionScore
from eval.runs.tables import Cell, markdown_table, mean_score, scores_of
from eval.sets.files import Query
from eval.sets.index import PASSAGES
from preprocessing.document import Chunk

ROW = "agent"
"""The one row of the table."""
QUALITY = ("contains answer", "token F1", "citation precision", "citation recall", "rewrite F1")
OPTIONAL = ("rewrite F1",)
"""Left out where no question has the score."""
COST = ("LLM calls", "tool calls", "tokens")
STAGES = ("rewrite", "search", "model", "ask")
"""`model` is all its replies, also those inside the rewriting tool; `ask` is everything."""
_STAGE_OF = {"query_rewrite": "rewrite", "knowledge_search": "search"}


@dataclass(frozen=True, slots=True)
class AnswerTrace:
    """What is scored of a trace."""

    searched: str = ""
    """First query that was searched; empty when there was none."""
    similarity: float | None = None
    """Highest vector score of any hit."""
    milliseconds: Mapping[str, float] = field(default_factory=dict)
    """Stage → time, all its calls together."""


def answers(
    data: DataOption,
    split: SplitOption = "dev",
    limit: LimitOption = None,
    json: JsonOption = None,
    runs: RunsOption = None,
) -> None:
    """Ask the whole agent, and score its answers, citations and refusals."""
    eval_set, settings = load_set(data, split, whole_documents=(data / "docs").is_dir()), load_settings()
    keep = kept_at(settings, "answers", f"{eval_set.name}-{split}", json, runs)
    run = run_answers(eval_set, settings, limit=limit, keep=keep)
    typer.echo(answers_table(run))
    typer.echo(f"run: {keep}", err=True)


def run_answers(
    eval_set: EvalSet,
    settings: Settings,
    *,
    limit: int | None = None,
    keep: Path | None = None,
    model: "BaseChatModel | None" = None,
    embedder: Embedder | None = None,
) -> Run:
    """Ask the first `limit` questions of the set, each in a session of its own with its conversation before it.

    `keep` is where the run is written, also when it stops half way. The
    model is that of the settings, unless one is given.
    """
    queries = eval_set.queries[:limit]
    with ExitStack() as stack:
        steps = stack.enter_context(progress())
        cached = CachedEmbedder(
            embedder or open_embedder(settings),
            stack.enter_context(vector_cache(settings.home / "eval" / "vectors.sqlite3")),
            steps.bar("embedding passages"),
        )
        home = stack.enter_context(TemporaryDirectory(prefix="folio-eval-", ignore_cleanup_errors=True))
        own = settings.model_copy(update={"home": Path(home), "qdrant_url": None, "database_url": None})
        knowledge_base = stack.enter_context(
            passages_ingested(eval_set.passages, own, cached)
            if eval_set.documents is None
            else ingested(eval_set.documents, own, cached)
        )
        assistant = Assistant(own, knowledge_base, model, SessionStore.in_memory())
        stack.callback(assistant.sessions.close)
        store = knowledge_base.engine.store
        run = new_run(
            "answers",
            {
                **describe(settings, cached.model_id),
                "chat_model": settings.chat_model_name,
            },
            [ROW],
            identify(eval_set, searched=store.count()),
        )
        asking = steps.bar("asking")
        scores = score_answers(
            queries,
            assistant,
            store.get,
            trace_of=lambda trace_id: read_answer_trace(assistant.traces.read(trace_id)),
        )
        with recorded(run, keep) as questions:
            for score in scores:
                questions.append(score)
                asking(len(questions), len(queries))
        return run.model_copy(update={"questions": questions})


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
) -> Iterator[QuestionScore]:
    """Yield the scores of one question after the other.

    `passages` gives the chunks of ids, and `trace_of` what stands in the trace of an id.
    """
    for query in queries:
        history = as_turns([{"role": role, "text": text} for role, text in query.history])
        started = time.perf_counter()
        answer = answerer.ask(query.text, history=history)
        milliseconds = (time.perf_counter() - started) * 1000
        chunks = passages([citation.chunk_id for citation in answer.citations])
        trace = trace_of(answer.trace_id) if trace_of else AnswerTrace()
        yield QuestionScore(
            query_id=query.query_id,
            question=query.text,
            kind=query.kind,
            scores={ROW: score_answer(query, answer, chunks, trace)},
            rankings={ROW: [chunk.chunk_id for chunk in chunks]},
            milliseconds={**trace.milliseconds, "ask": milliseconds},
        )


def score_answer(
    query: Query,
    answer: CitedAnswer,
    cited: Sequence[Chunk],
    trace: AnswerTrace | None = None,
) -> dict[str, float]:
    """Return every metric that applies; a refusal of what can be answered holds no answer."""
    text, trace = said(answer), trace or AnswerTrace()
    sources = [] if answer.refused else [_cited(chunk) for chunk in cited]
    scores = {
        "contains answer": answer_containment(text, query),
        "token F1": answer_f1(text, query),
        "citation precision": citation_precision(sources, query),
        "citation recall": citation_recall(sources, query),
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


def read_answer_trace(record: Mapping[str, Any]) -> AnswerTrace:
    """Read a trace as the agent writes it."""
    seconds: dict[str, float] = defaultdict(float)
    hits: list[Mapping[str, Any]] = []
    for event in record["events"]:
        if event["event"] == "observation":
            hits += event["hits"]
            if event["tool"] in _STAGE_OF:
                seconds[_STAGE_OF[event["tool"]]] += event["seconds"]
    for call in record["llm_calls"]:
        seconds["model"] += call["seconds"]
    scores = [hit["legs"]["vector"]["score"] for hit in hits if "vector" in hit["legs"]]
    return AnswerTrace(
        searched=str(hits[0]["query"]) if hits else "",
        similarity=max(scores, default=None),
        milliseconds={stage: some * 1000 for stage, some in seconds.items()},
    )


def answers_table(run: Run) -> str:
    """Return quality, refusal, cost, and quality by type of question."""
    title = f"{of_set(run)}, chat model {run.settings['chat_model']}, embedding model {run.settings['embed_model']}"
    return "\n\n".join([title, _quality(run), _refusal(run.questions), _cost(run), _stages(run), _types(run)])


def _quality(run: Run) -> str:
    lines: list[list[Cell]] = []
    for metric in QUALITY:
        scores = scores_of(run.questions, ROW, metric)
        if not scores and metric in OPTIONAL:
            continue
        lines.append([metric, str(len(scores)), mean_score(run.questions, ROW, metric), spread(scores)])
    return markdown_table(["answers", "n", "mean", "95 % interval"], lines)


def _refusal(questions: Sequence[QuestionScore]) -> str:
    found = refusal_scores(
        (bool(question.scores[ROW]["unanswerable"]), bool(question.scores[ROW]["refused"])) for question in questions
    )
    line: list[Cell] = ["", *("–" if value is None else value for value in (found.precision, found.recall, found.f1))]
    return markdown_table(["refusal", "precision", "recall", "F1"], [line])


def _cost(run: Run) -> str:
    figures = [*(f"{np.mean(scores_of(run.questions, ROW, name)):.1f}" for name in COST)]
    return markdown_table(["cost of a question", *COST], [["", *figures]])


def _stages(run: Run) -> str:
    """Return milliseconds by stage over the questions that went through it."""
    stages = dict.fromkeys(stage for question in run.questions for stage in question.milliseconds)
    lines: list[list[Cell]] = []
    for stage in sorted(stages, key=STAGES.index):
        times = [question.milliseconds[stage] for question in run.questions if stage in question.milliseconds]
        lines.append([stage, str(len(times)), *(f"{time:.0f}" for time in np.percentile(times, [50, 95]))])
    return markdown_table(["ms per question", "n", "p50", "p95"], lines)


def _types(run: Run) -> str:
    lines: list[list[Cell]] = []
    for kind in sorted({question.kind for question in run.questions}):
        some = [question for question in run.questions if question.kind == kind]
        means = [mean_score(some, ROW, metric) for metric in ("contains answer", "citation recall", "refused")]
        lines.append([kind or "(no type)", str(len(some)), *means])
    return markdown_table(["type", "n", "contains answer", "citation recall", "refused"], lines)
