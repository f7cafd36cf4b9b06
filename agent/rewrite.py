"""A follow-up becomes a question that stands alone: by rules, or by the chat model, which falls back on them.

The rules are few because they are all that helped on questions they were not written from (eval/RESULTS.md): a
follow-up is searched together with the question before it, and a question that stands alone is left as it is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import rjieba
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel

import prompts
from agent.react.labels import strip_thinking
from agent.sessions.turn import Turn, as_history
from agent.tools import MAX_QUERIES
from retrieval.text.tokens import STOP_TOKENS, tokenize
from retrieval.text.writing import language_of

_JOINED = re.compile(
    r"^(?:[那而]|还有|以及|如果是|要是|换成|然后)|呢[？?。]?$"
    r"|^(?:(?:what|how) about|what if|and|but|or|so|then|also|same for|ok|okay)\b",
    re.IGNORECASE,
)
"""Joins a question to what was said before."""
_POINTING = re.compile(
    r"它|他们|她们|他(?!人)|她|其(?![他它中实余次])|[该此](?!外)|[这那]|上述"
    r"|\b(?:it|its|they|them|their|this|that|these|those|he|she|him|his|her|there|ones?)\b",
    re.IGNORECASE,
)
_HARDLY = 2
"""Words of a question that says nothing alone."""
_FEW = 8
"""Words of a question that does not stand alone when it points at something early."""
_EARLY = 25
"""Characters within which a pronoun points out of the question; later ones mostly stand for something inside it."""

_MAX_QUERY_CHARS = 300
_LIST_MARK = re.compile(
    r"^\s*(?:(?:[-*•>]|[(（]?\d{1,2}[.)、）:：](?!\d))\s*"
    r"|\**(?:standalone )?(?:quer(?:y|ies)|questions?|查询|问题|改写)\s*\d*\**\s*[:：]\**\s*)+",
    re.IGNORECASE,
)
_STATEMENT = re.compile(r"[。.!！;；]$|\[S\d+\]|[。！]\s*\S")
_NEXT_EXAMPLE = re.compile(
    r"^\s*(?:example\b|conversation\s*:|user\s*:|assistant\s*:|question\s*:.*\n+\s*queries\s*:)",
    re.IGNORECASE | re.MULTILINE,
)
"""Where a model goes on with the prompt instead of ending its reply."""
_QUOTES = "\"'`*“”‘’「」 "


class Rewriter(Protocol):
    """Makes questions stand alone."""

    def rewrite(self, question: str, turns: Sequence[Turn]) -> list[str]:
        """Return one to three queries that need no conversation."""

    def stand_alone(self, question: str, turns: Sequence[Turn]) -> str:
        """Return the question as it would be asked without the conversation; asks no model."""


@dataclass(frozen=True, slots=True)
class RewriteByRules:
    """For the built-in model."""

    def rewrite(self, question: str, turns: Sequence[Turn]) -> list[str]:
        """Return the one question that stands alone."""
        return [self.stand_alone(question, turns)]

    def stand_alone(self, question: str, turns: Sequence[Turn]) -> str:
        """Return a follow-up after the question before it, any other question as it is."""
        return " ".join([*_before(turns), question]) if is_follow_up(question) else question


@dataclass(frozen=True, slots=True)
class RewriteByModel:
    """Asks the chat model; what is no list of queries is made by the rules."""

    model: BaseChatModel
    history_tokens: int
    callbacks: list[BaseCallbackHandler] = field(default_factory=list)
    rules: Rewriter = RewriteByRules()

    def rewrite(self, question: str, turns: Sequence[Turn]) -> list[str]:
        """Return the queries of the model. Raises ModelError when it does not reply."""
        prompt = prompts.render("rewrite", chat_history=as_history(turns, self.history_tokens), question=question)
        reply = strip_thinking(str(self.model.invoke(prompt, config={"callbacks": self.callbacks}).text))
        queries = _read_queries(reply, question)
        talk = "\n".join([question, *(f"{turn.question}\n{turn.answer}" for turn in turns)])
        is_about_it = bool(_words("\n".join(queries)) & _words(talk))
        return queries if is_about_it else self.rules.rewrite(question, turns)

    def stand_alone(self, question: str, turns: Sequence[Turn]) -> str:
        """Return what the rules make of it."""
        return self.rules.stand_alone(question, turns)


def _before(turns: Sequence[Turn]) -> list[str]:
    """Return the question before this one, after those that it needs itself because it hardly says anything."""
    needed: list[str] = []
    for turn in reversed(turns):
        if question := turn.question.strip():
            needed.insert(0, question)
            if _says(question) > _HARDLY:
                break
    return needed


def is_follow_up(question: str) -> bool:
    """Say whether a question needs the one before it: it joins on to it, says little, or points early."""
    if _JOINED.search(question):
        return True
    words = _says(question)
    pointing = _POINTING.search(question)
    if words <= _FEW and pointing and pointing.start() <= _EARLY:
        return True
    # A Chinese question of one noun leaves open of what; there is no tagger for English.
    return _nouns(question) <= 1 if language_of(question) == "zh" else words <= _HARDLY


def _read_queries(reply: str, question: str) -> list[str]:
    """Return the queries of a reply, or none when it is something else: an answer, an essay, another language."""
    said = _NEXT_EXAMPLE.split(reply, maxsplit=1)[0]
    lines = [_LIST_MARK.sub("", line).strip().strip(_QUOTES) for line in said.splitlines() if "```" not in line]
    queries = list(dict.fromkeys(line for line in lines if line and not line.endswith((":", "："))))
    if not 1 <= len(queries) <= MAX_QUERIES or not all(map(_is_query, queries)):
        return []
    language = language_of(question)
    # A Chinese question may keep a code or a name as a query of its own.
    same = any if language == "zh" else all
    return queries if same(language_of(query) == language for query in queries) else []


def _is_query(line: str) -> bool:
    """Tell a query from an answer: it is short, has words, makes no statement, and cites no passage."""
    has_words = any(character.isalnum() for character in line)
    return has_words and len(line) <= _MAX_QUERY_CHARS and not _STATEMENT.search(line)


def _says(question: str) -> int:
    """Return how many words a question has of its own."""
    return len(frozenset(tokenize(question, characters=False)) - STOP_TOKENS)


def _nouns(question: str) -> int:
    tagged = rjieba.tag(question)
    return sum(len(word) > 1 and (tag[0] in "nj" or tag in ("vn", "eng")) for word, tag in tagged)


def _words(text: str) -> frozenset[str]:
    return frozenset(tokenize(text)) - STOP_TOKENS
