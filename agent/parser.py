"""Read one ReAct reply of a model, however it is written: an action, a final answer, or a helpful correction."""

import difflib
import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.exceptions import OutputParserException
from langchain_core.output_parsers import BaseOutputParser

# --- Labels ---------------------------------------------------------------------------------------------------------

Kind = Literal["thought", "action", "input", "observation", "question", "final", "call"]

_WORDS: dict[Kind, tuple[str, ...]] = {
    "input": (
        *("action input", "action arguments", "action args", "tool input", "input"),
        *(
            "行动输入",
            "动作输入",
            "操作输入",
            "工具输入",
            "行动参数",
            "动作参数",
            "输入参数",
            "输入内容",
            "输入",
            "参数",
        ),
    ),
    "final": (
        *("final answer", "final response", "final reply", "answer"),
        *("最终答案", "最终回答", "最终答复", "最终回复", "最终结论", "最后答案", "最后回答", "答案", "回答", "答复"),
    ),
    "observation": ("observations", "observation", "观察结果", "观测结果", "工具返回", "观察", "观测"),
    "question": ("new question", "question", "用户问题", "新问题", "问题"),
    "thought": ("thoughts", "thought", "思考过程", "思考", "想法"),
    "action": ("action", "行动", "动作", "调用工具", "工具调用"),
    "call": ("<tool_calls>", "<tool_call>", "<function_call>", "<|tool_call|>", "[TOOL_CALLS]"),
}
_COMMON_WORDS = frozenset({"answer", "答案", "回答", "答复"})
"""They open a final answer, but are too common inside one to mean a new turn there."""

# One character for one character, so that a position in the folded text is the position in the text.
_FOLD = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20} | dict.fromkeys(map(ord, "﹕∶꞉"), 0x3A)
_MARKS = "*_`\"'“‘「『【[("
_CLOSERS = str.maketrans(_MARKS, "*_`\"'”’」』】])")
_NOTHING = frozenset({"", "none", "null", "nil", "na", "无", "没有"})
_LEAD = rf"(?:[^\S\n]|[\u200b\ufeff#>{re.escape(_MARKS)}]|[-•+](?=[ \t*])|\d{{1,2}}[.)、])*"


def _any_of(words: tuple[str, ...]) -> str:
    return "|".join(re.escape(word).replace(r"\ ", r"[ \t_-]*") for word in words)


