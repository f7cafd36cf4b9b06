"""`eval cost`: what a question costs in calls and prompt tokens, beside a stock ReAct agent with the same tools."""

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from langchain_classic.agents import AgentExecutor, create_react_agent
from langchain_classic.agents.mrkl.prompt import FORMAT_INSTRUCTIONS, PREFIX, SUFFIX
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import PromptTemplate
from langchain_core.tools import Tool
from pydantic import Field

from agent.assistant import Assistant
from agent.evidence import EvidenceLedger
from agent.rewrite import RewriteByRules
from agent.sessions.store import SessionStore
from agent.settings import Settings, load_settings
from agent.tools import knowledge_search, query_rewrite
from eval.metrics.bootstrap import interval
from eval.options import DataOption, JsonOption, RunsOption, SplitOption
from eval.runs.run import QuestionScore, Run, Step, describe, identify, kept_at, new_run, progress
from eval.runs.tables import Cell, markdown_table, scores_of
from eval.sets.index import ingested
from eval.sets.load import EvalSet, load_set
from prompts import approximate_tokens
from retrieval.embed import open_embedder
from retrieval.embed.embedder import Embedder
from retrieval.knowledge_base import KnowledgeBase
from retrieval.text.tokens import STOP_TOKENS, tokenize

DIRECT = "`knowledge_search` at once"
"""Words of a prompt that tell to search a question that stands alone without rewriting it."""
STOP = "Stop as soon as the passages answer"
"""Words of a prompt that tell when to stop."""
_PASSAGE = re.compile(r"^(?:Observation: )?\[(S\d+)\] .*\n((?:^\|.*(?:\n|\Z))+)", re.MULTILINE)
_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)
MAX_SEARCHES = 3


class DiligentModel(BaseChatModel):
    """Rewrites unless told to search at once; searches again, in other words, unless told to stop or nothing is new."""

    answers: Mapping[str, Sequence[str]]
    """Words of the true answers of each question; none where the documents do not hold one."""
    frugal: bool = False
    """It stops and searches as if every prompt told so."""
    prompt_tokens: list[int] = Field(default_factory=list)
    """Size of each prompt, counted approximately."""

    @property
    def _llm_type(self) -> str:
        return "diligent"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        prompt = "\n".join(str(message.text) for message in messages)
        self.prompt_tokens.append(approximate_tokens(prompt))
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self._reply(prompt, str(messages[-1].text))))])

    def _reply(self, prompt: str, turn: str) -> str:
        # A prompt may hold other questions, as examples.
        place, question = next(
            (found.start(), found[1].strip()) for found in _QUESTION.finditer(turn) if found[1].strip() in self.answers
        )
        if "\nPassages:" not in turn:
            turn = turn[place:]
        observations = re.split(r"^Observation: ", turn, flags=re.MULTILINE)[1:]
        searched = turn.count("Action: knowledge_search")
        if not observations and not self.frugal and DIRECT not in prompt:
            return _act("query_rewrite", question)
        if not searched:
            return _act("knowledge_search", question)
        found = [_PASSAGE.findall(f"Observation: {seen}") for seen in observations]
        fact = self._fact(question, [passage for passages in found for passage in passages])
        goes_on = not (self.frugal or STOP in prompt) and searched < MAX_SEARCHES and _has_new(found)
        if goes_on or (not fact and searched < MAX_SEARCHES and _has_new(found) and not self.frugal):
            return _act("knowledge_search", _other_words(question, searched))
        return f"Thought: this settles it\nFinal Answer: {fact or 'NOT_FOUND'}"

    def _fact(self, question: str, passages: Sequence[tuple[str, str]]) -> str:
        """Return the line that holds a true answer, with its label."""
        for label, text in passages:
            for line in text.splitlines():
                if any(answer in line for answer in self.answers.get(question, ())):
                    return f"{line.removeprefix('| ')} [{label}]"
        return ""


def cost(
    data: DataOption,
    split: SplitOption = "dev",
    limit: Annotated[int, typer.Option(min=1, help="Questions, of those that stand alone.")] = 50,
    json: JsonOption = None,
    runs: RunsOption = None,
) -> None:
    """Count calls and prompt tokens per question beside a stock ReAct agent with the same tools."""
    eval_set, settings = load_set(data, split, whole_documents=True), load_settings()
    with progress() as steps:
        run = run_cost(eval_set, settings, limit=limit, step=steps.bar("asking"))
    keep = kept_at(settings, "cost", f"{eval_set.name}-{split}", json, runs)
    run.save(keep)
    typer.echo(cost_table(run))
    typer.echo(f"run: {keep}", err=True)


