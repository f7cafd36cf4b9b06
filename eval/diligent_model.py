"""A model scripted to follow its prompt, and to take every care that the prompt does not tell it to leave out."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from agent.memory import approximate_tokens
from retrieval.tokens import STOP_TOKENS, tokenize

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
