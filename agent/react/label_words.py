"""The words that label the parts of a reply, in English and Chinese."""

import re
from typing import Literal

Kind = Literal["thought", "action", "input", "observation", "question", "final", "call"]

WORDS: dict[Kind, tuple[str, ...]] = {
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
"""In each kind, a word before its own beginning."""
COMMON_WORDS = frozenset({"answer", "答案", "回答", "答复"})
"""They open a final answer, but are too common inside one to mean a new turn there."""


def any_of(words: tuple[str, ...]) -> str:
    """Return a pattern of these words; a space in one may be absent, or written as `_` or `-`."""
    return "|".join(re.escape(word).replace(r"\ ", r"[ \t_-]*") for word in words)
