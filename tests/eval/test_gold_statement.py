import pytest

from eval.metrics.gold import gold_statements, is_complete
from eval.sets.files import Query
from preprocessing.document import Block, Document

TABLE = Block("table", "| 级别 | 住宿 |\n| --- | --- |\n| 员工 | 500 元 |\n| 总监 | 800 元 |")
SENTENCES = Block("paragraph", "出差须审批。每晚 500 元，凭票报销！超标自付。")
LIST = Block("list", "- 员工：500 元\n- 总监：800 元")


def document(*blocks: Block) -> Document:
    return Document("d", "a.md", "t", blocks, "md", "h")


def query(answer: str, *must: str) -> Query:
    return Query("q", "?", answers=(answer,), must_contain=must, gold_files=("a.md",))


@pytest.mark.parametrize(
    ("block", "asked", "expected"),
    [
        (SENTENCES, query("500元"), [("每晚500元,凭票报销!",)]),
        (LIST, query("500元"), [("-员工:500元",)]),
        (TABLE, query("500元"), [("级别", "住宿", "员工", "500元")]),
        (SENTENCES, query("300元"), []),
        (SENTENCES, query("审批。每晚"), []),
    ],
)
def test_statements(block: Block, asked: Query, expected: list[tuple[str, ...]]) -> None:
    assert gold_statements([document(block)], asked) == expected


def test_a_statement_with_all_that_goes_with_the_answer_comes_first() -> None:
    both = document(Block("paragraph", "餐补 500 元。员工住宿 500 元。"))
    assert gold_statements([both], query("500元", "员工")) == [("员工住宿500元。",)]
    assert len(gold_statements([both], query("500元", "总监"))) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| 级别 | 住宿 |\n| --- | --- |\n| 员工 | ５００ 元 |", True),
        ("级别: 员工\n住宿: 500 元", True),
        ("| 员工 | 500 元 |", False),
        ("| 级别 | 住宿 |\n| 总监 | 800 元 |", False),
    ],
)
def test_a_row_is_complete_with_its_header(text: str, expected: bool) -> None:
    assert is_complete(text, gold_statements([document(TABLE)], query("500元"))) is expected
