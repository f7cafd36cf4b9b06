"""One question through the agent: think, call a tool, observe, until an answer stands or a limit ends it."""

from typing import TYPE_CHECKING, Any, cast

from langchain_classic.agents import AgentExecutor, create_react_agent
from langchain_classic.agents.agent import RunnableAgent
from langchain_core.callbacks import Callbacks
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.prompts import BaseChatPromptTemplate
from langchain_core.tools import BaseTool, render_text_description

import prompts
from agent.ending import Ending, Outcome
from agent.loop.native_tools import native_agent
from agent.loop.steering import Limits, SteeredAgent
from agent.memory import SessionMemory
from agent.react.parser import ReActParser
from agent.settings import AgentStyle
from agent.window import approximate_tokens

if TYPE_CHECKING:
    from langchain_classic.agents import AgentOutputParser

STOPS = ["\nObservation", "\n观察"]


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
    make = native_agent if style == "tools" else react_agent
    agent, fixed_tokens = make(model, tools, max_searches=max_searches, mark=ending.ledger.mark)
    steered = SteeredAgent(agent=agent, fixed_tokens=fixed_tokens, ending=ending, limits=limits or Limits.none())
    return AgentExecutor(
        agent=steered, tools=tools, memory=memory, max_iterations=max_iterations, handle_parsing_errors=True
    )


def run(executor: AgentExecutor, question: str, callbacks: Callbacks) -> Outcome:
    """Ask the question and return its outcome."""
    outcome: Outcome = executor.invoke({"input": question}, config={"callbacks": callbacks})["outcome"]
    return outcome


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
