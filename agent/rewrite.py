"""A follow-up becomes a question that stands alone; a comparison becomes one query for each side.

By rules, for Chinese and English. A chat model may do it instead (`rewrite_by_model`) and falls back on the rules.
"""

import re
from collections.abc import Sequence

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel

import prompts
from agent.comparison import sides, split_questions
from agent.follow_up import Asked, resolve, start
from agent.language import language_of
from agent.memory import Turn, as_history
from agent.react.clean import strip_thinking
from agent.tools import MAX_QUERIES
from retrieval.tokens import STOP_TOKENS, tokenize

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


def rewrite_by_rules(question: str, turns: Sequence[Turn]) -> list[str]:
    """Return one to three queries that need no conversation; a question that stands alone comes back as it is."""
    before = _conversation(turns)
    queries: list[str] = []
    for part in split_questions(question):
        before = resolve(part, before) if before else start(part)
        queries.append(before.question)
    return (queries if len(queries) > 1 else sides(queries[0]))[:MAX_QUERIES]


def rewrite_by_model(
    question: str,
    turns: Sequence[Turn],
    model: BaseChatModel,
    history_tokens: int,
    callbacks: list[BaseCallbackHandler] | None = None,
) -> list[str]:
    """Ask the model for one to three queries; what is no list of queries falls back on the rules."""
    prompt = prompts.render("rewrite", chat_history=as_history(turns, history_tokens), question=question)
    reply = strip_thinking(str(model.invoke(prompt, config={"callbacks": callbacks}).text))
    queries = _read_queries(reply, question)
    talk = "\n".join([question, *(f"{turn.question}\n{turn.answer}" for turn in turns)])
    return queries if queries and _words("\n".join(queries)) & _words(talk) else rewrite_by_rules(question, turns)


def needs_rewriting(question: str, turns: Sequence[Turn]) -> bool:
    """Say whether the question is a follow-up of this conversation or asks several things at once."""
    return rewrite_by_rules(question, turns) != [question]


def stand_alone(question: str, turns: Sequence[Turn]) -> str:
    """Resolve a follow-up against the questions before it, the first of which stands alone."""
    before = _conversation(turns)
    return resolve(question, before).question if before else question


def _conversation(turns: Sequence[Turn]) -> Asked | None:
    """Read the questions so far, each in the light of those before it."""
    before = None
    for turn in turns:
        if turn.question.strip():
            before = resolve(turn.question, before) if before else start(turn.question)
    return before


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


def _words(text: str) -> frozenset[str]:
    return frozenset(tokenize(text)) - STOP_TOKENS
