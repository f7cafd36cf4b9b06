"""What happens around each reply, in whatever style a model calls tools: limits, a prompt that fits, corrections."""

import logging
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from langchain_classic.agents import BaseMultiActionAgent
from langchain_classic.agents.agent import RunnableAgent
from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.callbacks import Callbacks
from langchain_core.exceptions import OutputParserException
from pydantic import ConfigDict, SkipValidation

from agent.ending import MAX_SHRINKS, Ending, Outcome
from agent.loop.context import Step, fit
from agent.models.errors import ContextOverflow
from agent.window import approximate_tokens

logger = logging.getLogger(__name__)

MAX_CORRECTIONS = 2
MAX_REPEATS = 2
"""Times that a model may ask for what it already has; then it is going in circles."""


class SteeredAgent(BaseMultiActionAgent):
    """Leads another agent to the end of one question: every ending is a checked outcome."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    agent: SkipValidation[RunnableAgent | BaseMultiActionAgent]
    """Shows the model a conversation and steps, and reads its reply."""
    fixed_tokens: int
    """Size of the prompt without conversation, question and steps."""
    ending: SkipValidation[Ending]
    limits: SkipValidation["Limits"]
    corrections: int = 0

    @property
    def input_keys(self) -> list[str]:
        """Return what a run is given."""
        return ["input"]

    def plan(
        self, intermediate_steps: list[Step], callbacks: Callbacks = None, **kwargs: str
    ) -> list[AgentAction] | AgentFinish:
        """Return what the model does next, or the end; what cannot be read is corrected twice at most.

        Raises OutputParserException with a correction for the model.
        """
        if self.ending.ledger.repeats >= MAX_REPEATS or self._is_over_limit():
            return _finish(self.ending.from_evidence())
        try:
            step = self._reply(intermediate_steps, callbacks, kwargs["input"], kwargs["chat_history"])
            if isinstance(step, AgentFinish):
                return _finish(self.ending.accept(str(step.return_values["output"])), step.log)
            return step or _finish(self.ending.from_evidence())
        except OutputParserException as error:
            self.corrections += 1
            if self.corrections > MAX_CORRECTIONS:
                return _finish(self.ending.from_evidence(getattr(error, "answer", "")))
            raise

    async def aplan(
        self, intermediate_steps: list[Step], callbacks: Callbacks = None, **kwargs: str
    ) -> list[AgentAction] | AgentFinish:
        """Do as `plan` does."""
        return self.plan(intermediate_steps, callbacks, **kwargs)

    def return_stopped_response(
        self, early_stopping_method: str, intermediate_steps: list[Step], **kwargs: str
    ) -> AgentFinish:
        """End at the cap of replies from the evidence that was gathered."""
        return _finish(self.ending.from_evidence())

    def _is_over_limit(self) -> bool:
        limit = self.limits.reached()
        if limit:
            logger.warning("the question reached its limit of %s; it is answered from what was found", limit)
        return limit is not None

    def _reply(
        self, steps: list[Step], callbacks: Callbacks, question: str, history: str
    ) -> list[AgentAction] | AgentFinish:
        """Ask with a prompt that fits; no action when none does."""
        window, fixed = self.ending.window, self.fixed_tokens + approximate_tokens(question)
        for _ in range(MAX_SHRINKS):
            shown, fitted = fit(history, steps, window.prompt_tokens - fixed)
            try:
                step = self.agent.plan(fitted, callbacks, input=question, chat_history=shown)
                return [step] if isinstance(step, AgentAction) else step
            except ContextOverflow as error:
                scratch = "".join(f"{action.log}{seen}" for action, seen in fitted)
                window.shrink(fixed + approximate_tokens(shown) + approximate_tokens(scratch), error.limit)
        return []


@dataclass(slots=True)
class Limits:
    """The budget of one question; it begins when this is made."""

    max_tokens: int
    """Tokens of all prompts and replies."""
    max_seconds: float
    spent_tokens: Callable[[], int] = lambda: 0
    clock: Callable[[], float] = time.monotonic
    tell: Callable[[str], None] = lambda _limit: None
    """Called with the limit that is reached."""
    _began: float = field(init=False)

    @classmethod
    def none(cls) -> "Limits":
        """Return limits that are never reached."""
        return cls(sys.maxsize, math.inf)

    def __post_init__(self) -> None:
        """Start the clock."""
        self._began = self.clock()

    def reached(self) -> str | None:
        """Return the limit that is reached, as people name it; None while there is budget."""
        limit = self._reached()
        if limit:
            self.tell(limit)
        return limit

    def _reached(self) -> str | None:
        if self.spent_tokens() >= self.max_tokens:
            return f"{self.max_tokens} tokens (FOLIO_MAX_TOKENS)"
        if self.clock() - self._began >= self.max_seconds:
            return f"{self.max_seconds:g} s (FOLIO_MAX_SECONDS)"
        return None


def _finish(outcome: Outcome, log: str = "") -> AgentFinish:
    """Return the outcome as LangChain's end of a run."""
    return AgentFinish({"output": outcome.text, "outcome": outcome}, log)
