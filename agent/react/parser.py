"""Read one ReAct reply of a model, however it is written: an action, a final answer, or a helpful correction."""

import re
from typing import Any

from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.exceptions import OutputParserException
from langchain_core.output_parsers import BaseOutputParser

from agent.react.calls import input_text, leading_call, means_no_tool, nearest, resolve, says_nothing, text_of
from agent.react.clean import before_observation, is_one_fence, unfenced, without_fences
from agent.react.final_answer import final_answer
from agent.react.labels import Label, any_of, next_start, read_reply

_CALL_STYLE = re.compile(r"^[`*\"']*([\w .-]+?)[`*\"']*\s*[(\[{（【]\s*(.*?)\s*[)\]}）】]?$", re.DOTALL)
_INLINE_WORDS = ("action input", "action arguments", "action args", "tool input", "行动输入", "动作输入", "操作输入")
_INLINE_INPUT = re.compile(rf"[\s,，;；*_]+(?:{any_of(_INLINE_WORDS)})\s*[:：]\s*", re.I)
_CALL_LOOK = re.compile(
    r"<tool_call|<function|[\"'](?:action|action_input|arguments|tool_call)[\"']\s*[:：]|^\s*[{]", re.I
)


class ReActParser(BaseOutputParser[AgentAction | AgentFinish]):
    """Turn a reply into a call of a registered tool or a final answer; raise a correction when it is neither.

    The log of an action and the text of a correction are the reply without thinking and without what the model
    invented, because the executor shows them to the model again.
    """

    tool_names: tuple[str, ...]

    def parse(self, text: str) -> AgentAction | AgentFinish:
        """Return what the model wants; raises OutputParserException with a correction as its observation."""
        reply, labels = read_reply(text)
        if call := leading_call(unfenced(reply)):
            return self._use_call(*call, thought="", reply=reply)
        for index, label in enumerate(labels):
            if label.kind in ("action", "call"):
                return self._act(reply, labels[index:])
            if label.kind == "final":
                thought, answer = reply[: label.start], final_answer(reply[label.end :], label.opened)
                return self._finish(answer, thought, reply)
        raise refusal(reply, labels, self.tool_names)

    def _act(self, reply: str, labels: list[Label]) -> AgentAction | AgentFinish:
        """Read the first action; `labels` begin with its label."""
        label, following = labels[0], labels[1:]
        thought = reply[: label.start]
        end = len(reply) if label.kind == "call" else next_start(following, reply)
        value = unfenced(reply[label.end : end])
        if call := leading_call(value):
            return self._use_call(*call, thought=thought, reply=reply)
        if label.kind == "call":
            raise correction("The tool call is not valid JSON.", reply, self.tool_names)
        name, argument = self._name_and_argument(value)
        if self._resolve(name) is None and means_no_tool(name):
            answer = _answer_instead_of_tool(reply, following) or argument
            return self._finish(answer, thought, reply)
        return self._use(name, _given_input(reply, following, otherwise=argument), thought, reply)

    def _name_and_argument(self, value: str) -> tuple[str, str]:
        """Split what follows the Action label: `name`, `name(text)`, or `name Action Input: text`."""
        name, _, below = value.partition("\n")
        if inline := _INLINE_INPUT.search(name):
            return name[: inline.start()], input_text(f"{name[inline.end() :]}\n{below}")
        style = _CALL_STYLE.match(value)
        if style and (self._resolve(style[1]) or means_no_tool(style[1])):
            return style[1], input_text(style[2])
        return name, ""

    def _use_call(self, name: str, argument: Any, *, thought: str, reply: str) -> AgentAction | AgentFinish:
        text = text_of(argument)
        if isinstance(argument, str) and self._resolve(name):
            text = input_text(argument)
        return self._use(name, text, thought, reply)

    def _use(self, name: str, tool_input: str, thought: str, reply: str) -> AgentAction | AgentFinish:
        tool = self._resolve(name)
        tool_input = before_observation(tool_input)
        if tool is None and means_no_tool(name):
            return self._finish(tool_input, thought, reply)
        if tool is None:
            raise unknown_tool(name, reply, self.tool_names)
        if not tool_input:
            raise correction("The Action Input is missing.", reply, self.tool_names, tool)
        log = f"{without_fences(thought)}\nAction: {tool}\nAction Input: {tool_input}".lstrip()
        return AgentAction(tool=tool, tool_input=tool_input, log=log)

    def _finish(self, answer: str, thought: str, reply: str) -> AgentFinish:
        if not answer.strip():
            raise correction("The Final Answer is empty.", reply, self.tool_names)
        log = f"{without_fences(thought)}\nFinal Answer: {answer}".lstrip()
        return AgentFinish(return_values={"output": answer}, log=log)

    def _resolve(self, name: str) -> str | None:
        return resolve(name, self.tool_names)

    @property
    def _type(self) -> str:
        return "folio-react"


