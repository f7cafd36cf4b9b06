"""An agent over an organisation's own documents: `from agent import Assistant, CitedAnswer, Settings`."""

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agent.answer import CitedAnswer
    from agent.assistant import Assistant
    from agent.settings import Settings

__all__ = ["Assistant", "CitedAnswer", "Settings"]

_HOMES = {"Assistant": "assistant", "CitedAnswer": "answer", "Settings": "settings"}
"""Imported when they are asked for: whoever imports one module of the agent does not wait for the others."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return resolve_name(f"{__name__}.{_HOMES[name]}:{name}")
