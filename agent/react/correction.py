"""What the model is told when its reply is neither a call of a tool nor a final answer."""

import re

from langchain_core.exceptions import OutputParserException

from agent.react.clean import is_one_fence, unfenced
from agent.react.final_answer import final_answer
from agent.react.labels import Label
from agent.react.tool_names import nearest

_CALL_LOOK = re.compile(
    r"<tool_call|<function|[\"'](?:action|action_input|arguments|tool_call)[\"']\s*[:：]|^\s*[{]", re.I
)


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