_LABEL = re.compile(
    rf"^(?P<lead>{_LEAD})(?:(?P<call>{_any_of(_WORDS['call'])})|(?P<word>"
    + "|".join(f"(?P<{kind}>{_any_of(words)})" for kind, words in _WORDS.items() if kind != "call")
    + r")[ \t]*\d{0,2}[ \t]*(?P<close>[*_`\"'”’」』】\])]*)[ \t]*(?P<colon>:?))",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class _Label:
    """A label at the start of a line."""

    kind: Kind
    start: int
    end: int
    """Where its value begins."""
    opened: str
    """Marks opened before the label and still open at its end, as in `**Action: name**`."""
    new_turn: bool
    """Ends a final answer that it stands in."""
    colon: bool = True


def _find_labels(text: str) -> list[_Label]:
    """Return the labels of a reply in reading order."""
    folded = text.translate(_FOLD)
    found = (_label_at(folded, match) for match in _LABEL.finditer(folded))
    return [label for label in found if label]


def _label_at(folded: str, match: re.Match[str]) -> _Label | None:
    lead, end = match["lead"], match.end()
    if match["call"]:
        return _Label("call", match.start(), end, "", new_turn=True)
    kind: Kind = next(kind for kind in _WORDS if kind != "call" and match[kind])
    opened = "".join(re.findall(f"[{re.escape(_MARKS)}]+", lead))
    if not match["colon"] and not _stands_alone(folded, match, kind, opened):
        return None
    if match["close"]:
        if '"' in opened and folded.count("{", 0, end) > folded.count("}", 0, end):
            return None  # a key of a JSON object
        opened = ""
    elif opened and folded.startswith(closers := opened[::-1].translate(_CLOSERS), end):
        end, opened = end + len(closers), ""
    listed = re.search(r"[-•+\d]", lead)
    asked = kind == "question" and lead.strip()  # a marked "Question:" is a heading of the answer
    common = kind == "input" or match["word"].lower() in _COMMON_WORDS
    colon = bool(match["colon"])
    return _Label(kind, match.start(), end, opened, colon and not (listed or asked or common), colon)


def _stands_alone(folded: str, match: re.Match[str], kind: Kind, opened: str) -> bool:
    """Tell whether a label without a colon is one: a heading, `【行动】name`, or a line of its own."""
    end = folded.find("\n", match.end())
    rest = folded[match.end() : end if end >= 0 else len(folded)].strip()
    boxed = any(mark in opened and mark.translate(_CLOSERS) in match["close"] for mark in "【[(")
    if boxed:
        return not rest.startswith("(")  # a Markdown link
    marked = (
        opened or "#" in match["lead"] or " " in match["word"] or match["word"].startswith(("最终", "行动", "动作"))
    )
    return not rest and bool(marked or kind in ("action", "observation"))


# --- Clean text -----------------------------------------------------------------------------------------------------

_THINK = r"(?:think|thinking|thought|reasoning)"
_OPEN_THINK = re.compile(rf"(?<!`)(?:<\s*{_THINK}\s*>|◁think▷|\[THINK\])", re.IGNORECASE)
_CLOSE_THINK = re.compile(rf"(?<!`)(?:<\s*/\s*{_THINK}\s*>|◁/think▷|\[/THINK\])", re.IGNORECASE)
_CONTROL_TOKENS = re.compile(
    r"<\|(?:im_end|im_start|endoftext|eot_id|end|end_of_text|eom_id)\|>|</s>|</(?:tool_calls?|function_call)>|</?answer>|<｜end▁of▁sentence｜>"
)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n`]*$", re.MULTILINE)
_HALF_STOP = re.compile(
    r"(?:^|\n)[ \t#>*_`]*(o(?:b(?:s(?:e(?:r(?:v(?:a(?:t(?:i(?:o(?:n)?)?)?)?)?)?)?)?)?)?|观察?)[ \t*]*$", re.I
)
_ANY_OBSERVATION = re.compile(r"Observations?\s*[:：]|(?<!\w)观察(?:结果)?\s*[:：]")


def strip_thinking(text: str) -> str:
    """Remove reasoning blocks; an unclosed one goes to the end, a lone closing tag from the beginning.

    A tag directly after a back-tick is a mention of the tag, not the tag.
    """
    kept: list[str] = []
    position = 0
    while opening := _OPEN_THINK.search(text, position):
        kept.append(text[position : opening.start()])
        closing = _CLOSE_THINK.search(text, opening.end())
        if not closing:
            position = len(text)
            break
        position = closing.end()
    visible = "".join(kept) + text[position:]
    lone_closings = list(_CLOSE_THINK.finditer(visible))
    return visible[lone_closings[-1].end() :] if lone_closings else visible


def _without_half_stop(text: str, shortest: int) -> str:
    """Cut the first letters of "Observation" that a late stop left on the last line."""
    half = _HALF_STOP.search(text)
    if half and (len(half[1]) >= shortest or not half[1].isascii()):
        return text[: half.start()].rstrip()
    return text


def _without_stray_fence(text: str) -> str:
    """Cut a last line that is a fence without a partner, as a wholly fenced turn leaves it."""
    fences = list(_FENCE.finditer(text))
    if len(fences) % 2 and not text[fences[-1].end() :].strip():
        return text[: fences[-1].start()].rstrip()
    return text


def _unfenced(text: str) -> str:
    """Return what stands in a code fence at the beginning of the text, else the text."""
    text = text.strip()
    opening = _FENCE.match(text)
    if not opening:
        return text
    closing = _FENCE.search(text, opening.end())
    return text[opening.end() : closing.start() if closing else len(text)].strip()


