"""Return the plain text of an Action Input, however it is wrapped."""

import json
import re

from agent.react.clean import before_observation, unfenced, without_half_stop, without_stray_fence
from agent.react.labels import closing
from agent.react.tool_call import leading_json, text_of

_QUOTES = (*zip("\"'`“‘「『", "\"'`”’」』", strict=True), ("**", "**"))
_ONE_PAIR = re.compile(r"^\{\s*['\"]?(\w+)['\"]?\s*[:：]\s*['\"](.*?)['\"]?\s*\}?$", re.DOTALL)
_NAMED_ARGUMENT = re.compile(r"^(?:query|search_query|input|q)\s*[=:：]\s*(?=\S)", re.IGNORECASE)


def input_text(value: str, opened: str = "") -> str:
    """Return the plain text of an Action Input, without fence, JSON, quotes or an invented observation.

    `opened` holds the marks that its label left open.
    """
    value = before_observation(value)
    value = unfenced(without_stray_fence(without_half_stop(value, 1)))
    if opened:
        value = value.removesuffix(closing(opened)).strip()
    if value.startswith("`") and (bare := _unquoted(value)).startswith(("{", "[")):
        value = bare
    return before_observation(_unwrapped(value))


def _unwrapped(value: str) -> str:
    """Return the text in JSON, in the broken JSON of one pair, in `query="…"`, or in quotes."""
    if (loaded := leading_json(value)) is not None:
        return text_of(loaded)
    if pair := _ONE_PAIR.match(value):
        return pair[2].strip()
    return _unquoted(_NAMED_ARGUMENT.sub("", _unquoted(value)))


def _unquoted(text: str) -> str:
    """Strip quotes that wrap the whole text; a quote that belongs to the text stays."""
    for opening, closing_quote in _QUOTES:
        inner = text[len(opening) : -len(closing_quote)]
        if len(text) > len(opening + closing_quote) and text.startswith(opening) and text.endswith(closing_quote):
            if opening not in inner and closing_quote not in inner:
                return _unquoted(inner.strip())
            if opening == '"' and (loaded := _json_string(text)) is not None:
                return loaded.strip()
    return text


def _json_string(text: str) -> str | None:
    try:
        value = json.loads(text, strict=False)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
