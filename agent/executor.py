"""One question through the agent: think, call a tool, observe, until an answer stands or a limit ends it."""

from typing import TYPE_CHECKING, Any, cast

from langchain_classic.agents import AgentExecutor, create_react_agent
from langchain_classic.agents.agent import RunnableAgent
from langchain_classic.base_memory import BaseMemory
from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.callbacks import Callbacks
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.prompts import BaseChatPromptTemplate
from langchain_core.tools import BaseTool
from pydantic import ConfigDict, SkipValidation

import prompts
from agent.ending import Ending, Outcome
from agent.evidence import EvidenceLedger
from agent.memory import SessionStore, Turn, as_history
from agent.parser import ReActParser

if TYPE_CHECKING:
    from langchain_classic.agents import AgentOutputParser

MAX_CORRECTIONS = 2
MAX_REPEATS = 2
"""Times that a model may ask for what it already has; then it is going in circles."""


class ReActPrompt(BaseChatPromptTemplate):
    """The prompt files as LangChain takes them. Values are plain text: braces in them mean nothing."""

    input_variables: list[str] = ["input", "chat_history", "agent_scratchpad", "tools", "tool_names"]  # noqa: RUF012
    max_searches: int

    def format_messages(self, **kwargs: Any) -> list[BaseMessage]:
        """Return one system message and one human message."""
        values = self._merge_partial_and_user_variables(**kwargs)
        system = prompts.render(
            "react_system",
            tools=values["tools"],
            tool_names=values["tool_names"],
            max_searches=str(self.max_searches),
        )
        turn = prompts.render(
            "react_turn",
            chat_history=values["chat_history"],
            input=values["input"],
            agent_scratchpad=values["agent_scratchpad"],
        )
        return [SystemMessage(system), HumanMessage(turn)]

    def pretty_repr(self, html: bool = False) -> str:
        """Return the text of the system prompt."""
        return prompts.render("react_system", tools="$tools", tool_names="$tool_names", max_searches="$max_searches")


class ReActAgent(RunnableAgent):
    """A ReAct agent whose every ending is a checked outcome; made for one question."""

    ending: SkipValidation[Ending]
    ledger: SkipValidation[EvidenceLedger]
    corrections: int = 0

    def plan(
        self, intermediate_steps: list[tuple[AgentAction, str]], callbacks: Callbacks = None, **kwargs: Any
    ) -> AgentAction | AgentFinish:
        """Return the next step, or the end; what cannot be read is corrected twice at most."""
        if self.ledger.repeats >= MAX_REPEATS:
            return finish(self.ending.from_evidence())
        try:
            step = super().plan(intermediate_steps, callbacks, **kwargs)
            if isinstance(step, AgentFinish):
                return finish(self.ending.accept(str(step.return_values["output"])), step.log)
            return step
        except OutputParserException as error:
            self.corrections += 1
            if self.corrections > MAX_CORRECTIONS:
                return finish(self.ending.from_evidence(getattr(error, "answer", "")))
            raise

    def return_stopped_response(
        self, early_stopping_method: str, intermediate_steps: list[tuple[AgentAction, str]], **kwargs: Any
    ) -> AgentFinish:
        """End at a limit from the evidence that was gathered."""
        return finish(self.ending.from_evidence())


class SessionMemory(BaseMemory):
    """The conversation of one session: read before a question, written after its outcome."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    store: SkipValidation[SessionStore]
    session: str
    trace_id: str
    max_tokens: int
    viewer: tuple[str, ...] = ()

    @property
    def memory_variables(self) -> list[str]:
        """Return the variable of the prompt that this fills."""
        return ["chat_history"]

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the latest turns that fit."""
        return {"chat_history": as_history(self.turns(), self.max_tokens)}

    def turns(self) -> list[Turn]:
        """Return the turns so far."""
        return self.store.turns(self.session, self.viewer)

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> None:
        """Keep the question with its outcome, and nothing of how it came about."""
        outcome: Outcome = outputs["outcome"]
        citations = tuple(citation.as_json() for citation in outcome.citations)
        turn = Turn(inputs["input"], outcome.text, outcome.refused, citations, self.trace_id, self.viewer)
        self.store.append(self.session, turn)

    def clear(self) -> None:
        """Do nothing: a session is never emptied by the agent."""


def finish(outcome: Outcome, log: str = "") -> AgentFinish:
    """Return the outcome as LangChain's end of a run."""
    return AgentFinish({"output": outcome.text, "outcome": outcome}, log)


def build_executor(
    model: BaseChatModel,
    tools: list[BaseTool],
    ending: Ending,
    memory: SessionMemory,
    *,
    max_iterations: int,
    max_searches: int,
) -> AgentExecutor:
    """Put the agent of one question together."""
    runnable = create_react_agent(
        model,
        tools,
        ReActPrompt(max_searches=max_searches),
        # Its class is one of langchain_core, so that reading a reply needs no agent framework.
        output_parser=cast("AgentOutputParser", ReActParser(tool_names=tuple(tool.name for tool in tools))),
        stop_sequence=["\nObservation", "\n观察"],
    )
    return AgentExecutor(
        agent=ReActAgent(
            runnable=runnable, input_keys_arg=["input"], return_keys_arg=["output"], ending=ending, ledger=ending.ledger
        ),
        tools=tools,
        memory=memory,
        max_iterations=max_iterations,
        handle_parsing_errors=True,
    )


def run(executor: AgentExecutor, question: str, callbacks: Callbacks) -> Outcome:
    """Ask the question and return its outcome."""
    outcome: Outcome = executor.invoke({"input": question}, config={"callbacks": callbacks})["outcome"]
    return outcome