def _answer_end(text: str, labels: list[_Label]) -> int:
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


def _is_turn(text: str, action: _Label, following: _Label | None) -> bool:
    """Tell an invented action, with its input on the next line or "None", from a line of the answer."""
    if _key(text[action.end :].partition("\n")[0]) in _NOTHING - {""}:
        return True
    return (
        following is not None and following.kind == "input" and "\n" not in text[action.end : following.start].strip()
    )


def _labels_so_far(text: str, complete: bool) -> list[_Label]:
    """Return the labels, without a last one whose colon may still be to come."""
    labels = _find_labels(text)
    if not complete and labels and not labels[-1].colon and not text[labels[-1].end :].strip(" \t"):
        labels.pop()
    return labels


def _read(text: str, *, complete: bool = True) -> tuple[str, list[_Label]]:
    """Return the reply and its labels without thinking and without anything from an invented observation on."""
    reply = _CONTROL_TOKENS.sub("", strip_thinking(text.replace("\r", ""))).strip()
    labels = _labels_so_far(reply, complete)
    answered = False
    for index, label in enumerate(labels):
        answered = answered or label.kind == "final"
        if label.kind == "observation" and (label.new_turn or not answered):
            return reply[: label.start].rstrip(), labels[:index]
    return reply, labels


def _final_answer(text: str, opened: str = "", *, complete: bool = True) -> str:
    """Return the answer that begins the text, with its Markdown; of an incomplete reply, what is settled."""
    labels = _labels_so_far(text, complete)
    for _ in range(2):  # the label once more, often in the other language
        if labels and labels[0].kind == "final" and not text[: labels[0].start].strip():
            text, opened = text[labels[0].end :], labels[0].opened
            labels = _labels_so_far(text, complete)
    end = _answer_end(text, labels)
    if not complete and end == len(text):
        end = _settled_end(text, labels)
    answer = _without_stray_fence(text[:end].strip())
    if complete:
        answer = _without_half_stop(answer, 3)
    elif not answer.strip(_MARKS + "”’」』】])"):
        return ""
    return opened + answer if answer else ""


# --- Tool names and inputs ------------------------------------------------------------------------------------------

_QUOTES = (*zip("\"'`“‘「『", "\"'`”’」』", strict=True), ("**", "**"))
_INPUT_KEYS = (
    "query",
    "input",
    "question",
    "text",
    "q",
    "search_query",
    "tool_input",
    "action_input",
    "查询",
    "问题",
    "输入",
)
_NAME_KEYS = ("action", "name", "tool", "tool_name", "function", "行动", "动作", "工具")
_CALL_KEYS = (
    "action_input",
    "arguments",
    "args",
    "parameters",
    "tool_input",
    "input",
    "query",
    "行动输入",
    "动作输入",
    "输入",
)
_ANSWER_KEYS = ("final_answer", "Final Answer", "answer", "最终答案", "答案")
_NESTED_CALL_KEYS = ("tool_call", "tool_calls", "function_call", "function")
_CALL_STYLE = re.compile(r"^[`*\"']*([\w .-]+?)[`*\"']*\s*[(\[{（【]\s*(.*?)\s*[)\]}）】]?$", re.DOTALL)
_ONE_PAIR = re.compile(r"^\{\s*['\"]?(\w+)['\"]?\s*[:：]\s*['\"](.*?)['\"]?\s*\}?$", re.DOTALL)
_NAMED_ARGUMENT = re.compile(r"^(?:query|search_query|input|q)\s*[=:：]\s*(?=\S)", re.IGNORECASE)
_INLINE_INPUT = re.compile(
    rf"[\s,，;；*_]+(?:{_any_of(_WORDS['input'][:4])}|{'|'.join(_WORDS['input'][5:8])})\s*[:：]\s*", re.I
)
_NO_TOOL = re.compile(
    r"^(?:(?:none|null|nil|no|n/a|not (?:needed|required|applicable)|nothing)\b|无|没有|不需要|不用|空$)", re.I
)
_ANSWER_TOOLS = frozenset(
    {"finish", "finalanswer", "answer", "final", "respond", "最终答案", "最终回答", "回答", "结束"}
)


