"""One question through the agent: think, call a tool, observe, until an answer stands or a limit ends it."""

from typing import TYPE_CHECKING, Any, cast

from langchain_classic.agents import AgentExecutor, create_react_agent
from langchain_classic.agents.agent import RunnableAgent
from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.callbacks import Callbacks
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.prompts import BaseChatPromptTemplate
from langchain_core.tools import BaseTool, render_text_description
from pydantic import SkipValidation

import prompts
from agent.context import Step
from agent.ending import Ending, Outcome
from agent.limits import Limits
from agent.memory import approximate_tokens
from agent.parser import ReActParser
from agent.session_memory import SessionMemory
from agent.settings import AgentStyle
from agent.steering import Steering

if TYPE_CHECKING:
    from langchain_classic.agents import AgentOutputParser, BaseMultiActionAgent, BaseSingleActionAgent

STOPS = ["\nObservation", "\n观察"]


class ReActPrompt(BaseChatPromptTemplate):
    """The prompt files as LangChain takes them. Values are plain text: braces in them mean nothing."""

    input_variables: list[str] = ["input", "chat_history", "agent_scratchpad", "tools", "tool_names"]  # noqa: RUF012
    max_searches: int
    mark: str
    """Stands beside the passages of this question."""

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
            mark=self.mark,
            input=values["input"],
            agent_scratchpad=values["agent_scratchpad"],
        )
        return [SystemMessage(system), HumanMessage(turn)]

    def pretty_repr(self, html: bool = False) -> str:
        """Return the text of the system prompt."""
        return prompts.render("react_system", tools="$tools", tool_names="$tool_names", max_searches="$max_searches")

    def fixed_tokens(self, tools: list[BaseTool]) -> int:
        """Return the size of the prompt without conversation, question and steps."""
        names = ", ".join(tool.name for tool in tools)
        empty = dict.fromkeys(("input", "chat_history", "agent_scratchpad"), "")
        messages = self.format_messages(tools=render_text_description(tools), tool_names=names, **empty)
        return sum(approximate_tokens(str(message.text)) for message in messages)


class ReActAgent(RunnableAgent):
    """A ReAct agent whose every ending is a checked outcome; made for one question."""

    steering: SkipValidation[Steering]

    def plan(
        self, intermediate_steps: list[Step], callbacks: Callbacks = None, **kwargs: Any
    ) -> AgentAction | AgentFinish:
        """Return the next step, or the end."""

        def ask(history: str, steps: list[Step]) -> AgentAction | AgentFinish:
            return super(ReActAgent, self).plan(steps, callbacks, **{**kwargs, "chat_history": history})

        return self.steering.next_step(kwargs["input"], kwargs["chat_history"], intermediate_steps, ask)

    def return_stopped_response(
        self, early_stopping_method: str, intermediate_steps: list[Step], **kwargs: Any
    ) -> AgentFinish:
        """End at a limit from the evidence that was gathered."""
        return self.steering.stopped()


def build_executor(
    model: BaseChatModel,
    tools: list[BaseTool],
    ending: Ending,
    memory: SessionMemory,
    *,
    max_iterations: int,
    max_searches: int,
    limits: Limits | None = None,
    style: AgentStyle = "react",
) -> AgentExecutor:
    """Put the agent of one question together."""
    agent: BaseSingleActionAgent | BaseMultiActionAgent
    if style == "tools":
        from agent.native_tools import native_agent

        agent = native_agent(model, tools, ending, limits, max_searches=max_searches)
    else:
        agent = _react_agent(model, tools, ending, limits, max_searches=max_searches)
    return AgentExecutor(
        agent=agent, tools=tools, memory=memory, max_iterations=max_iterations, handle_parsing_errors=True
    )


def _react_agent(
    model: BaseChatModel, tools: list[BaseTool], ending: Ending, limits: Limits | None, *, max_searches: int
) -> ReActAgent:
    prompt = ReActPrompt(max_searches=max_searches, mark=ending.ledger.mark)
    # Its class is one of langchain_core, so that reading a reply needs no agent framework.
    parser = cast("AgentOutputParser", ReActParser(tool_names=tuple(tool.name for tool in tools)))
    return ReActAgent(
        runnable=create_react_agent(model, tools, prompt, output_parser=parser, stop_sequence=STOPS),
        input_keys_arg=["input"],
        return_keys_arg=["output"],
        steering=Steering(ending, prompt.fixed_tokens(tools), limits or Limits.none()),
    )


def run(executor: AgentExecutor, question: str, callbacks: Callbacks) -> Outcome:
    """Ask the question and return its outcome."""
    outcome: Outcome = executor.invoke({"input": question}, config={"callbacks": callbacks})["outcome"]
    return outcome
