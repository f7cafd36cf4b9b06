"""What a question costs beside a stock agent, counted on three small documents."""

from dataclasses import replace
from pathlib import Path

import pytest

from agent.settings import Settings
from eval.runs.tables import scores_of
from eval.sets.files import Query
from eval.sets.load import SAMPLE, EvalSet, load_set
from eval.tasks.cost import DIRECT, STOP, DiligentModel, cost_table, run_cost
from prompts import render
from tests.fakes import CharacterEmbedder


def test_the_prompt_says_what_the_model_looks_for() -> None:
    prompt = render("react_system", tools="", tool_names="", max_searches="3")
    assert DIRECT in prompt
    assert STOP in prompt


TURN = "Question: how long is leave?\n"
SEEN = "Thought: x\nAction: knowledge_search\nAction Input: q\nObservation: [S1] Leave (a.md)\n| Leave is 5 days.\n"


@pytest.mark.parametrize(
    ("told", "turn", "reply"),
    [
        ("", TURN, "Action: query_rewrite\nAction Input: how long is leave?"),
        (DIRECT, TURN, "Action: knowledge_search\nAction Input: how long is leave?"),
        (STOP, TURN + SEEN, "Final Answer: Leave is 5 days. [S1]"),
        ("", TURN + SEEN, "Action: knowledge_search\nAction Input: long leav"),
        ("", TURN + SEEN + SEEN, "Final Answer: Leave is 5 days. [S1]"),
    ],
)
def test_it_takes_every_care_that_it_is_not_told_to_leave_out(told: str, turn: str, reply: str) -> None:
    model = DiligentModel(answers={"how long is leave?": ["5 days"]})
    assert model.invoke([("system", told), ("human", turn)]).text.partition("\n")[2] == reply


def test_each_agent_is_counted(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(3):
        (docs / f"{number}.md").write_text(
            f"# 制度{number}\n\n第{number}类假期为 {number + 5} 天。\n", encoding="utf-8"
        )
    queries = tuple(Query(str(n), f"第{n}类假期几天？", answers=(f"{n + 5} 天",)) for n in range(2))
    eval_set = _set(docs, queries)
    run = run_cost(eval_set, Settings(home=tmp_path / "home"), embedder=CharacterEmbedder())
    assert {row: scores_of(run.questions, row, "calls") for row in run.rows} == {
        "Folio": [2, 2],
        # Rewriting, the search, once more in other words, which brings nothing new, and the answer.
        "stock ReAct": [4, 4],
        "stock ReAct, as few steps as Folio": [2, 2],
    }
    assert all(min(scores_of(run.questions, row, "prompt tokens")) > 0 for row in run.rows)
    first = cost_table(run).splitlines()[2].replace(" ", "")
    assert first.startswith("|Folio|2|2.00|")
    assert first.endswith("|1.00|")


def _set(docs: Path, queries: tuple[Query, ...]) -> EvalSet:
    return replace(load_set(SAMPLE, "dev", whole_documents=True), documents=docs, queries=queries)