def _key(name: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKC", name).casefold() if char.isalnum())


def _leading_json(text: str) -> Any:
    """Return the JSON object or array that begins the text, else None."""
    if not text.startswith(("{", "[")):
        return None
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value


_DEEPEST = 8
"""Nesting of a JSON value beyond which it holds neither a call nor an input."""


def _call_in(value: Any, depth: int = 0) -> tuple[str, Any] | None:
    """Return name and arguments of the first tool call that a JSON value describes."""
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict) or depth > _DEEPEST:
        return None
    for key in _NESTED_CALL_KEYS:
        if isinstance(value.get(key), dict | list):
            return _call_in(value[key], depth + 1)
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if name is None:
        answer = next((value[key] for key in _ANSWER_KEYS if isinstance(value.get(key), str)), None)
        return None if answer is None else ("Final Answer", answer)
    return name, next((value[key] for key in _CALL_KEYS if key in value), "")


def _text_of(value: Any, depth: int = 0) -> str:
    """Return the text that a JSON input means: `{"query": "…"}` is the query."""
    if depth > _DEEPEST:
        return ""
    if isinstance(value, list):
        return " ".join(filter(None, (_text_of(item, depth + 1) for item in value)))
    if isinstance(value, dict):
        chosen = next((value[key] for key in _INPUT_KEYS if value.get(key)), None)
        if chosen is None and len(value) != 1:
            return json.dumps(value, ensure_ascii=False) if value else ""
        return _text_of(next(iter(value.values())) if chosen is None else chosen, depth + 1)
    return "" if value is None else str(value).strip()


def _unquoted(text: str) -> str:
    """Strip quotes that wrap the whole text; a quote that belongs to the text stays."""
    for opening, closing in _QUOTES:
        inner = text[len(opening) : -len(closing)]
        if len(text) > len(opening + closing) and text.startswith(opening) and text.endswith(closing):
            if opening not in inner and closing not in inner:
                return _unquoted(inner.strip())
            if opening == '"' and isinstance(loaded := _json_string(text), str):
                return loaded.strip()
    return text


