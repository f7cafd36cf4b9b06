"""`eval cost`: what a question costs in calls and prompt tokens, beside a stock ReAct agent with the same tools."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from agent.assistant import Assistant
from agent.evidence import EvidenceLedger
from agent.memory import SessionStore
from agent.rewrite import rewrite_by_rules
from agent.settings import Settings
from agent.tools import knowledge_search, query_rewrite
from eval.diligent_model import DiligentModel
from eval.index import ingested
from eval.progress import Step
from eval.report import markdown_table
from eval.sets import EvalSet
from retrieval.embed import open_embedder
from retrieval.embed.base import Embedder
from retrieval.knowledge_base import KnowledgeBase

QUESTIONS = 50


@dataclass(frozen=True, slots=True)
class Cost:
    """What the questions cost with one agent."""

    agent: str
    questions: int
    calls: int
    prompt_tokens: int


def run_cost(
    eval_set: EvalSet,
    settings: Settings,
    *,
    limit: int = QUESTIONS,
    embedder: Embedder | None = None,
    step: Step | None = None,
) -> list[Cost]:
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
        costs: list[Cost] = []
        for number, (name, (model, ask)) in enumerate(agents.items()):
            for place, query in enumerate(queries, start=1):
                ask(query.text, model, own, base)
                if step:
                    step(number * len(queries) + place, len(agents) * len(queries))
            costs.append(Cost(name, len(queries), len(model.prompt_tokens), sum(model.prompt_tokens)))
        return costs


def cost_table(costs: Sequence[Cost]) -> str:
    """Return calls and prompt tokens per question, and the tokens as a share of those of each other agent."""
    first = costs[0]
    lines = [
        [
            cost.agent,
            str(cost.questions),
            f"{cost.calls / cost.questions:.2f}",
            f"{cost.prompt_tokens / cost.questions:.0f}",
            f"{first.prompt_tokens / cost.prompt_tokens:.2f}",
        ]
        for cost in costs
    ]
    return markdown_table(["agent", "n", "calls", "prompt tokens", f"tokens of {first.agent} / its own"], lines)


def _ask_folio(question: str, model: DiligentModel, settings: Settings, base: KnowledgeBase) -> None:
    sessions = SessionStore.in_memory()
    try:
        Assistant(settings, base, model, sessions).ask(question)
    finally:
        sessions.close()


def _ask_stock(question: str, model: DiligentModel, settings: Settings, base: KnowledgeBase) -> None:
    """Ask LangChain's ReAct agent with its own prompt, parser and ending; each search shows all that it found."""
    from langchain_classic.agents import AgentExecutor, create_react_agent
    from langchain_classic.agents.mrkl.prompt import FORMAT_INSTRUCTIONS, PREFIX, SUFFIX
    from langchain_core.prompts import PromptTemplate
    from langchain_core.tools import Tool

    def search(query: str) -> str:
        fresh = knowledge_search(
            lambda one: base.search(one, settings.top_k), EvidenceLedger(), top_k=settings.top_k, max_searches=1
        )
        return str(fresh.run(query))

    described = knowledge_search(lambda _: [], EvidenceLedger(), top_k=1, max_searches=1)
    tools = [
        Tool(name=described.name, func=search, description=described.description),
        query_rewrite(lambda asked: rewrite_by_rules(asked, [])),
    ]
    prompt = PromptTemplate.from_template("\n\n".join([PREFIX + "{tools}", FORMAT_INSTRUCTIONS, SUFFIX]))
    executor = AgentExecutor(agent=create_react_agent(model, tools, prompt), tools=tools, handle_parsing_errors=True)
    executor.invoke({"input": question})
