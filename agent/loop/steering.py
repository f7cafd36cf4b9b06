"""What happens around each reply, in whatever style a model calls tools: limits, a prompt that fits, corrections."""

import logging
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast

from langchain_classic.agents import BaseMultiActionAgent, create_react_agent
from langchain_classic.agents.agent import RunnableAgent
from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.callbacks import Callbacks
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.prompts import BaseChatPromptTemplate
from langchain_core.tools import BaseTool, render_text_description
from pydantic import ConfigDict, SkipValidation

import prompts
from agent.ending import MAX_SHRINKS, Ending, Outcome
from agent.evidence import cut_passage, label_ranges
from agent.models.errors import ContextOverflow
from agent.react.parser import ReActParser
from agent.sessions.turn import EARLIER, NO_HISTORY
from prompts import LEAST_TOKENS, approximate_tokens

if TYPE_CHECKING:
    from langchain_classic.agents import AgentOutputParser

logger = logging.getLogger(__name__)

MAX_CORRECTIONS = 2
MAX_REPEATS = 2
"""Times that a model may ask for what it already has; then it is going in circles."""
STOPS = ["\nObservation", "\n观察"]

_PASSAGE = re.compile(r"^\[(S\d+)\] .*\n(?:\|.*(?:\n|\Z))*", re.MULTILINE)
_TURN = re.compile(r"^(?=User: )", re.MULTILINE)

Step = tuple[AgentAction, str]
"""What was done and what was observed."""


class PlansSteps(Protocol):
    """Shows a model a conversation and steps, and reads its reply."""

    def plan(
        self, intermediate_steps: list[Step], callbacks: Callbacks = None, **kwargs: Any
    ) -> AgentAction | list[AgentAction] | AgentFinish:
        """Return the next calls, or the end."""


class SteeredAgent(BaseMultiActionAgent):
    """Leads another agent to the end of one question: every ending is a checked outcome."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    agent: SkipValidation[PlansSteps]
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
        limit = self.limits.reached()
        if limit:
            logger.warning("the question reached its limit of %s; it is answered from what was found", limit)
        if limit or self.ending.ledger.repeats >= MAX_REPEATS:
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
    tell: Callable[[str], None] = lambda _limit: None
    """Called with the limit that is reached."""
    _began: float = field(init=False, default_factory=lambda: time.monotonic())

    def reached(self) -> str | None:
        """Return the limit that is reached, as people name it; None while there is budget."""
        limit = self._reached()
        if limit:
            self.tell(limit)
        return limit

    def _reached(self) -> str | None:
        if self.spent_tokens() >= self.max_tokens:
            return f"{self.max_tokens} tokens (FOLIO_MAX_TOKENS)"
        if time.monotonic() - self._began >= self.max_seconds:
            return f"{self.max_seconds:g} s (FOLIO_MAX_SECONDS)"
        return None


def _finish(outcome: Outcome, log: str = "") -> AgentFinish:
    """Return the outcome as LangChain's end of a run."""
    return AgentFinish({"output": outcome.text, "outcome": outcome}, log)


def fit(history: str, steps: Sequence[Step], room: int) -> tuple[str, list[Step]]:
    """Return conversation and steps within so many tokens.

    The oldest turns go first, then the passages of the oldest observation, its last first; of the newest observation
    the first passage stays, cut where it must be. What was left out is said in its place.
    """
    history = latest_turns(history, room - _tokens(steps))
    left = room - approximate_tokens(history)
    fitted = list(steps)
    newest = max((place for place, (_, seen) in enumerate(fitted) if _PASSAGE.search(seen)), default=-1)
    for place, (action, seen) in enumerate(fitted):
        excess = _tokens(fitted) - left
        if excess <= 0:
            break
        fitted[place] = (action, _without_passages(seen, excess, keep=int(place == newest)))
    if (excess := _tokens(fitted) - left) > 0 and newest >= 0:
        action, seen = fitted[newest]
        fitted[newest] = (action, _with_shorter_passage(seen, excess))
    if _tokens(fitted) < _tokens(steps):
        logger.warning("the prompt was too long: passages were left out of it; see FOLIO_CONTEXT_TOKENS")
    return history, fitted