def _json_string(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return None


def _input_text(value: str, opened: str = "") -> str:
    """Return the plain text of an Action Input, without fence, JSON, quotes or an invented observation."""
    value = _ANY_OBSERVATION.split(value, maxsplit=1)[0].strip()
    value = _unfenced(_without_stray_fence(_without_half_stop(value, 1)))
    if opened:
        value = value.removesuffix(opened[::-1].translate(_CLOSERS)).strip()
    if value.startswith("`") and (bare := _unquoted(value)).startswith(("{", "[")):
        value = bare
    if (loaded := _leading_json(value)) is not None:
        text = _text_of(loaded)
    elif pair := _ONE_PAIR.match(value):
        text = pair[2].strip()
    else:
        text = _unquoted(_NAMED_ARGUMENT.sub("", _unquoted(value)))
    return _ANY_OBSERVATION.split(text, maxsplit=1)[0].strip()


# --- Streaming ------------------------------------------------------------------------------------------------------

_PREFIXES = frozenset(
    compact[:size]
    for words in _WORDS.values()
    for compact in (re.sub(r"[ _-]", "", word.lower()) for word in words)
    for size in range(len(compact) + 1)
)
_HALF_TAG = re.compile(r"[<◁\[][^<>\[\]\n]{0,24}$")


def _may_become_label(line: str) -> bool:
    folded = line.translate(_FOLD)
    lead = re.match(_LEAD, folded)
    word = re.sub(r"[\s_-]", "", folded[lead.end() if lead else 0 :]).lower()
    return word.rstrip("0123456789*`\"'”’」』】])") in _PREFIXES


def _settled_end(text: str, labels: list[_Label]) -> int:
    """Return the end of the text that no further piece can turn into a label, a tag or another turn."""
    end = len(text)
    if half_tag := _HALF_TAG.search(text):
        end = half_tag.start()
    line = text.rfind("\n", 0, end) + 1
    if _may_become_label(text[line:end]):
        end = line
    if labels and labels[-1].kind == "action" and labels[-1].new_turn and not text[labels[-1].end : end].count("\n"):
        end = min(end, labels[-1].start)
    elif labels and labels[-1].kind == "action" and labels[-1].new_turn:
        _, _, below = text[labels[-1].end : end].partition("\n")
        if not below.strip():
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
        answer = _streamed_answer(self._reply, complete=complete)
        # A lone closing tag shows late that the text so far was thinking; what is out cannot be taken back.
        if not answer.startswith(self._shown):
            return ""
        fresh = answer[len(self._shown) :]
        self._shown = answer
        return fresh


def _streamed_answer(text: str, *, complete: bool) -> str:
    reply, labels = _read(text, complete=complete)
    body = _unfenced(reply)
    if body.startswith(("{", "[{")) and (not complete or _call_in(_leading_json(body))):
        return ""
    first = next((label for label in labels if label.kind in ("action", "call", "final")), None)
    if not first or first.kind != "final":
        return ""
    return _final_answer(reply[first.end :], first.opened, complete=complete)


# --- The parser -----------------------------------------------------------------------------------------------------


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
        reply, labels = _read(text)
        if call := _call_in(_leading_json(_unfenced(reply))):
            return self._use_call(*call, thought="", reply=reply)
        for index, label in enumerate(labels):
            if label.kind in ("action", "call"):
                return self._act(reply, labels[index:])
            if label.kind == "final":
                thought, answer = reply[: label.start], _final_answer(reply[label.end :], label.opened)
                return self._finish(answer, thought, reply)
        raise self._refusal(reply, labels)

    def _act(self, reply: str, labels: list[_Label]) -> AgentAction | AgentFinish:
        """Read the first action; `labels` begin with its label."""
        label, following = labels[0], labels[1:]
        thought = reply[: label.start]
        value = reply[label.end :] if label.kind == "call" else reply[label.end : _next_start(following, reply)]
        value = _unfenced(value)
        if call := _call_in(_leading_json(value)):
            return self._use_call(*call, thought=thought, reply=reply)
        if label.kind == "call":
            raise self._correction("The tool call is not valid JSON.", reply)
        name, argument = self._name_and_argument(value)
        given = next((item for item in following if item.kind != "thought"), None)
        if self._resolve(name) is None and _means_no_tool(name):
            answer = _answer_instead_of_tool(reply, following) or argument
            return self._finish(answer, thought, reply)
        if given and given.kind == "input":
            after = following[following.index(given) + 1 :]
            argument = _input_text(reply[given.end : _next_start(after, reply)], given.opened)
        return self._use(name, argument, thought, reply)

    def _name_and_argument(self, value: str) -> tuple[str, str]:
        """Split what follows the Action label: `name`, `name(text)`, or `name Action Input: text`."""
        name, _, below = value.partition("\n")
        if inline := _INLINE_INPUT.search(name):
            return name[: inline.start()], _input_text(f"{name[inline.end() :]}\n{below}")
        style = _CALL_STYLE.match(value)
        if style and (self._resolve(style[1]) or _means_no_tool(style[1])):
            return style[1], _input_text(style[2])
        return name, ""

    def _resolve(self, name: str) -> str | None:
        """Return the registered tool that a name means, however it is spelt or wrapped."""
        by_key = {_key(tool): tool for tool in self.tool_names}
        key = _key(name)
        bare = re.sub(r"^(?:use|call|使用|调用)|(?:tool|工具)$", "", key)
        word = re.match(r"\W*([\w.-]+)", name)
        candidates = [name.strip(), key, bare, _key(word[1]) if word else ""]
        return next((by_key[_key(item)] for item in candidates if item and _key(item) in by_key), None)

    def _use_call(self, name: str, argument: Any, *, thought: str, reply: str) -> AgentAction | AgentFinish:
        text = _text_of(argument)
        if isinstance(argument, str) and self._resolve(name):
            text = _input_text(argument)
        return self._use(name, text, thought, reply)

    def _use(self, name: str, tool_input: str, thought: str, reply: str) -> AgentAction | AgentFinish:
        tool = self._resolve(name)
        tool_input = _ANY_OBSERVATION.split(tool_input, maxsplit=1)[0].strip()
        if tool is None and _means_no_tool(name):
            return self._finish(tool_input, thought, reply)
        if tool is None:
            raise self._unknown_tool(name, reply)
        if not tool_input:
            raise self._correction("The Action Input is missing.", reply, tool)
        log = f"{_FENCE.sub('', thought).strip()}\nAction: {tool}\nAction Input: {tool_input}".lstrip()
        return AgentAction(tool=tool, tool_input=tool_input, log=log)

    def _finish(self, answer: str, thought: str, reply: str) -> AgentFinish:
        if not answer.strip():
            raise self._correction("The Final Answer is empty.", reply)
        log = f"{_FENCE.sub('', thought).strip()}\nFinal Answer: {answer}".lstrip()
        return AgentFinish(return_values={"output": answer}, log=log)

    def _refusal(self, reply: str, labels: list[_Label]) -> OutputParserException:
        """Return the correction for a reply with neither action nor final answer."""
        if not reply:
            return self._correction("The reply was empty.", reply)
        if any(label.kind == "input" for label in labels):
            return self._correction("There is an Action Input without an Action.", reply)
        if _CALL_LOOK.search(reply):
            return self._correction("The tool call could not be read.", reply)
        whole = _FENCE.match(reply) and len(_FENCE.findall(reply)) == 2 and _FENCE.search(reply.rsplit("\n", 1)[-1])
        answer = _final_answer(_unfenced(reply) if whole else reply)
        if not answer or (labels and labels[0].start == 0):
            return self._correction("There is no Action and no Final Answer.", reply)
        return DirectAnswer(answer, observation=f"The Final Answer label is missing. {self._form()}", llm_output=reply)

    def _unknown_tool(self, name: str, reply: str) -> OutputParserException:
        keys = {_key(tool): tool for tool in self.tool_names}
        close = difflib.get_close_matches(_key(name), keys, n=1, cutoff=0.4)
        advice = f"Did you mean {keys[close[0]]}?" if close else f"The tools are: {', '.join(self.tool_names)}."
        return self._correction(f"There is no such tool. {advice}", reply, keys[close[0]] if close else None)

    def _correction(self, wrong: str, reply: str, tool: str | None = None) -> OutputParserException:
        correction = f"{wrong} {self._form(tool)}"
        return OutputParserException(wrong, observation=correction, llm_output=reply, send_to_llm=True)

    def _form(self, tool: str | None = None) -> str:
        """Return what a right reply looks like."""
        tool = tool or (self.tool_names[-1] if self.tool_names else "")
        return (
            f"Reply with two lines, `Action: {tool}` and `Action Input: <text>`, "
            "or, when you can answer, with `Final Answer: <answer with labels such as [S1]>`."
        )

    @property
    def _type(self) -> str:
        return "folio-react"


def _next_start(labels: list[_Label], reply: str) -> int:
    return labels[0].start if labels else len(reply)


def _means_no_tool(name: str) -> bool:
    return bool(_NO_TOOL.match(name.strip(" *`\"'[]【】()<>"))) or _key(name) in _ANSWER_TOOLS


def _answer_instead_of_tool(reply: str, following: list[_Label]) -> str:
    """Return the answer that stands in the input of `Action: None`, or after its Final Answer label."""
    for label in following:
        if label.kind in ("input", "final"):
            answer = _final_answer(reply[label.end :], label.opened)
            if _key(answer) not in _NOTHING:
                return answer if label.kind == "final" else _input_text(answer) if answer[0] in '{[`"' else answer
    return ""
