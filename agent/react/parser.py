"""Read one ReAct reply of a model, however it is written: an action, a final answer, or a helpful correction."""

import re
from typing import Any

from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.exceptions import OutputParserException
from langchain_core.output_parsers import BaseOutputParser

from agent.react.calls import (
    input_text,
    leading_call,
    means_no_tool,
    nearest,
    resolve,
    says_none,
    says_nothing,
    text_of,
)
from agent.react.labels import (
    CLOSING_MARKS,
    OPENING_MARKS,
    Label,
    any_of,
    before_observation,
    find_labels,
    is_one_fence,
    may_become_label,
    next_start,
    read_reply,
    unfenced,
    without_fences,
    without_half_stop,
    without_stray_fence,
)

_CALL_STYLE = re.compile(r"^[`*\"']*([\w .-]+?)[`*\"']*\s*[(\[{（【]\s*(.*?)\s*[)\]}）】]?$", re.DOTALL)
_INLINE_WORDS = ("action input", "action arguments", "action args", "tool input", "行动输入", "动作输入", "操作输入")
_INLINE_INPUT = re.compile(rf"[\s,，;；*_]+(?:{any_of(_INLINE_WORDS)})\s*[:：]\s*", re.I)
_CALL_LOOK = re.compile(
    r"<tool_call|<function|[\"'](?:action|action_input|arguments|tool_call)[\"']\s*[:：]|^\s*[{]", re.I
)
_HALF_TAG = re.compile(r"[<◁\[][^<>\[\]\n]{0,24}$")


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
        if resolve(name, self.tool_names) is None and means_no_tool(name):
            answer = _answer_instead_of_tool(reply, following) or argument
            return self._finish(answer, thought, reply)
        return self._use(name, _given_input(reply, following, otherwise=argument), thought, reply)

    def _name_and_argument(self, value: str) -> tuple[str, str]:
        """Split what follows the Action label: `name`, `name(text)`, or `name Action Input: text`."""
        name, _, below = value.partition("\n")
        if inline := _INLINE_INPUT.search(name):
            return name[: inline.start()], input_text(f"{name[inline.end() :]}\n{below}")
        style = _CALL_STYLE.match(value)
        if style and (resolve(style[1], self.tool_names) or means_no_tool(style[1])):
            return style[1], input_text(style[2])
        return name, ""

    def _use_call(self, name: str, argument: Any, *, thought: str, reply: str) -> AgentAction | AgentFinish:
        text = text_of(argument)
        if isinstance(argument, str) and resolve(name, self.tool_names):
            text = input_text(argument)
        return self._use(name, text, thought, reply)

    def _use(self, name: str, tool_input: str, thought: str, reply: str) -> AgentAction | AgentFinish:
        tool = resolve(name, self.tool_names)
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


def final_answer(text: str, opened: str = "", *, complete: bool = True) -> str:
    """Return the answer that begins the text, with its Markdown; of an incomplete reply, what is settled.

    `opened` holds the marks that its label left open.
    """
    labels = find_labels(text, complete=complete)
    for _ in range(2):  # the label once more, often in the other language
        if labels and labels[0].kind == "final" and not text[: labels[0].start].strip():
            text, opened = text[labels[0].end :], labels[0].opened
            labels = find_labels(text, complete=complete)
    end = _answer_end(text, labels)
    if not complete and end == len(text):
        end = _settled_end(text, labels)
    answer = without_stray_fence(text[:end].strip())
    if complete:
        answer = without_half_stop(answer, 3)
    elif not answer.strip(OPENING_MARKS + CLOSING_MARKS):
        return ""
    return opened + answer if answer else ""


def _answer_end(text: str, labels: list[Label]) -> int:
    """Return where the model, having answered, begins to invent another turn.

    A label on the line of "Final Answer:" itself is text, and so is an action without its input on the next line.
    """
    for index, label in enumerate(labels):
        following = labels[index + 1] if index + 1 < len(labels) else None
        if not label.new_turn or label.start == 0:
            continue
        if label.kind != "action" or _is_turn(text, label, following):
            return label.start
    return len(text)


def _is_turn(text: str, action: Label, following: Label | None) -> bool:
    """Tell an invented action, with its input on the next line or "None", from a line of the answer."""
    if says_none(text[action.end :].partition("\n")[0]):
        return True
    if following is None or following.kind != "input":
        return False
    return "\n" not in text[action.end : following.start].strip()


def _settled_end(text: str, labels: list[Label]) -> int:
    """Return the end of the text that no further piece can turn into a label, a tag or another turn."""
    end = len(text)
    if half_tag := _HALF_TAG.search(text):
        end = half_tag.start()
    line = text.rfind("\n", 0, end) + 1
    if may_become_label(text[line:end]):
        end = line
    if labels and labels[-1].kind == "action" and labels[-1].new_turn:
        _, _, below = text[labels[-1].end : end].partition("\n")
        if not below.strip():  # its input may yet come
            end = min(end, labels[-1].start)
    return end


class AnswerStream:
    """Pass on only the text of the final answer while a reply arrives piece by piece.

    What `feed` and `finish` return, joined, is the output that the parser finds after a "Final Answer" label; a
    reply that answers in another way gives nothing here.
    """

    def __init__(self) -> None:
        self._reply = ""
        self._shown = ""

    def feed(self, piece: str) -> str:
        """Return the answer text that is certain now and was not returned before."""
        self._reply += piece
        return self._release(complete=False)

    def finish(self) -> str:
        """Return the rest of the answer at the end of the reply."""
        return self._release(complete=True)

    def _release(self, *, complete: bool) -> str:
        answer = _answer_so_far(self._reply, complete=complete)
        # A lone closing tag shows late that the text so far was thinking; what is out cannot be taken back.
        if not answer.startswith(self._shown):
            return ""
        fresh = answer[len(self._shown) :]
        self._shown = answer
        return fresh


def _answer_so_far(text: str, *, complete: bool) -> str:
    """Return the settled text after a "Final Answer" label that no action precedes."""
    reply, labels = read_reply(text, complete=complete)
    body = unfenced(reply)
    if body.startswith(("{", "[{")) and (not complete or leading_call(body)):
        return ""
    first = next((label for label in labels if label.kind in ("action", "call", "final")), None)
    if not first or first.kind != "final":
        return ""
    return final_answer(reply[first.end :], first.opened, complete=complete)