def _given_input(reply: str, following: list[Label], *, otherwise: str) -> str:
    """Return the text of the Action Input, if that is the next label but for thoughts."""
    for index, label in enumerate(following):
        if label.kind == "input":
            return input_text(reply[label.end : next_start(following[index + 1 :], reply)], label.opened)
        if label.kind != "thought":
            break
    return otherwise


def _answer_instead_of_tool(reply: str, following: list[Label]) -> str:
    """Return the answer that stands in the input of `Action: None`, or after its Final Answer label."""
    for label in following:
        if label.kind not in ("input", "final"):
            continue
        answer = final_answer(reply[label.end :], label.opened)
        if not says_nothing(answer):
            wrapped = label.kind == "input" and answer[0] in '{[`"'
            return input_text(answer) if wrapped else answer
    return ""


class DirectAnswer(OutputParserException):
    """A reply without labels: corrected first, and taken as the answer if the model insists."""

    def __init__(self, answer: str, *, observation: str, llm_output: str) -> None:
        super().__init__(
            "The reply has no Action and no Final Answer.",
            observation=observation,
            llm_output=llm_output,
            send_to_llm=True,
        )
        self.answer = answer


def refusal(reply: str, labels: list[Label], tool_names: tuple[str, ...]) -> OutputParserException:
    """Return the correction for a reply with neither action nor final answer."""
    if not reply:
        return correction("The reply was empty.", reply, tool_names)
    if any(label.kind == "input" for label in labels):
        return correction("There is an Action Input without an Action.", reply, tool_names)
    if _CALL_LOOK.search(reply):
        return correction("The tool call could not be read.", reply, tool_names)
    answer = final_answer(unfenced(reply) if is_one_fence(reply) else reply)
    if not answer or (labels and labels[0].start == 0):
        return correction("There is no Action and no Final Answer.", reply, tool_names)
    observation = f"The Final Answer label is missing. {_right_form(tool_names)}"
    return DirectAnswer(answer, observation=observation, llm_output=reply)


def unknown_tool(name: str, reply: str, tool_names: tuple[str, ...]) -> OutputParserException:
    """Return the correction that names the nearest tool, or all tools when none is near."""
    near = nearest(name, tool_names)
    advice = f"Did you mean {near}?" if near else f"The tools are: {', '.join(tool_names)}."
    return correction(f"There is no such tool. {advice}", reply, tool_names, near)


def correction(wrong: str, reply: str, tool_names: tuple[str, ...], tool: str | None = None) -> OutputParserException:
    """Return what is wrong with a reply and what a right one looks like, with `tool` as the example."""
    observation = f"{wrong} {_right_form(tool_names, tool)}"
    return OutputParserException(wrong, observation=observation, llm_output=reply, send_to_llm=True)


def _right_form(tool_names: tuple[str, ...], tool: str | None = None) -> str:
    tool = tool or (tool_names[-1] if tool_names else "")
    return (
        f"Reply with two lines, `Action: {tool}` and `Action Input: <text>`, "
        "or, when you can answer, with `Final Answer: <answer with labels such as [S1]>`."
    )
