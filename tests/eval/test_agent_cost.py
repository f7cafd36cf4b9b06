"""What a question costs beside a stock agent, counted on three small documents."""

from pathlib import Path

import pytest

from agent.settings import Settings
from eval.agent_cost import Cost, cost_table, run_cost
from eval.diligent_model import DIRECT, STOP, DiligentModel
from eval.query import Query
from eval.sets import EvalSet, load_set
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
    costs = run_cost(eval_set, Settings(home=tmp_path / "home"), embedder=CharacterEmbedder())
    assert [(cost.agent, cost.questions, cost.calls) for cost in costs] == [
        ("Folio", 2, 2 * 2),
        # Rewriting, the search, once more in other words, which brings nothing new, and the answer.
        ("stock ReAct", 2, 2 * 4),
        ("stock ReAct, as few steps as Folio", 2, 2 * 2),
    ]
    assert all(cost.prompt_tokens > 0 for cost in costs)


def test_the_table_shows_shares_of_the_first() -> None:
    table = cost_table([Cost("a", 2, 4, 600), Cost("b", 2, 8, 1000)])
    assert [line.replace(" ", "") for line in table.splitlines()[2:]] == ["|a|2|2.00|300|1.00|", "|b|2|4.00|500|0.60|"]


def _set(docs: Path, queries: tuple[Query, ...]) -> EvalSet:
    from dataclasses import replace

    sample = load_set(Path(__file__).parents[2] / "eval" / "data" / "sample", "dev", whole_documents=True)
    return replace(sample, documents=docs, queries=queries)