def run_cost(
    eval_set: EvalSet,
    settings: Settings,
    *,
    limit: int = 50,
    embedder: Embedder | None = None,
    step: Step | None = None,
) -> Run:
    """Ask the first questions that stand alone with each agent, with a model that follows what its prompt says.

    Raises ValueError for a set without documents.
    """
    if eval_set.documents is None:
        raise ValueError("the cost is measured on whole documents")
    queries = [query for query in eval_set.queries if not query.history][:limit]
    answers = {query.text: tuple(query.answers) for query in queries}
    with ExitStack() as stack:
        home = Path(stack.enter_context(TemporaryDirectory(prefix="folio-cost-", ignore_cleanup_errors=True)))
        own = settings.model_copy(
            update={
                **{"home": home, "qdrant_url": None, "database_url": None},
                # A model of one's own needs a name, and no address is asked.
                **{"chat_model": "diligent", "openai_base_url": "http://127.0.0.1:9/v1"},
            }
        )
        base = stack.enter_context(ingested(eval_set.documents, own, embedder or open_embedder(settings)))
        agents = {
            "Folio": (DiligentModel(answers=answers), _ask_folio),
            "stock ReAct": (DiligentModel(answers=answers), _ask_stock),
            "stock ReAct, as few steps as Folio": (DiligentModel(answers=answers, frugal=True), _ask_stock),
        }
        questions = []
        for place, query in enumerate(queries, start=1):
            scores = {}
            for name, (model, ask) in agents.items():
                model.prompt_tokens.clear()
                ask(query.text, model, own, base)
                scores[name] = {
                    "calls": float(len(model.prompt_tokens)),
                    "prompt tokens": float(sum(model.prompt_tokens)),
                }
            questions.append(
                QuestionScore(query_id=query.query_id, question=query.text, kind=query.kind, scores=scores)
            )
            if step:
                step(place, len(queries))
        task = identify(eval_set, searched=base.engine.store.count())
        return new_run("cost", describe(settings, settings.embed_model), list(agents), task, questions=questions)


def cost_table(run: Run) -> str:
    """Return calls and prompt tokens per question, and the tokens as a share of those of each other agent."""
    first, lines = run.rows[0], list[list[Cell]]()
    for row in run.rows:
        calls, tokens = (scores_of(run.questions, row, name) for name in ("calls", "prompt tokens"))
        share = sum(scores_of(run.questions, first, "prompt tokens")) / sum(tokens)
        low, high = interval(tokens)
        spread = f"{low:.0f} to {high:.0f}"
        lines.append([row, str(len(calls)), f"{fmean(calls):.2f}", f"{fmean(tokens):.0f}", spread, f"{share:.2f}"])
    head = ["agent", "n", "calls", "prompt tokens", "95 % interval", f"tokens of {first} / its own"]
    return markdown_table(head, lines)


def _ask_folio(question: str, model: DiligentModel, settings: Settings, base: KnowledgeBase) -> None:
    sessions = SessionStore.in_memory()
    try:
        Assistant(settings, base, model, sessions).ask(question)
    finally:
        sessions.close()


def _ask_stock(question: str, model: DiligentModel, settings: Settings, base: KnowledgeBase) -> None:
    """Ask LangChain's ReAct agent with its own prompt, parser and ending; each search shows all that it found."""

    def search(query: str) -> str:
        fresh = knowledge_search(
            lambda one: base.search(one, settings.top_k), EvidenceLedger(), top_k=settings.top_k, max_searches=1
        )
        return str(fresh.run(query))

    described = knowledge_search(lambda _: [], EvidenceLedger(), top_k=1, max_searches=1)
    tools = [
        Tool(name=described.name, func=search, description=described.description),
        query_rewrite(lambda asked: RewriteByRules().rewrite(asked, []), EvidenceLedger()),
    ]
    prompt = PromptTemplate.from_template("\n\n".join([PREFIX + "{tools}", FORMAT_INSTRUCTIONS, SUFFIX]))
    executor = AgentExecutor(agent=create_react_agent(model, tools, prompt), tools=tools, handle_parsing_errors=True)
    executor.invoke({"input": question})


def _has_new(found: Sequence[Sequence[tuple[str, str]]]) -> bool:
    """Say whether the last observation shows a passage that none before it did."""
    before = {text for passages in found[:-1] for _, text in passages}
    return any(text not in before for _, text in found[-1])


def _other_words(question: str, searched: int) -> str:
    """Return the words of a question without those of asking; then the first half of them."""
    words = [word for word in dict.fromkeys(tokenize(question, characters=False)) if word not in STOP_TOKENS]
    return " ".join(words if searched == 1 else words[: max(len(words) // 2, 1)])


def _act(tool: str, tool_input: str) -> str:
    return f"Thought: one step at a time\nAction: {tool}\nAction Input: {tool_input}"
