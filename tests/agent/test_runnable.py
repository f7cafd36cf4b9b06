"""The assistant as LangChain takes it: whole, in pieces, several at once, with and without an event loop."""

import asyncio
import subprocess
import sys
import time
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableLambda

from agent.answer import CitedAnswer
from agent.loop.drafts import AnswerPiece
from retrieval.search import SearchError
from tests.agent.conftest import ANSWER, SEARCH, Scripted, model_of

WRONG = "Thought: 有了。\nFinal Answer: 转正员工年假 30 天。[S1]"
QUESTION = "转正员工年假有几天？"
TOLD = "转正员工年假 12 天。[S1]"


def test_a_text_or_a_dict_becomes_an_answer(scripted: Scripted) -> None:
    runnable = scripted(SEARCH, ANSWER, SEARCH, ANSWER).as_runnable()
    answer = runnable.invoke(QUESTION)
    assert isinstance(answer, CitedAnswer)
    assert (answer.answer, answer.refused) == (TOLD, False)
    assert runnable.invoke({"question": QUESTION, "session": "mine"}).session == "mine"


def test_a_stream_adds_up_to_the_checked_answer(scripted: Scripted) -> None:
    pieces = list(scripted(SEARCH, WRONG, ANSWER).as_runnable().stream(QUESTION))
    drafts, answer = pieces[:-1], pieces[-1]
    assert all(isinstance(piece, AnswerPiece) for piece in drafts)
    assert {piece.draft for piece in drafts} == {1, 2}  # type: ignore[union-attr]
    assert reduce(add, drafts) == AnswerPiece(2, TOLD)  # type: ignore[arg-type]
    assert isinstance(answer, CitedAnswer)
    assert answer.answer == TOLD
    assert reduce(add, pieces) is answer  # type: ignore[arg-type]


def test_it_is_asked_from_an_event_loop(scripted: Scripted) -> None:
    runnable = scripted(SEARCH, ANSWER, SEARCH, ANSWER).as_runnable()

    async def both() -> list[Any]:
        return [await runnable.ainvoke(QUESTION), *[piece async for piece in runnable.astream(QUESTION)][-1:]]

    assert [answer.answer for answer in asyncio.run(both())] == [TOLD, TOLD]


def test_it_is_a_link_of_a_chain_and_takes_a_batch(scripted: Scripted) -> None:
    chain = scripted(SEARCH, ANSWER).as_runnable() | RunnableLambda(lambda answer: answer.citations[0].source)
    assert chain.invoke(QUESTION).endswith("leave.md")
    answers = scripted("Final Answer: NOT_FOUND").as_runnable().batch(["股票期权？", {"question": "Stock options?"}])
    assert ["“股票期权？”" in answer.answer for answer in answers] == [True, False]  # type: ignore[union-attr]


def test_what_goes_wrong_is_raised(scripted: Scripted) -> None:
    runnable = scripted(ANSWER).as_runnable()
    with pytest.raises(SearchError, match="the question is blank"):
        runnable.invoke(" ")
    with pytest.raises(SearchError, match="the question is blank"):
        list(runnable.stream(" "))


def test_who_leaves_a_stream_ends_the_question(scripted: Scripted) -> None:
    def slowly(_messages: list[BaseMessage]) -> str:
        time.sleep(0.3)
        return ANSWER

    assistant = scripted(SEARCH, WRONG, slowly)
    stream = assistant.as_runnable().stream({"question": QUESTION, "session": "left"})
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert len(model_of(assistant).prompts) == 3
    assert assistant.sessions.turns("left") == []


@pytest.mark.parametrize(
    ("package", "names", "home"),
    [
        ("agent", "Assistant, CitedAnswer, Settings", "agent.assistant import Assistant"),
        ("retrieval", "FolioRetriever, Hit, KnowledgeBase", "retrieval.knowledge_base import KnowledgeBase"),
    ],
)
def test_the_names_of_a_package_are_cheap_and_right(package: str, names: str, home: str) -> None:
    code = (
        f"import sys, {package}\n"
        f"assert not [name for name in sys.modules if name.startswith(('{package}.', 'lang', 'numpy', 'qdrant'))]\n"
        f"from {package} import {names}\n"
        f"from {home} as same\n"
        f"assert same is {home.split()[-1]} and not hasattr({package}, 'Unknown')\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=True)
