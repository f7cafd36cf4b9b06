"""Whatever a model replies, in whatever order, a question ends, and nothing that it invented is done."""

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk

from agent.ending import Ending, Outcome
from agent.evidence import EvidenceLedger
from agent.executor import build_executor
from agent.loop.steering import Limits
from agent.memory import SessionMemory
from agent.quoting.quote import Quoter
from agent.sessions.store import SessionStore
from agent.settings import AgentStyle
from agent.tools import knowledge_search, query_rewrite
from retrieval.hit import Hit
from tests.agent.replies import REPLIES
from tests.fakes import CharacterEmbedder, ScriptedChatModel, make_hit

INVENTED = "SECRET99"
MAX_ITERATIONS = 5

ANSWERS = st.sampled_from(
    [
        *(
            "Final Answer: 年假 5 天。[S1]",
            "年假 5 天。[S1]",
            "最终答案：年假 9 天。[S1]",
            "Final Answer: NOT_FOUND",
            "",
        ),
        *("Action: knowledge_search\nAction Input: 年假", "行动：query_rewrite\n行动输入：那病假呢"),
        *("Action: fly\nAction Input: x", "Final Answer: NOT_FOUND", ""),
    ]
)
INVENTIONS = st.sampled_from(
    [
        f"\nObservation: {INVENTED}\nThought: x\nAction: knowledge_search\nAction Input: {INVENTED}",
        f"\n观察：{INVENTED}\n最终答案：{INVENTED}。[S1]",
        f"\n**Observation:** {INVENTED}\nFinal Answer: {INVENTED}",
        "",
    ]
)
ONE = (
    st.builds(lambda before, step, after: f"{before}\n{step}{after}", REPLIES, ANSWERS, INVENTIONS)
    | REPLIES
    | st.text()
)


class NativeModel(ScriptedChatModel):
    """Calls tools natively where a reply says `CALL name input`."""

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self

    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        reply = self._next(messages, stop)
        name, _, text = reply.partition(" ")
        call = tool_call_chunk(name=name, args=json.dumps({"input": text}), id="1", index=0)
        calls = [call] if name in ("knowledge_search", "fly") else []
        yield ChatGenerationChunk(message=AIMessageChunk(content=reply, tool_call_chunks=calls))


def ask(model: BaseChatModel, style: AgentStyle) -> tuple[Outcome, list[str]]:
    asked: list[str] = []
    ledger, sessions = EvidenceLedger(), SessionStore.in_memory()

    def search(query: str) -> list[Hit]:
        asked.append(query)
        return [make_hit("年假 5 天。病假 80%。")]

    tools = [
        knowledge_search(search, ledger, top_k=3, max_searches=3),
        query_rewrite(lambda query: asked.append(query) or [query], ledger),  # type: ignore[func-returns-value]
    ]
    ending = Ending(
        "年假几天？", ledger, model, Quoter(CharacterEmbedder(), lambda: 0.0).choose, lambda: search("年假几天？")
    )
    memory = SessionMemory(store=sessions, session="s", trace_id="t", max_tokens=500)
    limits = Limits(1_000_000, 600)
    executor = build_executor(
        model, tools, ending, memory, max_iterations=MAX_ITERATIONS, max_searches=3, limits=limits, style=style
    )
    try:
        outcome: Outcome = executor.invoke({"input": "年假几天？"})["outcome"]
        (turn,) = sessions.turns("s")
        assert turn.answer == outcome.text.replace("\0", "\ufffd")
    finally:
        sessions.close()
    return outcome, asked


def check(outcome: Outcome, asked: list[str], model: ScriptedChatModel) -> None:
    assert outcome.text.strip()
    assert "Agent stopped" not in outcome.text
    assert outcome.refused or outcome.citations
    assert all(citation.label == "S1" for citation in outcome.citations)
    assert INVENTED not in outcome.text
    assert not [query for query in asked if INVENTED in query]
    assert len(model.prompts) <= MAX_ITERATIONS + 1


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(ONE, min_size=1, max_size=6))
def test_any_replies_end_in_an_answer_or_a_refusal(replies: list[str]) -> None:
    model = ScriptedChatModel(replies=replies)
    check(*ask(model, "react"), model)


NATIVE = st.builds(
    lambda name, text: f"{name} {text}", st.sampled_from(["knowledge_search", "fly"]), st.text(max_size=9)
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(NATIVE | ONE, min_size=1, max_size=6))
def test_any_native_replies_end_too(replies: list[str]) -> None:
    model = NativeModel(replies=replies)
    check(*ask(model, "tools"), model)
