"""A scripted answerer in place of the agent."""

from collections.abc import Sequence

from agent.answer import Citation, CitedAnswer
from agent.sessions.turn import Turn
from eval.runs.run import Run, SetIdentity
from eval.sets.files import Query
from eval.tasks.answers import ROW, answers_table, score_answer, score_answers
from tests.fakes import make_chunk

QUERY = Query("q1", "住宿标准？", kind="natural", answers=("500 元",), gold_files=("travel.md",))
NEVER = Query("q2", "火星？", kind="unanswerable", answerable=False)
FOLLOW_UP = Query(
    "q3",
    "那餐补呢？",
    answers=("100 元",),
    gold_files=("travel.md",),
    history=(("user", "住宿？"), ("assistant", "500 元")),
)
CHUNKS = {
    "right": make_chunk("每晚 500 元", "right", source="docs/travel.md"),
    "wrong": make_chunk("别的", "wrong", source="docs/travel.md"),
}
USAGE = {"llm_calls": 2, "tool_calls": 1, "prompt_tokens": 900, "completion_tokens": 100}
REFUSAL = CitedAnswer("没有找到。最接近的内容：500 元", refused=True, reason="not_found", usage=USAGE)


def answer(text: str, *chunk_ids: str) -> CitedAnswer:
    citations = [Citation(f"S{n}", name, "travel.md", "", None, "") for n, name in enumerate(chunk_ids, start=1)]
    return CitedAnswer(text, refused=False, reason=None, citations=tuple(citations), usage=USAGE)


class Scripted:
    def __init__(self, *answers: CitedAnswer) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, list[Turn]]] = []

    def ask(self, question: str, *, history: Sequence[Turn] = ()) -> CitedAnswer:
        self.asked.append((question, list(history)))
        return self.answers.pop(0)


def test_an_answer_with_a_right_and_a_wrong_citation() -> None:
    scores = score_answer(
        QUERY, answer("标准是 500 元。[S1][S2]", "right", "wrong"), [CHUNKS["right"], CHUNKS["wrong"]]
    )
    assert scores == {
        "contains answer": 1.0,
        "token F1": 2 * 2 / (5 + 2),
        "citation precision": 0.5,
        "citation recall": 1.0,
        "refused": 0.0,
        "unanswerable": 0.0,
        "LLM calls": 2.0,
        "tool calls": 1.0,
        "tokens": 1000.0,
    }


def test_a_refusal_holds_no_answer_even_when_its_words_do() -> None:
    scores = score_answer(QUERY, REFUSAL, [CHUNKS["right"]])
    assert (scores["contains answer"], scores["citation recall"], scores["refused"]) == (0.0, 0.0, 1.0)
    assert "citation precision" not in scores


def test_questions_are_asked_with_their_conversation_and_reported() -> None:
    answerer = Scripted(answer("500元[S1]", "right"), REFUSAL, answer("不知道", "wrong"))
    questions = list(score_answers([QUERY, NEVER, FOLLOW_UP], answerer, lambda names: [CHUNKS[name] for name in names]))
    assert [asked for asked, _ in answerer.asked] == ["住宿标准？", "火星？", "那餐补呢？"]
    assert [(turn.question, turn.answer) for turn in answerer.asked[2][1]] == [("住宿？", "500 元")]
    assert questions[0].rankings == {ROW: ["right"]}
    run = Run(
        command="answers",
        commit=None,
        created_at="",
        set=SetIdentity(name="small", split="dev", digest="d", searched=2, unit="chunks"),
        settings={"chat_model": "scripted", "embed_model": "characters"},
        rows=[ROW],
        questions=questions,
    )
    table = answers_table(run)
    assert "| contains answer    |   2 | 0.500 |" in table
    assert "|         |     1.000 |  1.000 | 1.000 |" in table
    assert "|                    |       2.0 |        1.0 | 1000.0 |" in table
    assert "| unanswerable |   1 |               – |               – |   1.000 |" in table
