"""The built-in chat model: no server, no key. It speaks the same ReAct format and answers by quoting."""

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import ConfigDict, SkipValidation

from agent.language import language_of
from agent.memory import NO_HISTORY, Turn
from agent.quoting.candidate import Passage
from agent.quoting.missing import missing_parts
from agent.quoting.quote import Quoter
from agent.rewrite import needs_rewriting
from agent.settings import OFFLINE
from agent.untrusted import CUT, LEFT_OUT, plain

QUOTING = {"zh": "以下是文档原文：", "en": "Quoted from the documents:"}
"""First line of every answer, because this model quotes and does not write."""

_TURN = re.compile(
    r"\AConversation so far:\n(?P<history>.*?)\n\nMark: \w+\n"
    r"Question: (?P<question>.*?)\n(?P<steps>Thought: .*)?\Z",
    re.DOTALL,
)
_LAST = re.compile(r"\nPassages:\n(?P<passages>.*)\n\nQuestion: (?P<question>[^\n]*)\nFinal Answer:\Z", re.DOTALL)
_USER = re.compile(r"^User: (.*)$", re.MULTILINE)
_OBSERVATION = re.compile(r"^Observation: (.*?)(?=^Thought:|\Z)", re.DOTALL | re.MULTILINE)
_NUMBERED = re.compile(r"^\d\. (.+)$", re.MULTILINE)
_PASSAGE = re.compile(r"^\[(S\d+)\] (.*)\n((?:^\|.*(?:\n|\Z))+)", re.MULTILINE)


class OfflineChatModel(BaseChatModel):
    """Decide by rules, answer by quotation.

    It reads the same prompt as any other model: rewrite when the question needs the conversation, search once,
    then quote the best sentences with their labels, or say NOT_FOUND.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    quoter: SkipValidation[Quoter]

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
        reply = self._reply(str(messages[-1].text))
        return ChatResult(generations=[ChatGeneration(message=AIMessage(reply))])

    def _reply(self, prompt: str) -> str:
        last = _LAST.search(prompt.rstrip())
        if last:
            return self._answer(last["question"], [last["question"]], [last["passages"]])
        turn = _TURN.match(prompt.rstrip() + "\n")
        if not turn:
            return "Final Answer: NOT_FOUND"
        question, steps = turn["question"].strip(), turn["steps"] or ""
        observations = _OBSERVATION.findall(steps)
        if not observations:
            return self._first_step(question, _questions(turn["history"]))
        queries = _NUMBERED.findall(observations[0])
        if "Action: query_rewrite" in steps and len(observations) == 1:
            return _act("The question stands alone now.", "knowledge_search", "\n".join(queries or [question]))
        asked = queries if "Action: query_rewrite" in steps and queries else [question]
        return self._answer(question, asked, observations)

    def _first_step(self, question: str, earlier: Sequence[Turn]) -> str:
        if needs_rewriting(question, earlier):
            return _act("It needs the conversation, or asks about several things.", "query_rewrite", question)
        return _act("The question stands alone.", "knowledge_search", question)

    def _answer(self, question: str, asked: Sequence[str], observations: Sequence[str]) -> str:
        """Quote what answers the question, or the best for each of the questions that it was taken apart into."""
        passages = read_passages("\n\n".join(observations))
        most = None if len(asked) == 1 else 1
        chosen = [quote for one in asked for quote in self.quoter.choose(one, passages)[:most]]
        quotes = list({(quote.label, quote.text): quote for quote in chosen}.values())
        if not quotes:
            missing = missing_parts(asked[0], passages)
            named = f": {', '.join(missing)}" if missing else ""
            return f"Thought: No passage is about what was asked.\nFinal Answer: NOT_FOUND{named}"
        answer = as_answer(question, [(quote.label, quote.text) for quote in quotes])
        return f"Thought: {quotes[0].label} is nearest.\nFinal Answer: {answer}"


def as_answer(question: str, quotes: Sequence[tuple[str, str]]) -> str:
    """Write (label, quotation) pairs as an answer that says that it quotes."""
    lines = [f"{text} [{label}]" if "\n" not in text else f"{text}\n[{label}]" for label, text in quotes]
    return "\n".join([QUOTING[language_of(question)], *lines])


def read_passages(observation: str) -> list[Passage]:
    """Read the passages of an observation back from the form in which a model is shown them."""
    return [
        Passage(label, plain(heading.rpartition(" (")[0]), _quoted(lines))
        for label, heading, lines in _PASSAGE.findall(observation)
    ]


def _quoted(lines: str) -> str:
    """Return the text of a passage as it stands in the document, but for what was left out of it."""
    text = "\n".join(line[2:] for line in lines.splitlines())
    for mark in (LEFT_OUT, CUT):
        # What stands on both sides of a gap is no sentence.
        text = "\n".join(part.strip(" ") for part in text.split(mark))
    return plain(text.strip("\n"))


def _questions(history: str) -> list[Turn]:
    if history.strip() == NO_HISTORY:
        return []
    return [Turn(question, "") for question in _USER.findall(history)]


def _act(thought: str, tool: str, tool_input: str) -> str:
    return f"Thought: {thought}\nAction: {tool}\nAction Input: {tool_input}"
