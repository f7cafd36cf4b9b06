"""Another chat model grades the answers: off by default, and named apart from the model that answers."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import prompts
from agent.chat_model import ModelError
from agent.react.clean import strip_thinking
from agent.settings import OFFLINE, Settings
from eval.query import Query
from preprocessing.errors import FolioError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

Judge = Callable[[Query, str], float | None]
"""Takes a question and an answer; returns 0, 0.5 or 1, or None where there is nothing to grade or no grade."""

HIGHEST = 2
_GRADE = re.compile(rf"\s*(?:\**(?:Grade|评分)\**\s*[:：]\s*\**\s*)?\**([0-{HIGHEST}])\**[.。]?\s*", re.IGNORECASE)


def judge_by(model: "BaseChatModel") -> Judge:
    """Return a judge that asks the model once a question; what the model raises goes on."""

    def judge(query: Query, answer: str) -> float | None:
        references = query.references
        if not query.answerable or not references:
            return None
        if not answer.strip():
            return 0.0
        listed = "\n".join(f"- {_one_line(reference)}" for reference in references)
        prompt = prompts.render("judge", question=_one_line(query.text), references=listed, answer=_one_line(answer))
        try:
            return read_grade(str(model.invoke(prompt).text))
        except ModelError as error:
            raise FolioError(f"--judge: {error}") from error

    return judge


def read_grade(reply: str) -> float | None:
    """Return the grade as 0, 0.5 or 1; None for a reply that is anything but a grade."""
    found = _GRADE.fullmatch(strip_thinking(reply))
    return int(found[1]) / HIGHEST if found else None


def open_judge(settings: Settings) -> "BaseChatModel":
    """Return the model that these settings name, to judge with; raise FolioError for the built-in one."""
    if settings.chat_model_name == OFFLINE:
        raise FolioError(f"--judge {OFFLINE}: the built-in model only quotes; name a model behind an address")
    # Takes almost two seconds to import, and only a judge needs it here.
    from agent.compatible_model import CompatibleChatModel

    return CompatibleChatModel(
        settings=settings,
        model=settings.chat_model_name,
        base_url=settings.openai_base_url,
        # Local servers ask for no key, but the client insists on one.
        api_key=settings.openai_api_key or (lambda: "none"),
        timeout=settings.chat_timeout_seconds,
    )


def _one_line(text: str) -> str:
    # A line of the answer must not look like one of the prompt.
    return " ".join(text.split())
