"""The agent for models with native tool calls: the same tools, ledger, limits and answer as with ReAct."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.callbacks import Callbacks
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

import prompts
from agent.loop.steering import Step
from agent.react.calls import means_no_tool, nearest, resolve, text_of
from agent.react.labels import spoken
from agent.react.parser import DirectAnswer, ReActParser
from prompts import approximate_tokens

_INPUT = "input"


class NativeAction(AgentAction):
    """A tool call as the model made it, so that it can be shown its own call again."""

    call_id: str
    said: str = ""
    """Text beside the call."""
    number: int = 1
    """Place among the calls of one reply, from 1."""


@dataclass(frozen=True, slots=True)
class NativeToolsAgent:
    """An agent whose model calls tools natively and answers in plain text; made for one question."""

    model: Runnable[Any, BaseMessage]
    """With the tools bound to it."""
    tool_names: tuple[str, ...]
    max_searches: int
    mark: str
    """Stands beside the passages of this question."""
    note_call_in_words: Callable[[], None]
    """Told of a call that stands in the text of a reply."""

    def plan(
        self, intermediate_steps: list[Step], callbacks: Callbacks = None, **kwargs: Any
    ) -> list[AgentAction] | AgentFinish:
        """Return the next calls, or the end."""
        messages = self._messages(kwargs["input"], kwargs["chat_history"], intermediate_steps)
        return self._read(self._reply(messages, callbacks))

    def _reply(self, messages: list[BaseMessage], callbacks: Callbacks) -> AIMessage:
        """Ask the model; in pieces, so that an answer can be shown while it is written."""
        whole: Any = None
        for piece in self.model.stream(messages, config={"callbacks": callbacks}):
            whole = piece if whole is None else whole + piece
        assert isinstance(whole, AIMessage)
        return whole

    def _messages(self, question: str, history: str, steps: Sequence[Step]) -> list[BaseMessage]:
        """Return the prompt: system, person, then each call with its result."""
        messages = _fixed_messages(self.max_searches, chat_history=history, mark=self.mark, input=question)
        caller = AIMessage("")
        for action, seen in steps:
            if not isinstance(action, NativeAction):
                messages += [AIMessage(action.log or "(nothing)"), HumanMessage(seen)]
                continue
            if action.number == 1:
                caller = AIMessage(action.said)
                messages.append(caller)
            caller.tool_calls.append(tool_call(name=action.tool, args={_INPUT: action.tool_input}, id=action.call_id))
            messages.append(ToolMessage(seen, tool_call_id=action.call_id))
        return messages

    def _read(self, reply: AIMessage) -> list[AgentAction] | AgentFinish:
        """Read a reply: its calls, else its text, which is the answer unless it calls a tool in words."""
        said = spoken(str(reply.text))
        calls = [(call["name"], text_of(call["args"]), call["id"]) for call in reply.tool_calls]
        for bad in reply.invalid_tool_calls:
            calls.append((bad["name"] or "", text_of(_lenient(bad["args"])), bad["id"]))
        if calls:
            return self._actions(calls, said)
        parser = ReActParser(tool_names=self.tool_names)
        try:
            step = parser.parse(str(reply.text))
        except DirectAnswer as direct:
            return AgentFinish({"output": direct.answer}, said)
        if isinstance(step, AgentFinish):
            return step
        self.note_call_in_words()
        return [step]

    def _actions(self, calls: Sequence[tuple[str, str, str | None]], said: str) -> list[AgentAction] | AgentFinish:
        actions: list[AgentAction] = []
        for number, (given, tool_input, call_id) in enumerate(calls, start=1):
            tool = resolve(given, self.tool_names)
            if tool is None and means_no_tool(given) and tool_input:
                return AgentFinish({"output": tool_input}, said)
            if tool is None or not tool_input:
                raise _correction(given, tool, self.tool_names, said)
            log = f"Thought: {said}\nAction: {tool}\nAction Input: {tool_input}" if said else ""
            call = {"call_id": call_id or f"call_{number}", "said": said, "number": number}
            actions.append(NativeAction(tool=tool, tool_input=tool_input, log=log, **call))
        return actions


def native_agent(
    model: BaseChatModel, tools: list[BaseTool], *, max_searches: int, mark: str
) -> tuple[NativeToolsAgent, int]:
    """Make the agent of one question, and count the tokens of its prompt without conversation, question and steps."""
    specs = [convert_to_openai_tool(tool) for tool in tools]
    size = sum(approximate_tokens(str(message.text)) for message in _fixed_messages(max_searches))
    size += approximate_tokens(json.dumps(specs, ensure_ascii=False))
    agent = NativeToolsAgent(
        model=model.bind_tools(specs),
        tool_names=tuple(tool.name for tool in tools),
        max_searches=max_searches,
        mark=mark,
        note_call_in_words=getattr(model, "note_call_in_words", lambda: None),
    )
    return agent, size


def _fixed_messages(max_searches: int, *, chat_history: str = "", mark: str = "", input: str = "") -> list[BaseMessage]:
    """Return the system message and the person's."""
    return [
        SystemMessage(prompts.render("tools_system", max_searches=str(max_searches))),
        HumanMessage(prompts.render("tools_turn", chat_history=chat_history, mark=mark, input=input)),
    ]


def _lenient(arguments: str | None) -> Any:
    try:
        return json.loads(arguments or "", strict=False)
    except ValueError:
        return arguments or ""


def _correction(given: str, tool: str | None, tool_names: tuple[str, ...], said: str) -> OutputParserException:
    near = nearest(given, tool_names)
    wrong = "The input of the tool is missing." if tool else f"There is no tool {given[:40]!r}."
    right = tool or near or tool_names[-1]
    observation = (
        f'{wrong} Call {right} with {{"{_INPUT}": "<text>"}}, or answer in plain text with labels such as [S1].'
    )
    return OutputParserException(wrong, observation=observation, llm_output=said, send_to_llm=True)
