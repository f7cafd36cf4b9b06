"""What is searched for a follow-up: the question as it is, or rewritten so that it stands alone."""

from collections.abc import Callable, Mapping
from typing import Literal

from eval.query import Query

Rewrite = Literal["none", "gold", "rules"]
Rewriter = Callable[[Query], str]


def rewriter(how: Rewrite) -> Rewriter:
    """Return what gives the text to search; a question without a conversation, or without a gold rewrite, stays."""
    return _REWRITERS[how]


def _as_it_is(query: Query) -> str:
    return query.text


def _gold(query: Query) -> str:
    return query.gold_rewrite or query.text


def _by_rules(query: Query) -> str:
    if not query.history:
        return query.text
    # LangChain comes with it, and only follow-ups need it.
    from agent.memory import as_turns
    from agent.rewrite import stand_alone

    return stand_alone(query.text, as_turns([{"role": role, "text": text} for role, text in query.history]))


_REWRITERS: Mapping[Rewrite, Rewriter] = {"none": _as_it_is, "gold": _gold, "rules": _by_rules}