def latest_turns(history: str, room: int) -> str:
    """Return the latest turns of a conversation within so many tokens, with a mark where earlier ones were left out."""
    if approximate_tokens(history) <= max(room, 0) or history == NO_HISTORY:
        return history
    turns = [turn for turn in _TURN.split(history) if turn.strip()]
    kept: list[str] = []
    left = room - approximate_tokens(EARLIER)
    while turns and (left := left - approximate_tokens(turns[-1])) >= 0:
        kept.insert(0, turns.pop())
    return "".join([f"{EARLIER}\n", *kept]).rstrip("\n")


def _tokens(steps: Sequence[Step]) -> int:
    return sum(approximate_tokens(f"{action.log}\nObservation: {seen}\nThought: ") for action, seen in steps)


def _without_passages(seen: str, excess: int, keep: int) -> str:
    """Take out the last passages until the excess is gone, but for the first `keep`."""
    gone: list[str] = []
    for passage in list(_PASSAGE.finditer(seen))[keep:][::-1]:
        if excess <= 0:
            break
        seen = seen[: passage.start()] + seen[passage.end() :]
        excess -= approximate_tokens(passage[0])
        gone.append(passage[1])
    seen = re.sub(r"\n{3,}", "\n\n", seen)
    return f"{seen}\n(left out to fit: {label_ranges(gone)})" if gone else seen


def _with_shorter_passage(seen: str, excess: int) -> str:
    passage = _PASSAGE.search(seen)
    assert passage
    room = max(approximate_tokens(passage[0]) - excess, LEAST_TOKENS // 2)
    return seen[: passage.start()] + cut_passage(passage[0], room) + "\n" + seen[passage.end() :]


def react_agent(
    model: BaseChatModel, tools: list[BaseTool], *, max_searches: int, mark: str
) -> tuple[RunnableAgent, int]:
    """Make the agent of one question, and count the tokens of its prompt without conversation, question and steps."""
    prompt = ReActPrompt(max_searches=max_searches, mark=mark)
    # Its class is one of langchain_core, so that reading a reply needs no agent framework.
    parser = cast("AgentOutputParser", ReActParser(tool_names=tuple(tool.name for tool in tools)))
    agent = RunnableAgent(
        runnable=create_react_agent(model, tools, prompt, output_parser=parser, stop_sequence=STOPS),
        input_keys_arg=["input"],
        return_keys_arg=["output"],
    )
    return agent, prompt.fixed_tokens(tools)


class ReActPrompt(BaseChatPromptTemplate):
    """The prompt files as LangChain takes them. Values are plain text: braces in them mean nothing."""

    input_variables: list[str] = ["input", "chat_history", "agent_scratchpad", "tools", "tool_names"]  # noqa: RUF012
    max_searches: int
    mark: str
    """Stands beside the passages of this question."""

    def format_messages(self, **kwargs: Any) -> list[BaseMessage]:
        """Return one system message and one human message."""
        values = self._merge_partial_and_user_variables(**kwargs)
        always = {name: values[name] for name in ("tools", "tool_names")}
        turn = {name: values[name] for name in ("chat_history", "input", "agent_scratchpad")}
        return [
            SystemMessage(prompts.render("react_system", max_searches=str(self.max_searches), **always)),
            HumanMessage(prompts.render("react_turn", mark=self.mark, **turn)),
        ]

    def fixed_tokens(self, tools: list[BaseTool]) -> int:
        """Return the size of the prompt without conversation, question and steps."""
        names = ", ".join(tool.name for tool in tools)
        empty = dict.fromkeys(("input", "chat_history", "agent_scratchpad"), "")
        messages = self.format_messages(tools=render_text_description(tools), tool_names=names, **empty)
        return sum(approximate_tokens(str(message.text)) for message in messages)
