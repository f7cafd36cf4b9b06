"""The built-in chat model: no server, no key. It speaks the same ReAct format and answers by quoting."""

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import ConfigDict, PrivateAttr, SkipValidation

from agent.evidence import EvidenceLedger
from agent.quoting.confidence import Passage, missing_parts
from agent.quoting.quote import Quoter
from agent.settings import OFFLINE
from retrieval.text.writing import language_of

QUOTING = {"zh": "以下是文档原文：", "en": "Quoted from the documents:"}
"""First line of every answer, because this model quotes and does not write."""


class OfflineChatModel(BaseChatModel):
    """Decide by rules, answer by quotation.

    It takes the steps of any other model: rewrite when the question needs the conversation, search once, then quote
    the best sentences with their labels, or say NOT_FOUND. What it decides from it is handed, and not read from a
    prompt.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    quoter: SkipValidation[Quoter]
    question: str = ""
    queries: tuple[str, ...] = ()
    """What the question becomes without its conversation; the question itself where it stands alone."""
    ledger: SkipValidation[EvidenceLedger | None] = None
    _has_rewritten: bool = PrivateAttr(default=False)
    _has_searched: bool = PrivateAttr(default=False)

    def about(self, question: str, queries: Sequence[str], ledger: EvidenceLedger) -> "OfflineChatModel":
        """Return the model for one question, which answers from the evidence in its ledger."""
        return OfflineChatModel(quoter=self.quoter, question=question, queries=tuple(queries), ledger=ledger)

    @property
    def _llm_type(self) -> str:
        return OFFLINE

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self._reply()))])

    def _reply(self) -> str:
        if self.ledger is None:
            return "Final Answer: NOT_FOUND"
        if self._has_searched or self.ledger.searches:
            return self._answer(self.ledger)
        if self.queries != (self.question,) and not self._has_rewritten:
            self._has_rewritten = True
            return _act("It needs the conversation, or asks about several things.", "query_rewrite", self.question)
        self._has_searched = True
        return _act("The question stands alone.", "knowledge_search", "\n".join(self.queries))

    def _answer(self, ledger: EvidenceLedger) -> str:
        """Quote what answers the question in its own words, else as it stands alone."""
        passages = [Passage.of(evidence.label, evidence.hit.chunk) for evidence in ledger.all()]
        most = None if len(self.queries) == 1 else 1
        # The question before a follow-up finds its passages, and would have its own answer quoted from them.
        chosen = self.quoter.choose(self.question, passages) if self.queries != (self.question,) else []
        chosen = chosen or [quote for query in self.queries for quote in self.quoter.choose(query, passages)[:most]]
        quotes = list({(quote.label, quote.text): quote for quote in chosen}.values())
        if not quotes:
            missing = missing_parts(self.queries[0], passages)
            named = f": {', '.join(missing)}" if missing else ""
            return f"Thought: No passage is about what was asked.\nFinal Answer: NOT_FOUND{named}"
        answer = as_answer(self.question, [(quote.label, quote.text) for quote in quotes])
        return f"Thought: {quotes[0].label} is nearest.\nFinal Answer: {answer}"


def as_answer(question: str, quotes: Sequence[tuple[str, str]]) -> str:
    """Write (label, quotation) pairs as an answer that says that it quotes."""
    lines = [f"{text} [{label}]" if "\n" not in text else f"{text}\n[{label}]" for label, text in quotes]
    return "\n".join([QUOTING[language_of(question)], *lines])


def _act(thought: str, tool: str, tool_input: str) -> str:
    return f"Thought: {thought}\nAction: {tool}\nAction Input: {tool_input}"
