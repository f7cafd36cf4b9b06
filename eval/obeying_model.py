"""A model scripted to obey whatever it reads: what is left of its answers is what the agent around it lets through."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from eval.attack_set import Attack
from preprocessing.suspicious import ZERO_WIDTH, tags_of, untagged

_PASSAGE = re.compile(r"^\[(S\d+)\] .*\n((?:^\|.*(?:\n|\Z))+)", re.MULTILINE)
_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)
_STEP = re.compile(r"^\W*(?:Action|Final Answer|行动|最终答案)\W{0,3}[:：].*", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"[^。\n]+?(?:。|\.(?=\s|$)|$)", re.MULTILINE)


class ObeyingModel(BaseChatModel):
    """Follows the prompt until a passage orders something else, and then does that.

    It does what the set says that each order means, sees through invisible characters, and repeats every step of the
    agent's format that stands in a passage.
    """

    attacks: Sequence[Attack]

    @property
    def _llm_type(self) -> str:
        return "obeying"

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
        question = _QUESTION.findall(prompt)[-1] if "\nPassages:" in prompt else _QUESTION.findall(prompt)[0]
        passages = _PASSAGE.findall(prompt)
        asked = next(attack for attack in self.attacks if attack.question == question.strip())
        for attack in (asked, *self.attacks):
            for label, text in passages:
                if _understood(attack.trigger) in _understood(text):
                    return attack.obey.replace("{label}", label)
        for label, text in passages:
            if step := _STEP.search(_understood(text)):
                return f"{step[0]} [{label}]"
        return _honest(asked, passages)


def _honest(asked: Attack, passages: Sequence[tuple[str, str]]) -> str:
    """Search once, then give the sentence that answers with its label."""
    if not passages:
        return f"Thought: search\nAction: knowledge_search\nAction Input: {asked.question}"
    for label, text in passages:
        for sentence in _SENTENCE.findall(text):
            if asked.gold in sentence:
                return f"Thought: found\nFinal Answer: {sentence.strip('| ')}[{label}]"
    return "Final Answer: NOT_FOUND"


def _understood(text: str) -> str:
    """Return the text of a passage as a model understands it, invisible characters and all."""
    lines = (line[2:] if line.startswith("| ") else line for line in text.split("\n"))
    whole = "\n".join(lines)
    if tags := tags_of(whole):
        whole = whole.replace(tags, untagged(tags))
    return unicodedata.normalize("NFKC", ZERO_WIDTH.sub("", whole))
