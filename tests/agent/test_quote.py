import pytest

from agent.quote import Passage, Quoter, Unit, quotation, split_units
from tests.fakes import CharacterEmbedder

TABLE = "| 级别 | 限额 |\n| --- | --- |\n| 经理 | 650 元 |\n| 总监 | 900 元 |"


@pytest.fixture
def quoter() -> Quoter:
    return Quoter(CharacterEmbedder(), lambda: 0.1)


def test_sentences_list_items_and_rows_are_units() -> None:
    text = f"第一句。“第二句！”第三句\n- 一项，含两句。仍是一项。\n\n{TABLE}\nIt costs 2.5 GB. Really."
    assert split_units(text) == [
        Unit("第一句。"),
        Unit("“第二句！”"),
        Unit("第三句"),
        Unit("- 一项，含两句。仍是一项。"),
        Unit("| 经理 | 650 元 |", "| 级别 | 限额 |"),
        Unit("| 总监 | 900 元 |", "| 级别 | 限额 |"),
        Unit("It costs 2.5 GB."),
        Unit("Really."),
    ]


def test_a_row_is_quoted_with_its_header() -> None:
    row = Unit("| 经理 | 650 元 |", "| 级别 | 限额 |")
    assert quotation(row) == "| 级别 | 限额 |\n| --- | --- |\n| 经理 | 650 元 |"


def test_the_row_that_is_asked_for_is_chosen(quoter: Quoter) -> None:
    best = quoter.choose("总监的限额是多少？", [Passage("S1", "差旅 > 住宿", TABLE)])[0]
    assert (best.label, best.text.splitlines()[-1]) == ("S1", "| 总监 | 900 元 |")


def test_a_number_is_preferred_when_one_is_asked_for(quoter: Quoter) -> None:
    passage = Passage("S1", "", "病假期间工资照发。病假期间工资 80%。")
    assert quoter.choose("病假期间工资是多少？", [passage])[0].text == "病假期间工资 80%。"


@pytest.mark.parametrize("question", ["ERR_4999 是什么意思？", "err 4999 代表什么", "What is ERR_4999?"])
def test_a_code_that_stands_nowhere_is_refused(quoter: Quoter, question: str) -> None:
    assert quoter.choose(question, [Passage("S1", "错误码", "ERR_4032 是什么意思：余额不足。")]) == []


@pytest.mark.parametrize("question", ["ERR_4032 是什么意思？", "err_4032是什么意思", "ＥＲＲ＿４０３２ 是什么意思"])
def test_a_code_is_found_however_it_is_written(quoter: Quoter, question: str) -> None:
    assert quoter.choose(question, [Passage("S1", "错误码", "ERR_4032 是什么意思：余额不足。")])


def test_what_shares_few_words_is_refused(quoter: Quoter) -> None:
    assert quoter.choose("食堂几点开门？", [Passage("S1", "休假", "试用期员工年假 5 天。")]) == []


@pytest.mark.parametrize("passages", [[], [Passage("S1", "标题", "")], [Passage("S1", "", "| --- |")]])
def test_without_text_there_is_nothing_to_quote(quoter: Quoter, passages: list[Passage]) -> None:
    assert quoter.choose("年假几天？", passages) == []
