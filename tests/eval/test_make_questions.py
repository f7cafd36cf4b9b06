"""Every made answer stands in its document, and what a near miss asks about stands nowhere."""

from pathlib import Path

import pytest

from eval.ask_document import cloze, entities, identifiers, language, table_cells, titles
from eval.jsonl import SetError
from eval.judge import normalise
from eval.made_question import MadeQuestion
from eval.make_questions import ask, choose, make_set
from eval.near_miss import near_misses
from eval.sets import load_set
from preprocessing.document import Document
from preprocessing.load import load

SAMPLE = Path(__file__).parents[2] / "eval" / "data" / "sample" / "docs"
TEXT = """# 差旅制度

本制度自 2024 年 1 月 1 日起施行，由北京总部解释。

## 住宿

普通员工国内出差，每晚住宿标准为 500 元/晚，凭票报销。短句 3 天。

| 级别 | 标准 |
| --- | --- |
| 经理 | 800 元 |

- 报销失败时显示 ERR_4032，需要重新提交。
"""


@pytest.fixture
def document(tmp_path: Path) -> Document:
    path = tmp_path / "travel.md"
    path.write_text(TEXT, encoding="utf-8")
    return load(path, source="travel.md")


def everything(document: Document) -> str:
    return normalise("\n".join(block.text for block in document.blocks))


def test_cloze_blanks_the_amount_and_leaves_short_sentences(document: Document) -> None:
    made = [(one.query, one.answer) for one in cloze(document, "travel.md")]
    assert ("普通员工国内出差，每晚住宿标准为 ____，凭票报销。", "500 元/晚") in made
    assert not any("短句" in query for query, _ in made)


def test_titles_ask_for_the_first_sentence(document: Document) -> None:
    made = {one.query: one.answer for one in titles(document, "travel.md")}
    assert made["《差旅制度》里“住宿”是怎么规定的？"] == "普通员工国内出差，每晚住宿标准为 500 元/晚，凭票报销。"


def test_a_cell_is_asked_for_by_row_and_column(document: Document) -> None:
    assert list(entities(document)) == [("经理", "标准", "800 元")]
    assert list(table_cells(document, "travel.md")) == [
        MadeQuestion("《差旅制度》里“经理”的“标准”是什么？", "table", "zh", "travel.md", "800 元", ("经理",))
    ]


def test_what_says_too_little_is_not_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(
        "# Help\n\nThe team answers within 2 working days.\n\n2.1 日常费用应当及时提交报销单据。\n\n"
        "**Rule 1** The printer room is closed for 2 hours every Friday.\n\n"
        "## 材料\n\n请在报到前通过入职链接上传以下材料：\n\n"
        "| Time | Place |\n| --- | --- |\n| 14:00 | Hall |\n| 30 万元以上 | Office |\n| ERR_4032 | Web |\n",
        encoding="utf-8",
    )
    document = load(path, source="a.md")
    assert [one.query for one in cloze(document, "a.md")] == [
        "Rule 1 The printer room is closed for ____ every Friday."
    ]
    assert list(titles(document, "a.md")) == []
    assert [entity for entity, _, _ in entities(document)] == ["30 万元以上", "ERR_4032"]
    absent = [one.query for one in near_misses(document, "a.md", everything(document))]
    assert absent == ["ERR_4033 是什么？"]


def test_the_whole_of_a_code_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# 制度\n\n文件编号：YF-FIN-007，归口部门：财务部。\n", encoding="utf-8")
    document = load(path, source="a.md")
    assert [one.query for one in identifiers(document, "a.md")] == ["YF-FIN-007 是什么？"]
    assert [one.absent for one in near_misses(document, "a.md", everything(document))] == ["YF-FIN-008"]


def test_an_identifier_means_its_sentence(document: Document) -> None:
    assert [(one.query, one.answer) for one in identifiers(document, "travel.md")] == [
        ("ERR_4032 是什么？", "报销失败时显示 ERR_4032，需要重新提交。")
    ]


def test_near_misses_swap_what_is_there_for_what_is_nowhere(document: Document) -> None:
    made = {one.absent: one.query for one in near_misses(document, "travel.md", everything(document))}
    assert made["2031"].startswith("本制度自 2031 年 1 月 1 日起施行")
    assert "由上海总部解释" in made["上海"]
    assert made["ERR_4033"] == "ERR_4033 是什么？"
    assert made["停车位数量"] == "经理的停车位数量是什么？"


def test_a_near_miss_passes_over_what_stands_in_another_document(document: Document) -> None:
    text = everything(document) + normalise("2031 上海 ERR_4033 停车位数量")
    assert {one.absent for one in near_misses(document, "travel.md", text)} == {"2032", "广州", "ERR_4034", "体检频率"}


@pytest.mark.parametrize(
    ("text", "expected"), [("差旅制度", "zh"), ("Travel", "en"), ("ERR_4032 错误", "zh"), ("", "en")]
)
def test_language(text: str, expected: str) -> None:
    assert language(text) == expected


def test_choice_takes_turns_and_repeats() -> None:
    made = [MadeQuestion(f"{kind} {n}", kind, "en", "a.md", "x") for kind in ("cloze", "title") for n in range(9)]
    chosen = choose(made, 6)
    assert sorted(one.kind for one in chosen) == ["cloze"] * 3 + ["title"] * 3
    assert choose(made, 6) == chosen
    assert len(choose(made, 100)) == 18


def test_the_sample_documents_make_a_set_that_holds(tmp_path: Path) -> None:
    made = make_set([SAMPLE], tmp_path / "set")
    eval_set = load_set(tmp_path / "set")
    documents = {path.name: load(path, source=path.name) for path in SAMPLE.iterdir()}
    texts = {name: everything(one) for name, one in documents.items()}
    assert len(eval_set.queries) == len(made) >= 50
    assert {one.kind for one in made} == {"cloze", "title", "table", "identifier", "near_miss"}
    for query, one in zip(eval_set.queries, made, strict=True):
        assert query.answerable is (one.kind != "near_miss")
        if query.answerable:
            assert normalise(query.answers[0]) in texts[query.gold_files[0]]
        else:
            assert one.absent
            assert not any(normalise(one.absent) in text for text in texts.values())


def test_everything_that_is_asked_is_checked(document: Document) -> None:
    kinds = [one.kind for one in ask({"travel.md": document})]
    assert set(kinds) == {"cloze", "title", "table", "identifier", "near_miss"}


def test_faults(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for folder in ("a", "a/b"):
        (tmp_path / folder / "same.md").write_text("# One\n\nText that is here.\n", encoding="utf-8")
    with pytest.raises(SetError, match="has the same name"):
        make_set([tmp_path / "a"], tmp_path / "set")
    with pytest.raises(SetError, match="not empty; name a new folder"):
        make_set([tmp_path / "a" / "b"], tmp_path / "a")
    (tmp_path / "dull").mkdir()
    (tmp_path / "dull" / "d.md").write_text("Hi.\n", encoding="utf-8")
    with pytest.raises(SetError, match="to ask about was found"):
        make_set([tmp_path / "dull"], tmp_path / "set")
