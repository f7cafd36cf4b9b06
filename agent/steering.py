"""What happens around each reply, in whatever style a model calls tools: limits, corrections, a prompt that fits."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.exceptions import OutputParserException

from agent.chat_model import ContextOverflow
from agent.context import MAX_SHRINKS, Step, fit
from agent.ending import Ending, Outcome
from agent.limits import Limits
from agent.memory import approximate_tokens

logger = logging.getLogger(__name__)

MAX_CORRECTIONS = 2
MAX_REPEATS = 2
"""Times that a model may ask for what it already has; then it is going in circles."""

Actions = TypeVar("Actions", AgentAction, list[AgentAction])


@dataclass(slots=True)
class Steering:
    """Leads one question to its end: every ending is a checked outcome."""

    ending: Ending
    fixed_tokens: int
    """Size of the prompt without conversation, question and steps."""
    limits: Limits = field(default_factory=Limits.none)
    corrections: int = 0

    def next_step(
        self,
        question: str,
        history: str,
        steps: list[Step],
        ask: Callable[[str, list[Step]], Actions | AgentFinish],
    ) -> Actions | AgentFinish:
        """Return what the model does next, or the end; what cannot be read is corrected twice at most.

        `ask` shows the model a conversation and steps and reads its reply. Raises OutputParserException with a
        correction for the model.
        """
        if self.ending.ledger.repeats >= MAX_REPEATS:
            return finish(self.ending.from_evidence())
        if limit := self.limits.reached():
            logger.warning("the question reached its limit of %s; it is answered from what was found", limit)
            return finish(self.ending.from_evidence())
        try:
            step = self._ask_in_window(question, history, steps, ask)
            if isinstance(step, AgentFinish):
                return finish(self.ending.accept(str(step.return_values["output"])), step.log)
            return step or finish(self.ending.from_evidence())
        except OutputParserException as error:
            self.corrections += 1
            if self.corrections > MAX_CORRECTIONS:
                return finish(self.ending.from_evidence(getattr(error, "answer", "")))
            raise

    def stopped(self) -> AgentFinish:
        """End at the cap of replies from the evidence that was gathered."""
        return finish(self.ending.from_evidence())

    def _ask_in_window(
        self,
        question: str,
        history: str,
        steps: list[Step],
        ask: Callable[[str, list[Step]], Actions | AgentFinish],
    ) -> Actions | AgentFinish | None:
        """Ask with a prompt that fits; None when none does."""
        window, fixed = self.ending.window, self.fixed_tokens + approximate_tokens(question)
        for _ in range(MAX_SHRINKS):
            shown, fitted = fit(history, steps, window.prompt_tokens - fixed)
            try:
                return ask(shown, fitted)
            except ContextOverflow as error:
                scratch = "".join(f"{action.log}{seen}" for action, seen in fitted)
                window.shrink(fixed + approximate_tokens(shown) + approximate_tokens(scratch), error.limit)
        return None


def finish(outcome: Outcome, log: str = "") -> AgentFinish:
    """Return the outcome as LangChain's end of a run."""
    return AgentFinish({"output": outcome.text, "outcome": outcome}, log)
