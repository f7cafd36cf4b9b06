from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from agent.quoting.confidence import Passage
from agent.quoting.quote import Quoter
from tests.fakes import CharacterEmbedder

TABLE = "| 级别 | 限额 |\n| --- | --- |\n| 经理 | 650 元 |\n| 总监 | 900 元 |"


@pytest.fixture
def quoter() -> Quoter:
    return Quoter(CharacterEmbedder(), lambda: 0.1)


def test_the_row_that_is_asked_for_is_chosen(quoter: Quoter) -> None:
    best = quoter.choose("总监的限额是多少？", [Passage("S1", "差旅 > 住宿", TABLE)])[0]
    assert (best.label, best.text.splitlines()[-1]) == ("S1", "| 总监 | 900 元 |")


@pytest.mark.parametrize("question", ["ERR_4999 是什么意思？", "err 4999 代表什么", "What is ERR_4999?"])
def test_a_code_that_stands_nowhere_is_refused(quoter: Quoter, question: str) -> None:
    assert quoter.choose(question, [Passage("S1", "错误码", "ERR_4032 是什么意思：余额不足。")]) == []


@pytest.mark.parametrize("question", ["ERR_4032 是什么意思？", "err_4032是什么意思", "ＥＲＲ＿４０３２ 是什么意思"])
def test_a_code_is_found_however_it_is_written(quoter: Quoter, question: str) -> None:
    assert quoter.choose(question, [Passage("S1", "错误码", "ERR_4032 是什么意思：余额不足。")])


def test_the_code_that_is_asked_for_is_chosen_before_one_that_is_alike(quoter: Quoter) -> None:
    table = (
        "| 错误码 | 含义 |\n| --- | --- |\n| A0427 | 请求 JSON 解析失败 |\n| A0472 | 请求 JSON 解析失败，请稍后再试 |"
    )
    best = quoter.choose("A0427 是什么错误，请求 JSON 解析失败，请稍后再试？", [Passage("S1", "错误码", table)])[0]
    assert best.text.splitlines()[-1] == "| A0427 | 请求 JSON 解析失败 |"


class Matcher:
    """Matches only texts that hold a word."""

    def __init__(self, word: str) -> None:
        self.word = word

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([float(self.word in text) for text in texts], np.float32)


def test_matched_tokens_decide_between_units_that_are_alike() -> None:
    passage = Passage("S1", "", "员工甲负责审批。员工乙负责审批。员工丙负责审批。")
    quoter = Quoter(CharacterEmbedder(), lambda: 0.1, Matcher("乙"))
    assert quoter.choose("谁负责审批？", [passage])[0].text == "员工乙负责审批。"


def test_what_is_not_sure_enough_is_not_quoted(quoter: Quoter) -> None:
    assert not quoter.choose("火星上有几家食堂？", [Passage("S1", "", "Dogs bark.")])


def test_who_asks_for_a_list_gets_all_of_it(quoter: Quoter) -> None:
    text = "报销须知。\n报销需要提交下列材料：\n- 发票\n- 审批单\n\n材料不全的退回。"
    (quote,) = quoter.choose("报销需要提交哪些材料？", [Passage("S1", "报销", text)])
    assert quote.text == "报销需要提交下列材料：\n- 发票\n- 审批单"
